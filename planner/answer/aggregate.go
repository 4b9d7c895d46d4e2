package answer

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/estimate"
)

// FigureType is the SQL type of every estimated figure except MIN and MAX, which have
// the type of their argument; figure_type.go has those of exact figures.
var FigureType = types.Float64

// An Aggregate is one figure to estimate.
type Aggregate struct {
	Kind estimate.Kind
	// Argument is nil for COUNT(*).
	Argument sql.Expression
	// Persons: a COUNT that is a sum of weights; over no records it is 0, not NULL.
	Persons bool
	// Units names the columns of the unit if units with a record are counted instead of records; Kind is then the kind of COUNT(*).
	Units []string
	// SQLType is the type of the figure; Rounded: it is rounded to an integer. Settle sets both.
	SQLType sql.Type
	Rounded bool
	// exact: the figure is the actual one. countsWhole: the actual figure is an integer.
	exact, countsWhole bool
}

// kindNames are the SQL names of the estimated aggregates.
var kindNames = map[estimate.Kind]string{
	estimate.Count: "COUNT", estimate.Sum: "SUM", estimate.Average: "AVG",
	estimate.Least: "MIN", estimate.Greatest: "MAX", estimate.Distinct: "COUNT(DISTINCT)",
	estimate.VariancePopulation: "VAR_POP", estimate.VarianceSample: "VAR_SAMP",
	estimate.DeviationPopulation: "STDDEV_POP", estimate.DeviationSample: "STDDEV_SAMP",
}

// IsExtreme reports whether the figure is a value of the argument.
func (a Aggregate) IsExtreme() bool { return a.Kind == estimate.Least || a.Kind == estimate.Greatest }

// IsCount reports whether the figure is a number of records or of values.
func (a Aggregate) IsCount() bool { return a.Kind == estimate.Count || a.Kind == estimate.Distinct }

// IsNullable reports whether the figure over no records is NULL, and not 0.
func (a Aggregate) IsNullable() bool { return !a.IsCount() && !a.Persons }

// isVariance reports whether the figure is a variance or its root.
func (a Aggregate) isVariance() bool {
	switch a.Kind {
	case estimate.VariancePopulation, estimate.VarianceSample, estimate.DeviationPopulation, estimate.DeviationSample:
		return true
	}
	return false
}

// isTruth reports whether an expression is a condition by its kind; columns and choices of Boolean type may be any number.
func isTruth(e sql.Expression) bool {
	switch e.(type) {
	case *ViewColumn, *expression.GetField, *expression.Case, sql.FunctionExpression:
		return false
	}
	return e.Type() == types.Boolean
}

// String is the aggregate as EXPLAIN shows it.
func (a Aggregate) String() string {
	if a.Units != nil {
		return fmt.Sprintf("COUNT(DISTINCT %s)", strings.Join(a.Units, ", "))
	}
	if a.Argument == nil {
		return kindNames[a.Kind] + "(*)"
	}
	if a.Kind == estimate.Distinct {
		return fmt.Sprintf("COUNT(DISTINCT %s)", a.Argument)
	}
	return fmt.Sprintf("%s(%s)", kindNames[a.Kind], a.Argument)
}

// AggregateOf converts an aggregate of the engine, with its argument as written.
func AggregateOf(e sql.Aggregation) (Aggregate, error) {
	children := e.Children()
	if len(children) != 1 {
		return Aggregate{}, refuseAggregate(e)
	}
	argument := children[0]
	distinct, isDistinct := argument.(*expression.DistinctExpression)
	if isDistinct {
		argument = distinct.Child
	}
	kind, known := kindOf(e)
	_, persons := e.(*PersonCount)
	asked := Aggregate{Kind: kind, Persons: persons}
	switch {
	case !known, isDistinct && !asked.IsExtreme(): // DISTINCT does not change MIN and MAX
		return Aggregate{}, refuseAggregate(e)
	case asked.isVariance():
		// The server's variances convert their argument to DOUBLE; the questioner does so, too, and refuses texts that are not numbers.
		if convert, ok := argument.(*expression.Convert); ok && convert.Type().Equals(FigureType) {
			argument = convert.Child
		}
	case kind == estimate.Count:
		if literal, ok := argument.(*expression.Literal); ok && literal.Value() != nil {
			return asked, nil
		}
	}
	asked.Argument = argument
	return asked, nil
}

// kindOf is the estimator's kind of an aggregate function; false if it has none.
func kindOf(e sql.Aggregation) (kind estimate.Kind, known bool) {
	switch e.(type) {
	case *aggregation.Count:
		return estimate.Count, true
	case *aggregation.CountDistinct:
		return estimate.Distinct, true
	case *aggregation.Sum, *PersonCount:
		return estimate.Sum, true
	case *aggregation.Avg:
		return estimate.Average, true
	case *aggregation.Min:
		return estimate.Least, true
	case *aggregation.Max:
		return estimate.Greatest, true
	case *aggregation.VarPop:
		return estimate.VariancePopulation, true
	case *aggregation.VarSamp:
		return estimate.VarianceSample, true
	case *aggregation.StdDevPop:
		return estimate.DeviationPopulation, true
	case *aggregation.StdDevSamp:
		return estimate.DeviationSample, true
	}
	return 0, false
}
