package arp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/initialpartition"
	"github.com/anonsql/anonsql/anonymize/locality"
)

const source = "Zhu et al., Anonymization on Refining Partition: Same Privacy, More Utility, ComSIS 12(4), 2015"

// Method returns ARP as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:   "arp",
		Title:  "ARP: anonymization on a refining partition, groups of l different sensitive values from records that are alike",
		Source: source,
		Parameters: slices.Concat(anonymize.Declare(initialpartition.Diversity, paramOver, paramP), initialpartition.Parameters(),
			anonymize.Declare(anonymize.Sets, bucketization.SensitiveMode), locality.Parameters()),
		Share:     bucketization.OneIn(initialpartition.Diversity),
		Algorithm: run,
	}
}

// InitialMethod returns AIP as a method of the list.
func InitialMethod() anonymize.Method {
	return anonymize.Method{
		Name:       "aip",
		Title:      "AIP: anatomization of ARP's initial partition, not refined",
		Source:     source,
		Parameters: slices.Concat(anonymize.Declare(initialpartition.Diversity), initialpartition.Parameters(), anonymize.Declare(anonymize.Sets)),
		Share:      bucketization.OneIn(initialpartition.Diversity),
		Algorithm:  runInitial,
	}
}

// run forms groups and publishes them.
func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	if len(in.Sensitive) > 1 {
		return runSeveral(ctx, in, settings)
	}
	p, err := readParameters(in, settings)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	b := bucketization.BucketsOf(in, in.Sensitive[0])
	size, err := p.groupSize(b)
	if err != nil {
		return nil, err
	}
	groups, facts, err := p.group(ctx, in, b, size, random)
	if err != nil {
		return nil, err
	}
	groups, kept, err := p.keep(ctx, in, groups, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	release, err := p.publish(ctx, in, groups, random)
	if err != nil {
		return nil, err
	}
	release.Promises = p.request.Promises()
	release.Facts = slices.Concat(facts, p.facts(size), release.Facts, kept)
	return release, nil
}

// group is Algorithm 2, lines 1-22, or forms homogeneous groups instead: in both cases of size
// records or a few more, with different values.
func (p *parameters) group(
	ctx context.Context,
	in *anonymize.Input,
	b *bucketization.Buckets,
	size int,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	if p.alike.Homogeneous {
		groups, facts, err := p.alike.Group(ctx, in, b, in.Rows/size, false, random)
		if err != nil {
			return nil, nil, err
		}
		return groups, append(refinedFacts(groups), facts...), nil
	}
	request := p.request
	request.L = size
	blocks, err := initialBlocks(ctx, in, b, request, random)
	if err != nil {
		return nil, nil, err
	}
	in.Report("refining", 0, 1)
	groups, err := refine(ctx, b, blocks.Partition, size, random)
	if err != nil {
		return nil, nil, err
	}
	return groups.Partition, slices.Concat(blocks.Facts(), refinedFacts(groups.Partition), []anonymize.Fact{
		{Name: "residual records", Value: fmt.Sprint(groups.inserted)},
		{Name: "records in groups across blocks", Value: fmt.Sprint(groups.pooled)},
	}), nil
}

// keep merges groups until they keep the other promises; l holds in unions. The cell of a
// randomized record needs different values, which merged groups need not have: verification
// decides there.
func (p *parameters) keep(
	ctx context.Context,
	in *anonymize.Input,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	if p.over == randomization {
		return groups, nil, nil
	}
	return demand.KeepNear(ctx, in, groups, random)
}

func refinedFacts(groups *bucketization.Partition) []anonymize.Fact {
	return []anonymize.Fact{{Name: "refined blocks", Value: fmt.Sprint(groups.Groups())}}
}

// runInitial publishes the blocks of Algorithm 1.
func runInitial(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	request, err := initialpartition.Read("aip", in, settings)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	b := bucketization.BucketsOf(in, in.Sensitive[0])
	blocks, err := initialBlocks(ctx, in, b, request, random)
	if err != nil {
		return nil, err
	}
	groups, kept, err := demand.KeepNear(ctx, in, blocks.Partition, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	release, err := publishAnatomy(ctx, "aip", in, groups, random)
	if err != nil {
		return nil, err
	}
	release.Promises = request.Promises()
	release.Facts = slices.Concat(blocks.Facts(), kept)
	return release, nil
}

func initialBlocks(
	ctx context.Context,
	in *anonymize.Input,
	b *bucketization.Buckets,
	r initialpartition.Request,
	random *rand.Rand,
) (*initialpartition.Blocks, error) {
	in.Report("initial partition", 0, 1)
	return initialpartition.Divide(ctx, in, b, r, random)
}
