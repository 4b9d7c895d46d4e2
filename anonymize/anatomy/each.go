package anatomy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// runEach implements sa_mode=each: in every group of m records, no value of any sensitive
// attribute has more than floor(m/l) records.
//
// It generalizes Anatomy's rule, one record of each of the l largest buckets: the records of a
// group differ in all attributes. Property 2 of Zhu et al., floor(n/l) groups if H l <= n, does
// not generalize. For two attributes such groups exist: records are the edges of a bipartite
// multigraph between their values, of degree at most floor(n/l); by Koenig and de Werra its
// edges can be coloured in floor(n/l) colours of at least l edges, none of which meet. The
// greedy rule comes close. For three they need not exist: of (1,1,1), (1,2,2), (2,1,2), (2,2,1)
// any two agree in an attribute, yet all four are a group for l = 2. So the rest is merged
// where necessary; bucketization.Each proves that this ends.
func runEach(ctx context.Context, in *anonymize.Input, p *parameters) (*anonymize.Release, error) {
	each := bucketization.NewEach(in)
	if err := each.MostConcentrated().CheckDiversity(p.l); err != nil {
		return nil, err
	}
	in.Report("tuples", 0, 1)
	tuples, err := bucketization.NewProjection(ctx, in.QuasiIdentifiers)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	in.Report("groups", 0, 1)
	groups, figures, err := p.groupEach(ctx, in, each, random)
	if err != nil {
		return nil, err
	}
	groups, kept, err := p.keep(ctx, in, groups, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	sensitive, err := bucketization.SensitiveTuples(ctx, in.Sensitive)
	if err != nil {
		return nil, err
	}
	release, err := bucketization.Publish(ctx, "anatomy", in, groups, []bucketization.Table{
		bucketization.QuasiIdentifierTable(0, tuples), sensitive}, random)
	if err != nil {
		return nil, err
	}
	release.Promises = bucketization.PromisedOfEach(bucketization.Promises(p.l), in.Sensitive)
	release.Facts = slices.Concat([]anonymize.Fact{{Name: "groups", Value: fmt.Sprint(release.Groups())}, uniqueTuples(tuples)},
		figures.Facts(), p.locality.Facts(), kept)
	return release, nil
}

// groupEach deals records of the whole table, or of the neighbourhood.
func (p *parameters) groupEach(
	ctx context.Context,
	in *anonymize.Input,
	each bucketization.Each,
	random *rand.Rand,
) (*bucketization.Partition, bucketization.EachFigures, error) {
	bounds := bucketization.DiverseBounds(p.l)
	if !p.locality.Homogeneous {
		return each.Deal(ctx, p.l, bounds, random)
	}
	position, err := locality.Arrange(ctx, in.QuasiIdentifiers, p.locality.Jitter, random)
	if err != nil {
		return nil, bucketization.EachFigures{}, err
	}
	return each.Sweep(ctx, bucketization.InOrder(position), p.l, bounds, random)
}
