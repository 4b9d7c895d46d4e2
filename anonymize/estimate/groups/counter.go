package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter is the [figures.Counter] for every question: it counts group by group.
type Counter struct {
	Release  *anonymize.Release
	Question *question.Question
	Sides    []*question.Side // of the question
	Ranges   RangeCounter     // may be nil
}

// Rows implements [figures.Counter].
func (c *Counter) Rows(ctx context.Context, _ bool) ([]question.AnswerRow, error) {
	w := &figures.Weights{}
	switch {
	case figures.ThinningOf(c.Release).LeavesNone():
	case len(c.Sides) == 0:
		w.Dense = []float64{float64(c.Release.Rows)}
	default:
		var err error
		if w, err = Join(ctx, c.Release, c.Sides); err != nil {
			return nil, err
		}
	}
	return c.RowsOf(ctx, w)
}

// RowsOf returns the rows of the answer from the weights of its combinations of classes.
func (c *Counter) RowsOf(ctx context.Context, w *figures.Weights) ([]question.AnswerRow, error) {
	rows, err := figures.Aggregate(c.Question, w, figures.ThinningOf(c.Release))
	if err == nil && c.Question.AsksDistinct() && len(c.Sides) > 0 && !question.Decided(c.Sides) {
		err = CountDistinct(ctx, c.Release, c.Question, c.Sides, rows)
	}
	return rows, err
}
