package estimate

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	// scan is what the Prepared that was asked keeps for the standard errors
	// and the bounds; nil elsewhere and where the answer is exact.
	scan *scan
	// deviations are the standard errors that a Completed found with the answer.
	deviations [][]anonymize.Value
	// scatters and quotients as well, where it was asked for a spread.
	scatters  [][]Scatter
	quotients [][]QuotientAnswer
}

// An AnswerRow is the answer for one key.
type AnswerRow struct {
	Keys []anonymize.Value
	// Figures has one value per aggregate: Real (Least, Greatest: a value of
	// the argument), or NULL for all but counts over no records.
	Figures []anonymize.Value
}

// Ask answers q from r. Errors: a question that does not fit the release, an
// error of one of its expressions, the context's end.
//
// A caller with several questions for one release asks a [Prepared].
func Ask(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	return ask(ctx, r, q, nil)
}

// ask answers with the kernels of a scan; nil: by the weighted join.
func ask(ctx context.Context, r *anonymize.Release, q *Question, by *scan) (*Answer, error) {
	answer, err := askFragments(ctx, r, q, by)
	if err == nil && q.ReadsNoise(r) {
		answer.Exact = false
	}
	return answer, err
}

// askFragments takes what fragments tell for the truth.
func askFragments(ctx context.Context, r *anonymize.Release, q *Question, by *scan) (*Answer, error) {
	if err := q.check(r); err != nil {
		return nil, err
	}
	if by != nil && by.prepared.elsewhere != nil {
		return by.askElsewhere(ctx, q)
	}
	if slices.ContainsFunc(q.touched(), func(f int) bool { return isElsewhere(r.Fragments[f]) }) {
		return nil, &UnansweredError{"a question for the tuples"}
	}
	answer, thinned := &Answer{Fragments: q.touched()}, thinningOf(r)
	if thinned.leavesNone() {
		rows, err := q.aggregate(&weights{}, thinned)
		answer.Rows, answer.Exact = rows, true
		return answer, err
	}
	if by != nil {
		if answer, err := by.askCells(ctx, r, q); answer != nil || err != nil {
			return answer, err
		}
		if answer, err := by.askApart(ctx, r, q); answer != nil || err != nil {
			return answer, err
		}
	}
	sides, err := sidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	answer.Exact = len(sides) == 0 || decided(sides) && thinned.isNone()
	if rows, err := by.sums(ctx, r, q, sides); rows != nil || err != nil {
		answer.Rows, answer.scan = rows, by
		return answer, err
	}
	w := &weights{dense: []float64{float64(r.Rows)}}
	if len(sides) > 0 {
		if w, err = by.join(ctx, r, sides); err != nil {
			return nil, err
		}
	}
	if answer.Rows, err = q.aggregate(w, thinned); err == nil && q.asksDistinct() && !answer.Exact && !decided(sides) {
		err = by.distinct(ctx, r, q, sides, answer.Rows)
	}
	if !answer.Exact {
		answer.scan = by
	}
	return answer, err
}

// sidesOf classifies the fragments that q touches.
func sidesOf(ctx context.Context, r *anonymize.Release, q *Question) ([]*side, error) {
	var sides []*side
	for _, f := range q.touched() {
		s, err := classify(ctx, r, q, f)
		if err != nil {
			return nil, err
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// touched returns the fragments that q reads, ascending.
func (q *Question) touched() []int {
	var fragments []int
	for _, leaf := range q.Leaves {
		if !slices.Contains(fragments, leaf.Fragment) {
			fragments = append(fragments, leaf.Fragment)
		}
	}
	slices.Sort(fragments)
	return fragments
}

// ErrTooManyKeys is the answer to a question with more than MaxKeys keys.
var ErrTooManyKeys = errors.New("too many keys")

// A tally accumulates one key's aggregates.
type tally []running

// aggregate adds up the combinations of classes by key.
func (q *Question) aggregate(w *weights, thinned thinning) ([]AnswerRow, error) {
	t := newTerms(q, w.sides)
	var tallies []tally // by key
	err := w.visitPositive(func(classes []uint32, weight float64) error {
		entry, err := t.entryOf(classes)
		if err != nil || t.key[entry] < 0 {
			return err
		}
		if q.MaxKeys > 0 && len(t.keys) > q.MaxKeys {
			return ErrTooManyKeys
		}
		for len(tallies) < len(t.keys) {
			tallies = append(tallies, newTally(len(q.Aggregates)))
		}
		for a, c := range t.figures[entry] {
			if err := tallies[t.key[entry]][a].add(t, a, weight, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(q.Keys) == 0 && len(tallies) == 0 {
		t.keys, tallies = [][]anonymize.Value{nil}, []tally{newTally(len(q.Aggregates))}
	}
	return q.answers(t, tallies, thinned), nil
}

// holds evaluates the conditions that the sides could not decide: those across
// fragments, and constants.
func (q *Question) holds(outcomes []outcome, buffer []anonymize.Value) (bool, error) {
	for i := range q.Where {
		if q.fragmentOf(&q.Where[i]) >= 0 {
			continue
		}
		truth, err := q.Where[i].evaluate(outcomes, buffer)
		if err != nil || !isTrue(truth) {
			return false, err
		}
	}
	return true, nil
}

func (q *Question) answers(t *terms, tallies []tally, thinned thinning) []AnswerRow {
	rows := make([]AnswerRow, len(tallies))
	for i := range tallies {
		rows[i] = AnswerRow{Keys: t.keys[i], Figures: make([]anonymize.Value, len(q.Aggregates))}
		for a := range q.Aggregates {
			thinned.figure(&tallies[i][a])
			rows[i].Figures[a] = tallies[i][a].figure(t, a, thinned)
		}
	}
	slices.SortFunc(rows, func(a, b AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows
}

func errNotANumber(v anonymize.Value) error {
	return fmt.Errorf("cannot add up %q: it is not a number", v)
}
