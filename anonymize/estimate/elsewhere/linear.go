package elsewhere

import (
	"context"
	"errors"
	"math"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// maxToldApart is the number of combinations of classes up to which COUNT, SUM and AVG are
// answered from the weights of values; beyond, the engine sums the arguments.
const maxToldApart = 4096

// linear answers by a [figures.LinearJoin] whose sums the engine computes. It returns nil if the question does
// not fit or has few combinations, or if an argument's values are not whole numbers times a power of ten.
func (s *Counter) linear(ctx context.Context) ([]question.AnswerRow, error) {
	if !s.tellsManyApart() {
		return nil, nil
	}
	l, err := figures.NewLinearJoin(ctx, s.release, s.Question)
	if err != nil || l == nil {
		return nil, err
	}
	size := l.Width()
	for _, side := range l.Sides {
		if size *= side.Classes; size > question.MaxDenseCombinations {
			return nil, nil
		}
	}
	d := s.Relations
	if err := d.fits(len(l.Sides)); err != nil {
		return nil, err
	}
	totals := make([]float64, size)
	for i := range l.Arguments {
		of, scale, err := d.worthOf(l, i)
		if unanswered := (*question.UnansweredError)(nil); errors.As(err, &unanswered) {
			return nil, nil // weights of values may answer it
		}
		if err != nil {
			return nil, err
		}
		if err := s.addLinear(ctx, l, i, of, scale, totals); err != nil {
			return nil, err
		}
	}
	return l.Answers(totals, 1)
}

// tellsManyApart reports whether there are more than maxToldApart combinations of classes and every fragment has records.
func (s *Counter) tellsManyApart() bool {
	combinations := 1
	for _, side := range s.Sides {
		if side.IsEmpty() {
			return false
		}
		combinations = min(combinations*side.Classes, maxToldApart+1)
	}
	return combinations > maxToldApart
}

// worthOf returns the values of an argument as whole numbers, with the power of ten that scales them.
func (d *Relations) worthOf(l *figures.LinearJoin, argument int) (of figures.Worth, scale float64, err error) {
	a := l.Arguments[argument]
	scale, err = d.scaleOf(func(yield func(float64) bool) {
		for _, c := range a.Contributions {
			if c.Records > 0 && !yield(c.Sum) {
				return
			}
		}
	}, 1)
	of = figures.Worth{Fragment: a.Side, Unit: a.Unit, Of: make([]int64, len(a.Contributions)), None: make([]bool, len(a.Contributions))}
	for code, c := range a.Contributions {
		of.None[code] = c.Records == 0
		of.Of[code] = int64(math.Round(c.Sum * scale))
	}
	return of, scale, err
}

// addLinear asks for the sums of an argument and adds them to the totals, by ascending size.
// The weights come with the first argument.
func (s *Counter) addLinear(ctx context.Context, l *figures.LinearJoin, argument int, of figures.Worth, scale float64, totals []float64) error {
	d := s.Relations
	sums, err := d.store.Weights(ctx, s.classesOf(l.Sides), &of)
	if err != nil {
		return err
	}
	perSize, perSizeOf := make([]uint64, len(d.sizes)+1), make([]uint64, len(d.sizes)+1)
	for _, sum := range mergeWeights(sums) {
		m, err := d.check(&sum, l.Sides, perSize)
		if err != nil {
			return err
		}
		with := sum // no more records are worth something than there are
		with.Products = sum.Records
		if _, err := d.check(&with, l.Sides, perSizeOf); err != nil {
			return err
		}
		index, stride := 0, l.Width()
		for side, class := range sum.Classes {
			index += int(class) * stride
			stride *= l.Sides[side].Classes
		}
		if argument == 0 {
			totals[index] += divided(sum.Products, m, len(l.Sides))
		}
		totals[index+1+2*argument] += divided(sum.Records, m, len(l.Sides))
		totals[index+2+2*argument] += figures.FloatOf(sum.Sum) / scale / math.Pow(m, float64(len(l.Sides)-1))
	}
	return nil
}
