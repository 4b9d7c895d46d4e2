package cdt

import (
	"context"
	"slices"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// wholeSubtree is the number of records from which on down one core divides a class completely.
const wholeSubtree = 1 << 13

// divide is variant=bounded: the recursion of Mondrian (LeFevre et al., ICDE 2006) where a cut
// must keep the bounds on every sensitive attribute. It works level by level, with the classes
// of a level in parallel: a cut depends on nothing outside its class, so the partition does not
// depend on the number of cores. It makes no random choices.
func divide(ctx context.Context, in *anonymize.Input, quasi []*generalization.Attribute, b bounds) (*bucketization.Partition, error) {
	member := anonymize.Indices(in.Rows)
	cutters := sync.Pool{New: func() any { return newCutter(quasi, in.Sensitive, b, member) }}
	starts, final := []uint32{}, 0
	level := []stretchOf{{0, in.Rows}}
	for len(level) > 0 {
		in.Report("partition", final, in.Rows)
		found := make([]outcome, len(level))
		err := parallel.Run(ctx, len(level), func(i int) error {
			c := cutters.Get().(*cutter)
			defer cutters.Put(c)
			found[i] = c.work(level[i])
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
		level = level[:0]
		for _, o := range found {
			level, starts, final = append(level, o.parts...), append(starts, o.starts...), final+o.records
		}
	}
	slices.Sort(starts)
	return &bucketization.Partition{Start: append(starts, uint32(in.Rows)), Member: member}, nil
}

// A stretchOf is the members of one class: member[first:end].
type stretchOf struct{ first, end int }

// An outcome is the result for one class: two parts to continue with, or the starts and sizes
// of final classes.
type outcome struct {
	parts   []stretchOf
	starts  []uint32
	records int
}

// work cuts a class once, or completely if it is small.
func (c *cutter) work(s stretchOf) (o outcome) {
	small := s.end-s.first <= wholeSubtree
	open := []stretchOf{s}
	for len(open) > 0 {
		s, open = open[len(open)-1], open[:len(open)-1]
		middle := c.cut(s.first, s.end)
		switch {
		case middle == 0:
			o.starts, o.records = append(o.starts, uint32(s.first)), o.records+s.end-s.first
		case small:
			open = append(open, stretchOf{middle, s.end}, stretchOf{s.first, middle})
		default:
			o.parts = []stretchOf{{s.first, middle}, {middle, s.end}}
		}
	}
	return o
}
