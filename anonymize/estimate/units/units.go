package units

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// UnitFigures are numbers of units by row of an answer: of the units with a record that the row's COUNT(*) counts.
type UnitFigures struct {
	Figures []float64
	// Deviations are standard errors: between completed tables, or without tables those of units chosen independently in every group.
	Deviations []float64
	// Bounds hold for every table that agrees with the release.
	Bounds []question.Bound
	// With counterfeits, Figures are corrected as those of records are, Deviations cover the units of persons and counterfeits together,
	// and Real is the share of real records. MostForged is the greatest number of units that may be counterfeits; 0 without any.
	Real       float64
	MostForged float64
}

// Count returns, for a release with units, the number of units with a record that a row's
// COUNT(*) counts. q asks for the COUNTs; rows are those of its answer.
//
// A group has m units with s records each. Side f selects n_f of its records, in tuples of U_t units each. If the fragments are matched at random, then
//
//	a_f = sum_c m_c (1 - prod_t (1 - U_t / m_c))         units of side f, and c_f = n_f / a_f records of each
//	a   = a_1 a_2 / m (1 - (s-c_1)! (s-c_2)! / (s! (s-c_1-c_2)!))   units of both
//
// are expected, where c are classes of m_c units whose tuples agree in the columns that are constant in units. Further sides follow one after the other. Both
// numbers are clipped to the bounds of the group. A [unitJoin] answers questions across fragments, or over cells that stand for several values.
func Count(ctx context.Context, r *anonymize.Release, q *question.Question, rows []question.AnswerRow) (*UnitFigures, error) {
	q = Counting(q)
	sides, err := question.SidesOf(ctx, r, q)
	if err != nil {
		return nil, err
	}
	if empty, err := isEmpty(q, sides); empty || err != nil {
		return newUnitFigures(len(rows)), err
	}
	for _, s := range sides {
		s.Number()
	}
	units := NewUnitJoin(ctx, r, q, sides).Answer
	if b := groups.NewCountBounder(r, q, sides, nil); b != nil {
		units = func(rows []question.AnswerRow) (*UnitFigures, error) { return (&unitBounder{b}).answer(ctx, rows) }
	}
	figures, err := units(rows)
	if err == nil {
		figures.excludeForged(r)
	}
	return figures, err
}

// excludeForged corrects for counterfeits: F of the N records belong to units that are entirely counterfeit. The figures shrink as those of records
// do. Of the units that count, at most as many are counterfeits as F records make in the units with few records. Every group has a person.
func (u *UnitFigures) excludeForged(r *anonymize.Release) {
	u.Real = figures.ThinningOf(r).Expectation(1)
	if r.Forged == 0 {
		return
	}
	least, most := ForgedUnits(r)
	u.MostForged = float64(most)
	persons := -float64(least)
	for _, units := range r.Units {
		persons += float64(units)
	}
	for i, b := range u.Bounds {
		low, high := max(0, b.Low.Float-u.MostForged), min(b.High.Float, persons)
		u.Bounds[i] = question.Bound{Low: anonymize.RealValue(low), High: anonymize.RealValue(high)}
		u.Figures[i] = min(max(u.Figures[i]*u.Real, low), high)
	}
}

// ForgedUnits returns bounds of the number of counterfeit units, reached if they fill the units
// with the most or the fewest records first. One unit of every group is a person.
func ForgedUnits(r *anonymize.Release) (least, most int) {
	groups := anonymize.Ints(r.Groups())
	records := func(g int) int { return int(r.GroupSizes[g] / r.Units[g]) }
	slices.SortFunc(groups, func(a, b int) int { return records(a) - records(b) })
	left := r.Forged
	for _, g := range groups {
		n := min(int(r.Units[g])-1, left/records(g))
		most, left = most+n, left-n*records(g)
	}
	left = r.Forged
	for _, g := range slices.Backward(groups) {
		n := min(int(r.Units[g])-1, (left+records(g)-1)/records(g))
		least, left = least+n, max(0, left-n*records(g))
	}
	return least, most
}

// Counting returns the question that asks for COUNT(*) only.
func Counting(q *question.Question) *question.Question {
	counting := *q
	counting.Aggregates, counting.Quotients = []question.Aggregate{{Kind: question.Count}}, nil
	return counting.RestrictedTo([]int{0})
}

// isEmpty reports whether no record can satisfy the conditions.
func isEmpty(q *question.Question, sides []*question.Side) (bool, error) {
	if slices.ContainsFunc(sides, (*question.Side).IsEmpty) {
		return true, nil
	}
	for i := range q.Where {
		if len(q.Where[i].Leaves) > 0 {
			continue
		}
		truth, err := q.Where[i].Evaluate(nil, nil)
		if err != nil || !question.IsTrue(truth) {
			return true, err
		}
	}
	return false, nil
}

// A unitBounder adds up the units of groups by combination of the sides' keys.
type unitBounder struct{ *groups.CountBounder }

// unitSums are sums of units over groups, by combination or key.
type unitSums []unitSum

// A unitSum has the bounds, the expectation and the variance.
type unitSum struct {
	low, high          int64
	expected, variance float64
}

// add adds a group. The variance is that of units chosen independently, limited by what the bounds allow
// (Bhatia and Davis, A better bound on the variance, The American Mathematical Monthly 107, 2000).
func (s *unitSum) add(g *unitGroup, p unitPart) {
	low := max(p.most, math.Ceil(p.records/g.recordsPerUnit()))
	expected := min(max(p.expected, low), p.sum)
	s.low += int64(low)
	s.high += int64(p.sum)
	s.expected += expected
	s.variance += min(expected*(1-expected/g.members), (expected-low)*(p.sum-expected))
}

// figures returns the figures of the rows; indexOf maps a row's keys to an index of s.
func (s unitSums) figures(rows []question.AnswerRow, indexOf func(keys []anonymize.Value) (int, bool)) *UnitFigures {
	u := newUnitFigures(len(rows))
	for i, row := range rows {
		if at, ok := indexOf(row.Keys); ok {
			u.Figures[i], u.Deviations[i] = s[at].expected, math.Sqrt(s[at].variance)
			u.Bounds[i] = question.Bound{Low: anonymize.RealValue(float64(s[at].low)), High: anonymize.RealValue(float64(s[at].high))}
		}
	}
	return u
}

// answer adds up the groups. It adds up blocks in order, so that the number of cores does not matter.
func (b *unitBounder) answer(ctx context.Context, rows []question.AnswerRow) (*UnitFigures, error) {
	groups := b.Release.Groups()
	blocks := make([]unitSums, (groups+unitBlock-1)/unitBlock)
	_, err := parallel.Collect(ctx, parallel.All, len(blocks), func(int) *unitWorker { return b.newWorker(ctx) }, func(w *unitWorker, block int) error {
		w.sums = make(unitSums, b.Combinations)
		blocks[block] = w.sums
		return w.add(block*unitBlock, min((block+1)*unitBlock, groups))
	})
	if err != nil {
		return nil, err
	}
	total := make(unitSums, b.Combinations)
	for _, sums := range blocks {
		for i, sum := range sums {
			total[i].low += sum.low
			total[i].high += sum.high
			total[i].expected += sum.expected
			total[i].variance += sum.variance
		}
	}
	return total.figures(rows, b.IndexOf), nil
}

// unitBlock is the number of groups per block. Blocks are few because each has a sum per combination.
const unitBlock = 1 << 13

// newUnitFigures returns figures of 0 for all rows.
func newUnitFigures(rows int) *UnitFigures {
	return &UnitFigures{Figures: make([]float64, rows), Deviations: make([]float64, rows),
		Bounds: slices.Repeat([]question.Bound{{Low: anonymize.RealValue(0), High: anonymize.RealValue(0)}}, rows), Real: 1}
}

// A unitWorker has one core's sums and scratch space.
type unitWorker struct {
	*unitBounder
	sums    unitSums
	present []keyParts
	alike   alikeOrder
	work    question.Checkpoint
}

func (b *unitBounder) newWorker(ctx context.Context) *unitWorker {
	w := &unitWorker{unitBounder: b, work: question.Checkpoint{Ctx: ctx}}
	for _, s := range b.Sides {
		w.present = append(w.present, keyParts{parts: make([]unitPart, s.Keys)})
	}
	return w
}

// keyParts are the keys of a side in a group with the part that each selects; parts is by key and 0 for other keys.
type keyParts struct {
	keys  []uint32
	parts []unitPart
}

// A unitPart is the part of a group that one or several sides select.
type unitPart struct {
	records  float64 // selected in every table
	mean     float64 // expected
	possible float64 // selected in some table
	most     float64 // greatest number of units of a tuple, summed over classes
	sum      float64 // units of all tuples
	expected float64 // units
	class    alikePart
	without  float64 // the share of units that have none of several combinations
}

// An alikePart is what is selected of the current class of alike tuples. without is the share
// of the class's units that have none of the tuples, if these were independent.
type alikePart struct {
	alikeClass
	most, sum, without float64
}

// addShare adds a share of a tuple; certain says that all records of the tuple have it. Tuples come class by class.
func (p *unitPart) addShare(class alikeClass, count, units float64, s tupleShare, certain bool) {
	if p.class.number != class.number {
		p.closeClass()
		p.class = alikePart{alikeClass: class, without: 1}
	}
	if certain {
		p.records += count
		p.class.most = max(p.class.most, units)
	}
	p.mean += count * s.mass
	p.possible += count
	p.class.sum += units
	p.class.without *= 1 - units*s.chance/class.units
}

// closeClass adds the current class to the part.
func (p *unitPart) closeClass() {
	c := &p.class
	p.most, p.sum, p.expected = p.most+c.most, p.sum+min(c.sum, c.units), p.expected+c.units*(1-c.without)
	p.class = alikePart{}
}

// add adds up the groups first to end-1. The only error is the context's.
func (w *unitWorker) add(first, end int) error {
	for g := first; g < end; g++ {
		in := newUnitGroup(w.Release, g)
		steps := 1
		for i, s := range w.Sides {
			p := &w.present[i]
			for _, key := range p.keys {
				p.parts[key] = unitPart{}
			}
			p.keys = p.keys[:0]
			w.alike.visit(s.Fragment, g, in, func(t uint32, class alikeClass) {
				key, ok := s.KeyOf(t)
				if !ok {
					return
				}
				if p.parts[key] == (unitPart{}) {
					p.keys = append(p.keys, key)
				}
				p.parts[key].addShare(class, float64(s.Fragment.Count[t]), float64(s.Fragment.Units[t]), tupleShare{mass: 1, chance: 1}, true)
			})
			steps *= 1 + len(p.keys)
		}
		w.combine(in, 0, 0, in.everything())
		if err := w.work.Pass(steps); err != nil {
			return err
		}
	}
	return nil
}

// A unitGroup has the numbers of units and of records of a group.
type unitGroup struct{ members, size float64 }

func newUnitGroup(r *anonymize.Release, g int) *unitGroup {
	return &unitGroup{float64(r.Units[g]), float64(r.GroupSizes[g])}
}

// everything returns the whole group as a part.
func (g *unitGroup) everything() unitPart {
	return unitPart{records: g.size, mean: g.size, possible: g.size, most: g.members, sum: g.members, expected: g.members}
}

// recordsPerUnit returns the number of records of a unit.
func (g *unitGroup) recordsPerUnit() float64 { return g.size / g.members }

// combine visits the combinations of the keys of the sides from s on; before is what the earlier sides select together.
func (w *unitWorker) combine(g *unitGroup, s, index int, before unitPart) {
	if s == len(w.Sides) {
		w.sums[index].add(g, before)
		return
	}
	for _, key := range w.present[s].keys {
		w.combine(g, s+1, index+int(key)*w.Sides[s].Stride, g.intersect(before, g.boundPart(w.Sides[s].Side, w.present[s].parts[key])))
	}
}

// boundPart clips a side's part to the group's bounds. By columns constant in units, a unit has all its records in the part or none.
func (g *unitGroup) boundPart(s *question.Side, p unitPart) unitPart {
	p.closeClass()
	p.sum = min(p.sum, g.members)
	if s.IsConstant() {
		p.sum = min(p.sum, math.Floor(p.possible/g.recordsPerUnit()))
	}
	p.expected = min(max(p.expected, p.most, p.mean/g.recordsPerUnit()), p.sum)
	return p
}

// intersect returns what two parts select together. A part that selects the whole group changes nothing.
func (g *unitGroup) intersect(a, b unitPart) unitPart {
	switch {
	case a.records == g.size:
		return b
	case b.records == g.size:
		return a
	}
	p := unitPart{records: max(0, a.records+b.records-g.size), possible: min(a.possible, b.possible)}
	p.sum = min(a.sum, b.sum, p.possible)
	inA, inB := a.mean/a.expected, b.mean/b.expected
	p.mean = a.mean * b.mean / g.size
	p.expected = a.expected * b.expected / g.members * (1 - disjoint(g.recordsPerUnit(), inA, inB))
	return p
}

// disjoint returns the probability that random sets of x and y of s records have none in common: (s-x)!
// (s-y)! / (s! (s-x-y)!), with the gamma function for numbers that are not whole.
func disjoint(s, x, y float64) float64 {
	if x+y >= s+1 {
		return 0
	}
	logarithm := 0.0
	for _, term := range []struct{ sign, of float64 }{{1, s - x}, {1, s - y}, {-1, s}, {-1, s - x - y}} {
		value, _ := math.Lgamma(term.of + 1)
		logarithm += term.sign * value
	}
	return math.Exp(logarithm)
}

// IsExact reports whether every lower bound equals its upper bound.
func (u *UnitFigures) IsExact() bool {
	return !slices.ContainsFunc(u.Bounds, func(b question.Bound) bool { return b.Low.Float != b.High.Float })
}
