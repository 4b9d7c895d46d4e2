package cdt

import (
	"context"
	"math/rand/v2"
	"slices"
)

// maxExactRecords is the number of positions up to which all distances are measured. Beyond it,
// medoids are searched for in draws samples of sampleSize records, as in CLARA (Kaufman and
// Rousseeuw, Finding Groups in Data, 1990); the medoids of all draws are then the candidates of
// an exchange over all records.
const (
	maxExactRecords = 2000
	sampleSize      = 1000
	draws           = 5
)

// A clustering is positions of a sample around medoids.
type clustering struct {
	place []uint32 // by position
	k     int
	sum   int64   // objective: weight times distance to the medoid, in units
	width float64 // average silhouette width
}

// A finder clusters one sample for any k.
type finder struct {
	whole *pam
	drawn []*pam // nil if whole has measured all distances
}

// newFinder measures distances: all, up to most positions; otherwise those within the draws.
func newFinder(ctx context.Context, d measure, p *points, random *rand.Rand, most int) (f *finder, err error) {
	whole := newSample(p.weight, d.similarity)
	if len(whole.tuple) <= most {
		f = &finder{}
		f.whole, err = newMeasuredPam(ctx, d, whole)
		return f, err
	}
	f = &finder{whole: newPam(d, whole)}
	for range draws {
		drawn, err := newMeasuredPam(ctx, d, newSample(draw(p, random), d.similarity))
		if err != nil {
			return nil, err
		}
		f.drawn = append(f.drawn, drawn)
	}
	return f, nil
}

// draw takes sampleSize records, without replacement, and counts their tuples.
func draw(p *points, random *rand.Rand) []int64 {
	weight, seen := make([]int64, len(p.record)), make(map[uint32]bool, sampleSize)
	for len(seen) < min(sampleSize, len(p.of)) {
		if i := random.Uint32N(uint32(len(p.of))); !seen[i] {
			seen[i] = true
			weight[p.of[i]]++
		}
	}
	return weight
}

// greatestK returns the greatest possible k.
func (f *finder) greatestK() int {
	k := f.whole.sample.medoids
	for _, p := range f.drawn {
		k = min(k, p.sample.medoids)
	}
	return k
}

// find clusters the sample into k. The silhouette uses all distances; for a large sample, the
// distances to medoids. In a large sample, a rough clustering is the best of the draws;
// otherwise the medoids of all draws are candidates for exchanges.
func (f *finder) find(ctx context.Context, k int, rough bool) (*clustering, error) {
	p, err := f.whole, error(nil)
	if f.drawn == nil {
		err = p.cluster(ctx, k)
	} else {
		err = f.sampled(ctx, k, rough)
	}
	if err != nil {
		return nil, err
	}
	c := &clustering{place: slices.Clone(p.place), k: k, sum: p.sum}
	c.width, err = p.silhouette(ctx)
	return c, err
}

// sampled clusters every draw and starts from the medoids that are best for all records.
func (f *finder) sampled(ctx context.Context, k int, rough bool) error {
	p := f.whole
	p.candidates = p.candidates[:0]
	var best []int
	least := int64(0)
	for _, drawn := range f.drawn {
		if err := drawn.cluster(ctx, k); err != nil {
			return err
		}
		p.medoids = p.medoids[:0]
		for _, m := range drawn.medoids {
			// A tuple's first position has the tuple's number.
			p.medoids = append(p.medoids, int(drawn.tuple[m]))
		}
		p.candidates = append(p.candidates, p.medoids...)
		p.assign()
		if best == nil || p.sum < least {
			best, least = slices.Clone(p.medoids), p.sum
		}
	}
	slices.Sort(p.candidates)
	p.candidates = slices.Compact(p.candidates)
	if rough {
		p.candidates = nil
	}
	return p.improve(ctx, best)
}
