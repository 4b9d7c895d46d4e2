package score

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

const (
	// block is the number of consecutive records that exchange among themselves.
	block = 50_000
	// temperature is the mean amount by which an exchange may raise the objective. If exchanges always lowered it, they would end where the
	// assignment of values to records allows none: an attacker who knows everything else could count under which assignment the fewest
	// remain. At a temperature, groups are drawn, the better the likelier. The assignments within a group are equally likely, because
	// groups are judged as sets (Metropolis et al., Equation of State Calculations by Fast Computing Machines, 1953).
	temperature = 0.01
	// preferred is how often two records of one value are tried instead of any two.
	preferred = 0.65
	// chunk is the number of pairs of a parallel task.
	chunk = 128
)

// An exchanger exchanges records between groups.
type exchanger struct {
	*Space
	random *rand.Rand
	groups []*group
	// nearness is the weight of the scatter, alike the scatter of groups of similar records.
	nearness, alike float64
	// bound is the greatest allowed posterior; penalty is the cost of exceeding it.
	bound, penalty float64
	equalSizes     bool
}

// run takes that many steps over the groups first .. end-1. In the last third, the bound counts.
func (x *exchanger) run(ctx context.Context, in *anonymize.Input, first, end, steps int) error {
	x.addUp(x.groups[first:end])
	defer func() {
		for _, g := range x.groups[first:end] {
			g.sum = nil
		}
	}()
	for step := range steps {
		if step%64 == 0 {
			in.Report("exchanges", first*steps+step*(end-first), len(x.groups)*steps)
		}
		if x.bound < 1 && step == steps-steps/3 {
			x.penalty = 3
		}
		if err := x.step(ctx, x.groups[first:end], step); err != nil {
			return err
		}
	}
	x.penalty = 0
	return nil
}

// step pairs groups that are near each other along a random direction (every sixth time, random groups)
// and tries one exchange per pair. Pairs are disjoint, and all random numbers are drawn first.
func (x *exchanger) step(ctx context.Context, groups []*group, number int) error {
	order := x.line(groups, number)[number%2*min(1, len(groups)):]
	draws := make([]draw, len(order)/2)
	for i := range draws {
		draws[i] = draw{x.random.Uint64(), temperature * x.random.ExpFloat64()}
	}
	_, err := parallel.Collect(ctx, parallel.All, (len(draws)+chunk-1)/chunk, func(int) *matcher { return new(matcher) },
		func(t *matcher, task int) error {
			for i := task * chunk; i < min(len(draws), (task+1)*chunk); i++ {
				x.try(t, order[2*i], order[2*i+1], draws[i], number%2 == 1)
			}
			return nil
		})
	return err
}

// A draw is the random part of an exchange: which records, and how much the objective may rise.
type draw struct {
	slots uint64
	rise  float64
}

// line orders the groups for a step.
func (x *exchanger) line(groups []*group, number int) []*group {
	line := slices.Clone(groups)
	if number%6 == 5 {
		x.random.Shuffle(len(line), func(i, j int) { line[i], line[j] = line[j], line[i] })
		return line
	}
	noise := 0.0
	if number%3 == 2 {
		noise = 0.2
	}
	return x.project(line, noise)
}

// project sorts groups by the means of their points along a random direction, in which
// quasi-identifiers have half the weight. noise is normal, in standard deviations of the means.
func (x *exchanger) project(groups []*group, noise float64) []*group {
	direction := make([]float64, x.dimensions())
	for d := range direction {
		if direction[d] = x.random.NormFloat64(); d >= x.components {
			direction[d] /= 2
		}
	}
	type placed struct {
		*group
		place float64
	}
	line, sum, squares := make([]placed, len(groups)), 0.0, 0.0
	for i, g := range groups {
		place := 0.0
		for d, u := range direction {
			place += u * g.sum[d]
		}
		place /= float64(len(g.records))
		line[i] = placed{g, place}
		sum, squares = sum+place, squares+place*place
	}
	if noise > 0 {
		n := float64(len(groups))
		noise *= sqrt(squares/n - sum*sum/n/n)
		for i := range line {
			line[i].place += noise * x.random.NormFloat64()
		}
	}
	slices.SortStableFunc(line, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	for i := range line {
		groups[i] = line[i].group
	}
	return groups
}

// try makes one exchange of two groups if the sum of their objectives falls, or rises by no more than allowed.
// Every second step prefers two records of one value, if there are any: they can always be exchanged.
func (x *exchanger) try(t *matcher, g, h *group, d draw, alike bool) {
	i, j := int(d.slots&0xffff)%len(g.records), int(d.slots>>16&0xffff)%len(h.records)
	if alike && float64(d.slots>>32&0xffff) < preferred*(1<<16) {
		i, j = x.ofOneValue(g, h, i, j)
	}
	if !x.keeps(g, h, i, j) {
		return
	}
	before := x.objective(g.verdict, g.scatter) + x.objective(h.verdict, h.scatter)
	if m := x.look(t, g, h, i, j); m.objectives() < before+d.rise {
		x.exchange(m)
	}
}

// ofOneValue returns the first slots from i and j on with equal values, or i and j.
func (x *exchanger) ofOneValue(g, h *group, i, j int) (int, int) {
	for a := range g.records {
		a = (a + i) % len(g.records)
		for b := range h.records {
			b = (b + j) % len(h.records)
			if x.value[g.records[a]] == x.value[h.records[b]] {
				return a, b
			}
		}
	}
	return i, j
}

// keeps reports whether an exchange keeps the groups' counts of values, each or as a pair: then
// it keeps whatever the counts promised.
func (x *exchanger) keeps(g, h *group, i, j int) bool {
	a, b := x.value[g.records[i]], x.value[h.records[j]]
	if a == b {
		return true
	}
	if x.equalSizes && len(g.records) != len(h.records) {
		return false
	}
	return x.count(g, a) == x.count(h, a)+1 && x.count(h, b) == x.count(g, b)+1
}

func (x *exchanger) count(g *group, value uint32) (n int) {
	for _, record := range g.records {
		if x.value[record] == value {
			n++
		}
	}
	return n
}

// A move is an exchange of two records with its effect on the groups.
type move struct {
	x                  *exchanger
	g, h               *group
	i, j               int
	ofG, ofH           verdict
	scatterG, scatterH float64
}

// objectives returns the sum of the objectives after the exchange.
func (m *move) objectives() float64 {
	return m.x.objective(m.ofG, m.scatterG) + m.x.objective(m.ofH, m.scatterH)
}

// look evaluates an exchange without making it.
func (x *exchanger) look(t *matcher, g, h *group, i, j int) *move {
	a, b := g.records[i], h.records[j]
	m := &move{x: x, g: g, h: h, i: i, j: j, ofG: g.verdict, ofH: h.verdict}
	m.scatterG, m.scatterH = x.scatterAfter(g, a, b), x.scatterAfter(h, b, a)
	if x.nearness < 1 || x.bound < 1 {
		g.records[i], h.records[j] = b, a
		m.ofG, m.ofH = t.judge(x.Model, g.records), t.judge(x.Model, h.records)
		g.records[i], h.records[j] = a, b
	}
	return m
}

// exchange makes a move.
func (x *exchanger) exchange(m *move) {
	a, b := m.g.records[m.i], m.h.records[m.j]
	x.add(m.g.sum, a, -1)
	x.add(m.g.sum, b, 1)
	x.add(m.h.sum, b, -1)
	x.add(m.h.sum, a, 1)
	m.g.records[m.i], m.h.records[m.j] = b, a
	m.g.verdict, m.g.scatter = m.ofG, m.scatterG
	m.h.verdict, m.h.scatter = m.ofH, m.scatterH
}

// judgeAll computes the verdicts of all groups.
func (x *exchanger) judgeAll(ctx context.Context) error {
	_, err := parallel.Collect(ctx, parallel.All, (len(x.groups)+chunk-1)/chunk, func(int) *matcher { return new(matcher) },
		func(t *matcher, task int) error {
			for _, g := range x.groups[task*chunk : min(len(x.groups), (task+1)*chunk)] {
				g.verdict = t.judge(x.Model, g.records)
			}
			return nil
		})
	return err
}

// blocks returns the ends of runs of groups with about block records.
func (x *exchanger) blocks() (ends []int) {
	records := 0
	for i, g := range x.groups {
		if records += len(g.records); records >= block && i < len(x.groups)-1 {
			ends, records = append(ends, i+1), 0
		}
	}
	return append(ends, len(x.groups))
}

// partition returns the current groups.
func (x *exchanger) partition() *bucketization.Partition {
	p := &bucketization.Partition{Start: []uint32{0}}
	for _, g := range x.groups {
		p.Add(g.records)
	}
	return p
}
