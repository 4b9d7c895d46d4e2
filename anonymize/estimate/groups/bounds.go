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
// Per group, for records that have a key in m records of f fragments, a_i of
// them possible in fragment i,
//
//	max(0, sum a_i - (f-1) m) <= X <= min a_i
//
// every number in between being attained, and SUM has its least value at the X
// smallest, its greatest at the X largest of the argument's values in its
// fragment, for the best X. The bounds of X are those of Fréchet for an
// intersection of f sets. All are attained where the condition is a conjunction of
// conditions on one fragment each and cells are points; AVG, a quotient of such sums, by Dinkelbach's iteration. A
// condition across fragments is bounded by relaxing it to one fragment at a
// time: still true always, no longer attained always.
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

// Bounds adds up, by key and aggregate, what every group allows.
type Bounds struct {
	*GroupTerms
	Thinned figures.Thinning
	totals  [][]figures.Total
	// scratch of one group
	Views   []projection
	scratch figures.Span
	// First has the first combination of every key present, next that of the same key
	// after each; -1 at the end.
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

// Chain links the combinations of every key, in their order.
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
// that pass its own conditions.
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

// A projection is the set of qualifying combinations as one side sees it, by
// the position of its classes.
type projection struct {
	Qualifying      []int  // combinations with the class
	Every           []bool // all of them qualify
	least, greatest []float64
	Some            []int // the classes with one that qualifies, as they occur
	// possible and sure count the records of the side that may and that must
	// qualify: sure with the right classes of the other sides, surely with
	// any. alive ones pass the side's own conditions.
	possible, sure, surely, Alive int
}

// Span bounds the records of group g that have a key and an argument that is
// not NULL. The result is scratch.
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
		// Records that qualify with any class, but for those that meet a
		// record that fails a condition of its own side.
		s.Low = max(s.Low, b.Views[i].surely-(dead-(m-b.Views[i].Alive)))
	}
	if product == qualifying { // a conjunction, seen from here
		s.Low = max(s.Low, m-shortfall)
	}
	if b.Question.Aggregates[a].Kind != question.Count {
		b.fillValues(s, &b.Views[best], g, best)
	}
	return s
}

// ambiguity is how far apart the values of one class can be, over all classes.
func (p *projection) ambiguity() float64 {
	total := 0.0
	for _, at := range p.Some {
		total += p.greatest[at] - p.least[at]
	}
	return total
}

// project fills the sides' projections in one walk over the combinations of the key.
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

// clear forgets the combinations, and leaves what the group has.
func (p *projection) clear() {
	for _, at := range p.Some {
		p.Qualifying[at], p.Every[at], p.least[at], p.greatest[at] = 0, false, math.Inf(1), math.Inf(-1)
	}
	p.Some, p.possible, p.sure, p.surely = p.Some[:0], 0, 0, 0
}

// Unmark says of no class that all its combinations qualify.
func (p *projection) Unmark() {
	for _, at := range p.Some {
		p.Every[at] = false
	}
}

// see takes in a combination that qualifies, with the class at a position.
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

// TotalOf is that of a figure of a row.
func (b *Bounds) TotalOf(row question.AnswerRow, a int) *figures.Total {
	if key := int(b.Numbering.Number(row.Keys)); key < len(b.totals) {
		return &b.totals[key][a]
	}
	return &figures.Total{}
}
