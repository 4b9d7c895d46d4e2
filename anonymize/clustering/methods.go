package clustering

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
)

// OKA returns the one-pass k-means algorithm as a method of the list.
func OKA() anonymize.Method {
	return anonymize.Method{
		Name:       "oka",
		Title:      "OKA: one-pass k-means clustering with k-anonymity",
		Source:     "Lin, Wei, An Efficient Clustering Method for k-Anonymization, PAIS 2008",
		Parameters: append(anonymize.Declare(Size), Common()...),
		Algorithm: bucketization.OrAlone(func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
			return run(ctx, "oka", in, s, OnePass)
		}),
	}
}

// IKA returns the farthest-first clustering as a method of the list.
func IKA() anonymize.Method {
	return anonymize.Method{
		Name:       "ika",
		Title:      "IKA: k-nearest clustering around centres far from each other, with k-anonymity",
		Source:     "Zheng et al., K-anonymity Algorithm Based on Improved Clustering, ICA3PP 2018",
		Parameters: append(anonymize.Declare(Size), Common()...),
		Algorithm: bucketization.OrAlone(func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
			return run(ctx, "ika", in, s, FarthestFirst)
		}),
	}
}

// DPP returns micro aggregation without regard to synonyms as a method of the
// list.
func DPP() anonymize.Method {
	return anonymize.Method{
		Name:       "dpp",
		Title:      "DPP: micro aggregation by distance and gain in entropy, with k-anonymity",
		Source:     "Shi et al., Data Privacy Protection Based on Micro Aggregation with Dynamic Sensitive Attribute Updating, Sensors 18(7), 2018",
		Parameters: slices.Concat(anonymize.Declare(Size), Gain(), Common()),
		Algorithm: func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
			return run(ctx, "dpp", in, s, func(ctx context.Context, t *Task) (*bucketization.Partition, error) {
				return Grow(ctx, t, WeightsOf(s))
			})
		},
	}
}

// run is what these methods have in common.
func run(ctx context.Context, method string, in *anonymize.Input, s anonymize.Settings,
	cluster func(context.Context, *Task) (*bucketization.Partition, error)) (*anonymize.Release, error) {
	t, err := ReadTask(method, in, s, false)
	if err != nil {
		return nil, err
	}
	groups, err := cluster(ctx, t)
	if err != nil {
		return nil, err
	}
	groups, kept, err := demand.KeepNear(ctx, in, groups, t.Random)
	if err != nil {
		return nil, err
	}
	r, err := Publish(ctx, method, in, t, groups)
	if err != nil {
		return nil, err
	}
	r.Facts = append(r.Facts, kept...)
	return r, nil
}
