package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// UnitFigures are numbers of units by row of an answer: units with a record that the row's COUNT(*) counts.
type UnitFigures struct {
	Figures []float64
	// Deviations are standard errors: between completed tables, or, where none answer, those of units that are spread evenly between the bounds of
	// every group.
	Deviations []float64
	// Bounds hold for every table that agrees with the release.
	Bounds []Bound
}

// Units answers how many units have a record that a row's COUNT(*) counts, of a release with units: q asks for the COUNTs, rows are those of its
// answer. Error: conditions or keys that mix fragments or read cells that stand for several values, of which no probability is known here.
//
// A group has m units with s records each. Side f selects n_f of its records, in tuples of U_t units each. With the fragments matched at random
//
//	a_f = m (1 - prod_t (1 - U_t / m))                   units of side f, and c_f = n_f / a_f records of each
//	a   = a_1 a_2 / m (1 - (1 - c_1 / s)^c_2)            units of both
//
// are expected, and more sides are taken one after the other. Both are cut at the bounds of the group.
func (p *Prepared) Units(ctx context.Context, q *Question, rows []AnswerRow) (*UnitFigures, error) {
	b, err := p.newUnitBounder(ctx, q)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, &MixedUnitsError{}
	}
	return b.answer(ctx, rows)
}

// A MixedUnitsError is a question for units that independent fragments do not answer.
type MixedUnitsError struct{}

func (*MixedUnitsError) Error() string {
	return "numbers of units are estimated without completed tables where every condition and key reads one relation, and single values"
}

// newUnitBounder returns nil for a question that mixes fragments or reads cells.
func (p *Prepared) newUnitBounder(ctx context.Context, q *Question) (*unitBounder, error) {
	sides, err := sidesOf(ctx, p.release, q)
	if err != nil {
		return nil, err
	}
	if empty, err := q.isEmpty(sides); empty || err != nil {
		return &unitBounder{}, err
	}
	b := newCountBounder(p.release, q, sides, nil)
	if b == nil {
		return nil, nil
	}
	for _, s := range sides {
		s.number()
	}
	return &unitBounder{b}, nil
}

// isEmpty reports whether no record can satisfy the conditions, whatever it is.
func (q *Question) isEmpty(sides []*side) (bool, error) {
	if slices.ContainsFunc(sides, (*side).isEmpty) {
		return true, nil
	}
	for i := range q.Where {
		if len(q.Where[i].Leaves) > 0 {
			continue
		}
		truth, err := q.Where[i].evaluate(nil, nil)
		if err != nil || !isTrue(truth) {
			return true, err
		}
	}
	return false, nil
}

// A unitBounder adds up the units of groups by combination of the sides' keys; without a bounder there are none.
type unitBounder struct{ *countBounder }

// unitSums are the bounds and the expectation of every combination.
type unitSums struct {
	low, high []int64
	expected  []float64
	squares   []float64 // of how far the bounds of a group are apart
}

func (b *unitBounder) newSums() *unitSums {
	return &unitSums{make([]int64, b.combinations), make([]int64, b.combinations), make([]float64, b.combinations), make([]float64, b.combinations)}
}

// answer adds up the groups. Their blocks are added in order, so that the number of cores does not matter.
func (b *unitBounder) answer(ctx context.Context, rows []AnswerRow) (*UnitFigures, error) {
	if b.countBounder == nil {
		u := newUnitFigures(len(rows))
		for i := range u.Bounds {
			u.Bounds[i] = Bound{anonymize.RealValue(0), anonymize.RealValue(0)}
		}
		return u, nil
	}
	groups := b.release.Groups()
	blocks := make([]*unitSums, (groups+unitBlock-1)/unitBlock)
	_, err := parallel.Collect(ctx, parallel.All, len(blocks), func(int) *unitWorker { return b.newWorker(ctx) }, func(w *unitWorker, block int) error {
		w.sums = b.newSums()
		blocks[block] = w.sums
		return w.add(block*unitBlock, min((block+1)*unitBlock, groups))
	})
	if err != nil {
		return nil, err
	}
	total := b.newSums()
	for _, sums := range blocks {
		for i := range total.low {
			total.low[i] += sums.low[i]
			total.high[i] += sums.high[i]
			total.expected[i] += sums.expected[i]
			total.squares[i] += sums.squares[i]
		}
	}
	return b.ofRows(total, rows), nil
}

// unitBlock is the number of groups whose sums are kept at a time: few blocks, as each has a sum per combination.
const unitBlock = 1 << 13

func newUnitFigures(rows int) *UnitFigures {
	return &UnitFigures{Figures: make([]float64, rows), Deviations: make([]float64, rows), Bounds: make([]Bound, rows)}
}

func (b *unitBounder) ofRows(total *unitSums, rows []AnswerRow) *UnitFigures {
	u := newUnitFigures(len(rows))
	for i, row := range rows {
		low, high := int64(0), int64(0)
		if at, ok := b.indexOf(row.Keys); ok {
			low, high, u.Figures[i] = total.low[at], total.high[at], total.expected[at]
			u.Deviations[i] = math.Sqrt(total.squares[at] / 12)
		}
		u.Bounds[i] = Bound{anonymize.RealValue(float64(low)), anonymize.RealValue(float64(high))}
	}
	return u
}

// A unitWorker has one core's sums and scratch space.
type unitWorker struct {
	*unitBounder
	sums    *unitSums
	present []unitKeys
	work    checkpoint
}

func (b *unitBounder) newWorker(ctx context.Context) *unitWorker {
	w := &unitWorker{unitBounder: b, present: make([]unitKeys, len(b.sides)), work: checkpoint{ctx: ctx}}
	for i, s := range b.sides {
		w.present[i].parts = make([]unitPart, s.count)
	}
	return w
}

// unitKeys are the keys of a side in a group, with what is known of the units that have them.
type unitKeys struct {
	keys  []uint32
	parts []unitPart // by key
}

// A unitPart is what a side, or several, select of a group.
type unitPart struct {
	records  float64 // that every table has
	mean     float64 // records that are expected
	possible float64 // records that some table has
	most     float64 // units of one tuple
	sum      float64 // units of all tuples, one counted for each
	without  float64 // the share of units that have none of the tuples, were these independent
	expected float64 // units
}

func (p *unitKeys) gather(s *countSide, g int, members float64) {
	p.keys = p.keys[:0]
	f := s.fragment
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		class := s.classOfTuple(t)
		if class == dead || s.keyOf[class] == noKey {
			continue
		}
		key := s.keyOf[class]
		part := &p.parts[key]
		if part.records == 0 {
			p.keys, part.without = append(p.keys, key), 1
		}
		units := float64(f.Units[t])
		part.records += float64(f.Count[t])
		part.mean, part.possible = part.records, part.records
		part.most, part.sum = max(part.most, units), part.sum+units
		part.without *= 1 - units/members
	}
}

func (p *unitKeys) clear() {
	for _, key := range p.keys {
		p.parts[key] = unitPart{}
	}
}

// add adds up the groups first to end-1. The error is the context's.
func (w *unitWorker) add(first, end int) error {
	for g := first; g < end; g++ {
		members, size := float64(w.release.Units[g]), float64(w.release.GroupSizes[g])
		steps := 1
		for i, s := range w.sides {
			w.present[i].gather(s, g, members)
			steps *= 1 + len(w.present[i].keys)
		}
		all := unitPart{records: size, mean: size, possible: size, most: members, sum: members, expected: members}
		w.combine(&unitGroup{members, size}, 0, 0, all)
		for i := range w.present {
			w.present[i].clear()
		}
		if err := w.work.pass(steps); err != nil {
			return err
		}
	}
	return nil
}

// A unitGroup has some units and records.
type unitGroup struct{ members, size float64 }

// recordsPerUnit is the number of records of a unit.
func (g *unitGroup) recordsPerUnit() float64 { return g.size / g.members }

// combine goes through the combinations of the keys of the sides from s on; before is what the sides before select together.
func (w *unitWorker) combine(g *unitGroup, s, index int, before unitPart) {
	if s == len(w.sides) {
		low := max(before.most, math.Ceil(before.records/g.recordsPerUnit()))
		w.sums.low[index] += int64(low)
		w.sums.high[index] += int64(before.sum)
		w.sums.expected[index] += min(max(before.expected, low), before.sum)
		w.sums.squares[index] += (before.sum - low) * (before.sum - low)
		return
	}
	for _, key := range w.present[s].keys {
		w.combine(g, s+1, index+int(key)*w.sides[s].stride, g.intersect(before, g.boundPart(w.present[s].parts[key])))
	}
}

// boundPart cuts what a side selects at the bounds of the group.
func (g *unitGroup) boundPart(p unitPart) unitPart {
	p.sum = min(p.sum, g.members)
	p.expected = min(max(g.members*(1-p.without), p.most, p.records/g.recordsPerUnit()), p.sum)
	return p
}

// intersect is what two parts select together. One that selects the whole group changes nothing.
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
	p.expected = a.expected * b.expected / g.members * (1 - math.Pow(1-inA/g.recordsPerUnit(), inB))
	return p
}
