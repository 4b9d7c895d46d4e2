package groups

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// Join computes the weights over all groups. Cost: one pass over the touched columns, and per
// group the product of its numbers of classes.
func Join(ctx context.Context, r *anonymize.Release, sides []*question.Side) (*figures.Weights, error) {
	w := &figures.Weights{Sides: sides, Work: &question.Checkpoint{Ctx: ctx}}
	for _, s := range sides {
		s.Number()
	}
	size := 1
	for _, s := range sides {
		if size *= s.Classes; size > question.MaxDenseCombinations {
			size = 0
			break
		}
	}
	if size == 0 {
		return w, JoinSparse(ctx, w, r)
	}
	return w, JoinDense(ctx, w, r, size)
}

// JoinDense adds up all groups, with one sum for every combination.
func JoinDense(ctx context.Context, w *figures.Weights, r *anonymize.Release, size int) (err error) {
	w.Dense, err = sumBlocks(ctx, r.Groups(), size, func(int) blockSummer {
		worker := newGroupWorker(w.Sides)
		return func(first, end int, sums []float64) error { return worker.dense(ctx, r, first, end, sums) }
	})
	return err
}

// A blockSummer adds the groups first..end-1 to sums. Its only error is the context's.
type blockSummer func(first, end int, sums []float64) error

// sumBlocks sums blocks of groups in parallel and adds up the blocks in order. newSummer makes
// one core's summer.
func sumBlocks(ctx context.Context, groups, size int, newSummer func(int) blockSummer) ([]float64, error) {
	blocks := (groups + question.BlockGroups - 1) / question.BlockGroups
	// With many combinations, the blocks' arrays would cost more than the blocks: use fewer,
	// larger ones.
	stride := max(1, blocks*size/(4*question.MaxDenseCombinations))
	sums := make([][]float64, (blocks+stride-1)/stride)
	_, err := parallel.Collect(ctx, parallel.All, len(sums), newSummer, func(add blockSummer, i int) error {
		sums[i] = make([]float64, size)
		return add(i*stride*question.BlockGroups, min(groups, (i+1)*stride*question.BlockGroups), sums[i])
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

// JoinSparse numbers the combinations as they occur, on one core.
func JoinSparse(ctx context.Context, w *figures.Weights, r *anonymize.Release) error {
	numbering := question.NewTupleNumbering(len(w.Sides))
	worker := newGroupWorker(w.Sides)
	codes := make([]uint32, len(w.Sides))
	work := question.Checkpoint{Ctx: ctx}
	for g := range r.Groups() {
		if ok, err := worker.collect(g, &work); err != nil {
			return err
		} else if !ok {
			continue
		}
		err := worker.combine(r.GroupSizes[g], func(classes []uint32, weight float64) error {
			copy(codes, classes)
			id := int(numbering.NumberCodes(codes))
			if id == len(w.Sparse) {
				if id == question.MaxCellCombinations {
					if err := question.TooManyOver(w.Sides); err != nil {
						return err
					}
				}
				w.Sparse = append(w.Sparse, figures.Combination{Classes: append([]uint32(nil), codes...)})
			}
			w.Sparse[id].Weight += weight
			return work.Pass(1)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
