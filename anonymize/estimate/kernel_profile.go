package estimate

import (
	"context"
	"math"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize"
)

// maxProfile bounds the number of places of a profile.
const maxProfile = 1 << 18

// A profile is all that the standard error and the bounds of a COUNT over a
// conjunction need to know: how many groups there are of every size m with
// every a_1, ..., a_f, all above 0.
type profile struct {
	*kernel
	groups []uint64 // by size, then by the bits of the counts
}

// newProfile returns nil when the question is of another kind, or has too many
// different counts.
func (p *Prepared) newProfile(ctx context.Context, q *Question) (*profile, error) {
	sides := sidesOf(p.release, q)
	if len(sides) == 0 || !q.isPlainCount(sides) {
		return nil, nil
	}
	k := p.newKernel(sides)
	if k == nil || k.layout.width()*len(sides) > bits.Len(maxProfile) {
		return nil, nil
	}
	k.profiled = true
	if k.places() > maxProfile {
		return nil, nil
	}
	groups, err := k.total(ctx)
	return &profile{k, groups}, err
}

// isPlainCount reports whether q asks nothing but COUNT(*) of the records that
// satisfy conditions inside fragments.
func (q *Question) isPlainCount(sides []*side) bool {
	for _, a := range q.Aggregates {
		if a.Kind != Count || a.Argument != nil {
			return false
		}
	}
	for i := range q.Where {
		if q.fragmentOf(&q.Where[i]) < 0 {
			return false
		}
	}
	for _, s := range sides {
		if s.classes != 1 || s.mayFail() {
			return false
		}
	}
	return len(q.Keys) == 0
}

// mayFail reports whether a condition inside the side failed for some value.
func (s *side) mayFail() bool {
	for _, u := range s.units {
		for _, outcomes := range u.outcomes {
			if outcomes[len(u.leaves)].err != nil {
				return true
			}
		}
	}
	return false
}

// tabulate counts the given groups, of one size, by their counts.
func (w *kernelWorker) tabulate(place int, groups uint64, size int) {
	for s := range w.sides {
		some := uint64(0)
		for _, plane := range w.counts[s][0][place : place+w.width] {
			some |= plane
		}
		groups &= some
	}
	table := w.sums[size<<(w.width*len(w.sides)):]
	for ; groups != 0; groups &= groups - 1 {
		lane, counts := bits.TrailingZeros64(groups), uint64(0)
		for s := len(w.sides) - 1; s >= 0; s-- {
			planes := w.counts[s][0][place : place+w.width]
			for b := len(planes) - 1; b >= 0; b-- {
				counts = counts<<1 | planes[b]>>lane&1
			}
		}
		table[counts]++
	}
}

// each visits the sizes and counts that occur, in a fixed order.
func (p *profile) each(visit func(m float64, a []float64, groups float64)) {
	width := p.layout.width()
	a := make([]float64, len(p.sides))
	for i, groups := range p.groups {
		if groups == 0 {
			continue
		}
		size := p.layout.sizes[i>>(width*len(a))]
		for s := range a {
			a[s] = float64(i >> (width * s) & (1<<width - 1))
		}
		visit(float64(size), a, float64(groups))
	}
}

// variance is that of the number of records: per group, for X of m,
//
//	E[X] = m prod(a_i/m),  E[X(X-1)] = m (m-1) prod(a_i (a_i-1) / (m (m-1)))
func (p *profile) variance() (total float64) {
	p.each(func(m float64, a []float64, groups float64) {
		mean, pairs := m, m*(m-1)
		for _, x := range a {
			mean *= x / m
			if m > 1 {
				pairs *= x * (x - 1) / (m * (m - 1))
			}
		}
		total += groups * (mean + pairs - mean*mean)
	})
	return total
}

// bound is the least and the greatest number of records: per group
// max(0, sum a_i - (f-1) m) and min a_i.
func (p *profile) bound() (low, high float64) {
	p.each(func(m float64, a []float64, groups float64) {
		sum, least := m, m
		for _, x := range a {
			sum += x - m
			least = min(least, x)
		}
		low += groups * max(0, sum)
		high += groups * least
	})
	return low, high
}

// StandardErrors returns what the function [StandardErrors] does, faster for a
// COUNT over conditions inside fragments of points.
func (p *Prepared) StandardErrors(ctx context.Context, q *Question, answer *Answer) ([][]anonymize.Value, error) {
	if answer.Exact {
		return StandardErrors(ctx, p.release, q, answer)
	}
	profile, err := p.newProfile(ctx, q)
	if err != nil {
		return nil, err
	}
	if profile == nil {
		return StandardErrors(ctx, p.release, q, answer)
	}
	deviation := anonymize.RealValue(math.Sqrt(max(0, profile.variance())))
	row := make([]anonymize.Value, len(q.Aggregates))
	for a := range row {
		row[a] = deviation
	}
	return [][]anonymize.Value{row}, nil
}

// Bounds returns what the function [Bounds] does, faster for a COUNT over
// conditions inside fragments of points.
func (p *Prepared) Bounds(ctx context.Context, q *Question, answer *Answer) ([][]Bound, error) {
	if answer.Exact {
		return Bounds(ctx, p.release, q, answer)
	}
	profile, err := p.newProfile(ctx, q)
	if err != nil {
		return nil, err
	}
	if profile == nil {
		return Bounds(ctx, p.release, q, answer)
	}
	low, high := profile.bound()
	row := make([]Bound, len(q.Aggregates))
	for a := range row {
		row[a] = Bound{anonymize.RealValue(low), anonymize.RealValue(high)}
	}
	return [][]Bound{row}, nil
}
