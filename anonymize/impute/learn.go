package impute

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// A Learned is what all groups of a release together reveal about how its attributes depend on
// each other: one model, fitted to all groups. It is immutable.
type Learned struct {
	release *anonymize.Release
	model   *model
	factors *factors // of the model
	seed    [2]uint64
	workers int
}

// Learn fits one model to a release, with the weak prior. For guesses about single records it
// is as good as the prior of Complete, which takes five times the work: on Adult the mean
// probability of the actual value is larger by up to .006 or smaller by up to .004, and the
// first guess is right less often by up to .015. Learn ignores Options.Tables. Errors: a
// RefusedError, the context's.
func Learn(ctx context.Context, r *anonymize.Release, o Options) (*Learned, error) {
	if err := Refuse(r); err != nil {
		return nil, err
	}
	f, err := newFitter(ctx, r, o)
	if err != nil {
		return nil, err
	}
	m := newModel(f.sample, f.schema.weakPrior())
	done := o.counter("learning", fitIterations)
	seed := f.source().Uint64()
	t := f.sample.begin()
	t.shuffle(rand.New(rand.NewPCG(seed, 0)))
	c := newChain(m, t, nil, seed, o.Workers)
	if err := c.iterate(ctx, fitIterations, keptIterations, func() { done.Add(1) }); err != nil {
		return nil, err
	}
	factors := m.newFactors()
	factors.refresh()
	return &Learned{r, m, factors, f.seed, o.Workers}, nil
}
