package assignments

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// RefuseDefaults refuses DEFAULT(x) for all but x: the engine has no value of it in expressions, and takes it for the default of the
// column that it is assigned to.
func RefuseDefaults(statement sqlparser.Statement) (err error) {
	own := map[*sqlparser.Default]bool{} // of the column that it is for
	note := func(e sqlparser.Expr, column sqlparser.ColIdent) {
		if of, ok := e.(*sqlparser.Default); ok {
			own[of] = column.EqualString(of.ColName)
		}
	}
	trees.Walk(statement, func(node any) {
		switch n := node.(type) {
		case *sqlparser.AssignmentExpr:
			note(n.Expr, n.Name.Name)
		case *sqlparser.Insert:
			if rows, ok := n.Rows.(*sqlparser.AliasedValues); ok {
				for _, row := range rows.Values {
					for i := range min(len(row), len(n.Columns)) {
						note(row[i], n.Columns[i])
					}
				}
			}
		case *sqlparser.Select:
			trees.Walk(n, func(node any) {
				if _, ok := node.(*sqlparser.Default); ok && err == nil {
					err = sqlerror.New(sqlerror.NotSupported, "DEFAULT(column) in a query is not supported: information_schema.columns has defaults as column_default")
				}
			})
		case *sqlparser.Default:
			if n.ColName != "" && !own[n] && err == nil {
				err = sqlerror.New(sqlerror.NotSupported, "DEFAULT("+n.ColName+") is supported as the value of that column alone, in an INSERT with a list of columns: "+
					"information_schema.columns has defaults as column_default")
			}
		}
	})
	return err
}
