package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// A keyedJoin is a linear join in which one side has several classes: it has the keys. The
// others say per group what a record of the keys' side stands for, its weight
//
//	w = prod_i(a_i) / m^(f-1)
//
// and w times the mean of every measure over their own records that count. A group costs
// its tuples, and these are never told apart by their classes but looked up and added up.
type keyedJoin struct {
	*linearJoin
	key      int // the side with classes
	measures []measure
	// own are the measures of the keys' side: of its records each has its own value.
	own []measure
}

// A measure is a sum over records: of the values of an argument, or of those that are not NULL.
type measure struct {
	side, unit int
	values     []float64 // by code of the unit
	sum        int       // which sum of a class it is
}

// keyed returns the join as one whose keys are of one side; ok is false for another.
func (l *linearJoin) keyed() (k keyedJoin, ok bool) {
	several := 0
	for s, side := range l.sides {
		if side.classes > 1 {
			k.key = s
			several++
		}
	}
	k.linearJoin = l
	if several > 1 {
		return k, false
	}
	for i := range l.arguments {
		for _, m := range l.measuresOf(i) {
			if m.side == k.key {
				k.own = append(k.own, m)
			} else {
				k.measures = append(k.measures, m)
			}
		}
	}
	return k, true
}

// measuresOf are those of argument i. None is made of what is known without: the records
// with an argument where nobody's is NULL, and a sum of zeros, which COUNT(x) has.
func (l *linearJoin) measuresOf(i int) []measure {
	a := &l.arguments[i]
	records := measure{side: a.side, unit: a.unit, sum: 1 + 2*i, values: make([]float64, len(a.contributions))}
	sums := measure{side: a.side, unit: a.unit, sum: 2 + 2*i, values: make([]float64, len(a.contributions))}
	some, someNull := false, false
	for code, c := range a.contributions {
		records.values[code], sums.values[code] = c.records, c.sum
		some = some || c.sum != 0
		someNull = someNull || c.records == 0 && l.sides[a.side].units[a.unit].classOf[code] != dead
	}
	var measures []measure
	if someNull {
		measures = append(measures, records)
	}
	if some {
		measures = append(measures, sums)
	}
	return measures
}

// A keyedWorker holds one core's scratch space: no allocation per group.
type keyedWorker struct {
	keyedJoin
	release *anonymize.Release
	keys    classedCodes
	others  []*weighedSide
	// weights and factors are, by group of a stretch, w, and by measure w times its mean.
	weights []float64
	factors [][]float64
	// sums are those of the block by class, two measures side by side, the first of them the
	// weights; ownSums those of own. Last are the sums of the dead.
	sums    [][]pairOfSums
	ownSums [][]float64
}

// A pairOfSums is what two measures add up to; they are near each other in memory.
type pairOfSums struct{ first, second float64 }

func (k keyedJoin) newWorker(r *anonymize.Release) *keyedWorker {
	w := &keyedWorker{keyedJoin: k, release: r, keys: newClassedCodes(k.sides[k.key]), weights: make([]float64, keyedStretch)}
	for s, side := range k.sides {
		if s != k.key {
			w.others = append(w.others, newWeighedSide(side, s))
		}
	}
	classes := k.sides[k.key].classes + 1
	for range k.measures {
		w.factors = append(w.factors, make([]float64, keyedStretch))
	}
	for range (1 + len(k.measures) + 1) / 2 {
		w.sums = append(w.sums, make([]pairOfSums, classes))
	}
	for range k.own {
		w.ownSums = append(w.ownSums, make([]float64, classes))
	}
	return w
}

// keyedStretch is how many groups are looked at together.
const keyedStretch = 256

// add adds the groups first..end-1 to sums.
func (w *keyedWorker) add(ctx context.Context, first, end int, sums []float64) error {
	work := checkpoint{ctx: ctx}
	for ; first < end; first += keyedStretch {
		last := min(end, first+keyedStretch)
		w.weigh(first, last)
		tuples := w.addKeys(first, last)
		for _, other := range w.others {
			tuples += other.tuples
		}
		if err := work.pass(tuples); err != nil {
			return err
		}
	}
	w.flush(sums)
	return nil
}

// weigh finds the weights and factors of the groups first..last-1.
func (w *keyedWorker) weigh(first, last int) {
	sizes := w.release.GroupSizes[first:last]
	weights := w.weights[:len(sizes)]
	for g := range weights {
		weights[g] = 1
	}
	for _, other := range w.others {
		other.find(sizes, first, last)
		if len(other.masks) == 0 {
			continue // all count
		}
		for g, records := range other.records[:len(weights)] {
			weights[g] *= records / float64(sizes[g]) // a group without records has no tuples either
		}
	}
	for i := range w.measures {
		m, factors := &w.measures[i], w.factors[i][:len(sizes)]
		for _, other := range w.others {
			if other.number == m.side {
				other.addUp(factors, weights, sizes, first, m)
			}
		}
	}
}

// addKeys adds the tuples of the keys' side in the groups first..last-1 to the sums of
// their classes, and says how many there are.
func (w *keyedWorker) addKeys(first, last int) (tuples int) {
	sizes, f := w.release.GroupSizes[first:last], w.sides[w.key].fragment
	starts := f.GroupStart[first : last+1]
	codes := w.keys.codesBetween(starts[0], starts[len(sizes)])
	keys := keyTuples{sizes, starts, f.Count[starts[0]:starts[len(sizes)]], codes, w.keys.classOf}
	before := w.weights[:len(sizes)]
	for i, sums := range w.sums {
		if i > 0 {
			before = w.factors[2*i-1]
		}
		if 2*i < len(w.factors) {
			keys.addBoth(sums, before[:len(sizes)], w.factors[2*i][:len(sizes)])
		} else {
			keys.addFirst(sums, before[:len(sizes)])
		}
	}
	for i := range w.own {
		m := &w.own[i]
		codes := w.sides[w.key].units[m.unit].codes[starts[0]:starts[len(sizes)]]
		keys.addOwn(w.ownSums[i], w.weights[:len(sizes)], codes, m.values)
	}
	return len(codes)
}

// flush makes the sums of a block of what was added up, and begins anew.
func (w *keyedWorker) flush(sums []float64) {
	width := w.width()
	for class := range w.sides[w.key].classes {
		at := sums[class*width:][:width]
		at[0] = w.sums[0][class].first
		for i := range w.arguments {
			at[1+2*i] = at[0]
		}
		for i, m := range w.measures {
			at[m.sum] = w.measureSum(i+1, class)
		}
		for i, m := range w.own {
			at[m.sum] = w.ownSums[i][class]
		}
	}
	for _, pairs := range w.sums {
		clear(pairs)
	}
	for _, own := range w.ownSums {
		clear(own)
	}
}

// measureSum is the sum of the weights, 0, or of a measure, 1 and more.
func (w *keyedWorker) measureSum(i, class int) float64 {
	if i%2 == 0 {
		return w.sums[i/2][class].first
	}
	return w.sums[i/2][class].second
}
