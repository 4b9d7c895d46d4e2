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
	return anonymize.Method{
		Name:       "drasl",
		Title:      "DRASL: micro aggregation against synonymous linkage, with k-anonymity",
		Source:     "Yan et al., Privacy Preserving Dynamic Data Release Against Synonymous Linkage Based on Micro Aggregation, 2021",
		Parameters: slices.Concat(anonymize.Declare(clustering.Size), clustering.Gain(), anonymize.Declare(paramGamma, Improve, links), clustering.Common()),
		Algorithm:  run,
	}
}

// noLinks selects groups without any link.
const noLinks = "none"

// Package dynamic also reads Improve.
var (
	links = anonymize.Choice("links", []string{"any", noLinks},
		"none: no group has two records with equal or synonymous values, and a table that does not allow this is refused; not in the paper")
	Improve = anonymize.Bool("improve", "true: near groups exchange records, for less linkage and loss; not in the paper")

	paramGamma = anonymize.NumberUpTo("gamma", 100, "weight of synonymous linkage, 0 to 100; auto: the same as alpha, as printed").OrAuto()
)

// IsLinkFree reports whether groups must not have two equal or synonymous values.
func IsLinkFree(s anonymize.Settings) bool { return links.Read(s) == noLinks }

// WeightsOf reads alpha, beta and gamma.
func WeightsOf(s anonymize.Settings) clustering.Weights {
	w := clustering.WeightsOf(s)
	if gamma := paramGamma.Read(s); gamma == (anonymize.Ratio{}) { // auto
		w.Gamma = w.Alpha
	} else {
		w.Gamma = gamma.Float()
	}
	return w
}

func run(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
	if IsLinkFree(s) && slices.ContainsFunc(in.Sensitive, func(c *anonymize.Column) bool { return slices.Contains(in.Varying, c.Name) }) {
		return nil, &anonymize.ParameterError{Parameter: links.Name(), Value: noLinks, Rule: fmt.Sprintf("must be any where %s varies in a unit: "+
			"groups are made by one of a unit's values, and the others may be synonyms. Say mondrian with l=, or columns with one value a unit", in.Sensitive[0].Name)}
	}
	t, err := clustering.ReadTask("drasl", in, s, IsLinkFree(s))
	if err != nil {
		return nil, err
	}
	groups, facts, err := divide(ctx, t, WeightsOf(s), Improve.Read(s))
	if err != nil {
		return nil, err
	}
	r, err := clustering.Publish(ctx, "drasl", in, t, groups)
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

// describeImprovement describes an improvement, and by how much it missed its goal.
func describeImprovement(i clustering.Improvement) string {
	text := fmt.Sprintf("%d swaps", i.Swaps)
	if i.AboveDPP > 0 {
		text += fmt.Sprintf("; the information loss is %.2g percent above that of dpp", 100*i.AboveDPP)
	}
	return text
}
