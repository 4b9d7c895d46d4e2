package assignments

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// RefuseReadOnly refuses statements that change rows in a transaction that only reads.
func RefuseReadOnly(ctx *sql.Context, n sql.Node) (sql.Node, transform.TreeIdentity, error) {
	switch n.(type) {
	case *plan.InsertInto, *plan.Update, *plan.DeleteFrom, *plan.Truncate:
		if tx := ctx.GetTransaction(); tx != nil && tx.IsReadOnly() {
			return nil, transform.SameTree, sqlerror.New(sqlerror.ReadOnlyTransaction, "Cannot execute statement in a READ ONLY transaction.")
		}
	}
	return n, transform.SameTree, nil
}
