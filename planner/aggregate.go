package planner

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/estimate"
)

// figureType is the SQL type of every estimated figure but MIN and MAX, which
// have the type of their argument; figure_type.go has those of exact ones.
var figureType = types.Float64

// An aggregateName is the SQL name of an estimated aggregate.
type aggregateName string

const (
	countKind    aggregateName = "COUNT"
	sumKind      aggregateName = "SUM"
	averageKind  aggregateName = "AVG"
	minimumKind  aggregateName = "MIN"
	maximumKind  aggregateName = "MAX"
	distinctKind aggregateName = "COUNT(DISTINCT)"
	varPopKind   aggregateName = "VAR_POP"
	varSampKind  aggregateName = "VAR_SAMP"
	stdPopKind   aggregateName = "STDDEV_POP"
	stdSampKind  aggregateName = "STDDEV_SAMP"
)

// kinds are the estimator's names.
var kinds = map[aggregateName]estimate.Kind{
	countKind: estimate.Count, sumKind: estimate.Sum, averageKind: estimate.Average,
	minimumKind: estimate.Least, maximumKind: estimate.Greatest, distinctKind: estimate.Distinct,
	varPopKind: estimate.VariancePopulation, varSampKind: estimate.VarianceSample,
	stdPopKind: estimate.DeviationPopulation, stdSampKind: estimate.DeviationSample,
}

// isExtreme reports whether the figure is a value of the argument.
func (n aggregateName) isExtreme() bool { return n == minimumKind || n == maximumKind }

// isCount reports whether the figure over no records is 0, not NULL.
func (n aggregateName) isCount() bool { return n == countKind || n == distinctKind }

// isVariance reports whether the figure is a variance or its root.
func (n aggregateName) isVariance() bool {
	return n == varPopKind || n == varSampKind || n == stdPopKind || n == stdSampKind
}

// hasSpread reports whether standard errors and bounds are known.
func (n aggregateName) hasSpread() bool {
	return n == countKind || n == sumKind || n == averageKind
}

// An aggregate is one figure to estimate; argument is nil for COUNT(*).
type aggregate struct {
	kind     aggregateName
	argument sql.Expression
	// Of settle: the SQL type of the figure; whether it is the actual one; whether
	// it would be a whole number if it were, and whether it is made one.
	type_                       sql.Type
	exact, countsWhole, rounded bool
}

func (a aggregate) String() string {
	if a.argument == nil {
		return string(a.kind) + "(*)"
	}
	if a.kind == distinctKind {
		return fmt.Sprintf("COUNT(DISTINCT %s)", a.argument)
	}
	return fmt.Sprintf("%s(%s)", a.kind, a.argument)
}

// aggregateOf returns what is asked, with the argument as it was written.
func aggregateOf(e sql.Aggregation) (aggregate, error) {
	children := e.Children()
	if len(children) != 1 {
		return aggregate{}, refuseAggregate(e)
	}
	argument := children[0]
	distinct, isDistinct := argument.(*expression.DistinctExpression)
	if isDistinct {
		argument = distinct.Child
	}
	kind := kindOf(e)
	switch {
	case kind == "", isDistinct && !kind.isExtreme(): // the least of different values is the least of all
		return aggregate{}, refuseAggregate(e)
	case kind.isVariance():
		// The server's variances convert their argument to DOUBLE; the
		// questioner does it too, and refuses what is no number.
		if convert, ok := argument.(*expression.Convert); ok && convert.Type().Equals(figureType) {
			argument = convert.Child
		}
	case kind == countKind:
		if literal, ok := argument.(*expression.Literal); ok && literal.Value() != nil {
			return aggregate{kind: countKind}, nil
		}
	}
	return aggregate{kind: kind, argument: argument}, nil
}

func kindOf(e sql.Aggregation) aggregateName {
	switch e.(type) {
	case *aggregation.Count:
		return countKind
	case *aggregation.CountDistinct:
		return distinctKind
	case *aggregation.Sum:
		return sumKind
	case *aggregation.Avg:
		return averageKind
	case *aggregation.Min:
		return minimumKind
	case *aggregation.Max:
		return maximumKind
	case *aggregation.VarPop:
		return varPopKind
	case *aggregation.VarSamp:
		return varSampKind
	case *aggregation.StdDevPop:
		return stdPopKind
	case *aggregation.StdDevSamp:
		return stdSampKind
	}
	return ""
}
