package estimate

import (
	"context"
	"errors"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// ErrNotAConjunction is the answer to a COUNT(DISTINCT ...) whose records in
// some group are no product of conditions on one fragment each. Their number is
// known, but the probability that there is none is not: counting the matchings
// without a qualifying pair is counting permutations that avoid given places.
var ErrNotAConjunction = errors.New("the condition, the key or the argument mixes several fragments")

// countDistinct replaces the Distinct figures of an answer that is not exact by
// the expected numbers of values.
//
// A value v of key k is met in group g by the records with a combination of
// classes in a set Q. Where Q is a product of sets A_i, one a fragment, and N_i
// records of fragment i have a class in A_i, the records of a fragment are a
// uniformly random subset of the group's m places, and
//
//	P(v is not met in g) = P(no place is in all f subsets)
//
// which is followed from fragment to fragment: when c places are common to the
// first i-1, those common to i are hypergeometric (N_i of m, c drawn). For
// cells that are not points N_i itself is a sum of independent draws. Groups
// are independent: the probabilities multiply, and the expected number is the
// sum over values of 1 minus the product. With counterfeits not meeting v is having
// counterfeits only: the whole distribution of the number of records with v is
// followed, over all groups, as far as the number can matter.
//
// Cost per group: the combinations of the classes present, and per pair of key and
// value present what [chanceList.number] and [distribution.intersect] take: f m for
// points, f m^2 at most.
func countDistinct(ctx context.Context, r *anonymize.Release, q *Question, sides []*side, rows []AnswerRow) error {
	d := &distinct{groupTerms: newGroupTerms(ctx, q, sides), absences: thinningOf(r).absences(),
		records: make([]map[keyedValue][]float64, len(q.Aggregates))}
	for g := range r.Groups() {
		m := int(r.GroupSizes[g])
		ok, err := d.load(g, float64(m))
		if err != nil {
			return err
		}
		for a := 0; ok && a < len(q.Aggregates); a++ {
			if q.Aggregates[a].Kind == Distinct {
				if err := d.group(g, m, a); err != nil {
					return err
				}
			}
		}
	}
	d.fill(rows)
	return nil
}

// asksDistinct reports whether an aggregate counts values.
func (q *Question) asksDistinct() bool {
	for _, a := range q.Aggregates {
		if a.Kind == Distinct {
			return true
		}
	}
	return false
}

type keyedValue struct{ key, value int32 }

// A distinct collects, per aggregate, the distribution of the number of records
// of the groups so far that have a value under a key, by number.
type distinct struct {
	*groupTerms
	// absences has the probabilities that so many records are all counterfeits;
	// distributions are no longer than this.
	absences []float64
	records  []map[keyedValue][]float64
	// scratch of one group
	met    map[keyedValue]int // index into sets
	sets   []classSets
	common []float64 // of the number of common places
	at     []uint32  // by class of a side: its place among those present
	// of a side
	chances chanceList
	spare   [2]distribution
}

// classSets has, per side, the positions of the classes with which a value is
// met, and the number of combinations that were met.
type classSets struct {
	keyedValue
	of           [][]bool
	combinations int
}

func (d *distinct) group(g, m, a int) error {
	if d.met == nil {
		d.met = make(map[keyedValue]int)
	}
	clear(d.met)
	d.sets = d.sets[:0]
	clear(d.position)
	for _, entry := range d.entries {
		if key := d.key[entry]; key >= 0 && d.figures[entry][a].records > 0 {
			d.meet(keyedValue{key, int32(d.figures[entry][a].sum)})
		}
		if err := d.work.pass(len(d.sides)); err != nil {
			return err
		}
		advance(d.position, d.radix)
	}
	if d.records[a] == nil {
		d.records[a] = make(map[keyedValue][]float64)
	}
	for i := range d.sets {
		if !d.sets[i].isProduct() {
			return ErrNotAConjunction
		}
		if err := d.fillCommon(&d.sets[i], g, m); err != nil {
			return err
		}
		id := d.sets[i].keyedValue
		d.records[a][id] = convolve(d.records[a][id], d.common, len(d.absences))
		if err := d.work.pass(m + len(d.records[a][id])*min(m, len(d.absences))); err != nil {
			return err
		}
	}
	return nil
}

// meet notes the combination at the current position.
func (d *distinct) meet(v keyedValue) {
	i, ok := d.met[v]
	if !ok {
		i = len(d.sets)
		d.met[v] = i
		sets := classSets{keyedValue: v, of: make([][]bool, len(d.radix))}
		for s, classes := range d.radix {
			sets.of[s] = make([]bool, classes)
		}
		d.sets = append(d.sets, sets)
	}
	d.sets[i].combinations++
	for s, at := range d.position {
		d.sets[i].of[s][at] = true
	}
}

// isProduct reports whether all combinations of the sets were met.
func (c *classSets) isProduct() bool {
	product := 1
	for _, set := range c.of {
		n := 0
		for _, in := range set {
			if in {
				n++
			}
		}
		product *= n
	}
	return product == c.combinations
}

// convolve returns the distribution of the sum of two independent numbers, as far
// as below some length; nothing is the number 0. It may reuse a.
func convolve(a, b []float64, length int) []float64 {
	b = b[:min(len(b), length)]
	for len(b) > 1 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	if a == nil {
		return slices.Clone(b)
	}
	have := len(a)
	for len(a) < min(have+len(b)-1, length) {
		a = append(a, 0)
	}
	for n := len(a) - 1; n >= 0; n-- { // downwards: what is read was not written
		sum := 0.0
		for i := max(0, n-have+1); i < min(len(b), n+1); i++ {
			sum += a[n-i] * b[i]
		}
		a[n] = sum
	}
	return a
}

// fillCommon computes the distribution of the number of records of group g that
// have their classes in the sets.
func (d *distinct) fillCommon(sets *classSets, g, m int) error {
	common := distribution{m, []float64{1}}
	for s := range d.sides {
		chance, err := d.chance(sets.of[s], g, s)
		if err != nil {
			return err
		}
		if common, err = common.intersect(chance, m, &d.work); err != nil {
			return err
		}
	}
	d.common = append(d.common[:0], make([]float64, m+1)...)
	copy(d.common[common.from:], common.p)
	return nil
}

// chance is the distribution of the number of records of side s whose class is in
// the set. It is scratch.
func (d *distinct) chance(set []bool, g, s int) (distribution, error) {
	side := d.sides[s]
	if side.point {
		n := 0.0
		for i, class := range d.worker.present[s] {
			if set[i] {
				n += d.worker.weight[s][class]
			}
		}
		return distribution{int(n), []float64{1}}, d.work.pass(len(set))
	}
	d.at = resized(d.at, side.classes)
	for i, class := range d.worker.present[s] {
		d.at[class] = uint32(i)
	}
	d.chances = d.chances[:0]
	for t := side.fragment.GroupStart[g]; t < side.fragment.GroupStart[g+1]; t++ {
		p := 0.0
		shares, _ := side.cells.sharesOf(t, &d.worker.shares)
		for _, share := range shares {
			if set[d.at[share.class]] {
				p += share.mass
			}
		}
		d.chances = append(d.chances, chance{min(p, 1), int(side.fragment.Count[t])})
	}
	number := d.chances.number(&d.spare)
	return number, d.work.pass(len(set) + d.worker.steps + len(number.p)*len(d.chances))
}

// fill writes the expected numbers into the rows.
func (d *distinct) fill(rows []AnswerRow) {
	for a, records := range d.records {
		if d.question.Aggregates[a].Kind != Distinct {
			continue
		}
		expected := make([]float64, len(d.keys))
		// In the order of numbers, not of the map, so that the sum is always
		// the same.
		for key := range expected {
			for value := range d.values[a].list {
				if distribution, ok := records[keyedValue{int32(key), int32(value)}]; ok {
					absent := 0.0
					for n, p := range distribution {
						absent += p * d.absences[n]
					}
					expected[key] += 1 - absent
				}
			}
		}
		fillExpected(d.terms, a, expected, rows)
	}
}

// fillExpected writes what is expected by key as figure a.
func fillExpected(t *terms, a int, expected []float64, rows []AnswerRow) {
	for _, row := range rows {
		total := 0.0
		if key := int(t.numbering.number(row.Keys)); key < len(expected) {
			total = expected[key]
		}
		row.Figures[a] = anonymize.RealValue(total)
	}
}
