package estimate

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

// A pairedJoin is the linear join of completed tables: COUNT, SUM and AVG of arguments that
// read one column each, by keys of one fragment, from the numbers of meetings of its records
// with those of every other fragment. It finds the means over all tables, without their
// spread. All that is added up is whole, so that neither order nor number of cores shows in
// an answer: decimals are counted in units of their last place.
type pairedJoin struct {
	keyedJoin
	completed *Completed
	pairs     []*pairCounts // by side; nil of the keys' side
	// sums are those over the records that rows meet, of the measures; ownSums those of the
	// keys' side. counts says that before them there is the number of records that count.
	sums, ownSums []wholeSum
	counts        bool
	digits        []digit
}

// A wholeSum is a measure in whole numbers that are not below 0: (value - least) * scale.
type wholeSum struct {
	*measure
	whole        []uint64 // by code of the unit
	least, scale int64
}

// A digit is a part of the numbers of a sum, of so few bits that what a tuple meets in all
// tables adds up to at most laneMost.
type digit struct {
	sum, shift int
	values     []uint64 // by code of the sum's unit, and 0 for nobody
}

// means answers q without a spread; nil where q is of another kind.
func (c *Completed) means(ctx context.Context, q *Question) ([]AnswerRow, error) {
	l, err := newLinearJoin(ctx, c.prepared.release, q)
	if err != nil || l == nil {
		return nil, err
	}
	p, err := c.newPairedJoin(ctx, l, q.touched())
	if err != nil || p == nil {
		return nil, err
	}
	totals, err := p.total(ctx)
	if err != nil {
		return nil, err
	}
	return l.answers(totals, float64(c.Tables()))
}

// newPairedJoin returns nil where l is of another kind.
func (c *Completed) newPairedJoin(ctx context.Context, l *linearJoin, fragments []int) (*pairedJoin, error) {
	keyed, ok := l.keyed()
	p := &pairedJoin{keyedJoin: keyed, completed: c}
	if !ok || l.sides[p.key].classes*l.width() > maxDenseCombinations || !p.findSums() {
		return nil, nil
	}
	for s, side := range l.sides {
		side.number()
		p.pairs = append(p.pairs, nil)
		if s == p.key {
			continue
		}
		pairs, err := c.pairsOf(ctx, fragments[p.key], fragments[s])
		if err != nil || pairs == nil {
			return nil, err
		}
		p.pairs[s] = pairs
	}
	for i := range p.sums {
		p.cut(i)
	}
	return p, nil
}

// findSums returns false where the sums are not whole, or do not follow from pairs: a record
// that is left out on one side takes away what it meets on all others.
func (p *pairedJoin) findSums() bool {
	for s, side := range p.sides {
		if s != p.key && slices.ContainsFunc(side.units, (*unit).filters) {
			if len(p.sides) > 2 || len(p.own) > 0 {
				return false
			}
			p.count(s)
		}
	}
	if !p.counts && len(p.measures) == 0 { // nothing else is met
		p.count((p.key + 1) % len(p.sides))
	}
	ok := true
	p.sums = append(p.sums, p.wholeSums(p.measures, &ok)...)
	p.ownSums = p.wholeSums(p.own, &ok)
	return ok
}

// count adds the number of records of a side that count.
func (p *pairedJoin) count(s int) {
	one := slices.Repeat([]uint64{1}, len(p.sides[s].units[0].classOf))
	p.sums, p.counts = append(p.sums, wholeSum{&measure{side: s}, one, 0, 1}), true
}

// wholeSums returns measures in whole numbers; ok becomes false where one has others.
func (p *pairedJoin) wholeSums(measures []measure, ok *bool) (sums []wholeSum) {
	for i := range measures {
		sum, isWhole := p.wholeSum(&measures[i])
		sums, *ok = append(sums, sum), *ok && isWhole
	}
	return sums
}

// filters says whether some values of the unit fail a condition.
func (u *unit) filters() bool { return slices.Contains(u.classOf, dead) }

// wholeSum returns a measure in whole numbers; ok is false where it has others.
func (p *pairedJoin) wholeSum(m *measure) (s wholeSum, ok bool) {
	list := []float64{}
	for code, class := range p.sides[m.side].units[m.unit].classOf {
		if class != dead {
			list = append(list, m.values[code])
		}
	}
	s = wholeSum{measure: m, whole: make([]uint64, len(m.values))}
	if s.scale, ok = wholeScale(list, p.completed.Tables()*p.release().Rows); !ok || len(list) == 0 {
		return s, ok
	}
	s.least = scaledInteger(slices.Min(list), s.scale)
	for code, value := range m.values {
		s.whole[code] = uint64(max(0, scaledInteger(value, s.scale)-s.least)) // those of the dead are not read
	}
	return s, true
}

// scaledInteger is x times the scale.
func scaledInteger(x float64, scale int64) int64 { return int64(math.Round(x * float64(scale))) }

// greatestScale is of numbers with six places after the point.
const greatestScale = 1e6

// wholeScale returns the least power of ten that makes all numbers whole; ok is false where
// none does, or where a float64 does not hold the sum of so many of them.
func wholeScale(list []float64, records int) (scale int64, ok bool) {
	scale = 1
	for _, x := range list {
		for math.Round(x*float64(scale))/float64(scale) != x {
			if scale *= 10; scale > greatestScale {
				return 0, false
			}
		}
	}
	for _, x := range list {
		if math.Abs(x)*float64(scale)*float64(records) >= 1<<53 {
			return 0, false
		}
	}
	return scale, true
}

// cut finds the digits of sum i.
func (p *pairedJoin) cut(i int) {
	s := p.sums[i]
	most := slices.Max(append([]uint64{0}, s.whole...))
	width := bits.Len(uint(laneMost/(p.completed.Tables()*int(p.pairs[s.side].most))+1)) - 1
	for shift := 0; shift == 0 || most>>shift > 0; shift += width {
		d := digit{sum: i, shift: shift}
		for _, v := range s.whole {
			d.values = append(d.values, v>>shift&(1<<width-1))
		}
		d.values = append(d.values, 0)
		p.digits = append(p.digits, d)
	}
}

// total returns the sums by class, of all tables together.
func (p *pairedJoin) total(ctx context.Context) ([]float64, error) {
	found, err := p.meetAll(ctx)
	if err != nil {
		return nil, err
	}
	width, tables := p.width(), uint64(p.completed.Tables())
	totals := make([]float64, p.sides[p.key].classes*width)
	for class := range p.sides[p.key].classes {
		sums := make([]uint64, len(p.sums))
		for i, d := range p.digits {
			sums[d.sum] += found.met[i][class] << d.shift
		}
		records, first := found.rows[class]*tables, 0
		if p.counts {
			records, first = sums[0], 1
		}
		at := totals[class*width:][:width]
		at[0] = float64(records)
		for i := range p.arguments {
			at[1+2*i] = at[0]
		}
		for i, s := range p.sums[first:] {
			at[s.sum] = s.float(sums[first+i], records)
		}
		for i, s := range p.ownSums {
			at[s.sum] = s.float(found.own[i][class]*tables, records)
		}
	}
	return totals, nil
}

// float is the sum over so many records of a measure.
func (s *wholeSum) float(sum, records uint64) float64 {
	return float64(int64(sum)+s.least*int64(records)) / float64(s.scale)
}
