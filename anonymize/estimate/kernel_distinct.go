package estimate

import (
	"context"
	"math"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize"
)

// distinct replaces the Distinct figures of an answer that is not exact.
func (s *scan) distinct(ctx context.Context, r *anonymize.Release, q *Question, sides []*side, rows []AnswerRow) error {
	if s == nil || r.Forged > 0 { // the kernels know none or some, not how many
		return countDistinct(ctx, r, q, sides, rows)
	}
	k, totals, err := s.overBoxes(ctx, func(kind Kind) bool { return kind == Distinct })
	if err != nil {
		return err
	}
	if k == nil {
		return countDistinct(ctx, r, q, sides, rows)
	}
	k.boxes.countValues(totals.floats, rows)
	return nil
}

// countValues fills in the expected numbers of values: of each, one less the probability that no record has it.
func (b *boxes) countValues(floats []boxFloats, rows []AnswerRow) {
	for a, of := range b.of {
		if b.terms.question.Aggregates[a].Kind != Distinct {
			continue
		}
		expected := make([]float64, len(b.terms.keys))
		for key := range expected {
			for value := range b.terms.values[a].list { // in a fixed order
				if i, ok := of[keyedValue{int32(key), int32(value)}]; ok {
					expected[key] += 1 - floats[i].absent
				}
			}
		}
		fillExpected(b.terms, a, expected, rows)
	}
}

// negligibleAbsence is so small a probability of no record that one less it is 1.
const negligibleAbsence = 1e-30

// addAbsent multiplies with the probabilities that the given groups have no
// record in the box.
func (w *kernelWorker) addAbsent(f *boxFloats, groups uint64, size int) {
	l := w.lanes
	if l.absent[size] == nil {
		l.absent[size] = make([]float64, 1<<(w.width*len(w.sides)))
		for i := range l.absent[size] {
			l.absent[size][i] = math.NaN()
		}
	}
	for ; groups != 0; groups &= groups - 1 {
		lane, index := bits.TrailingZeros64(groups), 0
		for s, side := range l.counts {
			index |= int(side[lane]) << (w.width * s)
		}
		if math.IsNaN(l.absent[size][index]) {
			l.absent[size][index] = l.probabilityOfNone(int(w.layout.sizes[size]), lane)
		}
		f.absent *= l.absent[size][index]
	}
}

// probabilityOfNone is the probability that a group of m records, of which the sides have
// the current counts of a lane, has none in the box: see countDistinct.
func (w *laneWorker) probabilityOfNone(m, lane int) float64 {
	common := append(w.common[0][:0], make([]float64, m+1)...)
	next := append(w.common[1][:0], make([]float64, m+1)...)
	common[m] = 1
	for _, side := range w.counts {
		clear(next)
		for c, p := range common {
			if p > 0 {
				addHypergeometric(next, p, m, c, int(side[lane]))
			}
		}
		common, next = next, common
	}
	w.common = [2][]float64{common, next}
	return common[0]
}

// addHypergeometric adds weight times the distribution of the number of common
// elements of a fixed set of c and a random set of n out of m.
func addHypergeometric(to []float64, weight float64, m, c, n int) {
	least := max(0, c+n-m)
	// P(least) by its product, the others by the ratio of neighbours.
	p := weight
	if least == 0 {
		for i := range n {
			p *= float64(m-c-i) / float64(m-i)
		}
	} else { // the m-n places outside of the random set are all in the fixed one
		for i := range m - n {
			p *= float64(c-i) / float64(m-i)
		}
	}
	for k := least; k <= min(c, n); k++ {
		to[k] += p
		p *= float64(c-k) * float64(n-k) / (float64(k+1) * float64(m-c-n+k+1))
	}
}
