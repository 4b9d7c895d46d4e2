package estimate

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Bound holds the least and the greatest value that a figure can have.
type Bound struct{ Low, High anonymize.Value }

// Bounds returns, for every row of q's answer and every aggregate, hard bounds:
// no table that agrees with the release has a figure outside them. NULL where
// the figure is NULL. AVG is bounded over the tables in which it is not NULL.
//
// Per group, for records that have a key in m records of f fragments, a_i of
// them possible in fragment i,
//
//	max(0, sum a_i - (f-1) m) <= X <= min a_i
//
// every number in between being attained, and SUM has its least value at the X
// smallest, its greatest at the X largest of the argument's values in its
// fragment, for the best X (PAPERS: COUNT and SUM bounds). These are attained
// where the condition is a conjunction of conditions on one fragment each and
// cells are points; AVG, a quotient of such sums, by Dinkelbach's iteration. A
// condition across fragments is bounded by relaxing it to one fragment at a
// time: still true always, no longer attained always.
func Bounds(ctx context.Context, r *anonymize.Release, q *Question, answer *Answer) ([][]Bound, error) {
	b := &bounds{groupTerms: newGroupTerms(q, sidesOf(r, q))}
	for g := 0; g < r.Groups() && !answer.Exact; g++ {
		if g%blockGroups == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		ok, err := b.load(g, float64(r.GroupSizes[g]))
		if err != nil {
			return nil, err
		}
		if ok {
			b.group(g, int(r.GroupSizes[g]))
		}
	}
	rows := make([][]Bound, len(answer.Rows))
	for i, row := range answer.Rows {
		rows[i] = b.of(row, answer.Exact)
	}
	return rows, nil
}

// bounds collects, by key and aggregate, what every group allows.
type bounds struct {
	*groupTerms
	ranges [][][]span
}

// A span is what one group allows one aggregate: any number of records from low
// to high, with values from a list. least and greatest have, ascending, the
// least and the greatest value of every record that may be among them (the same
// for points). For COUNT they are nil.
type span struct {
	low, high       int
	least, greatest []float64
}

func (b *bounds) group(g, m int) {
	for _, key := range b.keysPresent {
		for len(b.ranges) <= int(key) {
			b.ranges = append(b.ranges, make([][]span, len(b.question.Aggregates)))
		}
		for a := range b.question.Aggregates {
			if s := b.span(g, m, a, key); s.high > 0 {
				b.ranges[key][a] = append(b.ranges[key][a], s)
			}
		}
	}
}

// A projection is the set of qualifying combinations as one side sees it, by
// the position of its classes.
type projection struct {
	some            []bool // qualifies with some classes of the other sides
	every           []bool // qualifies with all of them
	least, greatest []float64
	// possible and sure count the records of the side that may and that must
	// qualify: sure with the right classes of the other sides, surely with
	// any. alive ones pass the side's own conditions.
	possible, sure, surely, alive int
}

// span bounds the records of group g that have a key and an argument that is
// not NULL.
func (b *bounds) span(g, m, a int, key int32) span {
	sides, qualifying := b.project(a, key)
	product, s := 1, span{high: m}
	shortfall, dead, best := 0, 0, 0
	for i := range sides {
		p := &sides[i]
		b.count(p, g, i)
		classes := 0
		for _, some := range p.some {
			if some {
				classes++
			}
		}
		product *= classes
		shortfall += m - p.sure
		dead += m - p.alive
		s.high = min(s.high, p.possible)
		if p.ambiguity() < sides[best].ambiguity() {
			best = i
		}
	}
	for i := range sides {
		// Records that qualify with any class, but for those that meet a
		// record that fails a condition of its own side.
		s.low = max(s.low, sides[i].surely-(dead-(m-sides[i].alive)))
	}
	if product == qualifying { // a conjunction, seen from here
		s.low = max(s.low, m-shortfall)
	}
	if b.question.Aggregates[a].Kind != Count {
		b.fillValues(&s, &sides[best], g, best)
	}
	return s
}

// ambiguity is how far apart the values of one class can be, over all classes.
func (p *projection) ambiguity() float64 {
	total := 0.0
	for i, some := range p.some {
		if some {
			total += p.greatest[i] - p.least[i]
		}
	}
	return total
}

// project walks over the combinations once.
func (b *bounds) project(a int, key int32) (sides []projection, qualifying int) {
	sides = make([]projection, len(b.sides))
	for s := range sides {
		p := b.radix[s]
		sides[s] = projection{some: make([]bool, p), every: make([]bool, p), least: make([]float64, p), greatest: make([]float64, p)}
		for i := range p {
			sides[s].every[i] = true
			sides[s].least[i], sides[s].greatest[i] = math.Inf(1), math.Inf(-1)
		}
	}
	clear(b.position)
	for _, entry := range b.entries {
		qualifies := b.key[entry] == key && b.figures[entry][a].records > 0
		if qualifies {
			qualifying++
		}
		for s, at := range b.position {
			p := &sides[s]
			p.every[at] = p.every[at] && qualifies
			if qualifies {
				p.some[at] = true
				p.least[at] = min(p.least[at], b.figures[entry][a].sum)
				p.greatest[at] = max(p.greatest[at], b.figures[entry][a].sum)
			}
		}
		advance(b.position, b.radix)
	}
	return sides, qualifying
}

// count counts the records of a side.
func (b *bounds) count(p *projection, g, s int) {
	side := b.sides[s]
	if side.point {
		for i, class := range b.worker.present[s] {
			n := int(b.worker.weight[s][class])
			p.alive += n
			if p.some[i] {
				p.possible += n
				p.sure += n
			}
			if p.every[i] {
				p.surely += n
			}
		}
		return
	}
	b.eachTuple(g, s, func(count int, shares []share) {
		possible, sure, surely, alive := false, 0.0, 0.0, 0.0
		for _, share := range shares {
			alive += share.mass
			i := indexOf(b.worker.present[s], share.class)
			possible = possible || p.some[i]
			if p.some[i] {
				sure += share.mass
			}
			if p.every[i] {
				surely += share.mass
			}
		}
		if possible {
			p.possible += count
		}
		if alive > almostOne {
			p.alive += count
		}
		if sure > almostOne {
			p.sure += count
		}
		if surely > almostOne {
			p.surely += count
		}
	})
}

// almostOne is a cell's whole mass, summed up.
const almostOne = 1 - 1e-9

// eachTuple visits the tuples of a side without point cells in a group.
func (b *bounds) eachTuple(g, s int, visit func(count int, shares []share)) {
	f, u := b.sides[s].fragment, b.sides[s].units[0]
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		visit(int(f.Count[t]), u.spread[u.codes[t]])
	}
}

// fillValues lists the values of the records of side s that may qualify.
func (b *bounds) fillValues(out *span, p *projection, g, s int) {
	if b.sides[s].point {
		for i, class := range b.worker.present[s] {
			if p.some[i] {
				out.repeat(int(b.worker.weight[s][class]), p.least[i], p.greatest[i])
			}
		}
	} else {
		b.eachTuple(g, s, func(count int, shares []share) {
			least, greatest := math.Inf(1), math.Inf(-1)
			for _, share := range shares {
				if i := indexOf(b.worker.present[s], share.class); p.some[i] {
					least, greatest = min(least, p.least[i]), max(greatest, p.greatest[i])
				}
			}
			if least <= greatest {
				out.repeat(count, least, greatest)
			}
		})
	}
	slices.Sort(out.least)
	slices.Sort(out.greatest)
}

func (s *span) repeat(count int, least, greatest float64) {
	for range count {
		s.least, s.greatest = append(s.least, least), append(s.greatest, greatest)
	}
}

// of turns the spans of a row's key into bounds.
func (b *bounds) of(row AnswerRow, exact bool) []Bound {
	result := make([]Bound, len(row.Figures))
	key := int(b.numbering.number(row.Keys))
	for a, figure := range row.Figures {
		if figure.IsNull() || exact {
			result[a] = Bound{figure, figure}
			continue
		}
		var spans []span
		if key < len(b.ranges) {
			spans = b.ranges[key][a]
		}
		low, high := bound(b.question.Aggregates[a].Kind, spans)
		result[a] = Bound{anonymize.RealValue(low), anonymize.RealValue(high)}
	}
	return result
}

// bound adds up the groups.
func bound(kind Kind, spans []span) (low, high float64) {
	if kind == Average {
		return leastRatio(spans), -leastRatio(mirrored(spans))
	}
	for _, s := range spans {
		if kind == Count {
			low, high = low+float64(s.low), high+float64(s.high)
		} else {
			low, high = low+s.leastSum(), high-s.mirror().leastSum()
		}
	}
	return low, high
}

// leastSum is the least sum of some number of values between low and high.
func (s span) leastSum() float64 {
	sum := 0.0
	for i := range s.high {
		if i >= s.low && s.least[i] >= 0 {
			break
		}
		sum += s.least[i]
	}
	return sum
}

// mirror negates the values, so that the greatest become the least.
func (s span) mirror() span {
	negated := span{low: s.low, high: s.high, least: make([]float64, len(s.greatest))}
	for i, x := range s.greatest {
		negated.least[len(s.greatest)-1-i] = -x
	}
	return negated
}

func mirrored(spans []span) []span {
	list := make([]span, len(spans))
	for i, s := range spans {
		list[i] = s.mirror()
	}
	return list
}

// leastRatio is the least mean over all groups (Dinkelbach 1967): for a mean
// lambda, the best choice takes in every group the values below lambda, within
// what the group allows; its mean is the next lambda.
func leastRatio(spans []span) float64 {
	lambda := math.Inf(1)
	for {
		sum, count := 0.0, 0
		for _, s := range spans {
			taken, _ := slices.BinarySearch(s.least, lambda)
			taken = min(max(taken, s.low), s.high)
			for _, x := range s.least[:taken] {
				sum += x
			}
			count += taken
		}
		if count == 0 {
			return lambda // nothing below the mean: it is the least
		}
		next := sum / float64(count)
		if next >= lambda {
			return lambda
		}
		lambda = next
	}
}
