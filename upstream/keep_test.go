package upstream

import (
	"context"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/source"
)

// An upstream server that refuses some CREATE, and every DROP.
type refusing struct{ creates, dropped int }

func (r *refusing) Query(_ context.Context, text string, _ func([][]byte) error) error {
	switch verb, _, _ := strings.Cut(text, " "); verb {
	case "CREATE":
		if r.creates--; r.creates < 0 {
			return &Error{Number: 1142, State: "42000", Message: "CREATE command denied"}
		}
	case "DROP":
		r.dropped++
		return &Error{Number: 1142, State: "42000", Message: "DROP command denied"}
	}
	return nil
}

// An error names the temporary tables that may be left, and none whose CREATE was refused.
func TestOnlyTablesThatWereMadeAreNamed(t *testing.T) {
	for creates, left := range []string{"", "you can drop them: `shown`.`anonsql_m_0`"} {
		r := &refusing{creates: creates}
		empty := source.Relation{Schema: sql.Schema{}, Rows: func(*sql.Context) (sql.RowIter, error) { return sql.RowsToRowIter(), nil }}
		err := (&Home{Asker: r}).Keep(sql.NewContext(t.Context()), source.Kept{Database: "shown", Mark: "m"}, &table{}, []source.Relation{empty, empty})
		if err == nil || !strings.Contains(err.Error(), "CREATE command denied") || strings.Contains(err.Error(), "anonsql_m_1") {
			t.Errorf("after %d tables: %v", creates, err)
		}
		if says := strings.Contains(err.Error(), "some may be left"); says != (left != "") || !strings.Contains(err.Error(), left) || r.dropped != creates {
			t.Errorf("after %d tables, with %d dropped: %v", creates, r.dropped, err)
		}
	}
}
