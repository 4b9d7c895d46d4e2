package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// CountDistinct sets the Distinct figures of an answer that is not exact to the expected
// numbers of values.
//
// Records with a combination of classes in a set Q have value v under key k in group g. Let Q
// be a product of sets A_i, one per fragment, and let N_i records of fragment i have a class in
// A_i. The records of a fragment are a uniformly random subset of the group's m places, so
//
//	P(v is not met in g) = P(no place is in all f subsets)
//
// This is computed fragment by fragment: if the first i-1 have c places in common, the number
// that the first i have in common is hypergeometric (N_i of m, c drawn). For cells that are not
// points, N_i is itself a sum of independent draws. Groups are independent, so the
// probabilities multiply; the expected number is the sum over values of 1 minus the product.
// With counterfeits, v is not met if only counterfeits have it: CountDistinct then follows the
// distribution of the number of records with v over all groups, as far as the number matters.
//
// Cost per group: the combinations of its classes; and per pair of key and value the cost of
// [figures.ChanceList.Number] and [figures.Distribution.Intersect]: f m for points, at most f
// m^2.
func CountDistinct(ctx context.Context, r *anonymize.Release, q *question.Question, sides []*question.Side, rows []question.AnswerRow) error {
	d := &distinct{GroupTerms: NewGroupTerms(ctx, q, sides), absences: figures.ThinningOf(r).Absences(),
		records: make([]map[figures.KeyedValue][]float64, len(q.Aggregates))}
	for g := range r.Groups() {
		m := int(r.GroupSizes[g])
		ok, err := d.Load(g, float64(m))
		if err != nil {
			return err
		}
		for a := 0; ok && a < len(q.Aggregates); a++ {
			if q.Aggregates[a].Kind == question.Distinct {
				if err := d.group(g, m, a); err != nil {
					return err
				}
			}
		}
	}
	d.fill(rows)
	return nil
}

// A distinct collects, per aggregate, the distribution over the groups so far of the number of
// records with a value under a key.
type distinct struct {
	*GroupTerms
	// absences has, by number of records, the probability that all are counterfeits.
	// Distributions are no longer than it.
	absences []float64
	records  []map[figures.KeyedValue][]float64
	// scratch of one group:
	met    map[figures.KeyedValue]int // index into sets
	sets   []figures.ClassSets
	common []float64 // of the number of common places
	// scratch of a side:
	chances figures.ChanceList
	spare   [2]figures.Distribution
}

func (d *distinct) group(g, m, a int) error {
	if d.met == nil {
		d.met = make(map[figures.KeyedValue]int)
	}
	clear(d.met)
	d.sets = d.sets[:0]
	clear(d.position)
	for _, entry := range d.Entries {
		if key := d.Key[entry]; key >= 0 && d.Figures[entry][a].Records > 0 {
			d.meet(figures.KeyedValue{Key: key, Value: int32(d.Figures[entry][a].Sum)})
		}
		if err := d.Work.Pass(len(d.Sides)); err != nil {
			return err
		}
		question.Advance(d.position, d.Radix)
	}
	if d.records[a] == nil {
		d.records[a] = make(map[figures.KeyedValue][]float64)
	}
	for i := range d.sets {
		if !d.sets[i].IsProduct() {
			return question.ErrNotAConjunction
		}
		if err := d.fillCommon(&d.sets[i], g, m); err != nil {
			return err
		}
		id := d.sets[i].KeyedValue
		d.records[a][id] = figures.Convolve(d.records[a][id], d.common, len(d.absences))
		if err := d.Work.Pass(m + len(d.records[a][id])*min(m, len(d.absences))); err != nil {
			return err
		}
	}
	return nil
}

// meet adds the combination at the current position to the sets of v.
func (d *distinct) meet(v figures.KeyedValue) {
	i, ok := d.met[v]
	if !ok {
		i = len(d.sets)
		d.met[v] = i
		sets := figures.ClassSets{KeyedValue: v, Of: make([][]bool, len(d.Radix))}
		for s, classes := range d.Radix {
			sets.Of[s] = make([]bool, classes)
		}
		d.sets = append(d.sets, sets)
	}
	d.sets[i].Combinations++
	for s, at := range d.position {
		d.sets[i].Of[s][at] = true
	}
}

// fillCommon computes the distribution of the number of records of group g whose classes are in
// the sets.
func (d *distinct) fillCommon(sets *figures.ClassSets, g, m int) error {
	common := figures.Distribution{From: m, P: []float64{1}}
	for s := range d.Sides {
		chance, err := d.chance(sets.Of[s], g, s)
		if err != nil {
			return err
		}
		if common, err = common.Intersect(chance, m, &d.Work); err != nil {
			return err
		}
	}
	d.common = append(d.common[:0], make([]float64, m+1)...)
	copy(d.common[common.From:], common.P)
	return nil
}

// chance returns the distribution of the number of records of side s whose class is in the set.
// The result is valid until the next call.
func (d *distinct) chance(set []bool, g, s int) (figures.Distribution, error) {
	side := d.Sides[s]
	if side.Point {
		n := 0.0
		for i, class := range d.Worker.Present[s] {
			if set[i] {
				n += d.Worker.weight[s][class]
			}
		}
		return figures.Distribution{From: int(n), P: []float64{1}}, d.Work.Pass(len(set))
	}
	d.chances = d.chances[:0]
	d.EachTuple(g, s, func(t uint32, shares []question.Share, _ bool) {
		p := 0.0
		for _, share := range shares {
			if set[d.At[share.Class]] {
				p += share.Mass
			}
		}
		d.chances = append(d.chances, figures.Chance{P: min(p, 1), Count: int(side.Fragment.Count[t])})
	})
	number := d.chances.Number(&d.spare)
	return number, d.Work.Pass(len(set) + d.Worker.Steps + len(number.P)*len(d.chances))
}

// fill sets the expected numbers in the rows.
func (d *distinct) fill(rows []question.AnswerRow) {
	for a, records := range d.records {
		if d.Question.Aggregates[a].Kind != question.Distinct {
			continue
		}
		expected := make([]float64, len(d.Keys))
		// In the order of numbers instead of the map's, so that the sum is deterministic.
		for key := range expected {
			for value := range d.Values[a].List {
				if distribution, ok := records[figures.KeyedValue{Key: int32(key), Value: int32(value)}]; ok {
					absent := 0.0
					for n, p := range distribution {
						absent += p * d.absences[n]
					}
					expected[key] += 1 - absent
				}
			}
		}
		figures.FillExpected(d.Terms, a, expected, rows)
	}
}
