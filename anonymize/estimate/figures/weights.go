package figures

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// Add adds a weight to a combination: the last one or a new one.
func (w *Weights) Add(classes []uint32, weight float64) {
	if n := len(w.Sparse); n == 0 || !slices.Equal(w.Sparse[n-1].Classes, classes) {
		w.Sparse = append(w.Sparse, Combination{Classes: classes})
	}
	w.Sparse[len(w.Sparse)-1].Weight += weight
}

// Weights is the weighted join, summed by what the question asks: the expected number of
// records of every combination of classes, one class per side.
type Weights struct {
	Sides []*question.Side
	// Dense has a weight per combination, with the first side as the fastest digit; nil if
	// there are too many.
	Dense []float64
	// Sparse has the combinations that occur, with one class per side.
	Sparse []Combination
	// Work counts the work of visitors of the combinations; nil if these are few.
	Work *question.Checkpoint
}

type Combination struct {
	Classes []uint32
	Weight  float64
}

// VisitPositive visits every combination with a positive weight, in a fixed order.
func (w *Weights) VisitPositive(visit func(classes []uint32, weight float64) error) error {
	for _, c := range w.Sparse {
		if err := w.pass(); err != nil {
			return err
		}
		if err := visit(c.Classes, c.Weight); err != nil {
			return err
		}
	}
	classes := make([]uint32, len(w.Sides))
	for i, weight := range w.Dense {
		if weight == 0 {
			continue
		}
		for s := range w.Sides {
			classes[s] = uint32(i % w.Sides[s].Classes)
			i /= w.Sides[s].Classes
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

func (w *Weights) pass() error {
	if w.Work == nil {
		return nil
	}
	return w.Work.Pass(question.WorkPerEvaluation)
}
