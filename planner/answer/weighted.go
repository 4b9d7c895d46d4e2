package answer

import (
	"fmt"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A Weighted replaces an aggregate of the engine, over rows that each stand for an expected number of records: COUNT(x) is the sum of the weights
// where x is not NULL, SUM(x) the sum of weight times x, and so on, by the same definitions as over the view alone.
type Weighted struct {
	Aggregate
	Weight sql.Expression
	id     sql.ColumnId
	text   string // the aggregate as written
}

// NewWeighted returns a settled aggregate over weighted rows, which replaces the written one.
func NewWeighted(asked Aggregate, weight sql.Expression, written sql.Aggregation) *Weighted {
	return &Weighted{Aggregate: asked, Weight: weight, id: written.Id(), text: written.String()}
}

var (
	_ sql.Aggregation        = (*Weighted)(nil)
	_ sql.CollationCoercible = (*Weighted)(nil)
)

func (a *Weighted) Resolved() bool {
	return a.Weight.Resolved() && (a.Argument == nil || a.Argument.Resolved())
}

func (a *Weighted) String() string { return a.text }

func (a *Weighted) Type() sql.Type { return a.SQLType }

func (a *Weighted) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (a *Weighted) Children() []sql.Expression {
	if a.Argument == nil {
		return []sql.Expression{a.Weight}
	}
	return []sql.Expression{a.Weight, a.Argument}
}

func (a *Weighted) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if want := len(a.Children()); len(children) != want {
		return nil, sql.ErrInvalidChildrenNumber.New(a, len(children), want)
	}
	c := *a
	c.Weight = children[0]
	if a.Argument != nil {
		c.Argument = children[1]
	}
	return &c, nil
}

// Id implements sql.IdExpression.
func (a *Weighted) Id() sql.ColumnId { return a.id }

// WithId implements sql.IdExpression.
func (a *Weighted) WithId(id sql.ColumnId) sql.IdExpression {
	c := *a
	c.id = id
	return &c
}

// Eval implements sql.Expression: an aggregate has a buffer.
func (a *Weighted) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, fmt.Errorf("%s has no value of one row", a.text)
}

// Window implements sql.Aggregation.
func (a *Weighted) Window() *sql.WindowDefinition { return nil }

// WithWindow implements sql.Aggregation: the planner makes none with a window.
func (a *Weighted) WithWindow(*sql.WindowDefinition) sql.WindowAdaptableExpression {
	return a
}

// NewWindowFunction implements sql.Aggregation.
func (a *Weighted) NewWindowFunction() (sql.WindowFunction, error) {
	return nil, Refuse("%s over a join with the view is no window function", a.text)
}

// NewBuffer implements sql.Aggregation.
func (a *Weighted) NewBuffer() (sql.AggregationBuffer, error) {
	return &weightedBuffer{Weighted: a}, nil
}

// A weightedBuffer accumulates the expected number of records, their weighted sum, mean and sum of squared distances from it, as package estimate does.
type weightedBuffer struct {
	*Weighted
	records, sum  float64
	mean, squares float64
	// exactSum is the sum if the weights are integers.
	exactSum decimal.Decimal
}

// Dispose implements sql.AggregationBuffer.
func (b *weightedBuffer) Dispose() {}

// Update implements sql.AggregationBuffer.
func (b *weightedBuffer) Update(ctx *sql.Context, row sql.Row) error {
	w, err := b.number(ctx, b.Weighted.Weight, row)
	if w == nil || err != nil {
		return err
	}
	weight := *w
	if b.Kind == estimate.Count {
		if b.Argument != nil {
			v, err := b.Argument.Eval(ctx, row)
			if v == nil || err != nil {
				return err
			}
		}
		b.records += weight
		return nil
	}
	v, err := b.Argument.Eval(ctx, row)
	if v == nil || err != nil {
		return err
	}
	x, err := asNumber(ctx, v)
	if err != nil {
		return err
	}
	if b.exact && types.IsDecimal(b.SQLType) {
		if err := b.addExactly(ctx, v, weight); err != nil {
			return err
		}
	}
	b.records += weight
	b.sum += weight * *x
	distance := *x - b.mean
	b.mean += distance * weight / b.records
	b.squares += weight * distance * (*x - b.mean)
	return nil
}

// number is an expression's value as a number; nil for NULL.
func (b *weightedBuffer) number(ctx *sql.Context, e sql.Expression, row sql.Row) (*float64, error) {
	v, err := e.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return asNumber(ctx, v)
}

func asNumber(ctx *sql.Context, v any) (*float64, error) {
	converted, _, err := types.Float64.Convert(ctx, v)
	number, ok := converted.(float64)
	if err != nil || !ok {
		return nil, errNotANumber(v)
	}
	return &number, nil
}

// addExactly adds weight times a value to the exact sum.
func (b *weightedBuffer) addExactly(ctx *sql.Context, v any, weight float64) error {
	converted, _, err := types.InternalDecimalType.Convert(ctx, v)
	value, ok := converted.(decimal.Decimal)
	if err != nil || !ok {
		return errNotANumber(v)
	}
	b.exactSum = b.exactSum.Add(value.Mul(decimal.NewFromFloat(weight).Round(0)))
	return nil
}

// Eval implements sql.AggregationBuffer.
func (b *weightedBuffer) Eval(*sql.Context) (any, error) {
	if b.exact && types.IsDecimal(b.SQLType) {
		return b.exactFigure(), nil
	}
	figure, ok := b.figure()
	if !ok {
		return nil, nil
	}
	return b.value(anonymize.RealValue(figure), b.SQLType)
}

// exactFigure is a SUM or an AVG; over no records NULL, or 0 if it is not nullable.
func (b *weightedBuffer) exactFigure() any {
	if b.records == 0 && b.IsNullable() {
		return nil
	}
	scale := int32(b.SQLType.(sql.DecimalType).Scale())
	if b.Kind == estimate.Average {
		return b.exactSum.DivRound(decimal.NewFromFloat(b.records).Round(0), scale)
	}
	return b.exactSum.Round(scale)
}

// figure is the figure as a DOUBLE; false for NULL.
func (b *weightedBuffer) figure() (float64, bool) {
	records := b.records
	switch {
	case b.Kind == estimate.Count:
		return records, true
	case records == 0:
		return 0, b.Persons
	case b.Kind == estimate.Sum:
		return b.sum, true
	case b.Kind == estimate.Average:
		return b.sum / records, true
	case b.Kind == estimate.VarianceSample || b.Kind == estimate.DeviationSample:
		if records <= 1+1e-9 { // one record, up to rounding
			return 0, false
		}
		records--
	}
	variance := max(0, b.squares/records)
	if b.Kind == estimate.DeviationPopulation || b.Kind == estimate.DeviationSample {
		return math.Sqrt(variance), true
	}
	return variance, true
}
