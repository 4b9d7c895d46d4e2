package slppa

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Method returns SLPPA as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:   "slppa",
		Title:  "SLPPA: anatomization into several tables under the (alpha, beta, gamma, delta) model",
		Source: "Yao et al., Sensitive Label Privacy Preservation with Anatomization for Data Publishing, IEEE TDSC 18(2), 2021",
		Parameters: append(anonymize.Declare(paramAlpha, paramBeta, paramGamma, paramDelta, paramTables, paramOrder, paramDivision,
			association.Bins, association.Phi, anonymize.Threshold, anonymize.Sets, bucketization.SensitiveMode), locality.Parameters()...),
		Share:     paramBeta.Read,
		Algorithm: run,
	}
}

// run is Section 4.1: table division, group division, publication.
func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	p, err := readParameters(in, settings)
	if err != nil {
		return nil, err
	}
	if err := bucketization.CheckSeveral("slppa", in); err != nil {
		return nil, err
	}
	if p.combined {
		return bucketization.Combined(ctx, in, func(in *anonymize.Input) (*anonymize.Release, error) { return run(ctx, in, settings) })
	}
	s, err := newSide(ctx, in, &p)
	if err != nil {
		return nil, err
	}
	in.Report("table division", 0, 1)
	tables, err := divideTable(ctx, in, &p)
	if err != nil {
		return nil, err
	}
	projections, err := project(ctx, tables)
	if err != nil {
		return nil, err
	}
	if err := checkAlpha(projections, p.alpha, in.Rows); err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	in.Report("group division", 0, 1)
	groups, grouped, err := s.divide(ctx, random, &p)
	if err != nil {
		return nil, err
	}
	groups, kept, err := p.keep(ctx, s, groups, random)
	if err != nil {
		return nil, err
	}
	before := groups.Groups()
	groups, repairs, err := repair(ctx, s, groups, projections, random, &p)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	published := make([]bucketization.Table, len(projections), len(projections)+1)
	for t, p := range projections {
		published[t] = bucketization.QuasiIdentifierTable(t, p)
	}
	published = append(published, bucketization.SensitiveTable(s.one.Sensitive[0]))
	release, err := bucketization.Publish(ctx, "slppa", s.one, groups, published, random)
	if err != nil {
		return nil, err
	}
	release.Promises = p.promises()
	release.Facts = slices.Concat(facts(tables, projections, before, release.Groups(), repairs), grouped, kept)
	return release, s.finish(release)
}

// keep merges groups until they meet further requirements. That preserves beta and delta. Alpha
// and gamma are left to the repair, which exchanges records of one sensitive value and merges
// groups, and so preserves these requirements.
func (p *parameters) keep(
	ctx context.Context,
	s *side,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	if p.locality.Homogeneous {
		return demand.KeepNear(ctx, s.one, groups, random)
	}
	return demand.Keep(ctx, s.one, groups, random)
}

// project numbers the sub-tuples of every table, tables in parallel.
func project(ctx context.Context, tables []qiTable) ([]*bucketization.Projection, error) {
	projections := make([]*bucketization.Projection, len(tables))
	err := parallel.Run(ctx, len(tables), func(t int) (err error) {
		projections[t], err = bucketization.NewProjection(ctx, tables[t].columns)
		return err
	})
	return projections, err
}
