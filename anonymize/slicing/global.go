package slicing

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A globalCheck is the diversity-check of Section 4.3: a set of buckets passes
// when for every record t and sensitive value s
//
//	p(t, s) = sum over B of p(t, B) p(s | t, B) <= 1/l,   p(t, B) = f(t, B) / sum of f(t, .)
//
// with f(t, B) the product over the column groups of the share of B's records
// that have t's sub-tuple there, and p(s | t, B) the share of s in t's class of
// B. In general that is weaker than l-diverse buckets, being a mean of shares.
// On buckets of Mondrian it is the same: of two buckets that a cut has parted,
// one has all its values up to the cut and the other none, so a record matches
// its own bucket only and p(t, s) is the share of s in its class there. It is
// here because it is what was measured: it makes slicing slow, not safer.
//
// In floats, with a tolerance; package privacy counts.
type globalCheck struct {
	*sensitive
	bound  float64
	values int
	// Of the different combinations of sub-tuples and class that occur:
	tuples [][]uint32 // by column group of quasi-identifiers, the sub-tuple
	class  []uint32
	total  []float64 // sum of f(t, B)
	share  []float64 // sum of f(t, B) p(s | t, B), values to a tuple

	ids   [][]uint32 // by column group, the sub-tuple of every record
	count [][]uint32 // by column group, the records of the current bucket
	inB   contents
}

// contents has the pairs of one bucket.
type contents struct {
	inClass, inPair []uint32
	pairs           []uint32 // that occur
	classOf         []uint32 // of every pair
}

// tolerance is far above the rounding error of a share, and below the least distance of a share
// from 1/l, which is 1/(l n); both are at most maxGlobalRows.
const tolerance = 1e-12

func newGlobalCheck(ctx context.Context, tables []bucketization.Table, s *sensitive, l int) (*globalCheck, error) {
	g := &globalCheck{sensitive: s, bound: 1/float64(l) + tolerance, values: len(s.buckets.Count)}
	var columns []*anonymize.Column
	for _, t := range tables[:len(tables)-1] {
		width := len(t.Projection.Frequency)
		g.ids = append(g.ids, t.Projection.ID)
		g.count = append(g.count, make([]uint32, width))
		columns = append(columns, numbered(t.Projection.ID, width))
	}
	if s.class != nil {
		columns = append(columns, numbered(s.class, s.classes))
	}
	different, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return nil, err
	}
	var samples []uint32
	for id, n := range different.Frequency {
		if n > 0 {
			samples = append(samples, different.Sample[id])
		}
	}
	for _, ids := range g.ids {
		g.tuples = append(g.tuples, anonymize.Gather(ids, samples))
	}
	g.class = make([]uint32, len(samples))
	for t, record := range samples {
		g.class[t] = s.classOf(record)
	}
	g.total, g.share = make([]float64, len(samples)), make([]float64, len(samples)*g.values)
	g.inB = contents{inClass: make([]uint32, s.classes), inPair: make([]uint32, s.pairs), classOf: make([]uint32, s.pairs)}
	for record, pair := range s.pair {
		g.inB.classOf[pair] = s.classOf(uint32(record))
	}
	return g, nil
}

// mondrian is tuple-partition with this check: a queue of buckets, where a split is kept if all
// buckets together pass. worst is the final greatest p(t, s).
func (g *globalCheck) mondrian(
	ctx context.Context,
	in *anonymize.Input,
	r *rows,
	axes []axis,
	p *parameters,
) (groups *bucketization.Partition, worst float64, err error) {
	c := newCutter(r, axes, g.sensitive, p.l)
	queue, final, rowsDone := []bucket{{0, in.Rows}}, []bucket(nil), 0
	for len(queue) > 0 {
		in.Report("buckets", rowsDone, in.Rows)
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		b := queue[0]
		queue = queue[1:]
		kept := false
		for _, q := range c.candidates(b) {
			left, right := c.split(b, c.median(b, q))
			all := slices.Concat(queue, final, []bucket{left, right})
			if kept, err = g.admits(ctx, r, all); err != nil {
				return nil, 0, err
			}
			if kept {
				queue = append(queue, left, right)
			}
			if kept || p.split == widest {
				break
			}
		}
		if !kept {
			final = append(final, b)
			rowsDone += b.size()
		}
	}
	starts := make([]int, len(final))
	for i, b := range final {
		starts[i] = b.first
	}
	slices.Sort(starts)
	if err := g.measure(ctx, r, final); err != nil {
		return nil, 0, err
	}
	return r.partition(starts), g.greatestProbability(), nil
}

// admits reports whether p(t, s) <= 1/l for all t and s.
func (g *globalCheck) admits(ctx context.Context, r *rows, all []bucket) (bool, error) {
	if err := g.measure(ctx, r, all); err != nil {
		return false, err
	}
	return g.greatestProbability() <= g.bound, nil
}

// measure sums over the buckets, in O(distinct records) for each.
func (g *globalCheck) measure(ctx context.Context, r *rows, all []bucket) error {
	clear(g.total)
	clear(g.share)
	for _, b := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.enter(r, b)
		for t, class := range g.class {
			if f := g.match(t, class, b.size()); f > 0 {
				g.add(t, class, f)
			}
		}
		g.leave(r, b)
	}
	return nil
}

// enter counts the sub-tuples, classes and pairs of b; leave clears the counts.
func (g *globalCheck) enter(r *rows, b bucket) {
	cells := r.cellsOf(b)
	for at := 0; at < len(cells); at += r.stride {
		class, pair, record := cells[at+r.m], cells[at+r.m+1], cells[at+r.m+2]
		for i, ids := range g.ids {
			g.count[i][ids[record]]++
		}
		g.inB.inClass[class]++
		if g.inB.inPair[pair]++; g.inB.inPair[pair] == 1 {
			g.inB.pairs = append(g.inB.pairs, pair)
		}
	}
}

func (g *globalCheck) leave(r *rows, b bucket) {
	cells := r.cellsOf(b)
	for at := 0; at < len(cells); at += r.stride {
		class, pair, record := cells[at+r.m], cells[at+r.m+1], cells[at+r.m+2]
		for i, ids := range g.ids {
			g.count[i][ids[record]] = 0
		}
		g.inB.inClass[class], g.inB.inPair[pair] = 0, 0
	}
	g.inB.pairs = g.inB.pairs[:0]
}

// match returns f(t, B).
func (g *globalCheck) match(t int, class uint32, size int) float64 {
	f := float64(g.inB.inClass[class]) / float64(size)
	for i, ids := range g.tuples {
		if f == 0 {
			break
		}
		f *= float64(g.count[i][ids[t]]) / float64(size)
	}
	return f
}

func (g *globalCheck) add(t int, class uint32, f float64) {
	g.total[t] += f
	share := g.share[t*g.values:][:g.values]
	inClass := float64(g.inB.inClass[class])
	for _, pair := range g.inB.pairs {
		if g.inB.classOf[pair] == class {
			share[g.valueOf[pair]] += f * float64(g.inB.inPair[pair]) / inClass
		}
	}
}

// greatestProbability returns the greatest p(t, s). Every t matches at least its own bucket.
func (g *globalCheck) greatestProbability() float64 {
	greatest := 0.0
	for t, total := range g.total {
		for _, share := range g.share[t*g.values:][:g.values] {
			greatest = max(greatest, share/total)
		}
	}
	return greatest
}
