package slicing

import (
	"context"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// wholeSubtree is the number of rows up to which a task divides a bucket completely instead of
// once.
const wholeSubtree = 1 << 14

// mondrian divides the table into l-diverse buckets (Section 4.3 with LeFevre et
// al., Mondrian Multidimensional K-Anonymity, ICDE 2006): a bucket is split at
// the median of its widest quasi-identifier if both parts are l-diverse. If they
// are not, split=widest makes the bucket final, split=any tries the medians of
// its other quasi-identifiers, widest first, and split=nearest then the other
// cuts, the most even one first.
//
// It works level by level, with a level's buckets in parallel. Splitting a bucket depends only
// on the bucket, so the result does not depend on the number of cores.
func mondrian(ctx context.Context, in *anonymize.Input, r *rows, axes []axis, s *sensitive, p *parameters) (*bucketization.Partition, error) {
	cutters := sync.Pool{New: func() any { return newCutter(r, axes, s, p.l) }}
	var starts []int // of final buckets
	final := 0       // rows in them
	level := []bucket{{0, in.Rows}}
	for len(level) > 0 {
		in.Report("buckets", final, in.Rows)
		found := make([]outcome, len(level))
		err := parallel.Run(ctx, len(level), func(i int) (err error) {
			c := cutters.Get().(*cutter)
			defer cutters.Put(c)
			found[i], err = c.work(ctx, level[i], p)
			return err
		})
		if err != nil {
			return nil, err
		}
		level = level[:0]
		for _, o := range found {
			level = append(level, o.parts...)
			starts = append(starts, o.starts...)
			final += o.rows
		}
	}
	slices.Sort(starts)
	return r.partition(starts), nil
}

// An outcome is the result for one bucket: two parts to continue with, or the first rows of
// final buckets and their number of rows.
type outcome struct {
	parts  []bucket
	starts []int
	rows   int
}

// work splits b once, or completely if it is small.
func (c *cutter) work(ctx context.Context, b bucket, p *parameters) (outcome, error) {
	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	if b.size() > wholeSubtree {
		if at, ok := c.find(b, p); ok {
			left, right := c.split(b, at)
			return outcome{parts: []bucket{left, right}}, nil
		}
		return outcome{starts: []int{b.first}, rows: b.size()}, nil
	}
	o := outcome{rows: b.size()}
	open := []bucket{b}
	for len(open) > 0 {
		b, open = open[len(open)-1], open[:len(open)-1]
		if at, ok := c.find(b, p); ok {
			left, right := c.split(b, at)
			open = append(open, right, left)
			continue
		}
		o.starts = append(o.starts, b.first)
	}
	return o, nil
}

// find returns the first cut of b whose parts are l-diverse.
func (c *cutter) find(b bucket, p *parameters) (cut, bool) {
	if uint64(b.size()) < 2*c.l { // a part of fewer than l records is not l-diverse
		return cut{}, false
	}
	candidates := c.candidates(b)
	if p.split == widest {
		candidates = candidates[:min(1, len(candidates))]
	}
	for _, q := range candidates {
		if at := c.median(b, q); c.diverse(b, at) {
			return at, true
		}
	}
	if p.split != nearest {
		return cut{}, false
	}
	return c.mostEvenCut(b, candidates)
}
