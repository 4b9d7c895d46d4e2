package estimate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A cellKernel answers questions over fragments with cells that stand for several
// values, where conditions and keys are inside fragments, and an argument reads
// one column. The records that count for a key are then a product of conditions,
// one a fragment: what a group adds follows from a few sums over its tuples, of
// the probability p that a tuple's record counts and of the expectations of the
// argument there. See cellSums.
type cellKernel struct {
	release    *anonymize.Release
	question   *Question
	sides      []*momentSide // in the order of probing
	aggregates []cellAggregate
	// combinations of key classes, one a side.
	combinations int
	// exact says that one fragment leaves nothing open.
	exact bool
	// numbering numbers the keys of the answer, combinationOf has their
	// combinations.
	numbering     *tupleNumbering
	combinationOf []int
}

// A momentSide is a fragment whose classes are its part of the key.
type momentSide struct {
	*cellSide
	keys      []int // of the question
	stride    int   // of the combinations
	strides   []uint64
	arguments []*cellArgument
	// mass has, by column and code, the share in the only class there is; nil
	// where there are several, or arguments.
	mass  [][]float64
	codes [][]uint32 // by column
}

// A cellAggregate says where an aggregate's argument is: -1 for none.
type cellAggregate struct {
	Kind
	side, argument int
}

// maxCellTotals bounds the combinations of key classes times aggregates.
const maxCellTotals = 1 << 18

// newCellKernel says in a few words why there is none; an error is the end of the
// context.
func newCellKernel(ctx context.Context, r *anonymize.Release, q *Question) (k *cellKernel, reason string, err error) {
	if reason := q.whyNoMoments(r); reason != "" {
		return nil, reason, nil
	}
	k = &cellKernel{release: r, question: q, combinations: 1}
	for _, f := range q.touched() {
		s, reason, err := q.newMomentSide(ctx, r, f)
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
	slices.SortStableFunc(k.sides, func(x, y *momentSide) int { return x.fragment.Tuples() - y.fragment.Tuples() })
	for a := range k.aggregates {
		if at := k.aggregates[a].side; at >= 0 {
			fragment := r.Fragments[q.fragmentOf(q.Aggregates[a].Argument)]
			k.aggregates[a].side = slices.IndexFunc(k.sides, func(s *momentSide) bool { return s.fragment == fragment })
		}
	}
	for _, s := range k.sides {
		s.stride = k.combinations
		if k.combinations *= s.classes; k.combinations*(len(q.Aggregates)+1) > maxCellTotals {
			return nil, "too many combinations of keys", nil
		}
	}
	for a := range k.aggregates {
		if k.aggregates[a].Kind == Distinct && !k.distinctFits(a) {
			return nil, "too many keys and values", nil
		}
	}
	k.exact = len(k.sides) == 1 && k.sides[0].decidesMoments()
	return k, "", nil
}

// whyNoMoments says what of the question's shape keeps a cellKernel from it.
func (q *Question) whyNoMoments(r *anonymize.Release) string {
	if reason := q.whyNoSides(); reason != "" {
		return reason
	}
	for i := range q.Aggregates {
		if reason := q.whyNoArgument(r, &q.Aggregates[i]); reason != "" {
			return reason
		}
	}
	return ""
}

// whyNoSides says the same of its conditions and keys.
func (q *Question) whyNoSides() string {
	for i := range q.Where {
		if q.fragmentOf(&q.Where[i]) < 0 {
			return "a condition is over several fragments or none"
		}
	}
	for i := range q.Keys {
		if q.fragmentOf(&q.Keys[i]) < 0 {
			return "a key is over several fragments or none"
		}
	}
	return ""
}

// whyNoArgument says the same of an aggregate.
func (q *Question) whyNoArgument(r *anonymize.Release, a *Aggregate) string {
	switch {
	case a.Kind == Distinct && r.Forged > 0: // which are found in distributions
		return "values are counted among counterfeits"
	case a.Argument != nil && !q.isOfOneColumn(a.Argument):
		return "an argument is over several columns or none"
	}
	return ""
}

func (q *Question) isOfOneColumn(e *Expression) bool {
	if q.fragmentOf(e) < 0 {
		return false
	}
	for _, l := range e.Leaves {
		if leaf := &q.Leaves[l]; !leaf.isOfOneColumn() || leaf.Columns[0] != q.Leaves[e.Leaves[0]].Columns[0] {
			return false
		}
	}
	return true
}

// newMomentSide classifies a fragment by its conditions and its part of the key.
func (q *Question) newMomentSide(ctx context.Context, r *anonymize.Release, fragment int) (s *momentSide, reason string, err error) {
	s = &momentSide{}
	var leaves, extra []int
	read := func(e *Expression) {
		if q.fragmentOf(e) == fragment {
			leaves = append(leaves, e.Leaves...)
		}
	}
	for i := range q.Where {
		read(&q.Where[i])
	}
	asked := []*Expression{}
	for i := range q.Keys {
		if read(&q.Keys[i]); q.fragmentOf(&q.Keys[i]) == fragment {
			s.keys, asked = append(s.keys, i), append(asked, &q.Keys[i])
		}
	}
	for _, a := range q.Aggregates {
		if a.Argument != nil && q.fragmentOf(a.Argument) == fragment {
			extra = append(extra, q.Leaves[a.Argument.Leaves[0]].Columns[0])
		}
	}
	slices.Sort(leaves)
	s.cellSide, err = newCellSide(ctx, r, q, fragment, slices.Compact(leaves), asked, extra)
	var tooMany *TooManyCombinationsError
	switch {
	case errors.As(err, &tooMany):
		return nil, "too many combinations of values", nil
	case err != nil:
		return nil, "", err
	case s.fails():
		return nil, "a condition or a key fails for some value", nil
	case slices.ContainsFunc(s.columns, func(c *cellColumn) bool { return c.start == nil }):
		return nil, "cells have too many different values", nil
	}
	return s, "", nil
}

// fails reports whether something asked has an error.
func (s *cellSide) fails() bool {
	failed := func(outcomes []outcome) bool {
		return slices.ContainsFunc(outcomes, func(o outcome) bool { return o.err != nil })
	}
	return slices.ContainsFunc(s.outcomes, failed) ||
		slices.ContainsFunc(s.columns, func(c *cellColumn) bool { return slices.ContainsFunc(c.outcomes, failed) })
}

// addAggregate finds the argument of aggregate a; equal ones are one.
func (k *cellKernel) addAggregate(ctx context.Context, a int) (ok bool, err error) {
	asked := &k.question.Aggregates[a]
	k.aggregates[a] = cellAggregate{asked.Kind, -1, -1}
	if asked.Argument == nil {
		return true, nil
	}
	fragment := k.release.Fragments[k.question.fragmentOf(asked.Argument)]
	at := slices.IndexFunc(k.sides, func(s *momentSide) bool { return s.fragment == fragment })
	s := k.sides[at]
	argument, ok, err := newCellArgument(ctx, k.question, asked, s.cellSide)
	if !ok || err != nil {
		return false, err
	}
	i := slices.IndexFunc(s.arguments, argument.equals)
	if i < 0 {
		i = len(s.arguments)
		s.arguments = append(s.arguments, argument)
		if err := argument.measure(ctx, s.columns[argument.column]); err != nil {
			return false, err
		}
	}
	k.aggregates[a] = cellAggregate{asked.Kind, at, i}
	return true, nil
}

// finish makes what the pass over the tuples looks at.
func (s *momentSide) finish() {
	stride := uint64(1)
	filter := len(s.arguments) == 0 && s.classes == 1 && s.dense != nil
	for _, c := range s.columns {
		s.strides, s.codes = append(s.strides, stride), append(s.codes, c.Codes)
		stride *= uint64(c.classes)
		filter = filter && c.classes == 1
	}
	if !filter {
		return
	}
	for _, c := range s.columns {
		mass := make([]float64, len(c.whole))
		for code := range mass {
			if c.start[code+1] > c.start[code] && s.dense[0] != dead {
				mass[code] = c.shares[c.start[code]].mass
			}
		}
		s.mass = append(s.mass, mass)
	}
}

// decidesMoments reports whether the cells leave nothing open, not even of an
// argument.
func (s *momentSide) decidesMoments() bool {
	for _, x := range s.arguments {
		if slices.ContainsFunc(x.shares, func(m shareMoments) bool { return !m.decided() }) {
			return false
		}
	}
	return s.decides()
}

// value turns the number of an extreme into the argument's value.
func (k *cellKernel) value(a int, number float64) anonymize.Value {
	at := k.aggregates[a]
	if math.IsInf(number, 0) {
		return anonymize.NullValue
	}
	return k.sides[at.side].arguments[at.argument].list[int(number)]
}

// keysOf returns the key of a combination.
func (k *cellKernel) keysOf(combination int) []anonymize.Value {
	keys := make([]anonymize.Value, len(k.question.Keys))
	for _, s := range k.sides {
		class := combination / s.stride % s.classes
		for i, key := range s.keys {
			keys[key] = s.outcomes[class][i].value
		}
	}
	return keys
}
