package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/transform"

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
		if arguments[i] = weights.WeightOf(argument); coercion.IsTimespan(argument.Type()) { // for which the engine fails
			arguments[i] = scalar.Text(argument)
		}
	}
	weighed, err := counted.WithChildren(arguments...)
	return weighed, transform.NewTree, err
}
