package impute

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// blockSlots is the approximate number of slots of a block of work. Each block has its own
// random source and sums, and sums are added up in order, so the number of cores does not
// affect the result.
const blockSlots = 2048

// A chain is one run of stochastic expectation-maximization.
type chain struct {
	*ascent
	table   *table
	factors *factors  // of the model at the beginning of the iteration
	weights []float32 // of the groups; nil means 1
	seed    uint64
	workers int
	blocks  []int    // the first group of every block, and the end
	scores  []*score // one per worker
	met     []*meeting
	sweeper []sweeper
	// parts is the number of parts of the blocks; an iteration visits one part, in turn.
	parts int
	// swept counts the calls of sweep, each of which has its own random sources.
	swept uint64
	mean  []float32 // sum of theta and bias over the last means iterations
	means int
}

// newChain starts a chain at a model, which it will change, and at a table.
func newChain(m *model, t *table, weights []float32, seed uint64, workers int) *chain {
	frequency, records := t.frequencies(weights)
	c := &chain{ascent: m.ascend(frequency, records), table: t, factors: m.newFactors(), weights: weights, seed: seed, workers: parallel.Cores(workers),
		blocks: blocksOf(t.slots), parts: partsOf(t.slots)}
	for range c.workers {
		c.scores = append(c.scores, t.newScore())
	}
	c.sweeper = make([]sweeper, c.workers)
	for _, t := range m.targets {
		c.met = append(c.met, t.begin())
	}
	return c
}

// blocksOf divides the groups into blocks.
func blocksOf(l *slots) []int {
	var blocks []int
	for g, begun := 0, -1; g < l.groups(); g++ {
		if block := int(l.first[g]) / blockSlots; block > begun {
			blocks, begun = append(blocks, g), block
		}
	}
	return append(blocks, l.groups())
}

// roundsPerStep is 1: more rounds cost more than they help, since the next step brings others.
const roundsPerStep = 1

// maxWork is the approximate greatest number of additions of a gradient step. If all records
// would cost more, a part of them suffices, since momentum averages over the parts. On Adult in
// three tables, a step with half of the records takes half of the time. The error of pairs is
// equal (.147); that of random questions may be larger (.155 and .148 in two publications, .132
// and .145 with all records), and the tables differ by a tenth more, which is what they missed.
// Thirds and quarters have larger errors.
const maxWork = 15_000_000

func partsOf(l *slots) int {
	work := l.count() * len(l.attributes) * (l.categories - l.responses)
	blocks := (l.count() + blockSlots - 1) / blockSlots
	return max(1, min(4, work/maxWork, blocks))
}

// iterate runs some iterations, each a draw of matchings and a step. The chain continues from
// the mean of the last `kept` iterations.
func (c *chain) iterate(ctx context.Context, iterations, kept int, told func()) error {
	for i := range iterations {
		if err := c.iteration(ctx, i); err != nil {
			return err
		}
		if i >= iterations-kept {
			c.remember()
		}
		told()
	}
	c.settle()
	return nil
}

func (c *chain) iteration(ctx context.Context, i int) error {
	part, parts, blocks := i%c.parts, c.parts, len(c.blocks)-1
	mine := (blocks - part + parts - 1) / parts
	c.swept++
	c.factors.refresh()
	_, err := parallel.Collect(ctx, c.workers, mine, func(number int) int { return number }, func(worker, n int) error {
		block := part + n*parts
		c.sweepBlock(ctx, worker, block, roundsPerStep)
		for g := c.blocks[block]; g < c.blocks[block+1]; g++ {
			c.score(ctx, worker, g)
		}
		return nil
	})
	if err != nil {
		return err
	}
	seen := 0
	for block := part; block < blocks; block += parts {
		seen += int(c.table.first[c.blocks[block+1]] - c.table.first[c.blocks[block]])
	}
	total := c.scores[0]
	for _, s := range c.scores[1:] {
		total.merge(s)
	}
	total.finish()
	c.meet(total, part)
	c.step(total, float32(c.table.count())/float32(seen))
	return nil
}

// meet replaces the counts of the blocks in this step by those of the release's model.
func (c *chain) meet(total *score, part int) {
	for _, t := range c.met {
		t.clear()
		for block := part; block < len(c.blocks)-1; block += c.parts {
			for g := c.blocks[block]; g < c.blocks[block+1]; g++ {
				t.add(c.table, int(c.table.first[g]), int(c.table.first[g+1]), c.weight(g))
			}
		}
		t.meet(total)
	}
}

func (c *chain) weight(g int) float32 {
	if c.weights == nil {
		return 1
	}
	return c.weights[g]
}

// score adds a group to a worker's score.
func (c *chain) score(ctx context.Context, worker, g int) {
	weight, end := c.weight(g), int(c.table.first[g+1])
	for low := int(c.table.first[g]); low < end; low += blockSlots {
		if end-low > blockSlots && ctx.Err() != nil {
			return // of a large group: stop half-way
		}
		c.scores[worker].add(c.table, c.factors, low, min(low+blockSlots, end), weight)
	}
}

// sweepBlock redraws the matchings of a block in some rounds.
func (c *chain) sweepBlock(ctx context.Context, worker, block, rounds int) {
	w := &c.sweeper[worker]
	w.ctx, w.random = ctx, rand.New(rand.NewPCG(c.seed, c.swept<<32|uint64(block)))
	w.sweep(c.table, c.factors, c.blocks[block], c.blocks[block+1], rounds)
}

func (c *chain) remember() {
	if c.mean == nil {
		c.mean = make([]float32, len(c.theta)+len(c.bias))
	}
	add(c.mean[:len(c.theta)], c.theta)
	add(c.mean[len(c.theta):], c.bias)
	c.means++
}

// settle replaces theta by its mean over the remembered iterations (Polyak and Juditsky 1992).
func (c *chain) settle() {
	if c.means == 0 {
		return
	}
	for i, sum := range c.mean[:len(c.theta)] {
		c.theta[i] = sum / float32(c.means)
	}
	for i, sum := range c.mean[len(c.theta):] {
		c.bias[i] = sum / float32(c.means)
	}
	clear(c.velocity)
	clear(c.mean)
	c.means = 0
}
