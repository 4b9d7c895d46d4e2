package planner

import (
	"errors"
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/catalog"
)

// An answered question: the estimate, and what stands beside it when that was
// asked.
type answered struct {
	*estimate.Answer
	deviations [][]anonymize.Value          // per row and aggregate
	bounds     [][]estimate.Bound           // per row and aggregate
	actual     map[string][]anonymize.Value // figures by key
	intervals  intervals
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
	interval := e.asks(intervalLowOutput, intervalHighOutput)
	ask := release.Ask
	if interval || e.asks(deviationOutput, lowOutput, highOutput) {
		ask = release.AskWithSpread // one scan for all of them
	}
	if a.Answer, err = ask(ctx, question); err != nil {
		return nil, e.explained(err)
	}
	if interval || e.asks(deviationOutput) {
		if a.deviations, err = release.StandardErrors(ctx, question, a.Answer); err != nil {
			return nil, err
		}
	}
	if interval || e.asks(lowOutput, highOutput) {
		if a.bounds, err = release.Bounds(ctx, question, a.Answer); err != nil {
			return nil, err
		}
	}
	if interval {
		a.intervals.question = question
		a.intervals.calibration, err = utility.DecodeCalibration(e.view.Record().Calibration)
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

// keyText is an unambiguous text of a key.
func keyText(keys []anonymize.Value) string {
	text := make([]byte, 0, 64)
	for _, v := range keys {
		text = append(text, byte(v.Kind))
		text = append(text, v.String()...)
		text = append(text, 0)
	}
	return string(text)
}

func (e *Estimate) row(a *answered, i int) (sql.Row, error) {
	row := make(sql.Row, len(e.outputs))
	keys, figures := a.Rows[i].Keys, a.Rows[i].Figures
	for j, o := range e.outputs {
		switch o.kind {
		case keyOutput:
			var err error
			if row[j], err = catalog.SQLValue(o.column.Type, keys[o.index]); err != nil {
				return nil, err
			}
		case figureOutput:
			var err error
			if row[j], err = e.figureValue(o, figures[o.index]); err != nil {
				return nil, err
			}
		case actualOutput:
			row[j] = figure(e.actualFigure(a.actual, keys, o.index))
		case relativeErrorOutput:
			row[j] = relativeError(figures[o.index], e.actualFigure(a.actual, keys, o.index))
		case deviationOutput:
			row[j] = figure(a.deviations[i][o.index])
		case lowOutput:
			row[j] = figure(a.bounds[i][o.index].Low)
		case highOutput:
			row[j] = figure(a.bounds[i][o.index].High)
		case intervalLowOutput:
			row[j], _ = a.intervals.ends(o.index, o.level, figures[o.index], a.deviations[i][o.index], a.bounds[i][o.index])
		case intervalHighOutput:
			_, row[j] = a.intervals.ends(o.index, o.level, figures[o.index], a.deviations[i][o.index], a.bounds[i][o.index])
		}
	}
	return row, nil
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

// figureValue is the SQL value of an estimated figure: MIN and MAX are values of
// their argument.
func (e *Estimate) figureValue(o output, v anonymize.Value) (any, error) {
	if e.aggregates[o.index].kind.isExtreme() {
		return catalog.SQLValue(o.column.Type, v)
	}
	return figure(v), nil
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
