package slppa

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// paperOrder is Algorithm 1, lines 3-19, as printed, for comparison with the balanced deal:
// picking buckets "from tail to head" uses up the rare values first, and then no group lacks
// the frequent ones. It succeeds if and only if no bucket is larger than the number of groups.
//
// BuckList stays in descending order by itself: the N buckets at its tail
// shrink together, so an empty one is always the last.
func paperOrder(ctx context.Context, b *bucketization.Buckets, random *rand.Rand, p *parameters) (*bucketization.Partition, error) {
	N, err := paperGroupSize(p)
	if err != nil {
		return nil, err
	}
	records := b.Shuffled(random)
	group := make([]uint32, len(records))
	taken := make([]int, len(b.List))
	groups, length := 0, len(b.List)
	for length > N { // line 6: buckets in BuckList > N
		if groups%stretch == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i := length - N; i < length; i++ { // lines 7-10
			group[b.Start[i]+taken[i]] = uint32(groups)
			taken[i]++
		}
		groups++ // line 11
		for length > 0 && b.Start[length-1]+taken[length-1] == b.Start[length] {
			length--
		}
	}
	for i := range length { // line 13
		first := b.Start[i]
		left := b.Start[i+1] - first - taken[i]
		// Lines 4 and 9: the counter of a bucket is the number of groups made without it.
		counter := groups - taken[i]
		if left > counter { // lines 14, 16-17
			return nil, starved(b, i, N, left, counter)
		}
		spread(group[first:b.Start[i+1]], taken[i], groups, random) // line 15
	}
	return bucketization.NewPartition(records, group, groups), nil
}

// paperGroupSize is line 5: N = max(ceil(1/beta), ceil(1/delta)).
func paperGroupSize(p *parameters) (int, error) {
	if p.delta.Num == 0 {
		return 0, &anonymize.ParameterError{Parameter: "delta", Value: "0",
			Rule: "must be above 0 with order=paper, which makes groups of ceil(1/delta) records"}
	}
	return int(min(max(bucketization.CeilInverse(p.beta), bucketization.CeilInverse(p.delta)), math.MaxInt32)), nil
}

// spread puts the rest of a bucket, whose first records already have groups, into different
// groups that lack its value. The paper does not specify these; they are drawn at random.
func spread(group []uint32, taken, groups int, random *rand.Rand) {
	has := make([]bool, groups)
	for _, g := range group[:taken] {
		has[g] = true
	}
	lacking := make([]uint32, 0, groups-taken)
	for g := range groups {
		if !has[g] {
			lacking = append(lacking, uint32(g))
		}
	}
	for i := range group[taken:] {
		j := i + int(random.Uint32N(uint32(len(lacking)-i)))
		lacking[i], lacking[j] = lacking[j], lacking[i]
		group[taken+i] = lacking[i]
	}
}

// starved returns the error of line 17.
func starved(b *bucketization.Buckets, i, N, left, counter int) error {
	return &anonymize.NoGroupsError{Err: &anonymize.ParameterError{Parameter: "order", Value: paper, Rule: fmt.Sprintf(
		"must be %s for this table, or beta or delta larger: Algorithm 1 with N = %d leaves %d records of %s for %d groups without it",
		balanced, N, left, b.Describe(b.List[i]), counter)}}
}
