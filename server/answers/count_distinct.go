package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/server/answers/weights"
)

// countDistinct counts texts by their weights.
func countDistinct(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	counted, ok := e.(*aggregation.CountDistinct)
	if !ok || counted.Window() != nil {
		return e, transform.SameTree, nil
	}
	arguments := counted.Children()
	for i, argument := range arguments {
		switch typ := argument.Type(); {
		case coercion.IsTimespan(typ): // the engine fails on these
			arguments[i] = scalar.Text(argument)
		case types.IsBinaryType(typ) && !types.IsJSON(typ) && !types.IsGeometry(typ): // the engine does not take these for texts
			arguments[i] = function.NewHex(argument)
		default:
			arguments[i] = weights.WeightOf(argument)
		}
	}
	weighed, err := counted.WithChildren(arguments...)
	return weighed, transform.NewTree, err
}
