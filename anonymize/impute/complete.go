package impute

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/membership"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Options of Complete. The zero value is usual.
type Options struct {
	// Tables is the number of completed tables, at least 2; 0: TablesOf.
	Tables int
	// Workers is the number of cores; 0: all. It affects only the time.
	Workers int
	// Progress, if not nil, receives the finished and the total units of work in a phase.
	// Several goroutines call it, one at a time.
	Progress func(phase string, done, total int)
}

func (o Options) counter(phase string, total int) *parallel.Counter {
	if o.Progress == nil {
		return parallel.NewCounter(total, nil)
	}
	return parallel.NewCounter(total, func(done, total int) { o.Progress(phase, done, total) })
}

// TablesOf returns the number of completed tables for that many records: 12, and for more than
// 166,666 records fewer, but at least 8.
func TablesOf(records int) int { return max(8, min(12, 2_000_000/max(1, records))) }

// Iterations of the common fit and of the chains that start from it.
const (
	fitIterations   = 60
	againIterations = 30 // with the prior that was found
	trialIterations = 20
	chainIterations = 20
	keptIterations  = 10 // the last ones; their mean is the model
	// trial is the number of models that determine the prior.
	trial = 6
	// settlingSmall and settlingLarge are the numbers of rounds until shuffled matchings have
	// the model's distribution: in groups whose fragments are matched in one step, after
	// matching them one by one (on Adult the energy is constant from the fourth round on, in
	// ten fragments), and in larger groups.
	settlingSmall = 6
	settlingLarge = 12
	// maxFitted is the approximate greatest number of records to fit.
	maxFitted = 50_000
)

// Complete fits the model to a release and draws completed tables; with units, also which rows
// belong to a unit. Errors: a RefusedError, the context's.
func Complete(ctx context.Context, r *anonymize.Release, o Options) (*anonymize.Completion, error) {
	if err := Refuse(r); err != nil {
		return nil, err
	}
	if o.Tables == 0 {
		o.Tables = TablesOf(r.Rows)
	}
	o.Tables = max(2, o.Tables)
	models, c, err := complete(ctx, r, o)
	if err != nil || r.Units == nil {
		return c, err
	}
	return membership.Join(ctx, r, c, logOdds(r, models))
}

// logOdds returns the log odds of two tuples in one row under the models of the tables. What is
// constant in units goes together with all of a unit's records of a value, which count as one.
func logOdds(r *anonymize.Release, models []*model) membership.LogOdds {
	return func(table, i int, s uint32, j int, t uint32) (sum float32) {
		m := models[table]
		units := float32(r.Fragments[j].Units[t]) / float32(r.Fragments[j].Count[t]) // a record
		for k, one := range r.Fragments[i].Columns {
			u, own := int(m.attributes[m.of[i]+k].category[one.Codes[s]]), float32(0)
			for l, other := range r.Fragments[j].Columns {
				own += m.theta[u*m.categories+int(m.attributes[m.of[j]+l].category[other.Codes[t]])]
			}
			if one.Constant {
				own = float32(own * units)
			}
			sum += own
		}
		return sum
	}
}

// complete fits a model per table and draws the tables.
func complete(ctx context.Context, r *anonymize.Release, o Options) ([]*model, *anonymize.Completion, error) {
	f, err := newFitter(ctx, r, o)
	if err != nil {
		return nil, nil, err
	}
	models, err := f.models(ctx)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.draw(ctx, models)
	return models, c, err
}

// A fitter has what all chains share.
type fitter struct {
	release *anonymize.Release
	options Options
	schema  *schema
	sample  *slots
	seed    [2]uint64
	drawn   uint64 // number of random sources handed out
}

func newFitter(ctx context.Context, r *anonymize.Release, o Options) (*fitter, error) {
	digest, err := digestOf(ctx, r)
	if err != nil {
		return nil, err
	}
	f := &fitter{release: r, options: o}
	if f.schema, err = newSchema(ctx, r); err != nil {
		return nil, err
	}
	for i := range 16 {
		f.seed[i/8] = f.seed[i/8]<<8 | uint64(digest[i])
	}
	f.sample = f.schema.slotsOf(r, f.sampled())
	return f, nil
}

// source returns a new random source.
func (f *fitter) source() *rand.Rand {
	f.drawn++
	return rand.New(rand.NewPCG(f.seed[0]^f.drawn, f.seed[1]))
}

// sampled chooses random groups with about maxFitted records, ascending.
func (f *fitter) sampled() []uint32 {
	random, left := f.source(), float64(maxFitted)/float64(max(1, f.release.Rows))
	var groups []uint32
	for g := range f.release.GroupSizes {
		if left >= 1 || random.Float64() < left {
			groups = append(groups, uint32(g))
		}
	}
	return groups
}

// models fits a model per table: first some with the weak prior, to find the prior of every
// pair, then all with that.
func (f *fitter) models(ctx context.Context) ([]*model, error) {
	total := fitIterations + trial*trialIterations + againIterations + f.options.Tables*chainIterations
	done := f.options.counter("fitting", total)
	seed := f.source().Uint64()
	t := f.sample.begin()
	t.shuffle(rand.New(rand.NewPCG(seed, 0)))
	common := newModel(f.sample, f.schema.weakPrior())
	c := newChain(common, t, nil, seed, f.options.Workers)
	if err := c.iterate(ctx, fitIterations, keptIterations, func() { done.Add(1) }); err != nil {
		return nil, err
	}
	models, err := f.bootstrap(ctx, common, t, trial, trialIterations, func() { done.Add(1) })
	if err != nil {
		return nil, err
	}
	common.prior = shrunk(f.sample, models)
	if err := c.iterate(ctx, againIterations, keptIterations, func() { done.Add(1) }); err != nil {
		return nil, err
	}
	return f.bootstrap(ctx, common, t, f.options.Tables, chainIterations, func() { done.Add(1) })
}

// bootstrap fits models, starting from the common one and its table. Group weights are drawn
// from the exponential distribution (Rubin 1981), and models are shrunk towards a centre drawn
// from the prior. So what the data leave open appears as a difference between tables.
func (f *fitter) bootstrap(ctx context.Context, common *model, start *table, count, iterations int, told func()) ([]*model, error) {
	models := make([]*model, count)
	sources := make([]*rand.Rand, len(models))
	for d := range sources {
		sources[d] = f.source()
	}
	err := parallel.RunOn(ctx, f.options.Workers, len(models), func(d int) error {
		random := sources[d]
		weights := make([]float32, f.sample.groups())
		for g := range weights {
			weights[g] = exponentialVariate(random)
		}
		m := common.copy()
		m.centre = common.prior.centres(f.schema, random)
		m.targets = perturbed(common.targets, random)
		c := newChain(m, start.copy(), weights, random.Uint64(), 1)
		if c.iterate(ctx, iterations, keptIterations, told) == nil {
			models[d] = m
		}
		return nil
	})
	return models, err
}

// centres draws the point towards which theta is shrunk; nil without deviations.
func (p *prior) centres(s *schema, random *rand.Rand) []float32 {
	if p.deviation == nil {
		return nil
	}
	centre := make([]float32, s.categories*s.categories)
	for i := range s.attributes {
		for j := range i {
			deviation := p.deviation[i*p.attributes+j]
			if deviation == 0 {
				continue
			}
			for u := s.attributes[i].first; u < s.attributes[i].end; u++ {
				for v := s.attributes[j].first; v < s.attributes[j].end; v++ {
					centre[u*s.categories+v] = float32(deviation * normalVariate(random))
				}
			}
		}
	}
	return centre
}

// draw draws the matchings of every table from its model, block by block.
func (f *fitter) draw(ctx context.Context, models []*model) (*anonymize.Completion, error) {
	completion := anonymize.BlankCompletion(f.release, len(models))
	factors := make([]*factors, len(models))
	for d, m := range models {
		factors[d] = m.newFactors()
		factors[d].refresh()
	}
	blocks := f.blocks()
	seed := f.source().Uint64()
	done := f.options.counter("completing", len(blocks)*len(models))
	err := parallel.RunOn(ctx, f.options.Workers, len(blocks), func(b int) error {
		l := f.schema.slotsOf(f.release, blocks[b].groups)
		for d := range models {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			t := l.begin()
			w := sweeper{ctx: ctx, random: rand.New(rand.NewPCG(seed^uint64(d), uint64(b)))}
			t.shuffle(w.random)
			w.settle(t, factors[d], 0, l.groups())
			for j, places := range t.place {
				completion.Put(d, j+1, blocks[b].first, places)
			}
			done.Add(1)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return completion, nil
}

// A block is a run of groups; first is the number of slots before them.
type block struct {
	groups []uint32
	first  int
}

func (f *fitter) blocks() []block {
	var blocks []block
	slot := 0
	for g, size := range f.release.GroupSizes {
		if n := len(blocks); n == 0 || slot-blocks[n-1].first >= blockSlots {
			blocks = append(blocks, block{first: slot})
		}
		last := &blocks[len(blocks)-1]
		last.groups = append(last.groups, uint32(g))
		slot += int(size)
	}
	return blocks
}
