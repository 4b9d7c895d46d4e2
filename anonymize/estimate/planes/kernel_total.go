package planes

import (
	"context"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// taskChunks is the number of chunks of a parallel task.
const taskChunks = 8

// kernelTotals are the sums over all groups.
type kernelTotals struct {
	products []uint64 // products of counts, by size and combination
	figures.BoxSums
	low, high []int64 // by combination, for ranges
}

// total adds up the chunks in parallel.
func (k *kernel) total(ctx context.Context) (*kernelTotals, error) {
	tasks := (k.layout.chunks() + taskChunks - 1) / taskChunks
	newWorker := func(int) *kernelWorker { return newKernelWorker(k) }
	workers, err := parallel.Collect(ctx, parallel.All, tasks, newWorker, func(w *kernelWorker, task int) error {
		for c := task * taskChunks; c < min((task+1)*taskChunks, k.layout.chunks()); c++ {
			w.chunk(int(k.layout.chunkStart[c]), int(k.layout.chunkStart[c+1]))
		}
		return nil
	})
	totals := k.newTotals()
	for _, w := range workers {
		totals.add(&w.totals)
	}
	return totals, err
}

func (k *kernel) newTotals() *kernelTotals {
	t := &kernelTotals{}
	if k.weighs {
		t.products = make([]uint64, len(k.layout.sizes)*k.combinations)
	}
	if k.boxes != nil {
		t.BoxSums = figures.NewBoxSums(k.boxes, k.layout.sizes, len(k.sides))
	}
	if k.ranges {
		t.low, t.high = make([]int64, k.combinations), make([]int64, k.combinations)
	}
	return t
}

func (t *kernelTotals) add(other *kernelTotals) {
	for i, x := range other.products {
		t.products[i] += x
	}
	for i := range other.Moments {
		t.Moments[i].Add(&other.Moments[i])
	}
	for i := range other.low {
		t.low[i] += other.low[i]
		t.high[i] += other.high[i]
	}
}

// divide divides the sums of products of counts by m^(f-1).
func (k *kernel) divide(sums []uint64) []float64 {
	dense := make([]float64, k.combinations)
	for i, size := range k.layout.sizes {
		scale := 1.0
		for range len(k.sides) - 1 {
			scale *= float64(size)
		}
		for c := range dense {
			dense[c] += float64(sums[i*k.combinations+c]) / scale
		}
	}
	return dense
}
