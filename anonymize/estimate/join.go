package estimate

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
)

// maxDenseCombinations bounds the array of weights, one float64 per
// combination of classes; above it combinations are numbered as they occur.
const maxDenseCombinations = 1 << 18

// blockGroups is the number of groups that one core takes at a time. It
// depends on nothing but the release, so that sums are formed in the same
// order on every machine.
const blockGroups = 4096

// weights is the weighted join, summed by what the question asks: the expected
// number of records of every combination of classes, one class per side.
type weights struct {
	sides []*side
	// dense has a weight per combination, the first side varying fastest; nil
	// when there are too many.
	dense []float64
	// sparse has the combinations that occur, each len(sides) classes.
	sparse []combination
}

type combination struct {
	classes []uint32
	weight  float64
}

// join computes the weights of all groups. Cost: one pass over the touched
// columns, plus per group the product of the classes present in it.
func join(ctx context.Context, r *anonymize.Release, sides []*side) (*weights, error) {
	w := &weights{sides: sides}
	for _, s := range sides {
		s.number()
	}
	size := 1
	for _, s := range sides {
		if size *= s.classes; size > maxDenseCombinations {
			size = 0
			break
		}
	}
	if size == 0 {
		return w, w.joinSparse(ctx, r)
	}
	return w, w.joinDense(ctx, r, size)
}

// joinDense splits the groups over the cores in blocks and adds the blocks up
// in order.
func (w *weights) joinDense(ctx context.Context, r *anonymize.Release, size int) error {
	blocks := (r.Groups() + blockGroups - 1) / blockGroups
	// With many combinations the arrays of the blocks would cost more than
	// the blocks: fewer, larger ones then.
	stride := max(1, blocks*size/(4*maxDenseCombinations))
	sums := make([][]float64, (blocks+stride-1)/stride)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(sums)) {
		wait.Go(func() {
			worker := newGroupWorker(w.sides)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(sums) || ctx.Err() != nil {
					return
				}
				sums[i] = make([]float64, size)
				end := min(r.Groups(), (i+1)*stride*blockGroups)
				worker.dense(r, i*stride*blockGroups, end, sums[i])
			}
		})
	}
	wait.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	w.dense = make([]float64, size)
	for _, sum := range sums {
		for i, x := range sum {
			w.dense[i] += x
		}
	}
	return nil
}

// joinSparse numbers the combinations as they occur, on one core.
func (w *weights) joinSparse(ctx context.Context, r *anonymize.Release) error {
	numbering := newTupleNumbering(len(w.sides))
	worker := newGroupWorker(w.sides)
	codes := make([]uint32, len(w.sides))
	for g := range r.Groups() {
		if g%blockGroups == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !worker.collect(g) {
			continue
		}
		worker.combine(r.GroupSizes[g], func(classes []uint32, weight float64) {
			copy(codes, classes)
			id := int(numbering.numberCodes(codes))
			if id == len(w.sparse) {
				w.sparse = append(w.sparse, combination{classes: append([]uint32(nil), codes...)})
			}
			w.sparse[id].weight += weight
		})
	}
	return nil
}

// each visits every combination with positive weight, in a fixed order.
func (w *weights) each(visit func(classes []uint32, weight float64) error) error {
	for _, c := range w.sparse {
		if err := visit(c.classes, c.weight); err != nil {
			return err
		}
	}
	classes := make([]uint32, len(w.sides))
	for i, weight := range w.dense {
		if weight == 0 {
			continue
		}
		for s := range w.sides {
			classes[s] = uint32(i % w.sides[s].classes)
			i /= w.sides[s].classes
		}
		if err := visit(classes, weight); err != nil {
			return err
		}
	}
	return nil
}

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
func (w *groupWorker) dense(r *anonymize.Release, first, end int, sums []float64) {
	if w.plainCount() {
		sums[0] += w.countBlock(r, first, end)
		return
	}
	for g := first; g < end; g++ {
		if w.collect(g) {
			w.spread(0, 0, 1, w.scale(r.GroupSizes[g]), sums)
		}
	}
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
func (w *groupWorker) collect(g int) bool {
	for s, side := range w.sides {
		for _, class := range w.present[s] {
			w.weight[s][class] = 0
		}
		w.present[s] = w.present[s][:0]
		for t := side.fragment.GroupStart[g]; t < side.fragment.GroupStart[g+1]; t++ {
			w.addTuple(s, side, t)
		}
		if len(w.present[s]) == 0 {
			return false
		}
	}
	return true
}

func (w *groupWorker) addTuple(s int, side *side, t uint32) {
	count := float64(side.fragment.Count[t])
	if !side.point {
		shares, _ := side.cells.sharesOf(t, &w.shares)
		for _, share := range shares {
			w.add(s, share.class, count*share.mass)
		}
		return
	}
	class, stride := uint32(0), uint32(1)
	for _, u := range side.units {
		c := u.classOf[u.codes[t]]
		if c == dead {
			return
		}
		class += c * stride
		stride *= uint32(u.classes)
	}
	w.add(s, class, count)
}

func (w *groupWorker) add(s int, class uint32, count float64) {
	if w.weight[s][class] == 0 {
		w.present[s] = append(w.present[s], class)
	}
	w.weight[s][class] += count
}

// combine visits every combination of the current group's classes with its
// weight: the product of the records behind the classes over m^(f-1).
func (w *groupWorker) combine(size uint32, visit func(classes []uint32, weight float64)) {
	w.descend(0, 1, w.scale(size), visit)
}

func (w *groupWorker) descend(s int, product, scale float64, visit func([]uint32, float64)) {
	if s == len(w.sides) {
		visit(w.chosen, product/scale)
		return
	}
	for _, class := range w.present[s] {
		w.chosen[s] = class
		w.descend(s+1, product*w.weight[s][class], scale, visit)
	}
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
