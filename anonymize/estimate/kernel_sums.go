package estimate

import "math/bits"

// addSums adds the given groups of m records to the moments and the bounds of a
// sum. In a group let S and T be the sums of the values and of their squares
// over the n records of the argument's fragment, P = prod(a_i / m) and R =
// prod(a_i (a_i - 1) / (m (m-1))) over the other fragments. Then E[sum] = S P and
// E[sum^2] = T P + (S^2 - T) R, and likewise for the number of records.
func (w *kernelWorker) addSums(f *boxFloats, x *box, b int, groups uint64, m int) {
	w.collectValues(x, b, groups)
	for ; groups != 0; groups &= groups - 1 {
		lane := bits.TrailingZeros64(groups)
		one, two := 1.0, 1.0
		low, high := m, m
		for s, side := range w.lanes.counts {
			a := int(side[lane])
			low += a - m
			high = min(high, a)
			if s != x.argument {
				one *= float64(a) / float64(m)
				two *= float64(a*(a-1)) / float64(max(1, m*(m-1)))
			}
		}
		values := w.lanes.valued[lane]
		f.addBounds(values, x.steps, max(0, low), high)
		if x.steps.further {
			continue
		}
		n, sum, squares := float64(w.lanes.counts[x.argument][lane]), 0.0, 0.0
		for _, v := range values {
			sum += v.value * float64(v.count)
			squares += v.value * v.value * float64(v.count)
		}
		f.sums.add(secondMoments{
			meanN: n * one, meanS: sum * one,
			varN:       n*one + n*(n-1)*two - n*one*n*one,
			varS:       squares*one + (sum*sum-squares)*two - sum*one*sum*one,
			covariance: sum*one + (n-1)*sum*two - n*one*sum*one,
			squares:    squares * one,
		})
	}
}

// addBounds adds the least and the greatest sum of a group, of low to high of
// its values.
func (f *boxFloats) addBounds(values []valueCount, at steps, low, high int) {
	sum, records := 0.0, 0
	for _, v := range values {
		limit := low // what does not help is taken only where it must be
		if v.value < at.low {
			limit = high
		}
		take := min(v.count, limit-records)
		if take <= 0 {
			break
		}
		sum += v.value * float64(take)
		records += take
	}
	f.low += sum
	f.lowRecords += float64(records)
	sum, records = 0, 0
	for i := len(values) - 1; i >= 0; i-- {
		v, limit := values[i], low
		if v.value > at.high {
			limit = high
		}
		take := min(v.count, limit-records)
		if take <= 0 {
			break
		}
		sum += v.value * float64(take)
		records += take
	}
	f.high += sum
	f.highRecords += float64(records)
}

// collectValues lists, per group, the values of its records in the box.
func (w *kernelWorker) collectValues(x *box, b int, groups uint64) {
	l := w.lanes
	for some := groups; some != 0; some &= some - 1 {
		lane := bits.TrailingZeros64(some)
		l.valued[lane] = l.valued[lane][:0]
	}
	place := w.place(b)
	for i := range x.values {
		v := &x.values[i]
		planes := w.counts[x.argument][v.set][place : place+w.width]
		for met := groups & l.met[x.argument][v.set][b-w.first]; met != 0; met &= met - 1 {
			lane := bits.TrailingZeros64(met)
			l.valued[lane] = append(l.valued[lane], valueCount{v.value, int(countOf(planes, lane))})
		}
	}
}
