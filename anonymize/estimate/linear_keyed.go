package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// A keyedJoin is a linear join in which one side has several classes: it has the keys. The
// records of the others are added up first, group by group.
type keyedJoin struct {
	*linearJoin
	key int // the side with classes
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
	return k, several <= 1
}

// A keyedWorker holds one core's scratch space.
type keyedWorker struct {
	keyedJoin
	// classes are those of the tuples of a stretch of groups, per side; from is the first
	// tuple of it.
	classes [][]uint32
	// means are, per argument of another side, what one of its records adds in the mean;
	// of the keys' side, nothing.
	means []contribution
	// plain takes groups of single records; nil: it takes none.
	plain *plainJoin
}

func (k keyedJoin) newWorker() *keyedWorker {
	return &keyedWorker{keyedJoin: k, classes: make([][]uint32, len(k.sides)), means: make([]contribution, len(k.arguments)), plain: k.plain()}
}

// keyedStretch is how many groups are classified at a time.
const keyedStretch = 256

// add adds the groups first..end-1 to sums.
func (w *keyedWorker) add(ctx context.Context, r *anonymize.Release, first, end int, sums []float64) error {
	work := checkpoint{ctx: ctx}
	for ; first < end; first += keyedStretch {
		last, tuples := min(end, first+keyedStretch), 0
		if w.plain == nil {
			tuples = w.classify(first, last)
		}
		for g := first; g < last; g++ {
			begun := first
			if w.plain != nil {
				tuples += int(r.GroupSizes[g])
				if w.plain.takes(r, g) {
					w.plain.add(g, float64(r.GroupSizes[g]))
					continue
				}
				begun = g
				w.classify(g, g+1)
			}
			if product := w.others(g, begun); product > 0 {
				w.addKeys(g, begun, product, w.scale(r.GroupSizes[g]), sums)
			}
		}
		if err := work.pass(tuples); err != nil {
			return err
		}
	}
	if w.plain != nil {
		w.plain.flush(sums, w.width())
	}
	return nil
}

// classify finds the classes of the tuples of groups first..last-1, and says how many tuples there are.
func (w *keyedWorker) classify(first, last int) (tuples int) {
	for s, side := range w.sides {
		from, to := side.fragment.GroupStart[first], side.fragment.GroupStart[last]
		if cap(w.classes[s]) < int(to-from) {
			w.classes[s] = make([]uint32, to-from)
		}
		w.classes[s] = w.classes[s][:to-from]
		side.classesOf(from, w.classes[s])
		tuples += int(to - from)
	}
	return tuples
}

// scale is m^(f-1).
func (w *keyedWorker) scale(m uint32) float64 {
	scale := float64(m)
	for range len(w.sides) - 2 {
		scale *= float64(m)
	}
	return scale
}

// others is prod(a_i) of the sides without keys in group g.
func (w *keyedWorker) others(g, first int) float64 {
	product := 1.0
	for s, side := range w.sides {
		if s == w.key {
			continue
		}
		f := side.fragment
		start, from, to := f.GroupStart[first], f.GroupStart[g], f.GroupStart[g+1]
		classes, counts := w.classes[s][from-start:to-start], f.Count[from:to]
		records := uint32(0)
		for t, class := range classes {
			if class != dead {
				records += counts[t]
			}
		}
		if records == 0 {
			return 0
		}
		product *= float64(records)
		for i := range w.arguments {
			if a := &w.arguments[i]; a.side == s {
				w.means[i] = a.mean(classes, counts, side.units[a.unit].codes[from:to], float64(records))
			}
		}
	}
	return product
}

// mean is what one of some records adds in the mean.
func (a *argument) mean(classes, counts, codes []uint32, records float64) (mean contribution) {
	for t, class := range classes {
		if class != dead {
			count, c := float64(counts[t]), &a.contributions[codes[t]]
			mean.records += count * c.records
			mean.sum += count * c.sum
		}
	}
	return contribution{mean.records / records, mean.sum / records}
}

// addKeys adds the records of the keys' side in group g, and what they add, to the sums of
// their classes. product / scale is what of each counts.
func (w *keyedWorker) addKeys(g, first int, product, scale float64, sums []float64) {
	side, width := w.sides[w.key], w.width()
	f := side.fragment
	start, from, to := f.GroupStart[first], f.GroupStart[g], f.GroupStart[g+1]
	counts, one := f.Count[from:to], product/scale
	for t, class := range w.classes[w.key][from-start : to-start] {
		if class == dead {
			continue
		}
		at, weight := sums[int(class)*width:][:width], one
		if counts[t] != 1 {
			weight = product * float64(counts[t]) / scale // in this order, which the other joins have
		}
		at[0] += weight
		for i, mean := range w.means {
			if a := &w.arguments[i]; a.side == w.key {
				mean = a.contributions[side.units[a.unit].codes[int(from)+t]]
			}
			at[1+2*i] += weight * mean.records
			at[2+2*i] += weight * mean.sum
		}
	}
}
