package arp

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// publish is Algorithm 2, line 23.
func (p *parameters) publish(ctx context.Context, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand) (*anonymize.Release, error) {
	const method = "arp"
	switch p.over {
	case slicing:
		return publishSlicing(ctx, method, in, groups, random)
	case ranges:
		return publishGeneralization(ctx, method, in, groups, random)
	case randomization:
		return p.publishRandomization(ctx, method, in, groups, random)
	}
	return publishAnatomy(ctx, method, in, groups, random)
}

// publishAnatomy publishes all quasi-identifiers of a record together (Xiao and Tao, Anatomy,
// VLDB 2006).
func publishAnatomy(ctx context.Context, method string, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand) (*anonymize.Release, error) {
	p, err := bucketization.NewProjection(ctx, in.QuasiIdentifiers)
	if err != nil {
		return nil, err
	}
	return bucketization.Publish(ctx, method, in, groups, []bucketization.Table{
		bucketization.QuasiIdentifierTable(0, p), bucketization.SensitiveTable(in.Sensitive[0])}, random)
}

// publishSlicing permutes every quasi-identifier within a group separately (Li et al., Slicing,
// TKDE 2012, with one attribute per column).
func publishSlicing(ctx context.Context, method string, in *anonymize.Input, groups *bucketization.Partition, random *rand.Rand) (*anonymize.Release, error) {
	var tables []bucketization.Table
	for i, c := range in.QuasiIdentifiers {
		tables = append(tables, bucketization.QuasiIdentifierTable(i, bucketization.ProjectionOn(c)))
	}
	tables = append(tables, bucketization.SensitiveTable(in.Sensitive[0]))
	return bucketization.Publish(ctx, method, in, groups, tables, random)
}

// publishGeneralization gives all records of a group the same cell in every quasi-identifier:
// the span of the group's values. It publishes the sensitive values as anatomy does.
func publishGeneralization(
	ctx context.Context,
	method string,
	in *anonymize.Input,
	groups *bucketization.Partition,
	random *rand.Rand,
) (*anonymize.Release, error) {
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		return nil, err
	}
	r, generalized, err := generalization.Publish(ctx, method, in, attributes, groups, groups, random)
	if err != nil {
		return nil, err
	}
	r.Facts = generalization.Facts(generalized, groups)
	return r, nil
}
