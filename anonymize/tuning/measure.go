package tuning

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// A Risk measures how likely a record's sensitive value is inferred.
type Risk string

// The risks.
const (
	// Breach is the greatest probability of any sensitive value for an attacker who knows the
	// quasi-identifiers and counts (guarantee breach, else beta; package privacy).
	Breach Risk = "breach"
	// DeFinetti is the mean probability of the actual value for an attacker who learns from the
	// release, or who counts matches if groups overlap (package attack).
	DeFinetti Risk = "definetti"
	// Learned is the same for an attacker who completes the release, for releases that can be
	// completed (package attack).
	Learned Risk = "learned"
)

// Risks are the supported risks.
var Risks = []string{string(Breach), string(DeFinetti), string(Learned)}

// A Loss measures a release's cost in utility.
type Loss string

// The losses: the relative error of random COUNT queries, its mean, median and
// 95th percentile, and the loss of correlation GLP (ARP, Definition 3).
const (
	RelativeError       Loss = "relative_error"
	MedianRelativeError Loss = "median_relative_error"
	P95RelativeError    Loss = "p95_relative_error"
	CorrelationLoss     Loss = "glp"
	// ImputedError is the mean relative error of imputed answers if the release can have
	// completed tables, else that of answers from its fragments.
	ImputedError Loss = "imputed_error"
)

// Losses are the supported losses.
var Losses = []string{string(RelativeError), string(MedianRelativeError), string(P95RelativeError), string(CorrelationLoss), string(ImputedError)}

// An outcome is a release with what its measurement needs: the published records, as a table and as the method's input.
type outcome struct {
	options    *Options
	table      *anonymize.Microdata
	input      *anonymize.Input
	release    *anonymize.Release
	guarantees []anonymize.Guarantee
	groupOf    []uint32
}

func (r Risk) measure(ctx context.Context, o *outcome) (float64, error) {
	if r == DeFinetti || r == Learned {
		return o.attack(ctx, r)
	}
	if len(o.input.NotSensitive) > 0 { // breach counts all values
		found, err := verify(o.release, []anonymize.Promise{{Guarantee: "beta", Bound: anonymize.NewRatio(1, 1), NotSensitive: o.input.NotSensitive}})
		if err != nil {
			return 0, err
		}
		return found[0].Achieved, nil
	}
	for _, name := range []string{"breach", "beta"} {
		if i := slices.IndexFunc(o.guarantees, func(g anonymize.Guarantee) bool { return g.Name == name }); i >= 0 {
			return o.guarantees[i].Achieved, nil
		}
	}
	return 0, errors.New("neither breach nor beta can be recomputed from this release")
}

// attackSample is the number of attacked records of a larger table.
const attackSample = 50_000

// attack returns the greatest risk over all sensitive attributes; by units if no unit has two values of one.
func (o *outcome) attack(ctx context.Context, by Risk) (worst float64, err error) {
	release, table, groupOf, err := units.Reduce(ctx, o.release, o.input, o.groupOf)
	if errors.As(err, new(*anonymize.DataError)) {
		release, table, groupOf, err = o.release, o.input, o.groupOf, nil
	}
	if err != nil {
		return 0, err
	}
	for _, sensitive := range table.Sensitive {
		truth := attack.Truth{QuasiIdentifiers: table.QuasiIdentifiers, Sensitive: sensitive, NotSensitive: o.input.NotSensitive, GroupOf: groupOf}
		mean, err := o.mean(ctx, by, release, truth)
		if err != nil {
			return 0, err
		}
		worst = max(worst, mean)
	}
	return worst, nil
}

func (o *outcome) mean(ctx context.Context, by Risk, release *anonymize.Release, truth attack.Truth) (float64, error) {
	options := attack.Options{Sample: attackSample, Random: rand.NewPCG(o.options.Seed, 0)}
	switch {
	case by == Learned:
		found, err := attack.Learned(ctx, release, truth, options)
		if errors.As(err, new(*attack.RefusedError)) {
			err = fmt.Errorf("%s cannot be measured on this release: %w", by, err)
		}
		return found.Mean, err
	case utility.SpansGroups(release):
		found, err := attack.RecordProbabilities(ctx, release, truth)
		if err != nil {
			return 0, err
		}
		return found.Mean, nil
	}
	found, err := attack.DeFinetti(ctx, release, truth, options)
	return found.Mean, err
}

func (l Loss) measure(ctx context.Context, o *outcome) (float64, error) {
	if l == CorrelationLoss {
		return o.correlationLoss(ctx)
	}
	w := utility.Workload{Queries: o.options.Queries, Low: o.options.Low, High: o.options.High, Seed: o.options.Seed}
	if l == ImputedError {
		return o.answerError(ctx, w)
	}
	e, err := utility.Evaluate(ctx, estimate.Prepare(o.release), o.table, w, nil, nil)
	if err != nil {
		return 0, err
	}
	switch l {
	case MedianRelativeError:
		return e.Estimate.Median, nil
	case P95RelativeError:
		return e.Estimate.P95, nil
	}
	return e.Estimate.Mean, nil
}

// correlationLoss returns the greatest loss over all sensitive attributes.
func (o *outcome) correlationLoss(ctx context.Context) (worst float64, err error) {
	report, err := utility.Loss(ctx, o.release, o.input, o.groupOf)
	if err != nil {
		return 0, err
	}
	for _, a := range report.Attributes {
		if a.GLP == nil {
			return 0, fmt.Errorf("the loss of correlation of %s cannot be measured on this release", a.Attribute)
		}
		worst = max(worst, *a.GLP)
	}
	return worst, nil
}
