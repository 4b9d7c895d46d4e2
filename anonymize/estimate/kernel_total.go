package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize/parallel"
)

// taskChunks is the number of chunks that one core takes at a time.
const taskChunks = 8

// kernelTotals are the sums over all groups.
type kernelTotals struct {
	products []uint64     // of counts, by size and combination
	moments  []boxMoments // by size and box
	// floats are sums and products of fractions, by box: formed per task and
	// put together in the order of tasks, so that they too are always the same.
	floats []boxFloats
}

// total adds up the chunks, split over the cores.
func (k *kernel) total(ctx context.Context) (*kernelTotals, error) {
	tasks := (k.layout.chunks() + taskChunks - 1) / taskChunks
	floats := make([][]boxFloats, tasks)
	newWorker := func(int) *kernelWorker { return newKernelWorker(k) }
	workers, err := parallel.Collect(ctx, parallel.All, tasks, newWorker, func(w *kernelWorker, task int) error {
		for c := task * taskChunks; c < min((task+1)*taskChunks, k.layout.chunks()); c++ {
			w.chunk(int(k.layout.chunkStart[c]), int(k.layout.chunkStart[c+1]))
		}
		floats[task] = w.takeFloats()
		return nil
	})
	totals := k.newTotals()
	for _, w := range workers {
		totals.add(&w.totals)
	}
	for _, part := range floats {
		for i := range part {
			totals.floats[i].add(&part[i])
		}
	}
	return totals, err
}

func (k *kernel) newTotals() *kernelTotals {
	t := &kernelTotals{}
	if k.weighs {
		t.products = make([]uint64, len(k.layout.sizes)*k.combinations)
	}
	if k.boxes != nil {
		t.moments = make([]boxMoments, len(k.layout.sizes)*len(k.boxes.list))
		t.floats = newFloats(k.boxes)
	}
	return t
}

// add adds the whole numbers.
func (t *kernelTotals) add(other *kernelTotals) {
	for i, x := range other.products {
		t.products[i] += x
	}
	for i := range other.moments {
		t.moments[i].add(&other.moments[i])
	}
}

// divide turns the sums of products of counts into records: over m^(f-1).
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
