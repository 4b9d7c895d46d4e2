package columns

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// RefuseGerman refuses the collations of German telephone books in any statement: the engine compares letter by letter, so ä and ae
// would differ, which are equal in these.
func RefuseGerman(statement sqlparser.Statement) (err error) {
	trees.Walk(statement, func(node any) {
		if name := strings.ToLower(collationNamed(node)); strings.HasSuffix(name, "_german2_ci") {
			err = sql.ErrUnsupportedFeature.New("collation " + name + ", under which ä equals ae: use utf8mb4_0900_ai_ci, under which ä equals a")
		}
	})
	return err
}

// collationNamed is the name of a collation that a node of a statement has, "" without one.
func collationNamed(node any) string {
	switch own := node.(type) {
	case *sqlparser.ColumnDefinition:
		return own.Type.Collate
	case *sqlparser.CollateExpr:
		return own.Collation
	case *sqlparser.AlterCollationSpec:
		return own.Collation
	case *sqlparser.TableOption:
		return own.Value
	case *sqlparser.CharsetAndCollate:
		return own.Value
	case *sqlparser.SetVarExpr:
		if !strings.HasPrefix(own.Name.Name.Lowered(), "collation_") {
			return ""
		}
		switch value := own.Expr.(type) {
		case *sqlparser.SQLVal:
			return string(value.Val)
		case *sqlparser.ColName:
			return value.Name.String()
		}
	}
	return ""
}
