package routines

import (
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// An opened is the rows of a statement, and its runner; it counts those that are open.
type opened struct {
	sql.RowIter
	open int
}

func (o *opened) QueryWithBindings(*sql.Context, string, sqlparser.Statement, map[string]sqlparser.Expr, *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	o.open++
	return nil, o, nil, nil
}

func (o *opened) Close(*sql.Context) error {
	o.open--
	return nil
}

// The cursors that a routine leaves open are closed once, when it has ended.
func TestWhatIsLeftOpenIsClosed(t *testing.T) {
	ctx := sql.NewEmptyContext()
	statements := &opened{RowIter: sql.RowsToRowIter()}
	r := newRun(statements, &plan.Procedure{})
	for i := range 3 {
		_, cursor, _, err := r.QueryWithBindings(ctx, "", &sqlparser.Select{}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := cursor.Close(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	if statements.open != 2 {
		t.Fatalf("%d are open, want 2", statements.open)
	}
	if r.close(ctx); statements.open != 0 {
		t.Errorf("%d are open after the routine", statements.open)
	}
}
