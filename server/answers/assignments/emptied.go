package assignments

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Emptied turns a DELETE without WHERE from a table of another database into TRUNCATE. The engine looks for the table in the current database, and
// refuses the statement if there is none, or if the account has no access to it.
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
