package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A groupWorker has one core's scratch space, so that groups need no allocation.
type groupWorker struct {
	sides []*question.Side
	// weight and Present describe the current group, by side: weight[s][class] is the number of
	// records, Present[s] has the classes with a positive weight.
	weight  [][]float64
	Present [][]uint32
	Shares  question.ShareScratch
	chosen  []uint32
	stride  []int // of the dense index, per side
	Steps   int   // of the current group's tuples
}

func newGroupWorker(sides []*question.Side) *groupWorker {
	w := &groupWorker{sides: sides, chosen: make([]uint32, len(sides))}
	stride := 1
	for _, s := range sides {
		w.weight = append(w.weight, make([]float64, s.Classes))
		w.Present = append(w.Present, make([]uint32, 0, 16))
		w.stride = append(w.stride, stride)
		stride *= s.Classes // meaningless, but not read, if sums are not dense
	}
	return w
}

// scale returns m^(f-1).
func (w *groupWorker) scale(size uint32) float64 {
	scale := 1.0
	for range len(w.sides) - 1 {
		scale *= float64(size)
	}
	return scale
}

// dense adds the groups first..end-1 to sums.
func (w *groupWorker) dense(ctx context.Context, r *anonymize.Release, first, end int, sums []float64) error {
	if len(w.sides) == 1 && w.sides[0].Point {
		return addTuples(ctx, w.sides[0], first, end, sums)
	}
	work := question.Checkpoint{Ctx: ctx}
	for g := first; g < end; g++ {
		ok, err := w.collect(g, &work)
		if err != nil {
			return err
		}
		if ok {
			w.spread(0, 0, 1, w.scale(r.GroupSizes[g]), sums)
			if err := work.Pass(min(question.WorkPerCheck, w.combinations())); err != nil {
				return err
			}
		}
	}
	return nil
}

// addTuples adds the records of the groups first..end-1 to sums by class. With one side, groups
// do not matter.
func addTuples(ctx context.Context, s *question.Side, first, end int, sums []float64) error {
	work, space, classOf := question.Checkpoint{Ctx: ctx}, question.CodeScratch{}, s.ClassOfCode()
	from, to := s.Fragment.GroupStart[first], s.Fragment.GroupStart[end]
	for from < to {
		some := min(to-from, question.WorkPerCheck)
		counts := s.Fragment.Count[from : from+some]
		for t, code := range s.CodesBetween(from, from+some, &space) {
			if class := classOf[code]; class != question.Dead {
				sums[class] += float64(counts[t])
			}
		}
		if err := work.Pass(int(some)); err != nil {
			return err
		}
		from += some
	}
	return nil
}

// combinations returns the number of combinations in the current group, or a number above
// [question.MaxCellCombinations].
func (w *groupWorker) combinations() int {
	n := 1
	for _, present := range w.Present {
		if n *= len(present); n > question.MaxCellCombinations {
			return n
		}
	}
	return n
}

// spread adds the weights of the current group's combinations of the sides from s on to sums
// from index on.
func (w *groupWorker) spread(s, index int, product, scale float64, sums []float64) {
	weight, stride := w.weight[s], w.stride[s]
	if s == len(w.sides)-1 {
		for _, class := range w.Present[s] {
			sums[index+int(class)*stride] += product * weight[class] / scale
		}
		return
	}
	for _, class := range w.Present[s] {
		w.spread(s+1, index+int(class)*stride, product*weight[class], scale, sums)
	}
}

// collect finds the classes of group g on every side; ok is false if a side has none, so that
// the group contributes nothing.
func (w *groupWorker) collect(g int, work *question.Checkpoint) (ok bool, err error) {
	w.Steps = 0
	for s, side := range w.sides {
		for _, class := range w.Present[s] {
			w.weight[s][class] = 0
		}
		w.Present[s] = w.Present[s][:0]
		for t := side.Fragment.GroupStart[g]; t < side.Fragment.GroupStart[g+1]; t++ {
			steps := w.addTuple(s, side, t)
			if err := work.Pass(steps); err != nil {
				return false, err
			}
			w.Steps += steps
		}
		if len(w.Present[s]) == 0 {
			return false, nil
		}
	}
	return true, nil
}

// addTuple adds a tuple's records and returns the cost in steps.
func (w *groupWorker) addTuple(s int, side *question.Side, t uint32) (steps int) {
	count := float64(side.Fragment.Count[t])
	if !side.Point {
		shares, _ := side.Cells.SharesOf(t, &w.Shares)
		for _, share := range shares {
			w.add(s, share.Class, count*share.Mass)
		}
		return side.Cells.WorkOf(t) + len(shares)
	}
	if class := side.ClassOf(t); class != question.Dead {
		w.add(s, class, count)
	}
	return 1
}

func (w *groupWorker) add(s int, class uint32, count float64) {
	if w.weight[s][class] == 0 {
		w.Present[s] = append(w.Present[s], class)
	}
	w.weight[s][class] += count
}

// combine visits every combination of the current group's classes with its weight: the product
// of the classes' records over m^(f-1).
func (w *groupWorker) combine(size uint32, visit func(classes []uint32, weight float64) error) error {
	position, radix, scale := make([]int, len(w.sides)), make([]int, len(w.sides)), w.scale(size)
	for s := range w.sides {
		radix[len(radix)-1-s] = len(w.Present[s]) // the last side is the fastest digit
	}
	for more := true; more; more = question.Advances(position, radix) {
		product := 1.0
		for s := range w.sides {
			w.chosen[s] = w.Present[s][position[len(position)-1-s]]
			product *= w.weight[s][w.chosen[s]]
		}
		if err := visit(w.chosen, product/scale); err != nil {
			return err
		}
	}
	return nil
}
