package anatomy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/locality"
)

// Method returns Anatomy as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:       "anatomy",
		Title:      "Anatomy (AT): quasi-identifiers and sensitive values in two tables, groups of l different values",
		Source:     "Xiao, Tao, Anatomy: Simple and Effective Privacy Preservation, VLDB 2006",
		Parameters: append(anonymize.Declare(paramL, anonymize.Threshold, anonymize.Sets, bucketization.SensitiveMode), locality.Parameters()...),
		Share:      bucketization.OneIn(paramL),
		Algorithm:  run,
	}
}

var paramL = anonymize.Int("l", 2, bucketization.MaxRows,
	"least number of different sensitive values in a group, each in at most floor(m/l) of its m records; 2 or more").Positional()

// parameters are the arguments of one run, checked.
type parameters struct {
	l        int
	locality locality.Options
	// With several sensitive attributes: protect their tuple, or each attribute.
	combined, each bool
}

func readParameters(in *anonymize.Input, s anonymize.Settings) (p parameters, err error) {
	p.l = paramL.Read(s)
	p.combined, p.each = bucketization.IsCombined(in, s), bucketization.IsEach(in, s)
	if p.locality, err = locality.OptionsOf(s); err != nil {
		return p, err
	}
	if p.each {
		return p, p.locality.RefuseScore(locality.OfOneAttribute)
	}
	return p, p.locality.RefuseUnions(in)
}

func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	p, err := readParameters(in, settings)
	if err != nil {
		return nil, err
	}
	if err := bucketization.CheckSeveral("anatomy", in); err != nil {
		return nil, err
	}
	switch {
	case p.combined:
		return bucketization.Combined(ctx, in, func(in *anonymize.Input) (*anonymize.Release, error) { return run(ctx, in, settings) })
	case p.each:
		return runEach(ctx, in, &p)
	}
	buckets := bucketization.BucketsOf(in, in.Sensitive[0])
	if err := buckets.CheckDiversity(p.l); err != nil {
		return nil, err
	}
	in.Report("tuples", 0, 1)
	tuples, err := bucketization.NewProjection(ctx, in.QuasiIdentifiers)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	groups, grouped, err := divide(ctx, in, buckets, random, &p)
	if err != nil {
		return nil, err
	}
	groups, kept, err := p.keep(ctx, in, groups, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	release, err := bucketization.Publish(ctx, "anatomy", in, groups, []bucketization.Table{
		bucketization.QuasiIdentifierTable(0, tuples), bucketization.SensitiveTable(in.Sensitive[0])}, random)
	if err != nil {
		return nil, err
	}
	release.Promises = bucketization.Promises(p.l)
	release.Facts = slices.Concat(facts(release, buckets, tuples, &p), grouped, kept)
	return release, nil
}

// divide forms floor(n/l) groups. Facts are about groups that follow an order.
func divide(
	ctx context.Context,
	in *anonymize.Input,
	b *bucketization.Buckets,
	random *rand.Rand,
	p *parameters,
) (*bucketization.Partition, []anonymize.Fact, error) {
	if p.locality.Homogeneous {
		return p.locality.Group(ctx, in, b, in.Rows/p.l, false, random)
	}
	in.Report("groups", 0, 1)
	if dealt := bucketization.DealApart(in, in.Rows/p.l, random); dealt != nil {
		return dealt, nil, nil
	}
	c := newCreation(b, p.l, random)
	if err := c.largestFirst(ctx); err != nil {
		return nil, nil, err
	}
	c.assignResidue()
	return bucketization.NewPartition(c.records, c.group, c.groups), nil, ctx.Err()
}

// keep merges groups until they keep the other promises; l holds in unions.
func (p *parameters) keep(
	ctx context.Context,
	in *anonymize.Input,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	if p.locality.Homogeneous {
		return demand.KeepNear(ctx, in, groups, random)
	}
	return demand.Keep(ctx, in, groups, random)
}

func facts(r *anonymize.Release, b *bucketization.Buckets, tuples *bucketization.Projection, p *parameters) []anonymize.Fact {
	return []anonymize.Fact{
		{Name: "groups", Value: fmt.Sprint(r.Groups())},
		{Name: "residue", Value: fmt.Sprintf("%d records, in groups of more than %d", b.Rows()%p.l, p.l)},
		uniqueTuples(tuples),
	}
}

func uniqueTuples(tuples *bucketization.Projection) anonymize.Fact {
	once, distinct := tuples.Uniques()
	return anonymize.Fact{Name: "unique tuples", Value: fmt.Sprintf(
		"%d of %d quasi-identifier tuples (%.1f %%) occur once in the whole table and reveal their owners' group",
		once, distinct, 100*float64(once)/float64(distinct))}
}
