package assignments

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// RefuseTwoNames refuses an UPDATE that assigns to one table under two names: the engine would write every row twice,
// and the second time without the first's values.
func RefuseTwoNames(statement sqlparser.Statement) error {
	update, ok := statement.(*sqlparser.Update)
	if !ok || len(update.TableExprs) == 1 && !isJoin(update.TableExprs[0]) {
		return nil
	}
	tables := make(map[string]string) // by the name in the statement
	sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if aliased, ok := n.(*sqlparser.AliasedTableExpr); ok {
			if table, ok := aliased.Expr.(sqlparser.TableName); ok {
				name := aliased.As
				if name.IsEmpty() {
					name = table.Name
				}
				tables[strings.ToLower(name.String())] = strings.ToLower(table.DbQualifier.String() + "." + table.Name.String())
			}
		}
		return true, nil
	}, update.TableExprs)
	names := make(map[string]string) // by table
	for _, e := range update.Exprs {
		name := strings.ToLower(e.Name.Qualifier.Name.String())
		table, ok := tables[name]
		if other, twice := names[table]; ok && twice && other != name {
			return sql.ErrUnsupportedFeature.New("an UPDATE of one table under two names (" + other + ", " + name + "): write two statements")
		}
		names[table] = name
	}
	return nil
}

func isJoin(e sqlparser.TableExpr) bool {
	_, join := e.(*sqlparser.JoinTableExpr)
	return join
}
