package impute

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/membership"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Options of Complete. The zero value is the usual choice.
type Options struct {
	// Tables is the number of completed tables, at least 2; 0: TablesOf.
	Tables int
	// Workers is the number of cores; 0: all. It changes the time only.
	Workers int
	// Progress is told of finished work, done of total units of a phase, from
	// several goroutines, one at a time; nil when nobody listens.
	Progress func(phase string, done, total int)
}

func (o Options) counter(phase string, total int) *parallel.Counter {
	if o.Progress == nil {
		return parallel.NewCounter(total, nil)
	}
	return parallel.NewCounter(total, func(done, total int) { o.Progress(phase, done, total) })
}

// TablesOf returns the number of completed tables that a release of that many records
// gets: 12, and fewer, but at least 8, of more than 166,666 records.
func TablesOf(records int) int { return max(8, min(12, 2_000_000/max(1, records))) }

// The fit of all records, and those of chains that start from it.
const (
	fitIterations   = 60
	againIterations = 30 // more, with the prior that was found
	trialIterations = 20
	chainIterations = 20
	keptIterations  = 10 // the last ones, whose mean is the model
	// trial is how many models the prior is found from.
	trial = 6
	// settlingSmall and settlingLarge are how many rounds it takes before shuffled
	// matchings are those of a table: in groups whose fragments are matched in one step,
	// one after the other before that (on Adult the energy is constant from the fourth
	// round on, in ten fragments), and in larger groups.
	settlingSmall = 6
	settlingLarge = 12
	// maxFitted is about the most records that the fit looks at.
	maxFitted = 50_000
)

// Complete fits the model to a release and draws completed tables, where it has units of the rows of units. Errors: a
// RefusedError, the context's.
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

// logOdds are those of tuples in one row, by the models that the tables were drawn from. What is constant in units goes with a unit's records of a
// value together, which count as one.
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

// complete fits one model a table, and draws the tables.
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
	drawn   uint64 // the random sources that were handed out
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

// source returns a random source that nobody else gets.
func (f *fitter) source() *rand.Rand {
	f.drawn++
	return rand.New(rand.NewPCG(f.seed[0]^f.drawn, f.seed[1]))
}

// sampled chooses groups at random until they have maxFitted records, ascending.
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

// models fits one model a table: first some with the weak prior, to find the prior of
// every pair, then with that.
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

// bootstrap fits some models, from the common one and its table: to groups whose weights
// are drawn from the exponential distribution (Rubin 1981), and shrunk towards a
// centre drawn from the prior, so that what the data do not say shows as a difference
// of the tables.
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

// centres draws what theta is shrunk towards; nil without deviations.
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

// draw draws the matchings of every table given its model, block by block of groups.
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

// A block is some groups that follow each other, and the slots before them.
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
