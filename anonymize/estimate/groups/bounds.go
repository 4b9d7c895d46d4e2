package groups

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Totals implements [figures.Counter].
//
// Per group, let X be the number of records with a key among m records of f fragments, and a_i
// the number that may have it in fragment i. Then
//
//	max(0, sum a_i - (f-1) m) <= X <= min a_i
//
// and every number in between is attained (Fréchet's bounds for an intersection of f sets). The
// least value of SUM takes the X smallest values of the argument in its fragment, the greatest
// value the X largest, each for the best X. AVG is a quotient of such sums: Dinkelbach's
// iteration finds its bounds. All bounds are attained if the condition is a conjunction of
// conditions on one fragment each and cells are points. A condition across fragments is relaxed
// to one fragment at a time: its bounds still hold, but need not be attained.
func (c *Counter) Totals(ctx context.Context) (figures.TotalOf, error) {
	if counts, err := c.CountTotals(ctx); counts != nil || err != nil {
		return counts, err
	}
	b := &Bounds{GroupTerms: NewGroupTerms(ctx, c.Question, c.Sides), Thinned: figures.ThinningOf(c.Release)}
	return b.TotalOf, b.AddGroups(ctx, c.Release)
}

// AddGroups adds up the groups.
func (b *Bounds) AddGroups(ctx context.Context, r *anonymize.Release) error {
	if question.Decided(b.Sides) && !b.Thinned.IsNone() {
		return b.addWhole(ctx, r)
	}
	return b.EachGroup(r, func(g int) error { return b.group(g, int(r.GroupSizes[g])) })
}

// Bounds adds up, by key and aggregate, what the groups allow.
type Bounds struct {
	*GroupTerms
	Thinned figures.Thinning
	totals  [][]figures.Total
	// Scratch space of one group:
	Views   []projection
	scratch figures.Span
	// First has the first combination of every key in the group; Next has the next combination
	// of the same key; -1 ends the list.
	First, Next []int32
}

func (b *Bounds) group(g, m int) error {
	b.Chain()
	b.PrepareGroup(g)
	for _, key := range b.KeysPresent {
		b.growTo(key)
		for a, aggregate := range b.Question.Aggregates {
			if !aggregate.Kind.HasSpread() {
				continue
			}
			s := b.Span(g, m, a, key)
			if s.High > 0 {
				b.totals[key][a].Add(aggregate.Kind, s, b.Thinned)
			}
			if err := b.Work.Pass(len(b.Entries) + b.Worker.Steps); err != nil {
				return err
			}
		}
	}
	return nil
}

// Chain links the combinations of every key in order.
func (b *Bounds) Chain() {
	b.First, b.Next = question.Resized(b.First, len(b.isPresent)), question.Resized(b.Next, len(b.Entries))
	for _, key := range b.KeysPresent {
		b.First[key] = -1
	}
	for c := len(b.Entries) - 1; c >= 0; c-- {
		if key := b.Key[b.Entries[c]]; key >= 0 {
			b.Next[c], b.First[key] = b.First[key], int32(c)
		}
	}
}

// PrepareGroup makes room for the classes of the group, and counts the records of every side
// that pass the side's own conditions.
func (b *Bounds) PrepareGroup(g int) {
	if b.Views == nil {
		b.Views = make([]projection, len(b.Radix))
	}
	for s, classes := range b.Radix {
		p := &b.Views[s]
		p.begin(classes)
		if b.Sides[s].Point {
			for _, class := range b.Worker.Present[s] {
				p.Alive += int(b.Worker.weight[s][class])
			}
			continue
		}
		b.EachTuple(g, s, func(t uint32, _ []question.Share, whole bool) {
			if whole {
				p.Alive += int(b.Sides[s].Fragment.Count[t])
			}
		})
	}
}

// growTo makes room for a key.
func (b *Bounds) growTo(key int32) {
	for len(b.totals) <= int(key) {
		b.totals = append(b.totals, make([]figures.Total, len(b.Question.Aggregates)))
	}
}

// A projection is the set of qualifying combinations as seen from one side, by the positions of
// its classes.
type projection struct {
	Qualifying      []int  // number of combinations with the class
	Every           []bool // all combinations with the class qualify
	least, greatest []float64
	Some            []int // the classes with a qualifying combination, as they occur
	// possible and sure count the records of the side that may and that must qualify: sure with
	// the right classes of the other sides, surely with any. Alive counts those that pass the
	// side's own conditions.
	possible, sure, surely, Alive int
}

// Span bounds the records of group g that have a key and an argument that is not NULL. The
// result is valid until the next call.
func (b *Bounds) Span(g, m, a int, key int32) *figures.Span {
	qualifying := b.project(a, key)
	s := &b.scratch
	*s = figures.Span{High: m, Least: s.Least[:0], Greatest: s.Greatest[:0]}
	product, shortfall, dead, best := 1, 0, 0, 0
	for i := range b.Views {
		p := &b.Views[i]
		b.count(p, g, i)
		product *= len(p.Some)
		shortfall += m - p.sure
		dead += m - p.Alive
		s.High = min(s.High, p.possible)
		if p.ambiguity() < b.Views[best].ambiguity() {
			best = i
		}
	}
	for i := range b.Views {
		// Records that qualify with any class, except those that meet a record which fails a
		// condition of its own side.
		s.Low = max(s.Low, b.Views[i].surely-(dead-(m-b.Views[i].Alive)))
	}
	if product == qualifying { // a conjunction, within this group
		s.Low = max(s.Low, m-shortfall)
	}
	if b.Question.Aggregates[a].Kind != question.Count {
		b.fillValues(s, &b.Views[best], g, best)
	}
	return s
}

// ambiguity is the sum over the classes of the difference of their greatest and least values.
func (p *projection) ambiguity() float64 {
	total := 0.0
	for _, at := range p.Some {
		total += p.greatest[at] - p.least[at]
	}
	return total
}

// project fills the projections of all sides in one pass over the combinations of the key.
func (b *Bounds) project(a int, key int32) (qualifying int) {
	for s := range b.Views {
		b.Views[s].clear()
	}
	for c := b.First[key]; c >= 0; c = b.Next[c] {
		f := b.Figures[b.Entries[c]][a]
		if f.Records <= 0 {
			continue
		}
		qualifying++
		rest := int(c)
		for s, classes := range b.Radix {
			b.Views[s].see(rest%classes, f.Sum)
			rest /= classes
		}
	}
	for s, classes := range b.Radix {
		p := &b.Views[s]
		for _, at := range p.Some {
			p.Every[at] = p.Qualifying[at] == len(b.Entries)/classes
		}
	}
	return qualifying
}

// begin makes room for n classes.
func (p *projection) begin(n int) {
	p.clear()
	p.Alive = 0
	for len(p.Qualifying) < n {
		p.Qualifying, p.Every = append(p.Qualifying, 0), append(p.Every, false)
		p.least, p.greatest = append(p.least, math.Inf(1)), append(p.greatest, math.Inf(-1))
	}
}

// clear removes the combinations and keeps the group's counts.
func (p *projection) clear() {
	for _, at := range p.Some {
		p.Qualifying[at], p.Every[at], p.least[at], p.greatest[at] = 0, false, math.Inf(1), math.Inf(-1)
	}
	p.Some, p.possible, p.sure, p.surely = p.Some[:0], 0, 0, 0
}

// Unmark removes the mark that all combinations of a class qualify.
func (p *projection) Unmark() {
	for _, at := range p.Some {
		p.Every[at] = false
	}
}

// see adds a qualifying combination that has the class at this position.
func (p *projection) see(at int, value float64) {
	if p.Qualifying[at] == 0 {
		p.Some = append(p.Some, at)
	}
	p.Qualifying[at]++
	p.least[at] = min(p.least[at], value)
	p.greatest[at] = max(p.greatest[at], value)
}

// count counts the records of a side that qualify.
func (b *Bounds) count(p *projection, g, s int) {
	if b.Sides[s].Point {
		for _, at := range p.Some {
			n := int(b.Worker.weight[s][b.Worker.Present[s][at]])
			p.possible += n
			p.sure += n
			if p.Every[at] {
				p.surely += n
			}
		}
		return
	}
	b.EachTuple(g, s, func(t uint32, shares []question.Share, whole bool) {
		count := int(b.Sides[s].Fragment.Count[t])
		possible, sure, surely := false, whole, whole
		for _, share := range shares {
			at := b.At[share.Class]
			some := p.Qualifying[at] > 0
			possible = possible || some
			sure = sure && some
			surely = surely && p.Every[at]
		}
		if possible {
			p.possible += count
		}
		if sure {
			p.sure += count
		}
		if surely {
			p.surely += count
		}
	})
}

// fillValues lists the values of the records of side s that may qualify.
func (b *Bounds) fillValues(out *figures.Span, p *projection, g, s int) {
	if b.Sides[s].Point {
		for _, at := range p.Some {
			out.Repeat(int(b.Worker.weight[s][b.Worker.Present[s][at]]), p.least[at], p.greatest[at])
		}
	} else {
		b.EachTuple(g, s, func(t uint32, shares []question.Share, _ bool) {
			least, greatest := math.Inf(1), math.Inf(-1)
			for _, share := range shares {
				at := b.At[share.Class]
				least, greatest = min(least, p.least[at]), max(greatest, p.greatest[at])
			}
			if least <= greatest {
				out.Repeat(int(b.Sides[s].Fragment.Count[t]), least, greatest)
			}
		})
	}
	slices.Sort(out.Least)
	slices.Sort(out.Greatest)
}

// TotalOf returns the total of aggregate a in a row.
func (b *Bounds) TotalOf(row question.AnswerRow, a int) *figures.Total {
	if key := int(b.Numbering.Number(row.Keys)); key < len(b.totals) {
		return &b.totals[key][a]
	}
	return &figures.Total{}
}
