package locality

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/score"
)

// Options configure grouping by locality.
type Options struct {
	// Homogeneous groups similar records. Defaults to false: the method's own groups.
	Homogeneous bool
	// ByScore also groups records whose sensitive values are equally likely (package score).
	ByScore bool
	score   score.Options
	// Jitter is the number of places by which the order is perturbed, 0 or more. Defaults to 0.
	// Only for homogeneous groups.
	Jitter int
}

// Own, Alike and ByScore are the values of [Homogeneous].
const (
	Own, Alike, ByScore = "false", "true", "score"
)

var (
	// Homogeneous selects the kind of groups, Jitter the perturbation of their order.
	Homogeneous = anonymize.Choice("homogeneous", []string{Own, Alike, ByScore},
		"true: the records of a group have similar quasi-identifiers, at the same diversity; errors are smaller, but the grouping itself tells which "+
			"records are similar; score: their sensitive values are also equally likely, so a learner reads less from the grouping")
	paramWeight = anonymize.Share("score_weight",
		"for homogeneous=score: weight of similar quasi-identifiers against that of equally likely sensitive values, 0 to 1").Default("0.75")
	paramSteps = anonymize.Int("score_steps", 0, 1_000_000,
		"for homogeneous=score: rounds in which groups exchange records; 300 rounds gain nine tenths of what 1000 gain").Default("1000")
	paramMaxPosterior = anonymize.PositiveShare("max_posterior",
		"for homogeneous=score: greatest probability that a model fitted to the table may give any value of a record in its group, above 1/l; 1: no "+
			"bound").Default("1")
	Jitter = anonymize.Int("jitter", 0, bucketization.MaxRows,
		"for homogeneous groups: every record moves at random by up to this many places in the order from which groups are made, 0 or more; answers "+
			"get less accurate, and the grouping tells less").Default("0")
)

// Parameters are the parameters of [OptionsOf].
func Parameters() []anonymize.Parameter {
	return anonymize.Declare(Homogeneous, Jitter, paramWeight, paramMaxPosterior, paramSteps)
}

// WithOwnGroups removes these parameters from a method's arguments, so that it makes its own groups.
func WithOwnGroups(arguments anonymize.Arguments) anonymize.Arguments {
	others := maps.Clone(arguments)
	for _, p := range Parameters() {
		delete(others, p.Name)
	}
	return others
}

// OptionsOf reads the options.
func OptionsOf(s anonymize.Settings) (Options, error) {
	kind := Homogeneous.Read(s)
	o := Options{Homogeneous: kind != Own, ByScore: kind == ByScore, Jitter: Jitter.Read(s), score: score.Options{
		Weight: paramWeight.Read(s).Float(), MaxPosterior: paramMaxPosterior.Read(s).Float(), Steps: paramSteps.Read(s)}}
	if bound := paramMaxPosterior.Read(s); o.score.MaxPosterior < 1 && !o.ByScore {
		return o, &anonymize.ParameterError{Parameter: "max_posterior", Value: bound.Text(),
			Rule: "is for homogeneous=score: other groups know no model whose probabilities could be bounded"}
	}
	if o.Jitter > 0 && !o.Homogeneous {
		return o, &anonymize.ParameterError{
			Parameter: "jitter",
			Value:     strconv.Itoa(o.Jitter),
			Rule:      "must be 0 unless homogeneous=true or score: other groups do not follow an order of the records",
		}
	}
	return o, nil
}

// Facts describe homogeneous groups; nothing for others.
func (o Options) Facts() []anonymize.Fact {
	if !o.Homogeneous {
		return nil
	}
	return []anonymize.Fact{
		{Name: "jitter", Value: fmt.Sprintf("%d places", o.Jitter)},
		{
			Name:  "warning",
			Value: "records of a group are alike, so who differs from them is guessed more easily: jitter lowers that",
		},
	}
}

// RefuseScore refuses homogeneous=score for a setting to which scores do not apply; why explains that.
func (o Options) RefuseScore(why string) error {
	if !o.ByScore {
		return nil
	}
	return &anonymize.ParameterError{Parameter: "homogeneous", Value: ByScore, Rule: "must be true or false " + why}
}

// OfOneAttribute explains why sa_mode=each has no scores.
const OfOneAttribute = "with sa_mode=each: a score is of the values of one attribute. sa_mode=combined scores tuples"

// RefuseUnions refuses max_posterior if groups are merged later, which changes posteriors: to
// meet further requirements, or for the method's reasons; and if units have rows that the method does not see.
func (o Options) RefuseUnions(in *anonymize.Input, reasons ...string) error {
	if in.Apart != nil {
		in = in.Apart
	}
	if len(in.Varying) > 0 {
		return o.RefuseBound(fmt.Sprintf("where %s varies in a unit: a posterior is of one row a unit, and readers see the others, too", strings.Join(in.Varying, ", ")))
	}
	for _, p := range in.Asked {
		reasons = append(reasons, p.Guarantee)
	}
	if len(reasons) == 0 {
		return nil
	}
	return o.RefuseBound("beside " + strings.Join(reasons, ", ") + ": groups are united to keep that, and the posterior in a union is another")
}

// RefuseBound refuses max_posterior for a setting to which posteriors do not apply; why explains that.
func (o Options) RefuseBound(why string) error {
	if o.score.MaxPosterior >= 1 {
		return nil
	}
	return &anonymize.ParameterError{Parameter: "max_posterior", Value: fmt.Sprint(o.score.MaxPosterior), Rule: "must be 1 " + why}
}

// Group is [Sweep], or [SweepAsDealt], along [Arrange], with progress: groups of records with
// similar quasi-identifiers. Facts describe the effect of scores.
func (o Options) Group(
	ctx context.Context,
	in *anonymize.Input,
	b *bucketization.Buckets,
	groups int,
	asDealt bool,
	random *rand.Rand,
) (*bucketization.Partition, []anonymize.Fact, error) {
	sweep := Sweep
	if o.score.EqualSizes = asDealt; asDealt {
		sweep = SweepAsDealt
	}
	in.Report("locality order", 0, 1)
	position, err := Arrange(ctx, in.QuasiIdentifiers, o.Jitter, random)
	if err != nil {
		return nil, nil, err
	}
	in.Report("sweep", 0, 1)
	swept, err := sweep(ctx, b, position, groups)
	if err != nil || !o.ByScore {
		return swept, o.Facts(), err
	}
	scored, facts, err := o.groupByScore(ctx, in, b, swept, random, sweep)
	return scored, append(o.Facts(), facts...), err
}

// groupByScore makes as many groups as there are of similar records, along an order of scores
// and quasi-identifiers, and exchanges records between them.
func (o Options) groupByScore(ctx context.Context, in *anonymize.Input, b *bucketization.Buckets, alike *bucketization.Partition, random *rand.Rand,
	sweep func(context.Context, *bucketization.Buckets, []uint32, int) (*bucketization.Partition, error)) (*bucketization.Partition, []anonymize.Fact, error) {
	in.Report("score", 0, 1)
	model, err := score.Fit(ctx, in, b, random)
	if err != nil {
		return nil, nil, err
	}
	space := model.Place(in.QuasiIdentifiers, o.score.Weight)
	position, err := space.Order(ctx, random)
	if err != nil {
		return nil, nil, err
	}
	if o.Jitter > 0 {
		position = perturb(position, min(o.Jitter, len(position)), random)
	}
	swept, err := sweep(ctx, b, position, alike.Groups())
	if err != nil {
		return nil, nil, err
	}
	return space.Exchange(ctx, in, swept, alike, o.score, random)
}
