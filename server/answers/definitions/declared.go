package definitions

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/server/answers/trees"
)

// DeclareColumns gives declared columns, variables and parameters the types that the engine forgets.
func DeclareColumns(statement sqlparser.Statement) {
	switch statement.(type) {
	case sqlparser.SelectStatement, *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return
	}
	trees.Values(statement, func(column *sqlparser.ColumnType) {
		if typ, ok := declared.TypeOf(column); ok {
			column.ResolvedType = typ
		}
	})
}
