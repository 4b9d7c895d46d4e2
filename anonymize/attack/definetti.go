package attack

import (
	"context"
	"fmt"
	"math"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// laplace is added to every count of a pair of a quasi-identifier's value and a sensitive
// value.
const laplace = 0.5

// maxParameters is the greatest size of the model, values of all quasi-identifiers times
// sensitive values: 256 MiB.
const maxParameters = 1 << 25

// DeFinetti runs the deFinetti attack. Posteriors start as those of random worlds. A round
// learns P(attribute | value) for every quasi-identifier from them, multiplies these into a
// record's likelihood of each value in its group, and scales the likelihoods to the group's
// counts by Sinkhorn's iteration. It uses nobody's sensitive value.
//
// Cost: a round is O(records x values in a group x (quasi-identifiers + 20)), without
// allocation. Memory: O(records), the model and the largest group.
func DeFinetti(ctx context.Context, r *anonymize.Release, truth Truth, o Options) (Result, error) {
	o = o.withDefaults()
	w, err := newWorlds(r, truth, o)
	if err != nil {
		return Result{}, fmt.Errorf("deFinetti attack: %w", err)
	}
	b, err := newBayes(w, truth.QuasiIdentifiers, o.Bins)
	if err != nil {
		return Result{}, fmt.Errorf("deFinetti attack: %w", err)
	}
	for round := range o.Rounds + 1 {
		if err := b.expect(ctx, round == 0); err != nil {
			return Result{}, err
		}
		if round < o.Rounds {
			b.maximize()
		}
	}
	var t tally
	for i := range b.shards {
		t.add(b.shards[i].tally)
	}
	return t.result(), nil
}

// bayes is the naive Bayes model.
type bayes struct {
	*worlds
	attributes []levels
	offset     []int     // first row of every attribute
	rows       int       // levels of all attributes
	logs       []float64 // rows x width: log P(level | value)
	shards     []shard
}

// A shard is a part of the classes with what it contributes to learning.
type shard struct {
	matching matching
	weight   []float64 // rows x width: expected records
	tally    tally
}

func newBayes(w *worlds, columns []*anonymize.Column, bins int) (*bayes, error) {
	b := &bayes{worlds: w}
	most := maxParameters / (w.width * max(len(columns), 1))
	if most < 2 {
		return nil, fmt.Errorf("%d values of the sensitive attribute are too many for this attack", w.width)
	}
	for _, c := range columns {
		l := newLevels(c, bins, min(most, 1024))
		b.attributes, b.offset = append(b.attributes, l), append(b.offset, b.rows)
		b.rows += l.count
	}
	b.logs = make([]float64, b.rows*w.width)
	b.shards = make([]shard, min(max(maxParameters/4/max(len(b.logs), 1), 1), 16))
	for i := range b.shards {
		b.shards[i].weight = make([]float64, len(b.logs))
	}
	return b, nil
}

// expect computes all posteriors, scores them and adds them up for maximize.
func (b *bayes) expect(ctx context.Context, start bool) error {
	return parallel.Run(ctx, len(b.shards), func(i int) error {
		s := &b.shards[i]
		clear(s.weight)
		s.tally = tally{}
		first, end := b.part(i, len(b.shards))
		for number := first; number < end; number++ {
			if number%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			c := b.classOf(number)
			s.matching.reset(len(c.members), len(c.values))
			if start {
				s.matching.randomWorlds(c.prior)
			} else {
				b.likelihoods(&s.matching, c)
				s.matching.posterior(c)
			}
			b.count(s, c)
			s.tally.look(&s.matching, b.worlds, c)
		}
		return nil
	})
}

func (b *bayes) likelihoods(m *matching, c class) {
	for i, record := range c.members {
		row := m.row(i)
		clear(row)
		for a, l := range b.attributes {
			logs := b.logs[b.levelIndex(a, l, record):][:b.width]
			for j, v := range c.values {
				row[j] += logs[v]
			}
		}
		exponentiate(row)
	}
}

// levelIndex returns the index of a record's level of an attribute in logs and weight.
func (b *bayes) levelIndex(attribute int, l levels, record uint32) int {
	return (b.offset[attribute] + int(l.of[l.codes[record]])) * b.width
}

func (b *bayes) count(s *shard, c class) {
	for i, record := range c.members {
		row := s.matching.row(i)
		for a, l := range b.attributes {
			weight := s.weight[b.levelIndex(a, l, record):][:b.width]
			for j, v := range c.values {
				weight[v] += row[j]
			}
		}
	}
}

// maximize sets P(level | value) = (expected records with both + 0.5) / (expected records with
// the value + 0.5 levels).
func (b *bayes) maximize() {
	for i := range b.shards[1:] {
		for j, x := range b.shards[i+1].weight {
			b.shards[0].weight[j] += x
		}
	}
	weight, total := b.shards[0].weight, make([]float64, b.width)
	for a, l := range b.attributes {
		clear(total)
		first := b.offset[a] * b.width
		table := weight[first : first+l.count*b.width]
		for j, x := range table {
			total[j%b.width] += x
		}
		for j, x := range table {
			b.logs[first+j] = math.Log((x + laplace) / (total[j%b.width] + laplace*float64(l.count)))
		}
	}
}
