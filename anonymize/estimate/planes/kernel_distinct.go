package planes

import (
	"math"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
)

// negligibleAbsence is so small a probability of no record that one less it is 1.
const negligibleAbsence = 1e-30

// addAbsent multiplies with the probabilities that the given groups have no
// record in the box.
func (w *kernelWorker) addAbsent(f *figures.BoxFloats, groups uint64, size int) {
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
		f.Absent *= l.absent[size][index]
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
				figures.AddHypergeometric(next, p, m, c, int(side[lane]))
			}
		}
		common, next = next, common
	}
	w.common = [2][]float64{common, next}
	return common[0]
}
