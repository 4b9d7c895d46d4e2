package question

import (
	"errors"
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// An Answer is the estimate of a question.
type Answer struct {
	// Exact says that the answer is the true value in every table that agrees with the release.
	// Then the question touches one fragment, whose cells leave nothing open, and there are no
	// counterfeits; or it asks only for the number of records.
	Exact bool
	// Fragments lists the fragments that the question touches, ascending.
	Fragments []int
	// Rows has an entry per key with a positive expected number of records, ascending by key.
	// Without keys it has one row, whatever the count.
	Rows []AnswerRow
	// Deviations are the standard errors that completed tables found with the answer. If a spread was asked for, Scatters has
	// those of every COUNT, SUM and AVG by row (nil if the answer is exact), and Quotients those of the question.
	Deviations [][]anonymize.Value
	Scatters   [][]Scatter
	Quotients  [][]QuotientAnswer
	// Kept is what the estimator keeps for standard errors and bounds; nil if nothing.
	Kept any
}

// An AnswerRow is the answer for one key.
type AnswerRow struct {
	Keys []anonymize.Value
	// Figures has one value per aggregate: a Real (for Least and Greatest, a value of the
	// argument), or NULL over no records, except for counts.
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

// ErrTooManyKeys reports a question with more than MaxKeys keys.
var ErrTooManyKeys = errors.New("too many keys")

// A Bound is the least and the greatest value that a figure can have.
type Bound struct{ Low, High anonymize.Value }

// SpreadOf evaluates of for every figure that is not NULL and whose kind has a spread; the others get the zero value.
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

// NoBounds returns NULL for every figure.
func NoBounds(q *Question, answer *Answer) [][]Bound {
	return SpreadOf(q, answer, func(AnswerRow, int) Bound { return Bound{} })
}

// ExactBounds returns the figures themselves as bounds, ExactDeviations returns 0.
func ExactBounds(q *Question, answer *Answer) [][]Bound {
	return SpreadOf(q, answer, func(row AnswerRow, a int) Bound { return Bound{row.Figures[a], row.Figures[a]} })
}

func ExactDeviations(q *Question, answer *Answer) [][]anonymize.Value {
	return SpreadOf(q, answer, func(AnswerRow, int) anonymize.Value { return anonymize.RealValue(0) })
}

// IsAlike reports whether all completed tables give the same answer, because they have the release's fragments.
func (a *Answer) IsAlike() bool { return a.Exact || len(a.Fragments) < 2 }

// NoDeviations returns 0 for every figure that is not NULL.
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

// A Quotient is a COUNT or SUM of a question divided by another: a share, a weighted mean. AVG
// is SUM(x) divided by COUNT(x).
type Quotient struct{ Numerator, Denominator int } // indexes into Question.Aggregates

// A Scatter measures how much a figure depends on which records have its key, as means over all tables.
// It adds up over the residuals e of the records that count. With x the number of a record, e = x for
// SUM, e = 1 for COUNT, and e = x - figure * y for a quotient, where y is the denominator's number
// (AVG: y = 1): one more record moves a quotient by e / Total (linearisation; Cochran, Sampling
// Techniques, 1977, section 6.3). The residuals of a quotient add up to 0.
type Scatter struct {
	Total    float64 // the denominator; 1 for COUNT and SUM
	Absolute float64 // sum |e|
	Squares  float64 // sum e^2
	Tables   int     // that have the figure; for COUNT and SUM all
}

// A QuotientAnswer is the answer of completed tables for a quotient and a key. The figure is the mean numerator
// divided by the mean denominator; the deviation is as for AVG. Both are NULL if the denominator is 0.
type QuotientAnswer struct {
	Figure, Deviation anonymize.Value
	Scatter           Scatter
}

func (s *Scatter) Add(records, residual float64) {
	s.Absolute += records * math.Abs(residual)
	s.Squares += records * residual * residual
}

// ErrNotAConjunction reports a COUNT(DISTINCT ...) whose records in some group are no product
// of conditions on one fragment each. Their expected number is known, but the probability that
// there is none is not: counting the matchings without a qualifying pair is counting
// permutations that avoid given positions.
var ErrNotAConjunction = errors.New("the condition, the key or the argument mixes several fragments")

// An UnansweredError says which part of a question cannot be answered over relations that are
// elsewhere.
type UnansweredError struct{ What string }

func (e *UnansweredError) Error() string {
	return "the relations of this release are in another engine, where this is not answered: " + e.What
}
