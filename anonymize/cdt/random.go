package cdt

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// RandomClasses publishes random classes of the given sizes, which are those of a release of
// the same table: the baseline for clusters of dissimilar tuples (deviation 119). It promises
// nothing and is not for publication.
func RandomClasses(ctx context.Context, in *anonymize.Input, sizes []uint32) (*anonymize.Release, error) {
	random := rand.New(in.Random)
	p := &bucketization.Partition{Start: []uint32{0}, Member: anonymize.Indices(in.Rows)}
	bucketization.Shuffle(p.Member, random)
	total := 0
	for _, size := range sizes {
		total += int(size)
		p.Start = append(p.Start, uint32(total))
	}
	if total != in.Rows {
		return nil, fmt.Errorf("classes of %d records are asked for, the table has %d", total, in.Rows)
	}
	quasi, err := generalization.NewAttributes(in)
	if err != nil {
		return nil, err
	}
	r, _, err := publish(ctx, in, quasi, p, random)
	return r, err
}
