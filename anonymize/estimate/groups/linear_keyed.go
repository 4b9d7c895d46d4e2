package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A keyedWorker holds one core's scratch space: no allocation per group.
type keyedWorker struct {
	figures.KeyedJoin
	release *anonymize.Release
	keys    ClassedCodes
	others  []*WeighedSide
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

func NewWorker(k figures.KeyedJoin, r *anonymize.Release) *keyedWorker {
	w := &keyedWorker{KeyedJoin: k, release: r, keys: NewClassedCodes(k.Sides[k.Key]), weights: make([]float64, keyedStretch)}
	for s, side := range k.Sides {
		if s != k.Key {
			w.others = append(w.others, NewWeighedSide(side, s))
		}
	}
	classes := k.Sides[k.Key].Classes + 1
	for range k.Measures {
		w.factors = append(w.factors, make([]float64, keyedStretch))
	}
	for range (1 + len(k.Measures) + 1) / 2 {
		w.sums = append(w.sums, make([]pairOfSums, classes))
	}
	for range k.Own {
		w.ownSums = append(w.ownSums, make([]float64, classes))
	}
	return w
}

// keyedStretch is how many groups are looked at together.
const keyedStretch = 256

// Add adds the groups first..end-1 to sums.
func (w *keyedWorker) Add(ctx context.Context, first, end int, sums []float64) error {
	work := question.Checkpoint{Ctx: ctx}
	for ; first < end; first += keyedStretch {
		last := min(end, first+keyedStretch)
		w.weigh(first, last)
		tuples := w.addKeys(first, last)
		for _, other := range w.others {
			tuples += other.tuples
		}
		if err := work.Pass(tuples); err != nil {
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
		if len(other.Masks) == 0 {
			continue // all count
		}
		for g, records := range other.records[:len(weights)] {
			weights[g] *= records / float64(sizes[g]) // a group without records has no tuples either
		}
	}
	for i := range w.Measures {
		m, factors := &w.Measures[i], w.factors[i][:len(sizes)]
		for _, other := range w.others {
			if other.number == m.Side {
				other.addUp(factors, weights, sizes, first, m)
			}
		}
	}
}

// addKeys adds the tuples of the keys' side in the groups first..last-1 to the sums of
// their classes, and says how many there are.
func (w *keyedWorker) addKeys(first, last int) (tuples int) {
	sizes, f := w.release.GroupSizes[first:last], w.Sides[w.Key].Fragment
	starts := f.GroupStart[first : last+1]
	codes := w.keys.CodesBetween(starts[0], starts[len(sizes)])
	keys := KeyTuples{sizes, starts, f.Count[starts[0]:starts[len(sizes)]], codes, w.keys.ClassOf}
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
	for i := range w.Own {
		m := &w.Own[i]
		codes := w.Sides[w.Key].Units[m.Unit].Codes[starts[0]:starts[len(sizes)]]
		keys.addOwn(w.ownSums[i], w.weights[:len(sizes)], codes, m.Values)
	}
	return len(codes)
}

// flush makes the sums of a block of what was added up, and begins anew.
func (w *keyedWorker) flush(sums []float64) {
	width := w.Width()
	for class := range w.Sides[w.Key].Classes {
		at := sums[class*width:][:width]
		at[0] = w.sums[0][class].first
		for i := range w.Arguments {
			at[1+2*i] = at[0]
		}
		for i, m := range w.Measures {
			at[m.Sum] = w.measureSum(i+1, class)
		}
		for i, m := range w.Own {
			at[m.Sum] = w.ownSums[i][class]
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
