package server

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/rowexec"

	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// isDatabaseStatement recognises the statements that the engine runs under the lock
// of its list of databases, which it needs for every name in a statement, SELECT 1's
// included.
func isDatabaseStatement(n sql.Node) bool {
	switch n.(type) {
	case *plan.CreateDB, *plan.DropDB, *plan.CreateSchema:
		return true
	}
	return false
}

// database takes the writer's turn before the engine takes that lock: another
// session may hold the turn as long as its transaction is open.
func (e execution) database(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	if err := raw.TakeWriter(ctx); err != nil {
		return nil, sqlerror.Typed(err)
	}
	below := e
	below.databasesItself = true
	rows, err := rowexec.NewOverrideBuilder(below).Build(ctx, n, row)
	if err != nil {
		raw.YieldWriter(ctx)
		return nil, sqlerror.Typed(err)
	}
	return rows, nil
}
