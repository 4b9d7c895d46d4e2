// Package percentile has the aggregates MEDIAN, PERCENTILE_CONT and PERCENTILE_DISC, which
// the engine lacks.
//
// They are MariaDB's over a window, MEDIAN(x) OVER (PARTITION BY y) and
// PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x [DESC]) OVER (...), and, which no MySQL server
// has, aggregates of a GROUP BY without OVER. The engine's binder knows a fixed list of
// aggregates: the parser writes MAX(__anon_median(x)), and MAX here becomes what its
// argument stands for.
//
// NULLs are ignored; the percentile of NULLs only is NULL. PERCENTILE_CONT interpolates
// linearly between the two values around position 1 + p (n - 1) of n sorted values (ISO/IEC
// 9075-2, 10.9), as a DOUBLE. MEDIAN is PERCENTILE_CONT(.5). PERCENTILE_DISC is the first
// sorted value whose cumulative share is at least p, in its own type. The cost is that of
// sorting.
//
// It refuses a fraction that is not a constant from 0 to 1, values that are not numbers
// (except for PERCENTILE_DISC), and a window with an order or a frame.
package percentile

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/answers/scalar"
	"github.com/anonsql/anonsql/tree"
)

// The names of the aggregates, in lower case.
const (
	Median     = "median"
	Continuous = "percentile_cont"
	Discrete   = "percentile_disc"
)

// Descending is the third argument of a marker if the order is DESC.
const Descending = "desc"

// Marker returns the name of the function that stands for an aggregate in the argument
// of MAX. Its arguments are the values for MEDIAN, else the fraction, the values and
// optionally the order.
func Marker(name string) string { return "__anon_" + name }

// Markers returns the functions that the parser writes. They must not be wrapped, so that MAX finds them.
func Markers() []sql.Function {
	list := make([]sql.Function, 0, 3)
	for _, name := range []string{Median, Continuous, Discrete} {
		list = append(list, sql.FunctionN{Name: Marker(name), Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
			return newMark(name, arguments)
		}})
	}
	return list
}

// Functions returns the functions that replace the engine's: MAX.
func Functions() []sql.Function {
	return []sql.Function{sql.Function1{Name: "max", Fn: func(e sql.Expression) sql.Expression {
		if of, ok := e.(Mark); ok {
			return of.Aggregate()
		}
		return aggregation.NewMax(scalar.OfEnum(e))
	}}}
}

// A Mark is an argument of MAX that replaces it by another aggregate.
type Mark interface{ Aggregate() sql.Aggregation }

// mark stands for an aggregate. Outside of MAX it has no value.
type mark struct {
	tree.Unary // the values
	name       string
	fraction   sql.Expression
	descending bool
}

func newMark(name string, arguments []sql.Expression) (sql.Expression, error) {
	m := &mark{name: name, fraction: expression.NewLiteral(.5, types.Float64)}
	if name == Median {
		if len(arguments) != 1 {
			return nil, sql.ErrInvalidArgumentNumber.New("MEDIAN", 1, len(arguments))
		}
		m.Child = arguments[0]
	} else {
		if len(arguments) != 2 && len(arguments) != 3 {
			return nil, refuse("%s takes one fraction: %[1]s(0.5) WITHIN GROUP (ORDER BY x)", strings.ToUpper(name))
		}
		m.fraction, m.Child, m.descending = arguments[0], arguments[1], len(arguments) == 3
		if !tree.OneValue(m.fraction) && !isParameter(m.fraction) {
			return nil, refuse("the fraction of %s must be a constant, not %s", strings.ToUpper(name), m.fraction)
		}
	}
	if typ := m.Child.Type(); name != Discrete && !types.IsNumber(typ) && !isParameter(m.Child) && typ != types.Null {
		return nil, refuse("%s takes numbers, and %s is a %s: PERCENTILE_DISC takes any values", strings.ToUpper(name), m.Child, typ)
	}
	return m, nil
}

// isParameter reports whether the value of e is known only at EXECUTE.
func isParameter(e sql.Expression) bool {
	_, ok := e.(*expression.BindVar)
	return ok
}

// Aggregate implements Mark.
func (m *mark) Aggregate() sql.Aggregation {
	return &Percentile{name: m.name, values: m.Child, fraction: m.fraction, descending: m.descending}
}

func (m *mark) String() string { return m.Aggregate().String() }

func (m *mark) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, refuse("%s stands in a place without an aggregate", m)
}

func (m *mark) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(m, children)
}

// Percentile is one of the aggregates.
type Percentile struct {
	name             string
	values, fraction sql.Expression
	descending       bool
	window           *sql.WindowDefinition
	id               sql.ColumnId
}

var (
	_ sql.Aggregation        = (*Percentile)(nil)
	_ sql.FunctionExpression = (*Percentile)(nil)
	_ sql.CollationCoercible = (*Percentile)(nil)
)

func (p *Percentile) FunctionName() string { return p.name }

func (p *Percentile) Description() string {
	return "the value below which a share of the values lies"
}

func (p *Percentile) String() string {
	text := fmt.Sprintf("%s(%s)", strings.ToUpper(p.name), p.values)
	if p.name != Median {
		order := ""
		if p.descending {
			order = " DESC"
		}
		text = fmt.Sprintf("%s(%s) WITHIN GROUP (ORDER BY %s%s)", strings.ToUpper(p.name), p.fraction, p.values, order)
	}
	if p.window != nil {
		text += " " + p.window.String()
	}
	return text
}

func (p *Percentile) Type() sql.Type {
	if p.name == Discrete {
		return p.values.Type()
	}
	return types.Float64
}

func (p *Percentile) IsNullable() bool { return true }

func (p *Percentile) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, p.values)
}

func (p *Percentile) Resolved() bool { return expression.ExpressionsResolved(p.Children()...) }

func (p *Percentile) Children() []sql.Expression {
	return append([]sql.Expression{p.values, p.fraction}, p.window.ToExpressions()...)
}

func (p *Percentile) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if want := len(p.Children()); len(children) != want {
		return nil, sql.ErrInvalidChildrenNumber.New(p, len(children), want)
	}
	changed := *p
	changed.values, changed.fraction = children[0], children[1]
	var err error
	changed.window, err = p.window.FromExpressions(children[2:])
	return &changed, err
}

func (p *Percentile) Eval(*sql.Context, sql.Row) (any, error) {
	return nil, aggregation.ErrEvalUnsupportedOnAggregation.New(p.name)
}

// Id implements sql.IdExpression.
func (p *Percentile) Id() sql.ColumnId { return p.id }

// WithId implements sql.IdExpression.
func (p *Percentile) WithId(id sql.ColumnId) sql.IdExpression {
	changed := *p
	changed.id = id
	return &changed
}

// Window implements sql.WindowAdaptableExpression.
func (p *Percentile) Window() *sql.WindowDefinition { return p.window }

// WithWindow implements sql.WindowAdaptableExpression.
func (p *Percentile) WithWindow(w *sql.WindowDefinition) sql.WindowAdaptableExpression {
	changed := *p
	changed.window = w
	return &changed
}

// NewBuffer implements sql.Aggregation.
func (p *Percentile) NewBuffer() (sql.AggregationBuffer, error) { return &buffer{of: p}, nil }

// NewWindowFunction implements sql.WindowAdaptableExpression. All rows of a partition have
// the same value.
func (p *Percentile) NewWindowFunction() (sql.WindowFunction, error) {
	if len(p.window.OrderBy) > 0 || p.window.Frame != nil && !(p.window.Frame.UnboundedPreceding() && p.window.Frame.UnboundedFollowing()) {
		return nil, refuse("%s OVER takes PARTITION BY, and no ORDER BY and no frame", strings.ToUpper(p.name))
	}
	return &overPartition{of: p}, nil
}

// refuse returns an error about arguments.
func refuse(format string, args ...any) error {
	return mysql.NewSQLError(mysql.ERWrongArguments, mysql.SSUnknownSQLState, format, args...)
}

// buffer collects the values of one group.
type buffer struct {
	of     *Percentile
	values []any // of the type of the values, or DOUBLEs
}

// Update implements sql.AggregationBuffer.
func (b *buffer) Update(ctx *sql.Context, row sql.Row) error {
	v, err := b.of.values.Eval(ctx, row)
	if err != nil || v == nil {
		return err
	}
	if v, _, err = b.of.Type().Convert(ctx, v); err != nil {
		return err
	}
	b.values = append(b.values, v)
	return nil
}

// Dispose implements sql.Disposable.
func (b *buffer) Dispose() { b.values = nil }

// Eval implements sql.AggregationBuffer.
func (b *buffer) Eval(ctx *sql.Context) (any, error) {
	fraction, err := b.of.share(ctx)
	if err != nil || len(b.values) == 0 {
		return nil, err
	}
	if err := b.of.sort(ctx, b.values); err != nil {
		return nil, err
	}
	n := float64(len(b.values))
	if b.of.name == Discrete {
		k := max(math.Ceil(fraction*n), 1)
		if k > 1 && (k-1)/n >= fraction { // the product was rounded up
			k--
		}
		return b.values[int(min(k, n))-1], nil
	}
	at := fraction * (n - 1)
	below := math.Floor(at)
	low, high := b.values[int(below)].(float64), b.values[int(math.Ceil(at))].(float64)
	return low + (at-below)*(high-low), nil
}

// share evaluates the fraction.
func (p *Percentile) share(ctx *sql.Context) (float64, error) {
	v, err := p.fraction.Eval(ctx, nil)
	if err != nil {
		return 0, err
	}
	converted, _, err := types.Float64.Convert(ctx, v)
	if err != nil {
		return 0, err
	}
	fraction, ok := converted.(float64)
	if !ok || !(fraction >= 0 && fraction <= 1) {
		return 0, refuse("the fraction of %s must be from 0 to 1, and is %v", strings.ToUpper(p.name), v)
	}
	return fraction, nil
}

// sort sorts values. It stops early if the statement is cancelled.
func (p *Percentile) sort(ctx context.Context, list []any) error {
	typ := p.Type()
	var failure error
	slices.SortFunc(list, func(a, b any) int {
		if failure != nil {
			return 0
		}
		order, err := typ.Compare(ctx, a, b)
		if failure = err; failure == nil {
			failure = context.Cause(ctx)
		}
		if p.descending {
			return -order
		}
		return order
	})
	return failure
}

// overPartition gives every row of a partition its percentile.
type overPartition struct {
	of    *Percentile
	value any
}

// StartPartition implements sql.WindowFunction.
func (o *overPartition) StartPartition(ctx *sql.Context, partition sql.WindowInterval, rows sql.WindowBuffer) error {
	group := &buffer{of: o.of}
	defer group.Dispose()
	for _, row := range rows[partition.Start:partition.End] {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := group.Update(ctx, row); err != nil {
			return err
		}
	}
	var err error
	o.value, err = group.Eval(ctx)
	return err
}

// Compute implements sql.WindowFunction.
func (o *overPartition) Compute(*sql.Context, sql.WindowInterval, sql.WindowBuffer) any {
	return o.value
}

// DefaultFramer implements sql.WindowFunction.
func (o *overPartition) DefaultFramer() sql.WindowFramer { return &partitionFramer{} }

// Dispose implements sql.Disposable.
func (o *overPartition) Dispose() {}

// partitionFramer frames the whole partition for each of its rows. Unlike the engine's,
// it has no frame for an empty partition.
type partitionFramer struct {
	sql.WindowInterval
	at int // the next row
}

// NewFramer implements sql.WindowFramer.
func (f *partitionFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &partitionFramer{partition, partition.Start}, nil
}

// Next implements sql.WindowFramer.
func (f *partitionFramer) Next(*sql.Context, sql.WindowBuffer) (sql.WindowInterval, error) {
	if f.at >= f.End {
		return sql.WindowInterval{}, io.EOF
	}
	f.at++
	return f.WindowInterval, nil
}

// FirstIdx, LastIdx and Interval implement sql.WindowFramer.
func (f *partitionFramer) FirstIdx() int { return f.Start }

func (f *partitionFramer) LastIdx() int { return f.End }

func (f *partitionFramer) Interval() (sql.WindowInterval, error) { return f.WindowInterval, nil }
