package cells

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Kernel answers questions over fragments with cells that stand for several values. Every
// condition and key must read one fragment, and every argument one column. Whether a record
// counts for a key is then a product of conditions, one per fragment. A group's contribution
// follows from a few sums over its tuples: of the probability p that a tuple's record counts,
// and of the argument's expectations there. See cellSums.
type Kernel struct {
	release    *anonymize.Release
	question   *question.Question
	sides      []*momentSide // in the order of evaluation
	aggregates []cellAggregate
	// combinations is the number of combinations of key classes, one class per side.
	combinations int
	// Exact says that the only fragment leaves nothing open, and that there are no counterfeits.
	Exact bool
	// numbering numbers the keys of the answer; combinationOf has their combinations.
	numbering     *question.TupleNumbering
	combinationOf []int
}

// A momentSide is a fragment, classified by its part of the key.
type momentSide struct {
	*question.CellSide
	keys      []int // of the question
	stride    int   // of the combinations
	strides   []uint64
	arguments []*cellArgument
	// mass has, by column and code, the share in the only class; nil if there are several
	// classes or arguments.
	mass  [][]float64
	codes [][]uint32 // by column
}

// A cellAggregate locates an aggregate's argument; -1 for none.
type cellAggregate struct {
	question.Kind
	side, argument int
}

// maxCellTotals is the greatest number of combinations of key classes times aggregates.
const maxCellTotals = 1 << 18

// NewKernel returns a kernel for q, or a short reason why there is none. The only error is that
// of ctx.
func NewKernel(ctx context.Context, r *anonymize.Release, q *question.Question) (k *Kernel, reason string, err error) {
	if reason := whyNoMoments(q, r); reason != "" {
		return nil, reason, nil
	}
	k = &Kernel{release: r, question: q, combinations: 1}
	for _, f := range q.Touched() {
		s, reason, err := newMomentSide(ctx, q, r, f)
		if reason != "" || err != nil {
			return nil, reason, err
		}
		k.sides = append(k.sides, s)
	}
	k.aggregates = make([]cellAggregate, len(q.Aggregates))
	for a := range q.Aggregates {
		if ok, err := k.addAggregate(ctx, a); err != nil {
			return nil, "", err
		} else if !ok {
			return nil, "an argument fails for some value, or is no number", nil
		}
	}
	for _, s := range k.sides {
		s.finish()
	}
	slices.SortStableFunc(k.sides, func(x, y *momentSide) int { return x.Fragment.Tuples() - y.Fragment.Tuples() })
	for a := range k.aggregates {
		if at := k.aggregates[a].side; at >= 0 {
			fragment := r.Fragments[q.FragmentOf(q.Aggregates[a].Argument)]
			k.aggregates[a].side = slices.IndexFunc(k.sides, func(s *momentSide) bool { return s.Fragment == fragment })
		}
	}
	for _, s := range k.sides {
		s.stride = k.combinations
		if k.combinations *= s.Classes; k.combinations*(len(q.Aggregates)+1) > maxCellTotals {
			return nil, "too many combinations of keys", nil
		}
	}
	for a := range k.aggregates {
		if k.aggregates[a].Kind == question.Distinct && !k.distinctFits(a) {
			return nil, "too many keys and values", nil
		}
	}
	k.Exact = len(k.sides) == 1 && r.Forged == 0 && k.sides[0].decidesMoments()
	return k, "", nil
}

// whyNoMoments returns why no kernel of cells fits the question; "" if one may fit.
func whyNoMoments(q *question.Question, r *anonymize.Release) string {
	if reason := WhyNoSides(q); reason != "" {
		return reason
	}
	for i := range q.Aggregates {
		if reason := WhyNoArgument(q, r, &q.Aggregates[i]); reason != "" {
			return reason
		}
	}
	return ""
}

// WhyNoSides returns why no kernel of cells fits the question's conditions and keys.
func WhyNoSides(q *question.Question) string {
	for i := range q.Where {
		if q.FragmentOf(&q.Where[i]) < 0 {
			return "a condition is over several fragments or none"
		}
	}
	for i := range q.Keys {
		if q.FragmentOf(&q.Keys[i]) < 0 {
			return "a key is over several fragments or none"
		}
	}
	return ""
}

// WhyNoArgument returns why no kernel of cells fits an aggregate.
func WhyNoArgument(q *question.Question, r *anonymize.Release, a *question.Aggregate) string {
	switch {
	case a.Kind == question.Distinct && r.Forged > 0: // a value's counterfeits are unknown
		return "values are counted among counterfeits"
	case a.Argument != nil && !isOfOneColumn(q, a.Argument):
		return "an argument is over several columns or none"
	}
	return ""
}

func isOfOneColumn(q *question.Question, e *question.Expression) bool {
	if q.FragmentOf(e) < 0 {
		return false
	}
	for _, l := range e.Leaves {
		if leaf := &q.Leaves[l]; !leaf.IsOfOneColumn() || leaf.Columns[0] != q.Leaves[e.Leaves[0]].Columns[0] {
			return false
		}
	}
	return true
}

// newMomentSide classifies a fragment by its conditions and its part of the key.
func newMomentSide(ctx context.Context, q *question.Question, r *anonymize.Release, fragment int) (s *momentSide, reason string, err error) {
	s = &momentSide{}
	var leaves, extra []int
	read := func(e *question.Expression) {
		if q.FragmentOf(e) == fragment {
			leaves = append(leaves, e.Leaves...)
		}
	}
	for i := range q.Where {
		read(&q.Where[i])
	}
	asked := []*question.Expression{}
	for i := range q.Keys {
		if read(&q.Keys[i]); q.FragmentOf(&q.Keys[i]) == fragment {
			s.keys, asked = append(s.keys, i), append(asked, &q.Keys[i])
		}
	}
	for _, a := range q.Aggregates {
		if a.Argument != nil && q.FragmentOf(a.Argument) == fragment {
			extra = append(extra, q.Leaves[a.Argument.Leaves[0]].Columns[0])
		}
	}
	slices.Sort(leaves)
	s.CellSide, err = question.NewCellSide(ctx, r, q, fragment, slices.Compact(leaves), asked, extra)
	var tooMany *question.TooManyCombinationsError
	switch {
	case errors.As(err, &tooMany):
		return nil, "too many combinations of values", nil
	case err != nil:
		return nil, "", err
	case fails(s.CellSide):
		return nil, "a condition or a key fails for some value", nil
	case slices.ContainsFunc(s.Columns, func(c *question.CellColumn) bool { return c.Start == nil }):
		return nil, "cells have too many different values", nil
	}
	return s, "", nil
}

// fails reports whether any condition or key of the side has an error.
func fails(s *question.CellSide) bool {
	failed := func(outcomes []question.Outcome) bool {
		return slices.ContainsFunc(outcomes, func(o question.Outcome) bool { return o.Err != nil })
	}
	return slices.ContainsFunc(s.Outcomes, failed) ||
		slices.ContainsFunc(s.Columns, func(c *question.CellColumn) bool { return slices.ContainsFunc(c.Outcomes, failed) })
}

// addAggregate adds the argument of aggregate a, or reuses an equal one.
func (k *Kernel) addAggregate(ctx context.Context, a int) (ok bool, err error) {
	asked := &k.question.Aggregates[a]
	k.aggregates[a] = cellAggregate{asked.Kind, -1, -1}
	if asked.Argument == nil {
		return true, nil
	}
	fragment := k.release.Fragments[k.question.FragmentOf(asked.Argument)]
	at := slices.IndexFunc(k.sides, func(s *momentSide) bool { return s.Fragment == fragment })
	s := k.sides[at]
	argument, ok, err := newCellArgument(ctx, k.question, asked, s.CellSide)
	if !ok || err != nil {
		return false, err
	}
	i := slices.IndexFunc(s.arguments, argument.equals)
	if i < 0 {
		i = len(s.arguments)
		s.arguments = append(s.arguments, argument)
		if err := argument.measure(ctx, s.Columns[argument.column]); err != nil {
			return false, err
		}
	}
	k.aggregates[a] = cellAggregate{asked.Kind, at, i}
	return true, nil
}

// finish prepares the data that the pass over the tuples reads.
func (s *momentSide) finish() {
	stride := uint64(1)
	filter := len(s.arguments) == 0 && s.Classes == 1 && s.Dense != nil
	for _, c := range s.Columns {
		s.strides, s.codes = append(s.strides, stride), append(s.codes, c.Codes)
		stride *= uint64(c.Classes)
		filter = filter && c.Classes == 1
	}
	if !filter {
		return
	}
	for _, c := range s.Columns {
		mass := make([]float64, len(c.Whole))
		for code := range mass {
			if c.Start[code+1] > c.Start[code] && s.Dense[0] != question.Dead {
				mass[code] = c.Shares[c.Start[code]].Mass
			}
		}
		s.mass = append(s.mass, mass)
	}
}

// decidesMoments reports whether the cells leave nothing open, not even in an argument.
func (s *momentSide) decidesMoments() bool {
	for _, x := range s.arguments {
		if slices.ContainsFunc(x.shares, func(m shareMoments) bool { return !m.decided() }) {
			return false
		}
	}
	return s.Decides()
}

// value returns the value of the argument whose number is an extreme.
func (k *Kernel) value(a int, number float64) anonymize.Value {
	at := k.aggregates[a]
	if math.IsInf(number, 0) {
		return anonymize.NullValue
	}
	return k.sides[at.side].arguments[at.argument].list[int(number)]
}

// keysOf returns the key of a combination.
func (k *Kernel) keysOf(combination int) []anonymize.Value {
	keys := make([]anonymize.Value, len(k.question.Keys))
	for _, s := range k.sides {
		class := combination / s.stride % s.Classes
		for i, key := range s.keys {
			keys[key] = s.Outcomes[class][i].Value
		}
	}
	return keys
}
