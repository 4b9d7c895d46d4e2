package pertable

import (
	"errors"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Pooled returns what the tables compute for an AVG or a variance of all tables together: first
// the column itself, last a COUNT. For other aggregates it returns nothing.
func Pooled(e sql.Aggregation) (parts []sql.Aggregation, of Column) {
	argument := e.Children()[0]
	if _, distinct := argument.(*expression.DistinctExpression); distinct {
		return nil, of
	}
	if types.IsDecimal(argument.Type()) {
		argument = expression.NewConvert(argument, expression.ConvertToDouble) // a SUM cuts the digits of quotients
	}
	parts = []sql.Aggregation{aggregation.NewVarPop(argument), aggregation.NewSum(argument), aggregation.NewCount(argument)}
	of.Kind = Variance
	switch e.(type) {
	case *aggregation.Avg:
		of.Kind = Average
		return parts[1:], of
	case *aggregation.VarPop:
	case *aggregation.VarSamp:
		of.Sample = true
	case *aggregation.StdDevPop:
		of.Root = true
	case *aggregation.StdDevSamp:
		of.Sample, of.Root = true, true
	default:
		return nil, of
	}
	return parts, of
}

// squares is what a table adds to the sum of squared distances from the mean of all tables.
func (r *mergedRow) squares(ctx *sql.Context, row sql.Row, i int, c Column) (float64, error) {
	variance, err := numberOf(ctx, row[i])
	sum, failed := numberOf(ctx, row[c.Sums])
	count, broken := numberOf(ctx, row[c.Counts])
	squares, earlier := count*variance, r.sums[c.Counts]
	if earlier > 0 {
		distance := sum/count - r.sums[c.Sums]/earlier
		squares += distance * distance * count * earlier / (count + earlier)
	}
	return squares, errors.Join(err, failed, broken)
}

// pooled is an Average of a sum, or a Variance of a sum of squared distances.
func (c *Column) pooled(sum, count float64) (number float64, known bool) {
	if c.Sample {
		count--
	}
	number = sum / count
	if c.Root {
		number = math.Sqrt(number)
	}
	return number, count > barelyMore
}

// barelyMore is what rounding may leave of 0.
const barelyMore = 1e-9
