package question

import (
	"errors"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// An Answer is the estimate of a question.
type Answer struct {
	// Exact says that the answer is the actual value for every table that
	// agrees with the release: it lives in one fragment, whose cells leave
	// nothing open that it asks, and there are no counterfeits; or it asks
	// nothing of the records but their number.
	Exact bool
	// Fragments lists the fragments that the question touches, ascending.
	Fragments []int
	// Rows has one entry per key with a positive expected number of records,
	// ascending by key. Without keys it is one row, whatever the count.
	Rows []AnswerRow
	// Deviations are the standard errors that completed tables found with the answer. Where it was asked for a spread, Scatters are by row
	// those of every COUNT, SUM and AVG, nil of an exact answer, and Quotients those of the question.
	Deviations [][]anonymize.Value
	Scatters   [][]Scatter
	Quotients  [][]QuotientAnswer
	// Kept is what the estimator that answered keeps for the standard errors and the bounds; nil where it keeps nothing.
	Kept any
}

// An AnswerRow is the answer for one key.
type AnswerRow struct {
	Keys []anonymize.Value
	// Figures has one value per aggregate: Real (Least, Greatest: a value of
	// the argument), or NULL for all but counts over no records.
	Figures []anonymize.Value
	// canceled has, by aggregate, what a SUM or AVG would be if numbers of both signs did not cancel; nil where none do.
	canceled []float64
}

// SetCanceled says what a figure would be if numbers of both signs did not cancel.
func (r *AnswerRow) SetCanceled(aggregate int, figure float64) {
	if r.canceled == nil {
		r.canceled = make([]float64, len(r.Figures))
	}
	r.canceled[aggregate] = figure
}

// Size is the greatest number that an aggregate's figure was made of, by its absolute value: it says how many digits of the figure are right.
func (r *AnswerRow) Size(aggregate int) float64 {
	figure, _ := r.Figures[aggregate].Number()
	if size := math.Abs(figure); r.canceled == nil || r.canceled[aggregate] < size {
		return size
	}
	return r.canceled[aggregate]
}

// ErrTooManyKeys is the answer to a question with more than MaxKeys keys.
var ErrTooManyKeys = errors.New("too many keys")

// A Bound holds the least and the greatest value that a figure can have.
type Bound struct{ Low, High anonymize.Value }

// SpreadOf has something for every figure of an answer whose kind has a spread, and nothing where the figure is NULL.
func SpreadOf[T any](q *Question, answer *Answer, of func(row AnswerRow, a int) T) [][]T {
	rows := make([][]T, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]T, len(row.Figures))
		for a, figure := range row.Figures {
			if !figure.IsNull() && q.Aggregates[a].Kind.HasSpread() {
				rows[i][a] = of(row, a)
			}
		}
	}
	return rows
}

// NoBounds are NULL for every figure.
func NoBounds(q *Question, answer *Answer) [][]Bound {
	return SpreadOf(q, answer, func(AnswerRow, int) Bound { return Bound{} })
}

// ExactBounds are the figures themselves, ExactDeviations 0.
func ExactBounds(q *Question, answer *Answer) [][]Bound {
	return SpreadOf(q, answer, func(row AnswerRow, a int) Bound { return Bound{row.Figures[a], row.Figures[a]} })
}

func ExactDeviations(q *Question, answer *Answer) [][]anonymize.Value {
	return SpreadOf(q, answer, func(AnswerRow, int) anonymize.Value { return anonymize.RealValue(0) })
}

// IsAlike says that all completed tables answer the same: they have the fragments of the release.
func (a *Answer) IsAlike() bool { return a.Exact || len(a.Fragments) < 2 }

// NoDeviations are 0 for every figure.
func NoDeviations(answer *Answer) [][]anonymize.Value {
	rows := make([][]anonymize.Value, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = make([]anonymize.Value, len(row.Figures))
		for a, figure := range row.Figures {
			if !figure.IsNull() {
				rows[i][a] = anonymize.RealValue(0)
			}
		}
	}
	return rows
}

// A Quotient is a COUNT or SUM of a question by another one: a share, a weighted mean. AVG is SUM(x)
// by COUNT(x).
type Quotient struct{ Numerator, Denominator int } // indexes into Question.Aggregates

// A Scatter says how much a figure hangs on which records have its key, means over all tables. With
// x the number of a record, it is over the residuals e of the records that count: e = x of SUM, e = 1
// of COUNT, and e = x - figure * y of a quotient with the denominator's number y (AVG: y = 1), since
// a record more moves a quotient by e / Total (linearisation; Cochran, Sampling Techniques, 1977,
// section 6.3). The residuals of a quotient add up to 0.
type Scatter struct {
	Total    float64 // the denominator; 1 of COUNT and SUM
	Absolute float64 // sum |e|
	Squares  float64 // sum e^2
}

// A QuotientAnswer is what completed tables say of a quotient and a key: the figure is the mean
// numerator by the mean denominator, the deviation as that of AVG. NULL without a denominator.
type QuotientAnswer struct {
	Figure, Deviation anonymize.Value
	Scatter           Scatter
}

func (s *Scatter) Add(records, residual float64) {
	s.Absolute += records * math.Abs(residual)
	s.Squares += records * residual * residual
}

// ErrNotAConjunction is the answer to a COUNT(DISTINCT ...) whose records in
// some group are no product of conditions on one fragment each. Their number is
// known, but the probability that there is none is not: counting the matchings
// without a qualifying pair is counting permutations that avoid given places.
var ErrNotAConjunction = errors.New("the condition, the key or the argument mixes several fragments")

// An UnansweredError says what of a question is not answered over relations that are
// elsewhere.
type UnansweredError struct{ What string }

func (e *UnansweredError) Error() string {
	return "the relations of this release are in another engine, where this is not answered: " + e.What
}
