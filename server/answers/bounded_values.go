package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/values"
)

// boundedValues bounds what expressions and aggregates make (server/values), where it
// was not when the expression was made.
func boundedValues(_ *sql.Context, e sql.Expression) (bounded sql.Expression, _ transform.TreeIdentity, _ error) {
	changed := false
	bounded = e
	switch own := e.(type) {
	case *expression.Convert:
		if types.IsTextBlob(own.Type()) || own.Type() == types.JSON {
			bounded, changed = running.TextBounds.Cast(own), true
		}
	case *expression.ConvertUsing:
		bounded, changed = running.TextBounds.Charset(own), true
	case *aggregation.CountDistinct:
		bounded, changed = values.Distinct(own, running.Keeper), true
	case sql.Aggregation:
		bounded, changed = running.TextBounds.Aggregate(own, running.Keeper, running.End)
	case sql.WindowAggregation:
		bounded, changed = values.Window(own, running.Keeper, running.End)
	default:
		bounded, changed = running.TextBounds.Expression(e)
	}
	return bounded, transform.TreeIdentity(!changed), nil
}

// boundedDocuments bounds the document of JSON_TABLE.
func boundedDocuments(_ *sql.Context, n sql.Node, _ bool) (sql.Node, transform.TreeIdentity, error) {
	table, ok := n.(*plan.JSONTable)
	if !ok {
		return n, transform.SameTree, nil
	}
	parts := table.Expressions()
	parts[0] = running.TextBounds.Document(parts[0], running.Keeper)
	bounded, err := table.WithExpressions(parts...)
	return bounded, transform.NewTree, err
}
