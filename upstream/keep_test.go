package upstream

import (
	"context"
	"slices"
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

// An upstream server with tables, by name, of marks; it notes what is renamed.
type holding struct {
	marks   map[string]string
	renamed []string
}

func (h *holding) Query(_ context.Context, text string, row func([][]byte) error) error {
	switch {
	case strings.HasPrefix(text, "RENAME"):
		h.renamed = append(h.renamed, text)
	case strings.Contains(text, "IF(TABLE_COMMENT"):
		for name, mark := range h.marks {
			if err := row([][]byte{[]byte(name), []byte(mark)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A RENAME that is undone late moves no table of another release, which has the name by now.
func TestLaterReleasesKeepTheirNames(t *testing.T) {
	back := []source.Move{{From: "`shown`.`visits`", To: "`shown`.`anonsql_aa_0`"}, {From: "`shown`.`anonsql_99_0`", To: "`shown`.`visits`"}}
	for name, test := range map[string]struct {
		marks map[string]string
		want  []string
	}{
		"its own":       {map[string]string{"visits": "anonsql_aa", "anonsql_99_0": "anonsql_99"}, []string{renaming(back)}},
		"another's":     {map[string]string{"visits": "anonsql_bb"}, nil},
		"the owner's":   {map[string]string{"visits": ""}, nil},
		"half done":     {map[string]string{"anonsql_aa_0": "anonsql_aa", "anonsql_99_0": "anonsql_99"}, []string{renaming(back[1:])}},
		"gone entirely": {nil, nil},
	} {
		h := &holding{marks: test.marks}
		if _, err := (&Home{Asker: h}).Recover(sql.NewContext(t.Context()), source.Kept{Database: "shown", Mark: "aa"}, []string{"visits"}, back); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.Equal(h.renamed, test.want) {
			t.Errorf("%s: it says %q, want %q", name, h.renamed, test.want)
		}
	}
}
