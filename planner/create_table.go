package planner

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// RetypeCreateTable gives CREATE TABLE ... AS SELECT the types that its SELECT
// has now: the binder inferred the columns before COUNT became a DOUBLE. A
// table with declared columns keeps them, and values are converted.
func RetypeCreateTable(n *plan.CreateTable) sql.Node {
	declared := n.Collation != sql.Collation_Unspecified || n.TableOpts != nil
	if n.Select() == nil || declared {
		return n
	}
	selected := n.Select().Schema()
	inferred := n.PkSchema().Schema
	if len(selected) != len(inferred) {
		return n
	}
	schema := make(sql.Schema, len(inferred))
	for i, c := range inferred {
		schema[i] = c.Copy()
		schema[i].Type = selected[i].Type
		schema[i].Nullable = true
	}
	return plan.NewCreateTableSelect(n.Db, n.Name(), n.IfNotExists(), n.Temporary(), n.Select(),
		&plan.TableSpec{Schema: sql.NewPrimaryKeySchema(schema)})
}
