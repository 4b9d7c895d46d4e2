package crossbucket

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
)

// keep makes buckets of one or several whole lots until every bucket keeps the requirements
// beyond k and l. Lots whose buckets all keep them stay.
//
// That preserves Definition 10: an equivalence group lies within a lot, so its records are all
// in that lot's bucket. A bucket of j lots, each with at least max(k, l) records of distinct
// values, has at most j of one value, a share of at most 1/l.
func (l *lots) keep(
	ctx context.Context,
	in *anonymize.Input,
	buckets *bucketization.Partition,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	broken, err := demand.Broken(ctx, in, buckets)
	if err != nil || !slices.Contains(broken, true) {
		return buckets, nil, err
	}
	whole := &bucketization.Partition{Start: make([]uint32, 1, len(l.sizes)+1), Member: l.member}
	for _, size := range l.sizes {
		whole.Start = append(whole.Start, whole.Start[len(whole.Start)-1]+size)
	}
	united, facts, err := demand.KeepNear(ctx, in, whole, random)
	if err != nil {
		return nil, nil, err
	}
	return l.united(whole, united, buckets.GroupOf(), broken), facts, nil
}

// united makes the buckets. bucketOf has the records' previous buckets, of which some are
// broken.
func (l *lots) united(lots, united *bucketization.Partition, bucketOf []uint32, broken []bool) *bucketization.Partition {
	unitOf, lotsIn := united.GroupOf(), make([]int, united.Groups())
	for lot := range lots.Groups() {
		lotsIn[unitOf[lots.Records(lot)[0]]]++
	}
	bucket, first := make([]uint32, len(l.member)), united.Groups()
	for lot := range lots.Groups() {
		of, start := lots.Records(lot), lots.Start[lot]
		unit := unitOf[of[0]]
		fine := lotsIn[unit] == 1 && !slices.ContainsFunc(of, func(record uint32) bool { return broken[bucketOf[record]] })
		for i := range of {
			if bucket[int(start)+i] = unit; fine {
				bucket[int(start)+i] = uint32(first + i%l.plan(len(of)).buckets)
			}
		}
		if fine {
			first += l.plan(len(of)).buckets
		}
	}
	return withoutEmpty(bucketization.NewPartition(l.member, bucket, first))
}

// withoutEmpty drops empty groups.
func withoutEmpty(p *bucketization.Partition) *bucketization.Partition {
	return &bucketization.Partition{Start: slices.Compact(p.Start), Member: p.Member}
}
