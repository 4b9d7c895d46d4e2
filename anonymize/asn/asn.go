package asn

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// Method returns ASN as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:  "asn",
		Title: "ASN: every attribute in a table of its own, under a bound on presence and one on sensitive values",
		Source: "as described for tables in Yao et al., Sensitive Label Privacy Preservation with Anatomization for Data Publishing, " +
			"IEEE TDSC 18(2), 2021, Section 6",
		Parameters: anonymize.Declare(paramAlpha, paramBeta, anonymize.Threshold, anonymize.Sets),
		Share:      paramBeta.Read,
		Algorithm:  run,
	}
}

// parameters are the arguments of one run, checked.
type parameters struct {
	alpha, beta anonymize.Ratio // 1 means not asked
}

var (
	paramAlpha = anonymize.PositiveShare("alpha",
		"presence: greatest product, over all tables of a group, of the greatest share of one value in each table, above 0 and at most 1").Default("1").Positional()
	paramBeta = anonymize.PositiveShare("beta", "greatest share of a group that one sensitive value may have, above 0 and at most 1").Positional()
)

func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	p := parameters{alpha: paramAlpha.Read(settings), beta: paramBeta.Read(settings)}
	buckets, err := bucketsOf(in, &p)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	in.Report("groups", 0, 1)
	dealt, err := deal(ctx, in, buckets, random, &p)
	if err != nil {
		return nil, err
	}
	dealt, kept, err := demand.Keep(ctx, in, dealt, random)
	if err != nil {
		return nil, err
	}
	projections := projectionsOf(in)
	in.Report("repair", 0, 1)
	groups, merges, err := slppa.Merge(ctx, dealt, projections, in.Sensitive[0], p.alpha)
	if err != nil {
		return nil, p.asParameterError(err)
	}
	in.Report("fragments", 0, 1)
	release, err := bucketization.Publish(ctx, "asn", in, groups, tablesOf(in, projections), random)
	if err != nil {
		return nil, err
	}
	release.Promises = []anonymize.Promise{{Guarantee: "gamma", Bound: p.alpha}, {Guarantee: "beta", Bound: p.beta}}
	release.Facts = append(facts(projections, dealt.Groups(), groups.Groups(), merges), kept...)
	return release, nil
}

// bucketsOf refuses tables where grouping protects nothing or beta is impossible, and returns
// the records by sensitive value.
func bucketsOf(in *anonymize.Input, p *parameters) (*bucketization.Buckets, error) {
	if err := bucketization.CheckInput("asn", in); err != nil {
		return nil, err
	}
	b := bucketization.NewBuckets(in.Sensitive[0], nil)
	if err := b.CheckShare("beta", p.beta); err != nil {
		return nil, err
	}
	return b, b.CheckVariety()
}

// deal forms as many groups as beta allows.
func deal(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, random *rand.Rand, p *parameters) (*bucketization.Partition, error) {
	if dealt := bucketization.DealApart(in, max(1, in.Rows/int(min(bucketization.CeilInverse(p.beta), uint64(in.Rows)))), random); dealt != nil {
		return dealt, nil
	}
	groups, err := bucketization.LargestDeal(ctx, b, p.beta, anonymize.NewRatio(1, 1))
	if err != nil {
		return nil, err
	}
	return bucketization.Deal(b.Shuffled(random), groups), nil
}

// projectionsOf returns one projection per quasi-identifier.
func projectionsOf(in *anonymize.Input) []*bucketization.Projection {
	projections := make([]*bucketization.Projection, len(in.QuasiIdentifiers))
	for i, c := range in.QuasiIdentifiers {
		projections[i] = bucketization.ProjectionOn(c)
	}
	return projections
}

func tablesOf(in *anonymize.Input, projections []*bucketization.Projection) []bucketization.Table {
	tables := make([]bucketization.Table, len(projections), len(projections)+1)
	for i, p := range projections {
		tables[i] = bucketization.QuasiIdentifierTable(i, p)
	}
	return append(tables, bucketization.SensitiveTable(in.Sensitive[0]))
}

func (p *parameters) asParameterError(err error) error {
	var e *slppa.NotReachedError
	if !errors.As(err, &e) {
		return err
	}
	return &anonymize.NoGroupsError{Err: &anonymize.ParameterError{Parameter: "alpha", Value: p.alpha.String(),
		Rule: e.Error() + "; try a larger alpha, a smaller beta, or fewer quasi-identifiers of one frequent value"}}
}

// facts are for the owner; those about the repair describe the groups before it.
func facts(projections []*bucketization.Projection, before, after, merges int) []anonymize.Fact {
	all := []anonymize.Fact{
		{Name: "groups", Value: fmt.Sprint(after)},
		{Name: "repair: groups before", Value: fmt.Sprint(before)},
		{Name: "repair: merges", Value: fmt.Sprint(merges)},
	}
	for _, p := range projections {
		if once, distinct := p.Uniques(); once > 0 {
			all = append(all, anonymize.Fact{Name: "unique values " + p.Columns[0].Name, Value: fmt.Sprintf(
				"%d of %d values (%.1f %%) occur once in the whole table and reveal their owners' group",
				once, distinct, 100*float64(once)/float64(distinct))})
		}
	}
	return all
}
