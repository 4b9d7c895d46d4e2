package answer

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/catalog/coding"
)

// answered is the answer to a question: the estimate, and requested figures beside it.
type answered struct {
	*estimate.Answer
	spread *interval.Spread
	widths *interval.Widths             // nil if no interval is requested
	actual map[string][]anonymize.Value // figures by key
	// quotients are the question's.
	quotients []estimate.Quotient
	// apart: intervals are hard bounds (combined.go).
	apart bool
	// rounded: some exact figure has more digits than a DOUBLE (figure.go). between: it is asked of numbers between points (estimate/question).
	rounded, between bool
}

// answer makes the output rows. Read it to follow an estimated COUNT through execution;
// recognise in package planner puts the node into the plan. outer is the row of an outer query, or empty.
func (e *Estimate) answer(ctx *sql.Context, outer sql.Row) ([]sql.Row, error) {
	// Subqueries and references to an outer query are replaced by their values: the
	// rest depends only on the view's columns (freeze.go).
	frozen, err := e.frozen(ctx, outer)
	if err != nil {
		return nil, err
	}
	release, err := e.View.Prepared(ctx)
	if err != nil {
		return nil, err
	}
	// The session, or the release, chooses the estimator (estimator.go).
	if frozen.chosen, err = e.choose(ctx); err != nil {
		return nil, err
	}
	// The expressions are split into leaves over one fragment each, evaluated once per
	// dictionary value (question.go). The estimator computes the figures, and in the same
	// scan their standard errors, bounds and intervals (packages estimate, interval).
	keys := keyValues(frozen.Keys)
	a, err := frozen.ask(ctx, release, keys)
	if err != nil {
		return nil, err
	}
	// If the statement compares figures, and the account may read the raw table, it answers the same question.
	if len(e.compared()) > 0 {
		if a.actual, err = frozen.actual(ctx, keys); err != nil {
			return nil, err
		}
	}
	// Exact figures are made exact, and every figure is converted to its type (figure.go).
	a.settle(e.Aggregates)
	rows := make([]sql.Row, len(a.Rows))
	for i := range a.Rows {
		if rows[i], err = e.row(a, i); err != nil {
			return nil, err
		}
	}
	e.addNote(ctx, frozen.chosen, a)
	return rows, nil
}

// ask asks the estimator, and package interval for intervals; the expressions must be
// frozen.
func (e *Estimate) ask(ctx *sql.Context, release *estimate.Prepared, keys []conversion) (*answered, error) {
	question, err := newQuestion(ctx, release.Release(), e, keys)
	if err != nil {
		return nil, err
	}
	question.Quotients, question.Coarse = e.quotients(), e.isCoarse()
	a := &answered{quotients: question.Quotients, apart: e.combined() != nil}
	wanted := interval.Parts{
		Deviations: e.asks(DeviationOutput), Bounds: e.asks(LowOutput, HighOutput),
		Intervals: e.asks(IntervalLowOutput, IntervalHighOutput) || e.asksQuotients(),
	}
	wanted.Bounds = wanted.Bounds || wanted.Intervals && a.apart
	if tables := e.chosen.tables; tables != nil {
		ask := tables.Ask
		if wanted.Deviations || wanted.Intervals {
			ask = tables.AskWithSpread // one scan for both
		}
		if a.Answer, err = ask(ctx, question); err != nil {
			return nil, e.explained(err)
		}
		if wanted != (interval.Parts{}) {
			if a.spread, err = interval.OfCompleted(ctx, tables, question, a.Answer, wanted, e.coarsely(e.chosen.misfit)); err != nil {
				return nil, e.explained(err)
			}
		}
		return a, e.explained(e.putUnits(ctx, tables, question, a))
	}
	ask := release.Ask
	if wanted != (interval.Parts{}) {
		ask = release.AskWithSpread // one scan for all of them
	}
	if a.Answer, err = ask(ctx, question); err != nil {
		return nil, e.explained(err)
	}
	if slices.ContainsFunc(e.Outputs, e.isAroundWeights) {
		return nil, Refuse("an interval around a sum of the weight %s comes of completed tables, and these do not answer here: CALL fit_release('%s') makes them",
			e.View.Record().Weight.Column, e.Release())
	}
	if wanted != (interval.Parts{}) {
		if a.spread, err = interval.Compute(ctx, release, question, a.Answer, wanted); err != nil {
			return nil, e.explained(err)
		}
	}
	if err = e.explained(e.putUnits(ctx, release, question, a)); err == nil {
		a.between, err = question.ReadsBetween(ctx, release.Release())
	}
	if a.between && a.spread != nil {
		a.spread.Forget()
	}
	if err == nil && wanted.Intervals {
		a.widths, err = interval.Decode(e.View.Record().Calibration)
	}
	return a, err
}

// explained turns errors of questions that the estimator cannot answer into refusals.
func (e *Estimate) explained(err error) error {
	var tooMany *estimate.TooManyCombinationsError
	var unanswered *estimate.UnansweredError
	switch {
	case errors.As(err, &unanswered):
		return Refuse("%s", unanswered)
	case errors.As(err, &tooMany):
		return Refuse("%s", tooMany)
	case errors.Is(err, estimate.ErrNotAConjunction):
		return refuseDistinct()
	case errors.Is(err, estimate.ErrTooManyKeys):
		return refuseCombinations(e.MaxKeys)
	}
	return err
}

// actual answers the same question from the raw table, by key: from its home if that answers it, otherwise from its columns.
func (e *Estimate) actual(ctx *sql.Context, keys []conversion) (map[string][]anonymize.Value, error) {
	classes := e.selectsByWeight()
	if !classes {
		if figures, ok, err := e.actualElsewhere(ctx, keys); ok || err != nil {
			return figures, err
		}
	}
	var columns []string
	for _, x := range e.Expressions() {
		columns = append(columns, ViewColumns(x)...)
	}
	for _, a := range e.Aggregates {
		columns = append(columns, a.Units...)
	}
	table, err := e.View.SourceMicrodata(ctx, columns)
	if err != nil {
		return nil, err
	}
	if classes {
		table.Columns = e.View.InClasses(table.Columns)
	}
	raw := estimate.OfTable(table)
	question, err := newQuestion(ctx, raw, e, keys)
	if err != nil {
		return nil, err
	}
	answer, err := estimate.PrepareTuples(raw).Ask(ctx, question)
	if err != nil {
		return nil, err
	}
	figures := make(map[string][]anonymize.Value, len(answer.Rows))
	for _, row := range answer.Rows {
		figures[keyText(row.Keys)] = row.Figures
	}
	return figures, nil
}

// keyText is a unique text of a key, whatever bytes its values have: the length of
// every value precedes it.
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
	row := make(sql.Row, len(e.Outputs))
	keys, figures := a.Rows[i].Keys, a.Rows[i].Figures
	for j, o := range e.Outputs {
		var err error
		if row[j], err = e.cell(a, i, o, keys, figures); err != nil {
			return nil, err
		}
	}
	return row, nil
}

// cell is one output of row i.
func (e *Estimate) cell(a *answered, i int, o Output, keys, figures []anonymize.Value) (any, error) {
	switch o.Kind {
	case KeyOutput:
		return coding.SQLValue(o.Column.Type, keys[o.Index])
	case QuotientLowOutput, QuotientHighOutput:
		return e.quotientEnd(a, i, o), nil
	}
	asked := &e.Aggregates[o.Index]
	switch o.Kind {
	case FigureOutput:
		return asked.value(asked.counted(figures[o.Index]), o.Column.Type)
	case ActualOutput:
		return asked.value(asked.counted(e.actualFigure(a.actual, keys, o.Index)), o.Column.Type)
	case RelativeErrorOutput:
		return relativeError(figures[o.Index], e.actualFigure(a.actual, keys, o.Index)), nil
	case DeviationOutput:
		return figure(a.spread.Deviations[i][o.Index]), nil
	case LowOutput:
		return asked.bound(a.spread.Bounds[i][o.Index].Low, o.Column.Type, math.Ceil)
	case HighOutput:
		return asked.bound(a.spread.Bounds[i][o.Index].High, o.Column.Type, math.Floor)
	}
	low, high := a.interval(i, o)
	if o.Kind == IntervalLowOutput {
		return low, nil
	}
	return high, nil
}

// actualFigure looks up the actual value; for a key that the raw table lacks, counts
// are 0 and sums NULL.
func (e *Estimate) actualFigure(actual map[string][]anonymize.Value, keys []anonymize.Value, index int) anonymize.Value {
	if figures, ok := actual[keyText(keys)]; ok {
		return figures[index]
	}
	if !e.Aggregates[index].IsNullable() {
		return anonymize.RealValue(0)
	}
	return anonymize.NullValue
}

// counted is a figure of an aggregate, with 0 for a COUNT by weights over no records.
func (a *Aggregate) counted(v anonymize.Value) anonymize.Value {
	if a.Persons && v.IsNull() {
		return anonymize.RealValue(0)
	}
	return v
}

// figure is a figure as a DOUBLE; NULL if it is no number.
func figure(v anonymize.Value) any {
	if number, ok := v.Number(); ok {
		return number
	}
	return nil
}

// relativeError is |actual - estimate| / |actual|, NULL if the actual value is 0 or
// NULL, or the estimate is NULL.
func relativeError(estimated, actual anonymize.Value) any {
	guess, ok := estimated.Number()
	truth, known := actual.Number()
	if !ok || !known || truth == 0 {
		return nil
	}
	return math.Abs(truth-guess) / math.Abs(truth)
}

// interval returns the ends of an output's interval; NULL without one.
func (a *answered) interval(row int, o Output) (low, high any) {
	if a.apart {
		return a.possible(row, o)
	}
	lowest, highest, ok := a.spread.Interval(a.widths, row, o.Index, o.Level)
	if !ok {
		return nil, nil
	}
	return lowest, highest
}
