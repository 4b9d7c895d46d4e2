package slppa

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// divideGroups is Section 4.3.2, steps 1 to 3: groups that meet beta and delta.
func divideGroups(ctx context.Context, b *bucketization.Buckets, random *rand.Rand, p *parameters) (*bucketization.Partition, error) {
	if p.paperOrder {
		return paperOrder(ctx, b, random, p)
	}
	groups, err := bucketization.LargestDeal(ctx, b, p.beta, p.delta)
	if err != nil {
		return nil, err
	}
	return bucketization.Deal(b.Shuffled(random), groups), nil
}
