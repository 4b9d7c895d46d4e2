package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// maxDenseCombinations bounds the array of weights, one float64 per
// combination of classes; above it combinations are numbered as they occur.
const maxDenseCombinations = 1 << 20

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
	// work is what those who visit the combinations count theirs with; nil where
	// they are few.
	work *checkpoint
}

type combination struct {
	classes []uint32
	weight  float64
}

// join computes the weights of all groups. Cost: one pass over the touched
// columns, plus per group the product of the classes present in it.
func join(ctx context.Context, r *anonymize.Release, sides []*side) (*weights, error) {
	w := &weights{sides: sides, work: &checkpoint{ctx: ctx}}
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

// joinDense adds up all groups.
func (w *weights) joinDense(ctx context.Context, r *anonymize.Release, size int) (err error) {
	w.dense, err = sumBlocks(ctx, r.Groups(), size, func(int) blockSummer {
		worker := newGroupWorker(w.sides)
		return func(first, end int, sums []float64) error { return worker.dense(ctx, r, first, end, sums) }
	})
	return err
}

// A blockSummer adds the groups first..end-1 to sums. Its error is the end of a context.
type blockSummer func(first, end int, sums []float64) error

// sumBlocks splits the groups over the cores in blocks and adds the blocks up in order. A
// summer is one core's.
func sumBlocks(ctx context.Context, groups, size int, newSummer func(int) blockSummer) ([]float64, error) {
	blocks := (groups + blockGroups - 1) / blockGroups
	// With many combinations the arrays of the blocks would cost more than
	// the blocks: fewer, larger ones then.
	stride := max(1, blocks*size/(4*maxDenseCombinations))
	sums := make([][]float64, (blocks+stride-1)/stride)
	_, err := parallel.Collect(ctx, parallel.All, len(sums), newSummer, func(add blockSummer, i int) error {
		sums[i] = make([]float64, size)
		return add(i*stride*blockGroups, min(groups, (i+1)*stride*blockGroups), sums[i])
	})
	if err != nil {
		return nil, err
	}
	total := make([]float64, size)
	for _, sum := range sums {
		for i, x := range sum {
			total[i] += x
		}
	}
	return total, nil
}

// joinSparse numbers the combinations as they occur, on one core.
func (w *weights) joinSparse(ctx context.Context, r *anonymize.Release) error {
	numbering := newTupleNumbering(len(w.sides))
	worker := newGroupWorker(w.sides)
	codes := make([]uint32, len(w.sides))
	work := checkpoint{ctx: ctx}
	for g := range r.Groups() {
		if ok, err := worker.collect(g, &work); err != nil {
			return err
		} else if !ok {
			continue
		}
		err := worker.combine(r.GroupSizes[g], func(classes []uint32, weight float64) error {
			copy(codes, classes)
			id := int(numbering.numberCodes(codes))
			if id == len(w.sparse) {
				if id == maxCellCombinations {
					if err := tooManyOver(w.sides); err != nil {
						return err
					}
				}
				w.sparse = append(w.sparse, combination{classes: append([]uint32(nil), codes...)})
			}
			w.sparse[id].weight += weight
			return work.pass(1)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxCellCombinations bounds the combinations of classes that are numbered, or met
// in one group, where a side has cells: of points there are no more than matchings
// of tuples.
const maxCellCombinations = 1 << 22

// tooManyOver is the error of a question over cells; nil where all are points.
func tooManyOver(sides []*side) error {
	for _, s := range sides {
		if !s.point {
			return &TooManyCombinationsError{s.fragment.Name, maxCellCombinations}
		}
	}
	return nil
}

// visitPositive visits every combination with positive weight, in a fixed order.
func (w *weights) visitPositive(visit func(classes []uint32, weight float64) error) error {
	for _, c := range w.sparse {
		if err := w.pass(); err != nil {
			return err
		}
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
		if err := w.pass(); err != nil {
			return err
		}
		if err := visit(classes, weight); err != nil {
			return err
		}
	}
	return nil
}

func (w *weights) pass() error {
	if w.work == nil {
		return nil
	}
	return w.work.pass(workPerEvaluation)
}
