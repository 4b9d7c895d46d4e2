package elsewhere

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Counter is a [figures.Counter] that has the engine with the relations count for a question.
type Counter struct {
	*Relations
	Shape    *anonymize.Release
	Question *question.Question
	// Once loaded: the release with the values of the columns read, these columns by fragment and column, and the classes of values.
	release *anonymize.Release
	columns map[[2]int]*readColumn
	Sides   []*question.Side
	sums    *figures.BoxSums // for standard errors and bounds, once they are asked for
}

// Rows implements [figures.Counter].
func (s *Counter) Rows(ctx context.Context, _ bool) ([]question.AnswerRow, error) {
	if err := s.Load(ctx); err != nil {
		return nil, err
	}
	if rows, err := s.linear(ctx); rows != nil || err != nil {
		return rows, err
	}
	w, err := s.weights(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := figures.Aggregate(s.Question, w, figures.Thinning{})
	if err == nil && len(s.Sides) > 1 && s.Question.AsksDistinct() {
		err = s.distinct(ctx, rows)
	}
	return rows, err
}

// Moments and Totals implement [figures.Counter].
func (s *Counter) Moments(ctx context.Context) (figures.MomentsOf, error) {
	sums, err := s.spreads(ctx)
	if err != nil {
		return nil, err
	}
	return sums.MomentsOf, nil
}

func (s *Counter) Totals(ctx context.Context) (figures.TotalOf, error) {
	sums, err := s.spreads(ctx)
	if err != nil {
		return nil, err
	}
	return sums.TotalOf, nil
}

// Load reads the values of the columns that the question reads and classifies the touched fragments by them.
func (s *Counter) Load(ctx context.Context) (err error) {
	if s.Sides != nil {
		return nil
	}
	if s.release, s.columns, err = s.Loaded(ctx, s.Shape, s.Question); err != nil {
		return err
	}
	sides, err := question.SidesOf(ctx, s.release, s.Question)
	for _, side := range sides {
		if side.Classes >= question.MaxDistantClasses {
			return &question.TooManyCombinationsError{Fragment: side.Fragment.Name, Limit: question.MaxDistantClasses}
		}
	}
	s.Sides = sides
	return err
}
