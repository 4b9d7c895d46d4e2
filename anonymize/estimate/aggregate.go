package estimate

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// An Answer is the estimate of a question.
type Answer struct {
	// Exact says that the answer is the actual value for every table that
	// agrees with the release: it lives in one fragment with point cells.
	Exact bool
	// Fragments lists the fragments that the question touches, ascending.
	Fragments []int
	// Rows has one entry per key with a positive expected number of records,
	// ascending by key. Without keys it is one row, whatever the count.
	Rows []AnswerRow
}

// An AnswerRow is the answer for one key.
type AnswerRow struct {
	Keys []anonymize.Value
	// Figures has one value per aggregate: Real, or NULL for SUM and AVG over
	// no records.
	Figures []anonymize.Value
}

// Ask answers q from r. Errors: a question that does not fit the release, an
// error of one of its expressions, the context's end.
func Ask(ctx context.Context, r *anonymize.Release, q *Question) (*Answer, error) {
	if err := q.check(r); err != nil {
		return nil, err
	}
	answer := &Answer{Fragments: q.touched(), Exact: true}
	sides := sidesOf(r, q)
	for _, s := range sides {
		answer.Exact = answer.Exact && s.point
	}
	answer.Exact = answer.Exact && len(sides) <= 1
	w := &weights{dense: []float64{float64(r.Rows)}}
	if len(sides) > 0 {
		var err error
		if w, err = join(ctx, r, sides); err != nil {
			return nil, err
		}
	}
	rows, err := q.aggregate(w)
	answer.Rows = rows
	return answer, err
}

// sidesOf classifies the fragments that q touches.
func sidesOf(r *anonymize.Release, q *Question) []*side {
	var sides []*side
	for _, f := range q.touched() {
		sides = append(sides, classify(r, q, f))
	}
	return sides
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

// A tally accumulates one key's aggregates: per aggregate the expected number
// of records with an argument that is not NULL, and the expected sum of
// arguments.
type tally []contribution

// aggregate adds up the combinations of classes by key.
func (q *Question) aggregate(w *weights) ([]AnswerRow, error) {
	t := newTerms(q, w.sides)
	var tallies []tally // by key
	err := w.each(func(classes []uint32, weight float64) error {
		entry, err := t.of(classes)
		if err != nil || t.key[entry] < 0 {
			return err
		}
		for len(tallies) < len(t.keys) {
			tallies = append(tallies, make(tally, len(q.Aggregates)))
		}
		for a, c := range t.figures[entry] {
			tallies[t.key[entry]][a].records += weight * c.records
			tallies[t.key[entry]][a].sum += weight * c.sum
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(q.Keys) == 0 && len(tallies) == 0 {
		t.keys, tallies = [][]anonymize.Value{nil}, []tally{make(tally, len(q.Aggregates))}
	}
	return q.answers(t.keys, tallies), nil
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

func (q *Question) answers(keys [][]anonymize.Value, tallies []tally) []AnswerRow {
	rows := make([]AnswerRow, len(tallies))
	for i, t := range tallies {
		rows[i] = AnswerRow{Keys: keys[i], Figures: make([]anonymize.Value, len(q.Aggregates))}
		for j, a := range q.Aggregates {
			rows[i].Figures[j] = a.Kind.figure(t[j].records, t[j].sum)
		}
	}
	slices.SortFunc(rows, func(a, b AnswerRow) int { return slices.CompareFunc(a.Keys, b.Keys, anonymize.Compare) })
	return rows
}

func errNotANumber(v anonymize.Value) error {
	return fmt.Errorf("cannot add up %q: it is not a number", v)
}

// figure is the value of an aggregate; the zero Value is NULL.
func (k Kind) figure(records, sum float64) anonymize.Value {
	switch {
	case k == Count:
		return anonymize.RealValue(records)
	case records == 0:
		return anonymize.NullValue
	case k == Sum:
		return anonymize.RealValue(sum)
	}
	return anonymize.RealValue(sum / records)
}
