package definitions

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
)

// Existing makes CREATE TABLE IF NOT EXISTS ... SELECT leave an existing table alone. The engine would insert the query's rows.
func Existing(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	create, ok := n.(*plan.CreateTable)
	if !ok || !create.IfNotExists() || create.Select() == nil || create.Temporary() {
		return n, transform.SameTree, nil
	}
	_, exists, err := create.Db.GetTableInsensitive(ctx, create.Name())
	if err != nil || !exists {
		return n, transform.SameTree, err
	}
	return plan.NewCreateTable(create.Db, create.Name(), true, false, &plan.TableSpec{Schema: create.PkSchema()}), transform.NewTree, nil
}
