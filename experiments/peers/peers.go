// Package peers scores our methods that generalize by the measures that are common for comparing tools. docs/peers.md
// has the figures of other tools.
//
//  1. All methods run on the same records, attributes and promises, and package utility scores
//     them all. Small losses are not everything: what a learner finds out is not scored.
//
//  2. The package runs no other tool, and has no figures of one. It reads another tool's output
//     as a release (ReadRecords) and judges it like ours (Score): it recomputes the promises from
//     the records.
package peers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/cdt"
	"github.com/anonsql/anonsql/anonymize/crossbucket"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/fulldomain"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

const experiment = "peers"

// Experiment scores our methods that generalize at k = 5 and l = 3, as docs/peers.md does for other tools: by the
// measures of package utility, and by a workload of counts.
func Experiment() evaluation.Experiment {
	return evaluation.Experiment{
		Name:    experiment,
		Paper:   "anonsql",
		Title:   "Methods that generalize, by the measures that other tools are compared by: an experiment of ours",
		Figures: figures,
	}
}

// The methods. Methods without a parameter l are omitted.
const (
	localArm  = "mondrian"
	strictArm = "mondrian, strict"
	crossArm  = "cross_bucket"
	cdtArm    = "cdt"
	domainArm = "fulldomain, 5 % suppressed"
)

// An arm is a method with its parameters.
type arm struct {
	label     string
	method    anonymize.Method
	arguments anonymize.Arguments
}

func arms() []arm {
	both := func(more ...string) anonymize.Arguments {
		a := anonymize.Arguments{"k": "5", "l": "3"}
		for i := 0; i < len(more); i += 2 {
			a[more[i]] = more[i+1]
		}
		return a
	}
	return []arm{
		{localArm, mondrian.Method(), both()},
		{strictArm, mondrian.Method(), both("mode", "strict")},
		{crossArm, crossbucket.Method(), both()},
		{cdtArm, cdt.Method(), both("max_share", "1/3")},
		{domainArm, fulldomain.Method(), both("suppress", "0.05")},
	}
}

// minCount is the share of the records that a query must count to be scored: errors of smaller counts say more about
// chance than about the release.
const minCount = 0.001

// scored is a method with its scores.
type scored struct {
	label  string
	loss   *utility.GeneralizationLoss
	errors utility.Distribution
}

func figures(ctx context.Context, run *evaluation.Run) ([]evaluation.Figure, error) {
	quasi, err := run.Attributes(
		experiment,
		"age",
		"workclass",
		"education",
		"marital_status",
		"race or region",
		"sex",
		"native_country or hours_per_week",
		"income",
	)
	if err != nil {
		return nil, err
	}
	sensitive, err := run.Attribute(experiment, nil, "disease", "occupation")
	if err != nil {
		return nil, err
	}
	rows, queries := run.Table.Rows, 2000
	if run.Quick {
		rows, queries = 1000, 100
	}
	table := evaluation.Drawn(append(quasi, sensitive), rows, run.Random("table"))
	roles := anonymize.Roles{QuasiIdentifiers: evaluation.Names(quasi), Sensitive: []string{sensitive.Name}}
	w := Counts(queries, run.Random("queries").Uint64())
	run.ReportProgress(experiment, 0, len(arms()))
	var all []*scored
	for i, a := range arms() {
		p, err := score(ctx, a, table, roles, w, run.Random("method", uint64(i)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.label, err)
		}
		all = append(all, p)
		run.ReportProgress(experiment, i+1, len(arms()))
	}
	notes := []string{fmt.Sprintf("%d records, %d quasi-identifiers (%s) without hierarchies, sensitive attribute %s, k = 5 and a share of at most 1/3.",
		table.Rows, len(quasi), strings.Join(roles.QuasiIdentifiers, ", "), sensitive.Name)}
	return []evaluation.Figure{errorsOf(all, queries, notes), penaltiesOf(all, notes), discernibilityOf(all, notes)}, nil
}

// score runs a method without hierarchies, and scores its release.
func score(ctx context.Context, a arm, table *anonymize.Microdata, roles anonymize.Roles, w utility.Workload, random *rand.Rand) (*scored, error) {
	in, err := anonymize.NewInput(table, roles, random)
	if err != nil {
		return nil, err
	}
	r, err := a.method.Run(ctx, in, a.arguments)
	if err != nil {
		return nil, err
	}
	e, err := utility.Evaluate(ctx, estimate.Prepare(r), table, w, nil, nil)
	if err != nil {
		return nil, err
	}
	return &scored{a.label, utility.GeneralizationOf(r), e.Estimate}, nil
}

// figure has a series for each measure, with all methods side by side.
func figure(name, title, y string, all []*scored, notes []string, measures []string, of func(p *scored) []float64) evaluation.Figure {
	f := evaluation.Figure{Name: experiment + "-" + name, Printed: name, Title: title, X: "method", Y: y, Notes: notes}
	for i, measure := range measures {
		s := evaluation.Series{Label: measure}
		for x, p := range all {
			s.Points = append(s.Points, evaluation.NewPoint(float64(x), []float64{of(p)[i]}))
		}
		f.Series = append(f.Series, s)
	}
	shows := "Measured: " + strings.Join(measures, " / ") + "."
	for x, p := range all {
		f.Categories = append(f.Categories, p.label)
		for i, s := range f.Series {
			shows += []string{" " + p.label + ": ", " / "}[min(i, 1)] + evaluation.Number(s.Points[x].Y)
		}
		shows += "."
	}
	f.RunShows = shows
	return f
}

// noMore claims that a method does not have more of a measure than another.
func noMore(f *evaluation.Figure, measure, less, more string) evaluation.Claim {
	x := func(label string) float64 {
		at, _ := f.Read("method").Value(measure, float64(slices.Index(f.Categories, label)))
		return at
	}
	c := evaluation.Claim{Says: fmt.Sprintf("%s has no more %s than %s", less, measure, more), Places: 1}
	if x(less) > x(more) {
		c.Against = []string{fmt.Sprintf("%s against %s", evaluation.Number(x(less)), evaluation.Number(x(more)))}
	}
	return c
}

func errorsOf(all []*scored, queries int, notes []string) evaluation.Figure {
	f := figure(
		"errors",
		"Errors of counts, answered from the relations",
		"relative error",
		all,
		append(
			slices.Clone(notes),
			fmt.Sprintf(
				"%d random counts over 1 to 3 quasi-identifiers and the sensitive attribute; those that count at least %s of the records are scored.",
				queries,
				evaluation.Number(minCount),
			),
		),
		[]string{"mean error", "median error"},
		func(p *scored) []float64 { return []float64{p.errors.Mean, p.errors.Median} },
	)
	f.Aim = "Local recoding is less off than strict classes, and these less than full-domain generalization."
	f.Conclude(f.RunShows, []evaluation.Claim{noMore(&f, "mean error", localArm, strictArm), noMore(&f, "mean error", strictArm, domainArm)})
	return f
}

func penaltiesOf(all []*scored, notes []string) evaluation.Figure {
	f := figure("penalties", "Certainty penalty (NCP) and granularity (LM) of cells", "mean over records and quasi-identifiers", all, notes,
		[]string{"NCP", "LM"}, func(p *scored) []float64 { return []float64{p.loss.Mean, p.loss.Granularity} })
	f.Aim = "Local recoding generalizes less than strict classes, and these less than full-domain generalization."
	f.Conclude(f.RunShows, []evaluation.Claim{noMore(&f, "NCP", localArm, strictArm), noMore(&f, "NCP", strictArm, domainArm)})
	return f
}

func discernibilityOf(all []*scored, notes []string) evaluation.Figure {
	f := figure("discernibility", "C_DM without and with a penalty for suppressed records", "records squared", all, notes,
		[]string{"C_DM", "C_DM, suppressed at n"}, func(p *scored) []float64 { return []float64{p.loss.Discernibility, p.loss.DiscernibilitySuppressed} })
	f.LogY = true
	f.Aim = "Strict classes are smaller than those of full-domain generalization."
	f.Conclude(f.RunShows, []evaluation.Claim{noMore(&f, "C_DM", strictArm, domainArm)})
	return f
}
