package planes

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// taskChunks is the number of chunks that one core takes at a time.
const taskChunks = 8

// KernelTotals are the sums over all groups.
type KernelTotals struct {
	Products []uint64 // of counts, by size and combination
	figures.BoxSums
}

// Total adds up the chunks, split over the cores.
func (k *Kernel) Total(ctx context.Context) (*KernelTotals, error) {
	tasks := (k.layout.chunks() + taskChunks - 1) / taskChunks
	floats := make([][]figures.BoxFloats, tasks)
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
			totals.Floats[i].Add(&part[i])
		}
	}
	return totals, err
}

func (k *Kernel) newTotals() *KernelTotals {
	t := &KernelTotals{}
	if k.Weighs {
		t.Products = make([]uint64, len(k.layout.sizes)*k.combinations)
	}
	if k.Boxes != nil {
		t.BoxSums = figures.NewBoxSums(k.Boxes, k.layout.sizes, len(k.sides))
	}
	return t
}

// add adds the whole numbers.
func (t *KernelTotals) add(other *KernelTotals) {
	for i, x := range other.Products {
		t.Products[i] += x
	}
	for i := range other.Moments {
		t.Moments[i].Add(&other.Moments[i])
	}
}

// Divide turns the sums of products of counts into records: over m^(f-1).
func (k *Kernel) Divide(sums []uint64) []float64 {
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

// ExtremeMeans returns the least and the greatest mean of the boxes of AVG, all
// by the iteration of leastMean: a pass per step, some five.
func (k *Kernel) ExtremeMeans(ctx context.Context, totals *KernelTotals) ([]figures.Steps, error) {
	list := k.Boxes.List
	means := make([]figures.Steps, len(list))
	boxes := *k.Boxes
	further := *k
	further.Weighs, further.Boxes = false, &boxes
	boxes.List = slices.Clone(list)
	for i, x := range list {
		means[i] = x.Steps
		if x.Aggregate != question.Average {
			boxes.List[i] = nil
		}
	}
	for {
		moved := false
		for i, x := range boxes.List {
			if x == nil {
				continue
			}
			next := means[i].Next(&totals.Floats[i])
			if next == means[i] {
				boxes.List[i] = nil
				continue
			}
			means[i], moved = next, true
			box := *x
			box.Steps = next
			boxes.List[i] = &box
		}
		if !moved {
			return means, nil
		}
		var err error
		if totals, err = further.Total(ctx); err != nil {
			return nil, err
		}
	}
}
