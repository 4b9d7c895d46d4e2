package completed

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A pairedJoin is the linear join of completed tables. It answers COUNT, SUM and AVG of
// arguments that read one column each, by keys of one fragment, from the numbers of records in
// which tuples of the keys' fragment meet those of another. It computes means over all tables
// without their spread. All sums are whole numbers (decimals count in units of their last
// place), so the answer does not depend on the order of additions or the number of cores.
type pairedJoin struct {
	figures.KeyedJoin
	completed *Tables
	pairs     []*pairCounts // by side; nil for the keys' side
	// sums are those of the measures over the records that rows meet; ownSums are those of the
	// keys' side. counts says that the first of sums is the number of records that count.
	sums, ownSums []wholeSum
	counts        bool
	digits        []digit
}

// A wholeSum is a measure as whole non-negative numbers: (value - least) * scale.
type wholeSum struct {
	*figures.Measure
	whole        []uint64 // by code of the unit
	least, scale int64
}

// A digit is a slice of the bits of a sum's numbers, narrow enough that what a tuple meets in
// all tables adds up to at most laneMost.
type digit struct {
	sum, shift int
	values     []uint64 // by code of the sum's unit; 0 beyond
}

// Means answers q without spreads; nil if q does not fit.
func (c *Tables) Means(ctx context.Context, q *question.Question) ([]question.AnswerRow, error) {
	l, err := figures.NewLinearJoin(ctx, c.release, q)
	if err != nil || l == nil {
		return nil, err
	}
	p, err := c.newPairedJoin(ctx, l, q.Touched())
	if err != nil || p == nil {
		return nil, err
	}
	totals, err := p.total(ctx)
	if err != nil {
		return nil, err
	}
	return l.Answers(totals, float64(c.Completion.Tables))
}

// newPairedJoin returns nil if l does not fit.
func (c *Tables) newPairedJoin(ctx context.Context, l *figures.LinearJoin, fragments []int) (*pairedJoin, error) {
	keyed, ok := l.Keyed()
	p := &pairedJoin{KeyedJoin: keyed, completed: c}
	if !ok || l.Sides[p.Key].Classes*l.Width() > question.MaxDenseCombinations || !p.findSums() {
		return nil, nil
	}
	for s, side := range l.Sides {
		side.Number()
		p.pairs = append(p.pairs, nil)
		if s == p.Key {
			continue
		}
		pairs, err := c.pairsOf(ctx, fragments[p.Key], fragments[s])
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

// findSums returns false if the sums are not whole or do not follow from pairs: a condition on
// one side excludes records from the sums of all other sides.
func (p *pairedJoin) findSums() bool {
	for s, side := range p.Sides {
		if s != p.Key && slices.ContainsFunc(side.Units, (*question.Unit).Filters) {
			if len(p.Sides) > 2 || len(p.Own) > 0 {
				return false
			}
			p.count(s)
		}
	}
	if !p.counts && len(p.Measures) == 0 { // nothing else is met
		p.count((p.Key + 1) % len(p.Sides))
	}
	ok := true
	p.sums = append(p.sums, p.wholeSums(p.Measures, &ok)...)
	p.ownSums = p.wholeSums(p.Own, &ok)
	return ok
}

// count adds a sum: the number of records of a side that count.
func (p *pairedJoin) count(s int) {
	one := slices.Repeat([]uint64{1}, len(p.Sides[s].Units[0].ClassOf))
	p.sums, p.counts = append(p.sums, wholeSum{&figures.Measure{Side: s}, one, 0, 1}), true
}

// wholeSums returns measures as whole numbers; it sets ok to false if one cannot be.
func (p *pairedJoin) wholeSums(measures []figures.Measure, ok *bool) (sums []wholeSum) {
	for i := range measures {
		sum, isWhole := p.wholeSum(&measures[i])
		sums, *ok = append(sums, sum), *ok && isWhole
	}
	return sums
}

// wholeSum returns a measure as whole numbers; ok is false if it cannot be.
func (p *pairedJoin) wholeSum(m *figures.Measure) (s wholeSum, ok bool) {
	list := []float64{}
	for code, class := range p.Sides[m.Side].Units[m.Unit].ClassOf {
		if class != question.Dead {
			list = append(list, m.Values[code])
		}
	}
	s = wholeSum{Measure: m, whole: make([]uint64, len(m.Values))}
	if s.scale, ok = wholeScale(list, p.completed.Completion.Tables*p.release().Rows); !ok || len(list) == 0 {
		return s, ok
	}
	s.least = scaledInteger(slices.Min(list), s.scale)
	for code, value := range m.Values {
		s.whole[code] = uint64(max(0, scaledInteger(value, s.scale)-s.least)) // dead codes are never read
	}
	return s, true
}

func scaledInteger(x float64, scale int64) int64 { return int64(math.Round(x * float64(scale))) }

// greatestScale allows numbers with six decimal places.
const greatestScale = 1e6

// wholeScale returns the least power of ten that makes all numbers whole. ok is false if there
// is none, or if a float64 cannot hold the sum over that many records.
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

// cut divides sum i into digits.
func (p *pairedJoin) cut(i int) {
	s := p.sums[i]
	most := slices.Max(append([]uint64{0}, s.whole...))
	width := bits.Len(uint(laneMost/(p.completed.Completion.Tables*int(p.pairs[s.Side].most))+1)) - 1
	for shift := 0; shift == 0 || most>>shift > 0; shift += width {
		d := digit{sum: i, shift: shift}
		for _, v := range s.whole {
			d.values = append(d.values, v>>shift&(1<<width-1))
		}
		d.values = append(d.values, 0)
		p.digits = append(p.digits, d)
	}
}

// total returns the sums by class over all tables together.
func (p *pairedJoin) total(ctx context.Context) ([]float64, error) {
	found, err := p.meetAll(ctx)
	if err != nil {
		return nil, err
	}
	width, tables := p.Width(), uint64(p.completed.Completion.Tables)
	totals := make([]float64, p.Sides[p.Key].Classes*width)
	for class := range p.Sides[p.Key].Classes {
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
		for i := range p.Arguments {
			at[1+2*i] = at[0]
		}
		for i, s := range p.sums[first:] {
			at[s.Sum] = s.float(sums[first+i], records)
		}
		for i, s := range p.ownSums {
			at[s.Sum] = s.float(found.own[i][class]*tables, records)
		}
	}
	return totals, nil
}

// float returns the sum of a measure over that many records.
func (s *wholeSum) float(sum, records uint64) float64 {
	return float64(int64(sum)+s.least*int64(records)) / float64(s.scale)
}
