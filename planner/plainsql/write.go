package plainsql

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/planner/answer"
)

// Write writes a plan with estimates as plain SQL over the published relations. For conditions that become tables of
// values, and for texts under a collation that ignores case, it reads the release's dictionaries, which loads the
// release at first use.
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
	// fields are the texts of columns of plan nodes, where these are visible.
	fields map[sql.ColumnId]string
	// kinds are the kinds of the fields' texts.
	kinds map[sql.ColumnId]textKind
	// assumes means that the statement depends on the [assumption] about texts of ordinary tables.
	assumes bool
	// groupedBy are the keys of the current SELECT that are not columns: nodes above the aggregation repeat them.
	groupedBy writtenList
	// unrounded means that quotients of exact numbers keep all decimals.
	unrounded bool
	// estimate is the current one: view columns belong to it.
	estimate *estimateWriter
}

// alias returns a new name for a derived table.
func (w *writer) alias() string {
	w.aliases++
	return fmt.Sprintf("t%d", w.aliases)
}

// refusePlain returns the error for an expression without plain SQL.
func refusePlain(format string, arguments ...any) error {
	return answer.Refuse("explain_sql has no plain SQL, the same for SQLite and MySQL, for %s", fmt.Sprintf(format, arguments...))
}
