package assignments

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Emptied makes TRUNCATE of a DELETE without WHERE of another database's table. The engine looks for the table in the current database, and refuses
// the statement where there is none, or where the account may not enter it.
func Emptied(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	d, ok := n.(*plan.DeleteFrom)
	if !ok || !d.Resolved() {
		return n, transform.SameTree, nil
	}
	table, ok := d.Child.(*plan.ResolvedTable)
	if !ok || table.SqlDatabase == nil || strings.EqualFold(table.SqlDatabase.Name(), ctx.GetCurrentDatabase()) || table.Schema().HasAutoIncrement() {
		return n, transform.SameTree, nil
	}
	if _, ok := table.UnderlyingTable().(sql.TruncateableTable); !ok {
		return n, transform.SameTree, nil
	}
	return plan.NewTruncate(table.SqlDatabase.Name(), table), transform.NewTree, nil
}
