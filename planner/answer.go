package planner

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/catalog/coding"
)

// An answered question: the estimate, and what stands beside it when that was
// asked.
type answered struct {
	*estimate.Answer
	spread *interval.Spread
	widths *interval.Widths             // nil when no interval is asked for
	actual map[string][]anonymize.Value // figures by key
}

// answer estimates, adds standard errors and bounds, compares with the raw
// table, and puts the output rows together.
func (e *Estimate) answer(ctx *sql.Context, outer sql.Row) ([]sql.Row, error) {
	frozen, err := e.frozen(ctx, outer)
	if err != nil {
		return nil, err
	}
	release, err := e.view.Prepared(ctx)
	if err != nil {
		return nil, err
	}
	keys := keyValues(frozen.keys)
	a, err := frozen.ask(ctx, release, keys)
	if err != nil {
		return nil, err
	}
	if len(e.compared()) > 0 {
		if a.actual, err = frozen.actual(ctx, keys); err != nil {
			return nil, err
		}
	}
	a.settle(e.aggregates)
	rows := make([]sql.Row, len(a.Rows))
	for i := range a.Rows {
		if rows[i], err = e.row(a, i); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (e *Estimate) ask(ctx *sql.Context, release *estimate.Prepared, keys []conversion) (*answered, error) {
	question, err := newQuestion(ctx, release.Release(), e, keys)
	if err != nil {
		return nil, err
	}
	a := &answered{}
	wanted := interval.Parts{Deviations: e.asks(deviationOutput), Bounds: e.asks(lowOutput, highOutput), Intervals: e.asks(intervalLowOutput, intervalHighOutput)}
	ask := release.Ask
	if wanted != (interval.Parts{}) {
		ask = release.AskWithSpread // one scan for all of them
	}
	if a.Answer, err = ask(ctx, question); err != nil {
		return nil, e.explained(err)
	}
	if wanted != (interval.Parts{}) {
		if a.spread, err = interval.Of(ctx, release, question, a.Answer, wanted); err != nil {
			return nil, e.explained(err)
		}
	}
	if wanted.Intervals {
		a.widths, err = interval.Decode(e.view.Record().Calibration)
	}
	return a, err
}

// explained turns what the estimator cannot answer into a refusal.
func (e *Estimate) explained(err error) error {
	var tooMany *estimate.TooManyCombinationsError
	switch {
	case errors.As(err, &tooMany):
		return refuse("%s", tooMany)
	case errors.Is(err, estimate.ErrNotAConjunction):
		return refuseDistinct()
	case errors.Is(err, estimate.ErrTooManyKeys):
		return refuseCombinations(e.maxKeys)
	}
	return err
}

// actual asks the same question of the raw table, by key.
func (e *Estimate) actual(ctx *sql.Context, keys []conversion) (map[string][]anonymize.Value, error) {
	var columns []string
	for _, x := range e.Expressions() {
		columns = append(columns, viewColumnsOf(x)...)
	}
	table, err := e.view.SourceMicrodata(ctx, columns)
	if err != nil {
		return nil, err
	}
	raw := estimate.OfTable(table)
	question, err := newQuestion(ctx, raw, e, keys)
	if err != nil {
		return nil, err
	}
	answer, err := estimate.Ask(ctx, raw, question)
	if err != nil {
		return nil, err
	}
	figures := make(map[string][]anonymize.Value, len(answer.Rows))
	for _, row := range answer.Rows {
		figures[keyText(row.Keys)] = row.Figures
	}
	return figures, nil
}

// keyText is a text of a key that no other key has, whatever bytes its values are
// of: every value has its length before it.
func keyText(keys []anonymize.Value) string {
	text := make([]byte, 0, 64)
	for _, v := range keys {
		value := v.String()
		text = binary.AppendUvarint(append(text, byte(v.Kind)), uint64(len(value)))
		text = append(text, value...)
	}
	return string(text)
}

func (e *Estimate) row(a *answered, i int) (sql.Row, error) {
	row := make(sql.Row, len(e.outputs))
	keys, figures := a.Rows[i].Keys, a.Rows[i].Figures
	for j, o := range e.outputs {
		var err error
		if row[j], err = e.cell(a, i, o, keys, figures); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// cell is one output of row i.
func (e *Estimate) cell(a *answered, i int, o output, keys, figures []anonymize.Value) (any, error) {
	if o.kind == keyOutput {
		return coding.SQLValue(o.column.Type, keys[o.index])
	}
	asked := &e.aggregates[o.index]
	switch o.kind {
	case figureOutput:
		return asked.value(figures[o.index], o.column.Type)
	case actualOutput:
		return asked.value(e.actualFigure(a.actual, keys, o.index), o.column.Type)
	case relativeErrorOutput:
		return relativeError(figures[o.index], e.actualFigure(a.actual, keys, o.index)), nil
	case deviationOutput:
		return figure(a.spread.Deviations[i][o.index]), nil
	case lowOutput:
		return asked.bound(a.spread.Bounds[i][o.index].Low, o.column.Type, math.Ceil)
	case highOutput:
		return asked.bound(a.spread.Bounds[i][o.index].High, o.column.Type, math.Floor)
	}
	low, high := a.interval(i, o)
	if o.kind == intervalLowOutput {
		return low, nil
	}
	return high, nil
}

// actualFigure looks up the actual value; a key that the raw table does not
// have counts 0 and sums to NULL.
func (e *Estimate) actualFigure(actual map[string][]anonymize.Value, keys []anonymize.Value, index int) anonymize.Value {
	if figures, ok := actual[keyText(keys)]; ok {
		return figures[index]
	}
	if e.aggregates[index].kind.isCount() {
		return anonymize.RealValue(0)
	}
	return anonymize.NullValue
}

// figure is a figure as a DOUBLE; NULL where there is none.
func figure(v anonymize.Value) any {
	if number, ok := v.Number(); ok {
		return number
	}
	return nil
}

// relativeError is |actual - estimate| / |actual|, NULL where the actual value
// is 0 or NULL, or the estimate is NULL.
func relativeError(estimated, actual anonymize.Value) any {
	guess, ok := estimated.Number()
	truth, known := actual.Number()
	if !ok || !known || truth == 0 {
		return nil
	}
	return math.Abs(truth-guess) / math.Abs(truth)
}

// frozen returns a copy of e whose expressions depend on the view's columns
// only: subqueries are run once, references to an outer query take the values
// of its row.
func (e *Estimate) frozen(ctx *sql.Context, outer sql.Row) (*Estimate, error) {
	expressions := e.Expressions()
	for i, x := range expressions {
		var err error
		if expressions[i], err = freeze(ctx, outer, x); err != nil {
			return nil, err
		}
	}
	node, err := e.WithExpressions(expressions...)
	if err != nil {
		return nil, err
	}
	return node.(*Estimate), nil
}

// freeze works from the top down, because what a subquery becomes depends on
// what it stands in.
func freeze(ctx *sql.Context, outer sql.Row, x sql.Expression) (sql.Expression, error) {
	switch x := x.(type) {
	case *expression.GetField, *plan.ExistsSubquery, *plan.Subquery:
		value, err := x.Eval(ctx, outer)
		return expression.NewLiteral(value, x.Type()), err
	case *plan.InSubquery:
		return freezeIn(ctx, outer, x)
	}
	children := x.Children()
	if len(children) == 0 {
		return x, nil
	}
	frozen := make([]sql.Expression, len(children))
	for i, child := range children {
		var err error
		if frozen[i], err = freeze(ctx, outer, child); err != nil {
			return nil, err
		}
	}
	if in, ok := x.(*expression.InTuple); ok {
		frozen[1] = doubles(ctx, in.Left().Type(), frozen[1])
	}
	return x.WithChildren(frozen...)
}

// doubles turns the decimals of the list of DOUBLE IN (...) into doubles. The
// engine would round the left side to the digits of each, and find 0.30 in
// 0.3000001; MySQL compares a DOUBLE with a decimal as doubles.
func doubles(ctx *sql.Context, left sql.Type, list sql.Expression) sql.Expression {
	tuple, ok := list.(expression.Tuple)
	if !ok || !types.IsFloat(left) {
		return list
	}
	converted := make(expression.Tuple, len(tuple))
	for i, x := range tuple {
		converted[i] = x
		if literal, ok := x.(*expression.Literal); ok && types.IsDecimal(literal.Type()) {
			if value, _, err := types.Float64.Convert(ctx, literal.Value()); err == nil {
				converted[i] = expression.NewLiteral(value, types.Float64)
			}
		}
	}
	return converted
}

// freezeIn runs the subquery of left IN (SELECT ...) once.
func freezeIn(ctx *sql.Context, outer sql.Row, x *plan.InSubquery) (sql.Expression, error) {
	left, err := freeze(ctx, outer, x.LeftChild)
	if err != nil {
		return nil, err
	}
	subquery, ok := x.RightChild.(*plan.Subquery)
	if !ok {
		return nil, refuse("IN takes a list or a subquery, not %s", x.RightChild)
	}
	values, err := subquery.EvalMultiple(ctx, outer)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return expression.NewLiteral(false, types.Boolean), nil
	}
	typ := subquery.Type()
	literals := make([]sql.Expression, len(values))
	for i, v := range values {
		literals[i] = expression.NewLiteral(v, typ)
	}
	return expression.NewInTuple(left, expression.NewTuple(literals...)), nil
}
