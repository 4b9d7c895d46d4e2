package clustering

import (
	"context"

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
		Parameters: append([]anonymize.Parameter{Size()}, Common()...),
		Run: func(ctx context.Context, in *anonymize.Input, given anonymize.Arguments) (*anonymize.Release, error) {
			return run(ctx, OKA(), in, given, OnePass)
		},
	}
}

// IKA returns the farthest-first clustering as a method of the list.
func IKA() anonymize.Method {
	return anonymize.Method{
		Name:       "ika",
		Title:      "IKA: k-nearest clustering around centres far from each other, with k-anonymity",
		Source:     "Zheng et al., K-anonymity Algorithm Based on Improved Clustering, ICA3PP 2018",
		Parameters: append([]anonymize.Parameter{Size()}, Common()...),
		Run: func(ctx context.Context, in *anonymize.Input, given anonymize.Arguments) (*anonymize.Release, error) {
			return run(ctx, IKA(), in, given, FarthestFirst)
		},
	}
}

// DPP returns micro aggregation without regard to synonyms as a method of the
// list.
func DPP() anonymize.Method {
	return anonymize.Method{
		Name:       "dpp",
		Title:      "DPP: micro aggregation by distance and gain in entropy, with k-anonymity",
		Source:     "Shi et al., Data Privacy Protection Based on Micro Aggregation with Dynamic Sensitive Attribute Updating, Sensors 18(7), 2018",
		Parameters: append(append([]anonymize.Parameter{Size()}, Gain()...), Common()...),
		Run: func(ctx context.Context, in *anonymize.Input, given anonymize.Arguments) (*anonymize.Release, error) {
			var w Weights
			return run(ctx, DPP(), in, given, func(ctx context.Context, t *Task) (*bucketization.Partition, error) {
				return Grow(ctx, t, w)
			}, func(arguments anonymize.Arguments) (err error) {
				w, err = ReadGain(arguments)
				return err
			})
		},
	}
}

// run is what these methods have in common; read reads parameters of their own.
func run(ctx context.Context, m anonymize.Method, in *anonymize.Input, given anonymize.Arguments,
	cluster func(context.Context, *Task) (*bucketization.Partition, error), read ...func(anonymize.Arguments) error) (*anonymize.Release, error) {
	arguments, err := m.Resolve(given)
	if err != nil {
		return nil, err
	}
	for _, read := range read {
		if err := read(arguments); err != nil {
			return nil, err
		}
	}
	t, err := ReadTask(m.Name, in, arguments)
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
	r, err := Publish(ctx, m.Name, in, t, groups)
	if err != nil {
		return nil, err
	}
	r.Facts = append(r.Facts, kept...)
	return r, nil
}
