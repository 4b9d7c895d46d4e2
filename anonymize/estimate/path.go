package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/cells"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/planes"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Path is the way on which a question is answered.
type Path string

const (
	// ExactPath: at most one fragment, whose cells leave nothing open that is
	// asked, and no counterfeits. There is nothing to join.
	ExactPath Path = "exact"
	// KernelPath: bit planes, 64 groups at a time; for cells that stand for
	// several values, and arguments with many, sums of probabilities by group.
	KernelPath Path = "kernel"
	// JoinPath: the weighted join, group by group.
	JoinPath Path = "weighted join"
	// ElsewherePath: sums of counts by group size, which another engine forms where the relations are.
	ElsewherePath Path = "counts in the engine"
)

// Path returns the way on which [Prepared.Ask] answers q, and for the weighted
// join why no kernel fits, in a few words. It builds no planes. Its cost is the
// evaluation of conditions, keys and arguments, once per dictionary value, or per
// combination of values where they read several columns; it looks at tuples where
// these are many. It ends with ctx.
func (p *Prepared) Path(ctx context.Context, q *Question) (path Path, reason string, err error) {
	if err := q.Check(p.release); err != nil {
		return "", "", err
	}
	touched := q.Touched()
	if d := p.elsewhere; d != nil && (len(touched) == 0 || slices.ContainsFunc(touched, func(f int) bool { return !d.IsHere(f) })) {
		if len(touched) <= 1 {
			return ExactPath, "", nil
		}
		return ElsewherePath, "", nil
	}
	if thinned := figures.ThinningOf(p.release); len(touched) == 0 || thinned.LeavesNone() ||
		len(touched) == 1 && !question.ReadsCells(p.release, q) && thinned.IsNone() {
		return ExactPath, "", nil
	}
	if question.ReadsCells(p.release, q) {
		return p.cellPath(ctx, q)
	}
	sides, err := question.SidesOf(ctx, p.release, q)
	if err != nil {
		return "", "", err
	}
	if _, reason = p.planes.PlanKernel(sides, planes.MaxKernelClasses, planes.JoinCost); reason == "" {
		return KernelPath, "", nil
	}
	if len(touched) > 1 && q.AsksValues() {
		if k, _, err := cells.NewKernel(ctx, p.release, q); k != nil || err != nil {
			return KernelPath, "", err
		}
	}
	return JoinPath, reason, nil
}

// cellPath is the path of a question that reads cells.
func (p *Prepared) cellPath(ctx context.Context, q *Question) (path Path, reason string, err error) {
	k, reason, err := cells.NewKernel(ctx, p.release, q)
	switch {
	case err != nil:
		return "", "", err
	case k != nil && k.Exact && p.release.Forged == 0:
		return ExactPath, "", nil
	case k != nil:
		return KernelPath, "", nil
	}
	if portions := portions(q, p.release); portions != nil {
		return p.pathApart(ctx, q, portions)
	}
	sides, err := question.SidesOf(ctx, p.release, q)
	switch {
	case err != nil:
		return "", "", err
	case question.Decided(sides) && p.release.Forged == 0:
		return ExactPath, "", nil
	}
	return JoinPath, "cells stand for several values, and " + reason, nil
}
