package acceptance

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// unclosable is a table function whose rows panic in Close. The engine's handler turns the panic into an error, and
// drops the stack.
type unclosable struct{ echo }

func (u *unclosable) Name() string { return "unclosable" }

func (u *unclosable) NewInstance(*sql.Context, sql.Database, []sql.Expression) (sql.Node, error) {
	return &unclosable{}, nil
}

func (u *unclosable) WithExpressions(...sql.Expression) (sql.Node, error) { return u, nil }
func (u *unclosable) WithChildren(...sql.Node) (sql.Node, error)          { return u, nil }

func (u *unclosable) RowIter(*sql.Context, sql.Row) (sql.RowIter, error) {
	return unclosableRows{sql.RowsToRowIter(sql.NewRow("a", "b"))}, nil
}

type unclosableRows struct{ sql.RowIter }

func (unclosableRows) Close(*sql.Context) error { panic("the rows cannot be closed") }

// A panic that the engine's handler catches is an error of the statement, and is logged. The connection continues.
func TestPanicInTheEnginesHandler(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: func(server.Host) (server.Extensions, error) {
		return server.Extensions{TableFunctions: []sql.TableFunction{&unclosable{}}}, nil
	}})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	_, err := db.Exec("SELECT * FROM unclosable()")
	if servertest.Number(err) != 1105 || !strings.Contains(err.Error(), "handler caught panic: the rows cannot be closed") {
		t.Errorf("the client is told %v", err)
	}
	if log := s.Log(); !strings.Contains(log, "statement panicked") || !strings.Contains(log, "SELECT * FROM unclosable()") {
		t.Errorf("the log has\n%s", log)
	}
	if got := all(t, db, "SELECT 1"); got != "1 \n" {
		t.Errorf("after it, SELECT 1 is %q", got)
	}
}
