package drasl

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// Method returns DRASL as a method of the list.
func Method() anonymize.Method {
	parameters := append([]anonymize.Parameter{clustering.Size()}, clustering.Gain()...)
	parameters = append(parameters,
		anonymize.Parameter{Name: "gamma", Default: auto, Doc: "weight of synonymous linkage, 0 to 100; auto is alpha, as printed"},
		anonymize.Parameter{Name: "improve", Default: "false", Choices: []string{"false", "true"},
			Doc: "exchange records between near groups while that lowers linkage or loss; not in the paper"})
	return anonymize.Method{
		Name:       "drasl",
		Title:      "DRASL: micro aggregation against synonymous linkage, with k-anonymity",
		Source:     "Yan et al., Privacy Preserving Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation, 2021",
		Parameters: append(parameters, clustering.Common()...),
		Run:        run,
	}
}

const auto = "auto"

func run(ctx context.Context, in *anonymize.Input, given anonymize.Arguments) (*anonymize.Release, error) {
	m := Method()
	arguments, err := m.Resolve(given)
	if err != nil {
		return nil, err
	}
	w, err := readWeights(arguments)
	if err != nil {
		return nil, err
	}
	t, err := clustering.ReadTask(m.Name, in, arguments)
	if err != nil {
		return nil, err
	}
	if err := t.Catalogue.Required(m.Name, in); err != nil {
		return nil, err
	}
	groups, facts, err := divide(ctx, t, w, arguments["improve"] == "true")
	if err != nil {
		return nil, err
	}
	r, err := clustering.Publish(ctx, m.Name, in, t, groups)
	if err != nil {
		return nil, err
	}
	r.Facts = append(r.Facts, facts...)
	return r, nil
}

// divide is Algorithm 1.
func divide(ctx context.Context, t *clustering.Task, w clustering.Weights, improve bool) (*bucketization.Partition, []anonymize.Fact, error) {
	if !improve {
		groups, err := clustering.Grow(ctx, t, w)
		return groups, nil, err
	}
	groups, swaps, err := clustering.GrowImproved(ctx, t, w)
	return groups, []anonymize.Fact{{Name: "improvement", Value: fmt.Sprintf("%d swaps", swaps)}}, err
}

// readWeights reads alpha, beta and gamma.
func readWeights(arguments anonymize.Arguments) (w clustering.Weights, err error) {
	if w, err = clustering.ReadGain(arguments); err != nil {
		return w, err
	}
	w.Gamma = w.Alpha
	if text := arguments["gamma"]; text != auto {
		gamma, err := anonymize.ParseRatio(text)
		if err != nil || gamma.Cmp(anonymize.NewRatio(100, 1)) > 0 {
			return w, &anonymize.ParameterError{Parameter: "gamma", Value: "'" + text + "'", Rule: "must be a number from 0 to 100, or " + auto}
		}
		w.Gamma = gamma.Float()
	}
	return w, nil
}
