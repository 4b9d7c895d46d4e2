package drasl

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// Method returns DRASL as a method of the list.
func Method() anonymize.Method {
	parameters := append([]anonymize.Parameter{clustering.Size()}, clustering.Gain()...)
	parameters = append(
		parameters,
		anonymize.Parameter{
			Name:    "gamma",
			Form:    anonymize.Number(100, auto),
			Default: auto,
			Doc:     "weight of synonymous linkage, 0 to 100; auto is alpha, as printed",
		},
		anonymize.Parameter{Name: "improve", Default: "false", Choices: []string{"false", "true"},
			Doc: "exchange records between near groups for less linkage and loss; not in the paper"},
		anonymize.Parameter{Name: "links", Default: anyLinks, Choices: []string{anyLinks, noLinks},
			Doc: "none: no group has two records with equal or synonymous values, or there is no release; not in the paper"},
	)
	return anonymize.Method{
		Name:       "drasl",
		Title:      "DRASL: micro aggregation against synonymous linkage, with k-anonymity",
		Source:     "Yan et al., Privacy Preserving Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation, 2021",
		Parameters: append(parameters, clustering.Common()...),
		Run:        run,
	}
}

const (
	auto     = "auto"
	anyLinks = "any"
	noLinks  = clustering.NoLinks
)

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
	groups, facts, err := divide(ctx, t, w, arguments["improve"] == "true")
	if err != nil {
		return nil, err
	}
	r, err := clustering.Publish(ctx, m.Name, in, t, groups)
	if err != nil {
		return nil, err
	}
	r.Facts = slices.Concat(r.Facts, t.Catalogue.Unknown(in.Sensitive[0]), facts)
	return r, nil
}

// divide is Algorithm 1.
func divide(ctx context.Context, t *clustering.Task, w clustering.Weights, improve bool) (groups *bucketization.Partition, facts []anonymize.Fact, err error) {
	var improved clustering.Improvement
	switch {
	case t.LinkFree:
		groups, improved.Swaps, err = clustering.GrowLinkFree(ctx, t, improve)
	case improve:
		groups, improved, err = clustering.GrowImproved(ctx, t, w)
	default:
		groups, err = clustering.Grow(ctx, t, w)
	}
	if improve {
		facts = []anonymize.Fact{{Name: "improvement", Value: describeImprovement(improved)}}
	}
	return groups, facts, err
}

// describeImprovement says what an improvement came to, and by how much it missed its goal.
func describeImprovement(i clustering.Improvement) string {
	text := fmt.Sprintf("%d swaps", i.Swaps)
	if i.AboveDPP > 0 {
		text += fmt.Sprintf("; the information loss is %.2g percent above that of dpp", 100*i.AboveDPP)
	}
	return text
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
