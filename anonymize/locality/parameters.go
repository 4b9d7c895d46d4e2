package locality

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Options are what a method that can group by locality asks its caller.
type Options struct {
	// Homogeneous groups records that are alike. Defaults to false: the
	// method's own groups.
	Homogeneous bool
	// Jitter is the number of places by which the order is perturbed, 0 or more.
	// Defaults to 0. Only for homogeneous groups.
	Jitter int
}

// Homogeneous and Jitter are the parameters of such a method; see [OptionsOf].
var (
	Homogeneous = anonymize.Bool("homogeneous",
		"true: groups of records whose quasi-identifiers are alike, at the same diversity; smaller errors, but who is near whom is a channel of its own")
	Jitter = anonymize.Int("jitter", 0, bucketization.MaxRows,
		"for homogeneous groups: number of places by which records are moved at random in the order that makes them, 0 or more; "+
			"trades accuracy for less to learn from the grouping").Default("0")
)

// OptionsOf reads them.
func OptionsOf(s anonymize.Settings) (Options, error) {
	o := Options{Homogeneous: Homogeneous.Read(s), Jitter: Jitter.Read(s)}
	if o.Jitter > 0 && !o.Homogeneous {
		return o, &anonymize.ParameterError{
			Parameter: "jitter",
			Value:     strconv.Itoa(o.Jitter),
			Rule:      "must be 0 unless homogeneous=true: other groups do not follow an order of the records",
		}
	}
	return o, nil
}

// Facts are those to show of homogeneous groups; of others there are none.
func (o Options) Facts() []anonymize.Fact {
	if !o.Homogeneous {
		return nil
	}
	return []anonymize.Fact{
		{Name: "jitter", Value: fmt.Sprintf("%d places", o.Jitter)},
		{
			Name:  "warning",
			Value: "records of a group are alike, so who differs from them is guessed more easily: jitter lowers that",
		},
	}
}

// Group is [Sweep] along [Arrange], with progress: groups of records that are
// alike in their quasi-identifiers.
func (o Options) Group(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, groups int, random *rand.Rand) (*bucketization.Partition, error) {
	return o.group(ctx, in, b, groups, random, Sweep)
}

// GroupAsDealt is [SweepAsDealt] in place of Sweep.
func (o Options) GroupAsDealt(
	ctx context.Context,
	in *anonymize.Input,
	b *bucketization.Buckets,
	groups int,
	random *rand.Rand,
) (*bucketization.Partition, error) {
	return o.group(ctx, in, b, groups, random, SweepAsDealt)
}

func (o Options) group(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, groups int, random *rand.Rand,
	sweep func(context.Context, *bucketization.Buckets, []uint32, int) (*bucketization.Partition, error)) (*bucketization.Partition, error) {
	in.Report("locality order", 0, 1)
	position, err := Arrange(ctx, in.QuasiIdentifiers, o.Jitter, random)
	if err != nil {
		return nil, err
	}
	in.Report("sweep", 0, 1)
	return sweep(ctx, b, position, groups)
}
