package plainsql

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/planner/answer"
)

// Write is a plan with estimates as plain SQL over the published relations. Cost:
// conditions that become tables of values, and texts under a collation that ignores
// case, look at the release's dictionaries, which loads the release at first use.
func Write(ctx *sql.Context, node sql.Node) (string, error) {
	w := &writer{ctx: ctx, fields: make(map[sql.ColumnId]string), kinds: make(map[sql.ColumnId]textKind)}
	s, err := w.selection(node)
	if err != nil {
		return "", err
	}
	s.rename(node.Schema())
	if w.assumes {
		return assumption + s.text(""), nil
	}
	return s.text(""), nil
}

// A writer writes one statement.
type writer struct {
	ctx     *sql.Context
	aliases int
	// fields are the columns of plan nodes, as they are written where they can
	// be seen.
	fields map[sql.ColumnId]string
	// kinds say of which characters the texts of the fields consist.
	kinds map[sql.ColumnId]textKind
	// assumes says that the statement depends on the assumption about the texts
	// of ordinary tables.
	assumes bool
	// groupedBy are the keys of the SELECT being written, where they are no
	// columns: what stands above the aggregation repeats them.
	groupedBy writtenList
	// unrounded says that quotients of exact numbers keep all places.
	unrounded bool
	// estimate is the one being written: view columns are its.
	estimate *estimateWriter
}

// alias is a new name for a derived table.
func (w *writer) alias() string {
	w.aliases++
	return fmt.Sprintf("t%d", w.aliases)
}

// refusePlain refuses what the text cannot say.
func refusePlain(format string, arguments ...any) error {
	return answer.Refuse("explain_sql has no plain SQL, the same for SQLite and MySQL, for %s", fmt.Sprintf(format, arguments...))
}
