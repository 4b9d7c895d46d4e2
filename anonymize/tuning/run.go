package tuning

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
)

// Options say what to try and how to compare it.
type Options struct {
	// Methods are the methods to try, each with its Grid.
	Methods []anonymize.Method
	// Values replace a parameter's values to try, by method and parameter.
	Values map[string]map[string][]string
	// Required are guarantees that every choice must meet, and promise: what only this table meets by chance is no choice.
	Required []anonymize.Promise
	// Risk and Loss are the measures for comparing choices. Default to Breach and
	// RelativeError.
	Risk Risk
	Loss Loss
	// LeftOut is the greatest share of the records that a trial may leave out if units have several (package units).
	LeftOut anonymize.Ratio
	// Queries is the number of queries, of Low to High quasi-identifiers, the same for every
	// trial. Default to 500 queries of 1 to 3.
	Queries, Low, High int
	// Seed is the queries' seed.
	Seed uint64
	// Random returns the random source of a trial, by its number.
	Random func(trial int) rand.Source
	// Progress receives the number of finished trials, first 0, from several goroutines; may be
	// nil.
	Progress func(done, total int)
}

func (o *Options) defaults() {
	o.Risk, o.Loss = cmp.Or(o.Risk, Breach), cmp.Or(o.Loss, RelativeError)
	o.Queries, o.Low = cmp.Or(o.Queries, 500), cmp.Or(o.Low, 1)
	o.High = cmp.Or(o.High, max(o.Low, 3))
}

// Run tries everything on the records of in, which are those of table, or on their units, in
// parallel. It returns the trials, the frontier first. Errors are those of the options and the
// context's; a failing trial records its Failure.
func Run(ctx context.Context, table *anonymize.Microdata, in *anonymize.Input, o Options) ([]Trial, error) {
	o.defaults()
	var trials []Trial
	for _, m := range o.Methods {
		grid, err := Grid(m, o.Required, o.Values[m.Name])
		if err != nil {
			return nil, err
		}
		for _, arguments := range grid {
			trials = append(trials, Trial{Method: m, Arguments: arguments})
		}
	}
	if len(trials) > maxTrials {
		return nil, &anonymize.ParameterError{
			Parameter: "methods",
			Value:     fmt.Sprint(len(trials)),
			Rule:      fmt.Sprintf("trials are too many: name fewer methods or values, %d trials at most", maxTrials),
		}
	}
	b := &bench{table: table, input: in, options: o}
	if err := b.runTrials(ctx, trials); err != nil {
		return nil, err
	}
	markFrontier(trials)
	return trials, nil
}

// A bench is what trials share.
type bench struct {
	table   *anonymize.Microdata
	input   *anonymize.Input
	options Options
}

func (b *bench) runTrials(ctx context.Context, trials []Trial) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if b.options.Progress != nil {
		b.options.Progress(0, len(trials)) // the first may take long
	}
	done := parallel.NewCounter(len(trials), b.options.Progress)
	_ = parallel.Run(ctx, len(trials), func(i int) error {
		if err := b.try(ctx, i, &trials[i]); err != nil {
			cancel(err)
			return err
		}
		done.Add(1)
		return nil
	})
	return context.Cause(ctx)
}

// try runs one trial. An error ends all trials: the context's, one in the owner's requirements,
// or a defect.
func (b *bench) try(ctx context.Context, number int, t *Trial) error {
	started := time.Now()
	defer func() { t.Seconds = time.Since(started).Seconds() }()
	beside, err := promisedBeside(t.Arguments)
	if err != nil {
		return err
	}
	required := slices.Concat(b.options.Required, beside)
	for i, p := range required {
		if p.Guarantee == "l" || p.Guarantee == "beta" {
			required[i].NotSensitive = b.input.NotSensitive
		}
	}
	input := *b.input
	input.Random, input.Progress, input.Asked = b.options.Random(number), nil, required
	var groupOf []uint32
	input.Assigned = func(gidOf []uint32) { groupOf = gidOf }
	result, err := units.Run(ctx, t.Method, &input, ofMethod(t.Arguments), b.options.LeftOut)
	if err != nil {
		return t.fail(ctx, err)
	}
	release, published := result.Release, result.Published(&input)
	guarantees, err := privacy.Verify(release)
	if err == nil {
		err = privacy.FirstBroken(guarantees)
	}
	if err != nil {
		return t.fail(ctx, fmt.Errorf("the release is not accepted: %w", err))
	}
	t.Groups = release.Groups()
	if err = t.tellModel(release, published); err != nil {
		return t.fail(ctx, err)
	}
	if t.Guarantees, err = verify(release, required); err != nil {
		return t.fail(ctx, err)
	}
	if err = privacy.FirstBroken(t.Guarantees); err != nil {
		return t.fail(ctx, err)
	}
	if err = checkPromised(release.Promises, b.options.Required, input.Sensitive); err != nil {
		return t.fail(ctx, fmt.Errorf("%s with these parameters %w", t.Method.Name, err))
	}
	found := &outcome{options: &b.options, table: b.table, input: published, release: release, guarantees: guarantees, groupOf: groupOf}
	if result.Records != nil {
		found.table = &anonymize.Microdata{Rows: published.Rows, Columns: slices.Concat(published.QuasiIdentifiers, published.Sensitive)}
	}
	if t.Risk, err = b.options.Risk.measure(ctx, found); err != nil {
		return t.fail(ctx, err)
	}
	if t.Loss, err = b.options.Loss.measure(ctx, found); err != nil {
		return t.fail(ctx, err)
	}
	return nil
}

// fail records the reason, unless the error ends all trials.
func (t *Trial) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t.Failure = err.Error()
	return nil
}

// verify verifies the required promises instead of the method's.
func verify(release *anonymize.Release, required []anonymize.Promise) ([]anonymize.Guarantee, error) {
	if len(required) == 0 {
		return nil, nil
	}
	asked := *release
	asked.Promises = required
	all, err := privacy.Verify(&asked)
	if err != nil {
		if cannot := new(privacy.CannotCheckError); errors.As(err, &cannot) {
			return nil, fmt.Errorf("%s is asked for and cannot be recomputed: %s", cannot.Guarantee, cannot.Reason)
		}
		return nil, err
	}
	return slices.DeleteFunc(all, func(g anonymize.Guarantee) bool { return g.Required == nil }), nil
}

// checkPromised refuses a requirement that only the sample is known to meet: it is no option of every method, and no promise of this one.
func checkPromised(promised, required []anonymize.Promise, sensitive []*anonymize.Column) error {
	for _, asked := range required {
		isPromised := func(attributes ...string) bool {
			return slices.ContainsFunc(promised, func(p anonymize.Promise) bool {
				name, about, _ := anonymize.SplitAbout(p.Guarantee)
				return slices.Equal(about, attributes) && implies(name, p, asked)
			})
		}
		ofOne := func(c *anonymize.Column) bool { return !isPromised(c.Name) }
		if _, any := privacy.OptionNamed(asked.Guarantee); !any && !isPromised() && (len(sensitive) == 0 || slices.ContainsFunc(sensitive, ofOne)) {
			return fmt.Errorf("does not promise %s = %s: these records keep it, and the whole table may not. Try a method that promises it, or leave it out",
				asked.Guarantee, asked.Bound)
		}
	}
	return nil
}

// implies reports whether a promise, under its name without attributes, includes what is asked: l, beta and breach bound the same share (package privacy).
func implies(name string, promised, asked anonymize.Promise) bool {
	bound := promised.Bound
	if name == asked.Guarantee {
		return !privacy.Stricter(name, asked.Bound, bound)
	}
	if bound.Num == 0 || asked.Guarantee == "breach" && promised.NotSensitive != nil { // breach counts all values
		return false
	}
	switch {
	case name == "beta" && asked.Guarantee == "l": // a whole number
		return anonymize.NewRatio(bound.Den/bound.Num, 1).Cmp(asked.Bound) >= 0
	case name == "beta" && asked.Guarantee == "breach":
		return bound.Cmp(asked.Bound) <= 0
	}
	return name == "l" && (asked.Guarantee == "beta" || asked.Guarantee == "breach") && anonymize.NewRatio(bound.Den, bound.Num).Cmp(asked.Bound) <= 0
}
