package interval

import (
	"context"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// imputed is how intervals around the answers of completed tables are made: with D
// tables, T their variance (1 + 1/D) B, t the quantile of Student's t with D - 1 degrees
// of freedom, and r the misfit, they reach
//
//	t sqrt(T + (r figure / 2)^2)
//
// to both sides (Rubin 1987, (3.1.8), with no variance within a table). Where all
// tables have the same COUNT, the next one has another with a probability of some
// 1 / (D + 2) (Laplace's rule of succession): intervals of a greater level reach 1.
type imputed struct {
	tables int
	misfit float64
}

// OfCompleted computes the parts of what stands beside an answer of c to q. misfit is r,
// the relative error of the model beyond what its tables differ by, 0 for none known.
func OfCompleted(ctx context.Context, c *estimate.Completed, q *estimate.Question, answer *estimate.Answer, wanted Parts, misfit float64) (*Spread, error) {
	s := &Spread{question: q, answer: answer, imputed: &imputed{c.Tables(), misfit}}
	var err error
	if wanted.Bounds || wanted.Intervals {
		if s.Bounds, err = c.Bounds(ctx, q, answer); err != nil {
			return nil, err
		}
	}
	if wanted.Deviations || wanted.Intervals {
		s.Deviations, err = c.StandardErrors(ctx, q, answer)
	}
	return s, err
}

// ends are those of the interval of a figure, before the hard bounds cut it.
func (i *imputed) ends(kind estimate.Kind, figure, deviation anonymize.Value, exact bool, level float64) (low, high float64) {
	if exact {
		return figure.Float, figure.Float
	}
	if deviation.IsNull() {
		return math.NaN(), math.NaN()
	}
	misfit := 0.0
	if kind != estimate.Average {
		misfit = i.misfit * figure.Float / 2
	}
	half := student(level, i.tables-1) * math.Hypot(deviation.Float, misfit)
	if kind == estimate.Count && deviation.Float == 0 && level > float64(i.tables+1)/float64(i.tables+2) {
		half = max(half, 1)
	}
	return figure.Float - half, figure.Float + half
}
