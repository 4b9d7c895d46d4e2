package crossbucket

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/mondrian"
)

// leafRecords is about the number of records of a leaf. Each is compared with
// all others of its leaf that may stand beside it: on Adult (k = 3, l = 4, age)
// the penalty is 0.038 with leaves of 96, 0.021 with 768, 0.016 with 3,000, at
// two, five and fifteen microseconds a record.
// The search downwards divides until a lot is all that there is.
func (p parameters) leafRecords() int {
	if p.search == kd {
		return 2 * p.g
	}
	return max(768, min(12*p.g, 3072), 2*p.g)
}

// arrange sorts all records into the leaves of a kd-tree, cut at medians by Mondrian without
// any condition. Inside a leaf their order is random, so that the table's order decides
// nothing. O(n d log n).
func (t *table) arrange(ctx context.Context, in *anonymize.Input, random *rand.Rand) error {
	in.Report("order", 0, in.Rows)
	none := make([]uint32, in.Rows) // sensitive values do not matter here
	condition := mondrian.Condition{K: max(1, t.leafRecords()/2), L: 1, T: anonymize.NewRatio(1, 1)}
	p, err := mondrian.Partition(ctx, t.attributes, none, 1, condition, true, random,
		func(done, total int) { in.Report("order", done, total) })
	if err != nil {
		return err
	}
	t.order = p.Member
	t.leaf = t.leaf[:0]
	for leaf := range p.Groups() {
		bucketization.Shuffle(p.Records(leaf), random)
		// Records that no attribute can divide are equal: any cut will do.
		for at := p.Start[leaf]; at < p.Start[leaf+1]; at += uint32(2 * t.leafRecords()) {
			t.leaf = append(t.leaf, at)
		}
	}
	t.leaf = append(t.leaf, uint32(in.Rows))
	return ctx.Err()
}
