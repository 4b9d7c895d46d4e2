package planes

import (
	"math/bits"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
)

// addSums adds the given groups of m records to the moments and the bounds of a
// sum. In a group let S and T be the sums of the values and of their squares
// over the n records of the argument's fragment, P = prod(a_i / m) and R =
// prod(a_i (a_i - 1) / (m (m-1))) over the other fragments. Then E[sum] = S P and
// E[sum^2] = T P + (S^2 - T) R, and likewise for the number of records.
func (w *kernelWorker) addSums(f *figures.BoxFloats, x *figures.Box, b int, groups uint64, m int) {
	w.collectValues(x, b, groups)
	for ; groups != 0; groups &= groups - 1 {
		lane := bits.TrailingZeros64(groups)
		one, two := 1.0, 1.0
		low, high := m, m
		for s, side := range w.lanes.counts {
			a := int(side[lane])
			low += a - m
			high = min(high, a)
			if s != x.Argument {
				one *= float64(a) / float64(m)
				two *= float64(a*(a-1)) / float64(max(1, m*(m-1)))
			}
		}
		values := w.lanes.valued[lane]
		f.AddBounds(values, x.Steps, max(0, low), high)
		if x.Steps.Further {
			continue
		}
		n, sum, squares := float64(w.lanes.counts[x.Argument][lane]), 0.0, 0.0
		for _, v := range values {
			sum += v.Value * float64(v.Count)
			squares += v.Value * v.Value * float64(v.Count)
		}
		f.Sums.Add(figures.SecondMoments{
			MeanN: n * one, MeanS: sum * one,
			VarN:       n*one + n*(n-1)*two - n*one*n*one,
			VarS:       squares*one + (sum*sum-squares)*two - sum*one*sum*one,
			Covariance: sum*one + (n-1)*sum*two - n*one*sum*one,
			Squares:    squares * one,
		})
	}
}

// collectValues lists, per group, the values of its records in the box.
func (w *kernelWorker) collectValues(x *figures.Box, b int, groups uint64) {
	l := w.lanes
	for some := groups; some != 0; some &= some - 1 {
		lane := bits.TrailingZeros64(some)
		l.valued[lane] = l.valued[lane][:0]
	}
	place := w.place(b)
	for i := range x.Values {
		v := &x.Values[i]
		planes := w.counts[x.Argument][v.Set][place : place+w.width]
		for met := groups & l.met[x.Argument][v.Set][b-w.first]; met != 0; met &= met - 1 {
			lane := bits.TrailingZeros64(met)
			l.valued[lane] = append(l.valued[lane], figures.ValueCount{Value: v.Value, Count: int(countOf(planes, lane))})
		}
	}
}
