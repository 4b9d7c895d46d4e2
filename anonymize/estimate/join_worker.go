package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// A groupWorker holds one core's scratch space: no allocation per group.
type groupWorker struct {
	sides []*side
	// weight and present are the classes of the current group, per side:
	// weight[s][class] is the number of records, present[s] the classes with
	// weight above 0.
	weight  [][]float64
	present [][]uint32
	shares  shareScratch
	chosen  []uint32
	stride  []int // of the dense index, per side
	steps   int   // that the current group's tuples took
}

func newGroupWorker(sides []*side) *groupWorker {
	w := &groupWorker{sides: sides, chosen: make([]uint32, len(sides))}
	stride := 1
	for _, s := range sides {
		w.weight = append(w.weight, make([]float64, s.classes))
		w.present = append(w.present, make([]uint32, 0, 16))
		w.stride = append(w.stride, stride)
		stride *= s.classes // meaningless, and not read, beyond the dense case
	}
	return w
}

// scale is m^(f-1).
func (w *groupWorker) scale(size uint32) float64 {
	scale := 1.0
	for range len(w.sides) - 1 {
		scale *= float64(size)
	}
	return scale
}

// dense adds the groups first..end-1 to sums.
func (w *groupWorker) dense(ctx context.Context, r *anonymize.Release, first, end int, sums []float64) error {
	if w.plainCount() {
		sums[0] += w.countBlock(r, first, end)
		return nil
	}
	if len(w.sides) == 1 && w.sides[0].point {
		return w.sides[0].addTuples(ctx, first, end, sums)
	}
	work := checkpoint{ctx: ctx}
	for g := first; g < end; g++ {
		ok, err := w.collect(g, &work)
		if err != nil {
			return err
		}
		if ok {
			w.spread(0, 0, 1, w.scale(r.GroupSizes[g]), sums)
			if err := work.pass(min(workPerCheck, w.combinations())); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTuples adds the records of the groups first..end-1 to sums, by class: with one side
// groups do not matter.
func (s *side) addTuples(ctx context.Context, first, end int, sums []float64) error {
	work := checkpoint{ctx: ctx}
	classes := make([]uint32, workPerCheck)
	from, to := s.fragment.GroupStart[first], s.fragment.GroupStart[end]
	for from < to {
		some := min(to-from, workPerCheck)
		s.classesOf(from, classes[:some])
		for i, count := range s.fragment.Count[from : from+some] {
			if class := classes[i]; class != dead {
				sums[class] += float64(count)
			}
		}
		if err := work.pass(int(some)); err != nil {
			return err
		}
		from += some
	}
	return nil
}

// classesOf finds the classes of as many tuples as there is room for, dead where one fails
// a condition.
func (s *side) classesOf(from uint32, classes []uint32) {
	stride := uint32(1)
	for i, u := range s.units {
		codes, classOf := u.codes[from:][:len(classes)], u.classOf
		if i == 0 {
			for t, code := range codes {
				classes[t] = classOf[code]
			}
		} else {
			for t, code := range codes {
				if c := classOf[code]; c == dead {
					classes[t] = dead
				} else if classes[t] != dead {
					classes[t] += c * stride
				}
			}
		}
		stride *= uint32(u.classes)
	}
}

// combinations is the number of those of the current group, or more than
// maxCellCombinations.
func (w *groupWorker) combinations() int {
	n := 1
	for _, present := range w.present {
		if n *= len(present); n > maxCellCombinations {
			return n
		}
	}
	return n
}

// spread adds the weights of the current group's combinations, those of the
// sides from s on, to sums from index on.
func (w *groupWorker) spread(s, index int, product, scale float64, sums []float64) {
	weight, stride := w.weight[s], w.stride[s]
	if s == len(w.sides)-1 {
		for _, class := range w.present[s] {
			sums[index+int(class)*stride] += product * weight[class] / scale
		}
		return
	}
	for _, class := range w.present[s] {
		w.spread(s+1, index+int(class)*stride, product*weight[class], scale, sums)
	}
}

// collect finds the classes of group g, side by side; false when a side has
// none, so that the group contributes nothing.
func (w *groupWorker) collect(g int, work *checkpoint) (ok bool, err error) {
	w.steps = 0
	for s, side := range w.sides {
		for _, class := range w.present[s] {
			w.weight[s][class] = 0
		}
		w.present[s] = w.present[s][:0]
		for t := side.fragment.GroupStart[g]; t < side.fragment.GroupStart[g+1]; t++ {
			steps := w.addTuple(s, side, t)
			if err := work.pass(steps); err != nil {
				return false, err
			}
			w.steps += steps
		}
		if len(w.present[s]) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// addTuple returns its cost.
func (w *groupWorker) addTuple(s int, side *side, t uint32) (steps int) {
	count := float64(side.fragment.Count[t])
	if !side.point {
		shares, _ := side.cells.sharesOf(t, &w.shares)
		for _, share := range shares {
			w.add(s, share.class, count*share.mass)
		}
		return side.cells.workOf(t) + len(shares)
	}
	if class, ok := side.classOf(t); ok {
		w.add(s, class, count)
	}
	return 1
}

// classOf is the class of a tuple of points; ok is false where it fails a condition.
func (s *side) classOf(t uint32) (class uint32, ok bool) {
	stride := uint32(1)
	for _, u := range s.units {
		c := u.classOf[u.codes[t]]
		if c == dead {
			return 0, false
		}
		class += c * stride
		stride *= uint32(u.classes)
	}
	return class, true
}

func (w *groupWorker) add(s int, class uint32, count float64) {
	if w.weight[s][class] == 0 {
		w.present[s] = append(w.present[s], class)
	}
	w.weight[s][class] += count
}

// combine visits every combination of the current group's classes with its
// weight: the product of the records behind the classes over m^(f-1).
func (w *groupWorker) combine(size uint32, visit func(classes []uint32, weight float64) error) error {
	return w.descend(0, 1, w.scale(size), visit)
}

func (w *groupWorker) descend(s int, product, scale float64, visit func([]uint32, float64) error) error {
	if s == len(w.sides) {
		return visit(w.chosen, product/scale)
	}
	for _, class := range w.present[s] {
		w.chosen[s] = class
		if err := w.descend(s+1, product*w.weight[s][class], scale, visit); err != nil {
			return err
		}
	}
	return nil
}

// plainCount reports whether every side is a filter over points: one class.
func (w *groupWorker) plainCount() bool {
	for _, s := range w.sides {
		if s.classes != 1 || !s.point {
			return false
		}
	}
	return true
}

// countBlock is the kernel of COUNT over a conjunction, Eq. (11): the sum over
// groups of prod_i(a_i) / m^(f-1). A group is left at the first fragment
// without a match.
func (w *groupWorker) countBlock(r *anonymize.Release, first, end int) float64 {
	total := 0.0
	for g := first; g < end; g++ {
		product, scale := 1.0, 1.0
		for s, side := range w.sides {
			matching := side.matching(g)
			if matching == 0 {
				product = 0
				break
			}
			product *= float64(matching)
			if s > 0 {
				scale *= float64(r.GroupSizes[g])
			}
		}
		total += product / scale
	}
	return total
}

// matching returns a_i: the records of group g whose tuple satisfies the
// conditions of this side.
func (s *side) matching(g int) uint32 {
	f := s.fragment
	matching := uint32(0)
tuples:
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		for _, u := range s.units {
			if u.classOf[u.codes[t]] == dead {
				continue tuples
			}
		}
		matching += f.Count[t]
	}
	return matching
}
