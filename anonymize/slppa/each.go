package slppa

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// A side is the sensitive side of a table: one attribute, or with sa_mode=each several with
// their tuples.
type side struct {
	one     *anonymize.Input       // with one sensitive attribute: that, or the tuple
	buckets *bucketization.Buckets // of one
	// nil for one attribute:
	tuples    *bucketization.Tuples
	each      bucketization.Each
	sensitive []*anonymize.Column
}

// newSide refuses tables on which grouping protects nothing, or beta is infeasible, for an
// attribute.
func newSide(ctx context.Context, in *anonymize.Input, p *parameters) (*side, error) {
	if !p.each {
		b, err := checkSensitive(in, p.beta)
		return &side{one: in, buckets: b}, err
	}
	apart := *in
	apart.Asked = nil // beta and delta concern values, not sets that count as one
	each := bucketization.NewEach(&apart)
	if err := each.MostConcentrated().CheckShare("beta", p.beta); err != nil {
		return nil, err
	}
	for _, b := range each {
		if err := b.CheckVariety(); err != nil {
			return nil, err
		}
	}
	tuples, err := bucketization.Combine(ctx, in)
	if err != nil {
		return nil, err
	}
	return &side{one: tuples.Input, buckets: bucketization.NewBuckets(tuples.Input.Sensitive[0], nil),
		tuples: tuples, each: each, sensitive: in.Sensitive}, nil
}

// divide makes groups that meet beta and delta, for every sensitive attribute.
//
// With sa_mode=each they are groups of ceil(1/beta) records that differ in every
// attribute (bucketization.Each), since a value then has at most beta of a group.
// Delta wants the values of the table in every group; where it is asked, such
// groups, merged until they meet it, are compared with a balanced deal of the
// tuples, merged likewise, and the more groups win. In the deal the count of a tuple
// is right to one, that of a value, which is in several tuples, only about: deals
// into fewer groups need fewer merges.
func (s *side) divide(ctx context.Context, random *rand.Rand, p *parameters) (*bucketization.Partition, []anonymize.Fact, error) {
	if s.each == nil {
		return divideGroups(ctx, s.one, s.buckets, random, p)
	}
	bounds := bucketization.EachBounds{Share: p.beta, Delta: p.delta}
	size := int(min(bucketization.CeilInverse(p.beta), uint64(s.one.Rows)))
	if p.locality.Homogeneous {
		position, err := locality.Arrange(ctx, s.one.QuasiIdentifiers, p.locality.Jitter, random)
		if err != nil {
			return nil, nil, err
		}
		groups, figures, err := s.each.Sweep(ctx, bucketization.InOrder(position), size, bounds, random)
		return groups, append(figures.Facts(), p.locality.Facts()...), err
	}
	most, err := s.largestDeal(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	groups, figures, err := s.each.Deal(ctx, max(size, s.one.Rows/most), bounds, random)
	if err != nil || p.delta == ratioOne {
		return groups, figures.Facts(), err
	}
	for deal := most; deal > groups.Groups(); deal -= (deal + 3) / 4 {
		dealt, merges, err := s.each.Merge(ctx, bucketization.Deal(s.buckets.Shuffled(random), deal), bounds)
		if err != nil {
			return nil, nil, err
		}
		if dealt.Groups() > groups.Groups() {
			groups, figures = dealt, bucketization.EachFigures{Merges: merges}
		}
	}
	return groups, figures.Facts(), nil
}

// largestDeal returns the number of groups that every attribute permits separately.
func (s *side) largestDeal(ctx context.Context, p *parameters) (int, error) {
	most := s.one.Rows
	for _, b := range s.each {
		groups, err := bucketization.LargestDeal(ctx, b, p.beta, p.delta)
		if err != nil {
			return 0, err
		}
		most = min(most, groups)
	}
	return most, nil
}

// finish promises for every attribute what is promised for one, and replaces the tuples by
// their attributes.
func (s *side) finish(r *anonymize.Release) error {
	if s.each == nil {
		return nil
	}
	r.Promises = bucketization.PromisedOfEach(r.Promises, s.sensitive)
	return s.tuples.Publish(r)
}
