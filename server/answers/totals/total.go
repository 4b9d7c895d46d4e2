package totals

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/planner/arithmetic"
)

// A Total is SUM or AVG over numbers.
type Total struct {
	sql.Aggregation // the engine's, for its argument, window and text
	average         bool
}

var (
	_ sql.Aggregation        = (*Total)(nil)
	_ sql.FunctionExpression = (*Total)(nil)
	_ sql.CollationCoercible = (*Total)(nil)
)

// TotalOf returns the Total for SUM or AVG of the engine; false for all other expressions.
func TotalOf(e sql.Expression) (*Total, bool) {
	switch own := e.(type) {
	case *aggregation.Sum:
		return &Total{Aggregation: own}, true
	case *aggregation.Avg:
		return &Total{Aggregation: own, average: true}, true
	}
	return nil, false
}

// argument returns what the Total adds. If distinct, it adds each number once.
func (t *Total) argument() (_ sql.Expression, distinct bool) {
	argument := t.Aggregation.Children()[0]
	if own, ok := argument.(*expression.DistinctExpression); ok {
		return own.Child, true
	}
	return argument, false
}

// Places returns the decimal places of an exact total's type.
func (t *Total) Places() (places int, exact bool) {
	typ, exact := t.Type().(sql.DecimalType)
	if !exact {
		return 0, false
	}
	return int(typ.Scale()), true
}

func (t *Total) Type() sql.Type {
	argument, _ := t.argument()
	class := arithmetic.OfRows(argument)
	typ, exact := class.Sum()
	if t.average {
		typ, exact = class.Average()
	}
	if !exact {
		return types.Float64
	}
	return typ
}

func (t *Total) IsNullable() bool { return true }

func (t *Total) FunctionName() string {
	if t.average {
		return "avg"
	}
	return "sum"
}

func (t *Total) Description() string { return "MySQL's function of that name" }

func (t *Total) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// withAggregation returns the Total over another aggregate of the engine.
func (t *Total) withAggregation(changed sql.Expression) *Total {
	own := *t
	own.Aggregation = changed.(sql.Aggregation)
	return &own
}

func (t *Total) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	changed, err := t.Aggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return t.withAggregation(changed), nil
}

// WithId implements sql.IdExpression.
func (t *Total) WithId(id sql.ColumnId) sql.IdExpression {
	return t.withAggregation(t.Aggregation.WithId(id))
}

// WithWindow implements sql.WindowAdaptableExpression.
func (t *Total) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return t.withAggregation(t.Aggregation.WithWindow(w))
}
