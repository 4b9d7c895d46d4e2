package arp

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// runSeveral protects several sensitive attributes: their tuple as one value, or each
// separately.
func runSeveral(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	if err := bucketization.CheckSeveral("arp", in); err != nil {
		return nil, err
	}
	if paramOver.Read(settings) == randomization {
		return nil, &anonymize.ParameterError{Parameter: "over", Value: randomization,
			Rule: "must be " + anatomy + ", " + slicing + " or " + ranges + " with several sensitive attributes: the cell of a record has candidates of one attribute"}
	}
	if bucketization.IsCombined(in, settings) {
		return bucketization.Combined(ctx, in, func(in *anonymize.Input) (*anonymize.Release, error) { return run(ctx, in, settings) })
	}
	first := *in
	first.Sensitive = in.Sensitive[:1]
	p, err := readParameters(&first, settings)
	if err != nil {
		return nil, err
	}
	if err := p.alike.RefuseScore(locality.OfOneAttribute); err != nil {
		return nil, err
	}
	return p.runEach(ctx, in)
}

// runEach implements sa_mode=each: in every group of m records, no value of any sensitive
// attribute has more than floor(m/l) records. The blocks of similar records are those of
// Algorithm 1 for the tuples. The refinement follows them and takes records that differ in
// every attribute; what a block lacks, it takes from the next blocks, as in Algorithm 2, line
// 14 ("neighbor blocks").
func (p *parameters) runEach(ctx context.Context, in *anonymize.Input) (*anonymize.Release, error) {
	each := bucketization.NewEach(in)
	l := p.request.L
	if err := each.MostConcentrated().CheckDiversity(l); err != nil {
		return nil, err
	}
	tuples, err := bucketization.Combine(ctx, in)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	order, facts, err := p.orderOfTuples(ctx, tuples.Input, random)
	if err != nil {
		return nil, err
	}
	in.Report("refining", 0, 1)
	groups, figures, err := each.Sweep(ctx, order, l, bucketization.DiverseBounds(l), random)
	if err != nil {
		return nil, err
	}
	groups, kept, err := p.keep(ctx, in, groups, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	release, err := p.publish(ctx, tuples.Input, groups, random)
	if err != nil {
		return nil, err
	}
	if err := tuples.Publish(release); err != nil {
		return nil, err
	}
	release.Promises = bucketization.PromisedOfEach(p.request.Promises(), in.Sensitive)
	release.Facts = slices.Concat(facts, refinedFacts(groups), figures.Facts(), release.Facts, kept)
	return release, nil
}

// orderOfTuples lists the records block by block, in random order within a block, or by
// locality.
func (p *parameters) orderOfTuples(ctx context.Context, in *anonymize.Input, random *rand.Rand) ([]uint32, []anonymize.Fact, error) {
	if p.alike.Homogeneous {
		in.Report("locality order", 0, 1)
		position, err := locality.Arrange(ctx, in.QuasiIdentifiers, p.alike.Jitter, random)
		if err != nil {
			return nil, nil, err
		}
		return bucketization.InOrder(position), p.alike.Facts(), nil
	}
	request := p.request
	blocks, err := initialBlocks(ctx, in, bucketization.NewBuckets(in.Sensitive[0], nil), request, random)
	if err != nil {
		return nil, nil, err
	}
	for g := range blocks.Groups() {
		bucketization.Shuffle(blocks.Records(g), random)
	}
	return blocks.Member, blocks.Facts(), nil
}
