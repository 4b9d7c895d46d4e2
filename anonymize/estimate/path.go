package estimate

import (
	"fmt"
	"slices"
)

// A Path is the way on which a question is answered.
type Path string

const (
	// ExactPath: at most one fragment, of points. There is nothing to join.
	ExactPath Path = "exact"
	// KernelPath: bit planes, 64 groups at a time.
	KernelPath Path = "kernel"
	// JoinPath: the weighted join, group by group.
	JoinPath Path = "weighted join"
)

// Path returns the way on which [Prepared.Ask] answers q, and for the weighted
// join why no kernel fits, in a few words. It builds no planes. Its cost is the
// evaluation of conditions, keys and arguments, once per dictionary value, or per
// combination of values where they read several columns; it looks at tuples only
// where the classes of one fragment number more than 65,536.
func (p *Prepared) Path(q *Question) (path Path, reason string, err error) {
	if err := q.check(p.release); err != nil {
		return "", "", err
	}
	touched := q.touched()
	if len(touched) == 0 || len(touched) == 1 && p.isOfPoints(q, touched[0]) {
		return ExactPath, "", nil
	}
	if reason = p.whyNoShape(q, touched); reason == "" {
		_, reason = p.planKernel(sidesOf(p.release, q), maxKernelClasses, joinCost)
	}
	if reason != "" {
		return JoinPath, reason, nil
	}
	return KernelPath, "", nil
}

// isOfPoints reports whether every column that q reads of the fragment has point
// cells.
func (p *Prepared) isOfPoints(q *Question, fragment int) bool {
	return !slices.ContainsFunc(q.Leaves, func(l Leaf) bool {
		return l.Fragment == fragment && slices.ContainsFunc(l.Columns, func(c int) bool {
			return !p.release.Fragments[fragment].Columns[c].IsPoint()
		})
	})
}

// whyNoShape says what keeps a kernel from answering that would make tuples be
// looked at.
func (p *Prepared) whyNoShape(q *Question, touched []int) string {
	if p.layout == nil {
		return "the groups are too few, too large or too uneven for a kernel"
	}
	for _, f := range touched {
		fragment := p.release.Fragments[f]
		if !p.isOfPoints(q, f) {
			return "cells of fragment " + fragment.Name + " stand for several values"
		}
		for _, part := range q.partition(f) {
			e := &unitEvaluator{part: part, fragment: fragment}
			if len(part.columns) > 1 && e.product() > max(minProduct, min(maxProduct, fragment.Tuples()/tuplesPerProduct)) {
				return fmt.Sprintf("an expression over %d columns of fragment %s has too many values for a kernel", len(part.columns), fragment.Name)
			}
		}
	}
	return ""
}
