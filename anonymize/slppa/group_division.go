package slppa

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// divideGroups is Section 4.3.2, steps 1 to 3: groups that meet beta and delta. Homogeneous
// groups are as many as those of the deal and have the same number of records of each value, up
// to one. Which groups get the extra record is free if that does not affect beta and delta, and
// else as in the deal.
func divideGroups(
	ctx context.Context,
	in *anonymize.Input,
	b *bucketization.Buckets,
	random *rand.Rand,
	p *parameters,
) (*bucketization.Partition, []anonymize.Fact, error) {
	if p.paperOrder {
		groups, err := paperOrder(ctx, b, random, p)
		return groups, nil, err
	}
	if !p.locality.Homogeneous && p.delta == ratioOne {
		if dealt := bucketization.DealApart(in, max(1, in.Rows/int(min(bucketization.CeilInverse(p.beta), uint64(in.Rows)))), random); dealt != nil {
			return dealt, nil, nil
		}
	}
	groups, err := bucketization.LargestDeal(ctx, b, p.beta, p.delta)
	switch {
	case err != nil:
		return nil, nil, err
	case !p.locality.Homogeneous:
		return bucketization.Deal(b.Shuffled(random), groups), nil, nil
	}
	return p.locality.Group(ctx, in, b, groups, !bucketization.AnySpread(b, groups, p.beta, p.delta), random)
}
