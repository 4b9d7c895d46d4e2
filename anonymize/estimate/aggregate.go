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
	var sides []*side
	for _, f := range answer.Fragments {
		s := classify(r, q, f)
		sides = append(sides, s)
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

// Touched returns the fragments that q reads, ascending.
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

// A tally accumulates one key's aggregates.
type tally struct {
	keys []anonymize.Value
	// records and sum are per aggregate: the expected number of records with
	// an argument that is not NULL, and the expected sum of arguments.
	records []float64
	sum     []float64
}

// aggregate evaluates the rest of the question once per combination of classes.
func (q *Question) aggregate(w *weights) ([]AnswerRow, error) {
	outcomes := make([]outcome, len(q.Leaves))
	buffer := make([]anonymize.Value, 0, len(q.Leaves))
	keys := make([]anonymize.Value, len(q.Keys))
	numbering := newTupleNumbering(len(q.Keys))
	var tallies []*tally
	err := w.each(func(classes []uint32, weight float64) error {
		var failure error
		for s, side := range w.sides {
			if err := side.decode(classes[s], outcomes); err != nil {
				failure = err
			}
		}
		if ok, err := q.holds(outcomes, buffer); !ok || err != nil {
			return err
		}
		if failure != nil {
			return failure
		}
		for i := range q.Keys {
			var err error
			if keys[i], err = q.Keys[i].evaluate(outcomes, buffer); err != nil {
				return err
			}
		}
		id := int(numbering.number(keys))
		if id == len(tallies) {
			tallies = append(tallies, q.newTally(keys))
		}
		return q.add(tallies[id], outcomes, buffer, weight)
	})
	if err != nil {
		return nil, err
	}
	if len(q.Keys) == 0 && len(tallies) == 0 {
		tallies = append(tallies, q.newTally(nil))
	}
	return q.answers(tallies), nil
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

func (q *Question) newTally(keys []anonymize.Value) *tally {
	return &tally{keys: slices.Clone(keys), records: make([]float64, len(q.Aggregates)), sum: make([]float64, len(q.Aggregates))}
}

func (q *Question) add(t *tally, outcomes []outcome, buffer []anonymize.Value, weight float64) error {
	for i, a := range q.Aggregates {
		if a.Argument == nil {
			t.records[i] += weight
			continue
		}
		v, err := a.Argument.evaluate(outcomes, buffer)
		if err != nil {
			return err
		}
		if v.IsNull() {
			continue
		}
		t.records[i] += weight
		if a.Kind == Count {
			continue
		}
		number, ok := v.Number()
		if !ok {
			return fmt.Errorf("cannot add up %q: it is not a number", v)
		}
		t.sum[i] += weight * number
	}
	return nil
}

func (q *Question) answers(tallies []*tally) []AnswerRow {
	slices.SortFunc(tallies, func(a, b *tally) int { return slices.CompareFunc(a.keys, b.keys, anonymize.Compare) })
	rows := make([]AnswerRow, len(tallies))
	for i, t := range tallies {
		rows[i].Keys = t.keys
		rows[i].Figures = make([]anonymize.Value, len(q.Aggregates))
		for j, a := range q.Aggregates {
			rows[i].Figures[j] = a.Kind.figure(t.records[j], t.sum[j])
		}
	}
	return rows
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
