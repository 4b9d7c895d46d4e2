package initialpartition

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/mondrian"
)

// divideInHalves divides the table by Mondrian with l-diversity as the condition: it cuts a
// block at a median of some attribute as long as both halves are l-diverse. The classes follow
// the recursion, so neighbours are halves of a former block.
func divideInHalves(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, l int, random *rand.Rand) (*Blocks, error) {
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		return nil, err
	}
	p, err := mondrian.Partition(ctx, attributes, b.Value, len(b.Count),
		mondrian.Condition{K: l, L: l, T: anonymize.NewRatio(1, 1)}, false, random, nil)
	if err != nil {
		return nil, err
	}
	return &Blocks{Partition: p}, nil
}
