package answers

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/server/values"
)

// boundedValues bounds the results of aggregates (server/values), and makes CONVERT(x
// USING charset) keep the text. Functions are bounded when the provider registers them.
func boundedValues(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch own := e.(type) {
	case *expression.ConvertUsing:
		return values.Charset(own), transform.NewTree, nil
	case sql.Aggregation:
		bounded, changed := values.Aggregate(own)
		return bounded, transform.TreeIdentity(!changed), nil
	}
	return e, transform.SameTree, nil
}
