package cdt

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// Method returns CDT as a method of the list.
func Method() anonymize.Method {
	return anonymize.Method{
		Name:       name,
		Title:      "CDT: classes of dissimilar tuples of several sensitive attributes, with k-anonymity and l-diversity of each",
		Source:     "Subramanian et al., Clustering Dissimilar Tuples: A Stronger Notion of Privacy",
		Parameters: anonymize.Declare(paramK, paramL, paramVariant, paramMaxShare, paramK1, paramK2, paramKmax, anonymize.Threshold, anonymize.Sets),
		Share: func(s anonymize.Settings) anonymize.Ratio {
			if share := paramMaxShare.Read(s); share.Cmp(bucketization.OneIn(paramL)(s)) < 0 {
				return share
			}
			return bucketization.OneIn(paramL)(s)
		},
		Nodes:     func(s anonymize.Settings) bool { return paramVariant.Read(s) == printed },
		Algorithm: run,
	}
}

const name, bounded, printed = "cdt", "bounded", "paper"

func run(ctx context.Context, in *anonymize.Input, settings anonymize.Settings) (*anonymize.Release, error) {
	p, err := readParameters(in, settings)
	if err != nil {
		return nil, err
	}
	quasi, err := generalization.AttributesOf(in, p.variant != bounded)
	if err != nil {
		return nil, err
	}
	random := rand.New(in.Random)
	var classes *bucketization.Partition
	var facts []anonymize.Fact
	if p.variant == bounded {
		classes, err = divide(ctx, bucketization.ByClass(in), quasi, p.bounds)
	} else {
		classes, facts, err = cluster(ctx, in, quasi, p, random)
	}
	if err != nil {
		return nil, err
	}
	classes, kept, err := demand.KeepNear(ctx, in, classes, random)
	if err != nil {
		return nil, err
	}
	in.Report("fragments", 0, 1)
	r, generalized, err := publish(ctx, in, quasi, classes, random)
	if err != nil {
		return nil, err
	}
	r.Promises = p.bounds.promises()
	r.Facts = slices.Concat(generalization.Facts(generalized, classes), facts, kept)
	return r, addMeasures(ctx, r, in)
}

// publish makes the release: cells of the quasi-identifiers, and the sensitive attributes as
// one fragment of tuples.
func publish(ctx context.Context, in *anonymize.Input, quasi []*generalization.Attribute, classes *bucketization.Partition,
	random *rand.Rand) (*anonymize.Release, []*generalization.Generalized, error) {
	var gidOf []uint32
	with := *in
	with.Assigned = func(of []uint32) { gidOf = of }
	r, generalized, err := generalization.Publish(ctx, name, &with, quasi, classes, classes, random)
	if err != nil {
		return nil, nil, err
	}
	if len(in.Sensitive) > 1 {
		tuples, err := bucketization.NewProjection(ctx, in.Sensitive)
		if err != nil {
			return nil, nil, err
		}
		groups := bucketization.NewPartition(anonymize.Indices(in.Rows), gidOf, r.Groups())
		r.Fragments[1], err = bucketization.NewFragment(ctx, bucketization.Table{Name: "sa", Role: anonymize.Sensitive, Projection: tuples}, groups)
		if err != nil {
			return nil, nil, err
		}
	}
	if in.Assigned != nil {
		in.Assigned(gidOf)
	}
	return r, generalized, nil
}
