package answer

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/planner/arithmetic"
)

// The type of a figure is known when the statement is bound, at PREPARE too. An estimate is a DOUBLE. An exact figure has the type that
// MySQL gives the aggregate: COUNT is BIGINT, SUM and AVG over integers and decimals are DECIMAL. MIN and MAX have the type of their
// argument. A figure that is exact for some groups only is an estimate.

// countsVariable is the session variable that makes counts, and sums over integers, integers: for tools that cannot read others.
const countsVariable = "anon_counts"

const countsAsInteger = "integer"

// WantsWhole reports whether the session has anon_counts = 'integer'.
func WantsWhole(ctx *sql.Context) bool {
	return chosenText(ctx, countsVariable) == countsAsInteger
}

// chosenText is a variable of the session in lower case, "" without one.
func chosenText(ctx *sql.Context, variable string) string {
	value, err := ctx.GetSessionVariable(ctx, variable)
	if text, ok := value.(string); err == nil && ok {
		return strings.ToLower(text)
	}
	return ""
}

// Settle sets an aggregate's type. exact: the answer is the actual one; whole: the session wants integers.
func (a *Aggregate) Settle(exact, whole bool) {
	a.exact, a.SQLType = exact, FigureType
	a.countsWhole = a.IsCount() || a.Kind == estimate.Sum && arithmetic.ClassOf(a.Argument).IsWhole()
	if exact || a.IsExtreme() {
		a.SQLType = a.actualType()
	}
	if whole && (a.countsWhole || a.Persons) {
		a.SQLType, a.Rounded = types.Int64, !exact
	}
}

// actualType is the type of an exact figure, and of the actual value beside an estimate unless that is an average.
func (a *Aggregate) actualType() sql.Type {
	switch {
	case a.IsExtreme():
		return a.Argument.Type()
	case a.IsCount():
		return types.Int64
	case a.Kind == estimate.Sum:
		if sum, ok := arithmetic.ClassOf(a.Argument).Sum(); ok {
			return sum
		}
	case a.Kind == estimate.Average:
		if average, ok := arithmetic.ClassOf(a.Argument).Average(); ok {
			return average
		}
	}
	return FigureType
}

// CompanionType is the type of an output beside a figure: bounds of counts are
// integers, bounds of an exact figure equal it, and an actual average has the digits of the estimate.
func (a *Aggregate) CompanionType(kind OutputKind) sql.Type {
	switch kind {
	case ActualOutput:
		if a.Kind == estimate.Average {
			return a.SQLType
		}
		return a.actualType()
	case LowOutput, HighOutput:
		if a.Kind == estimate.Count || a.exact {
			return a.actualType()
		}
	}
	return FigureType
}

// IsExact reports whether an aggregate is exact with the estimate's current conditions and keys, whatever its other aggregates.
func (e *Estimate) IsExact(a Aggregate) bool {
	alone := *e
	alone.Aggregates = []Aggregate{a}
	_, exact := alone.Touched()
	return exact
}
