package planes

import (
	"context"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// maxRanges is the greatest number of combinations of classes that are bounded together; rangesCost is the cost of package groups per record.
const (
	maxRanges  = 1 << 12
	rangesCost = 4 * joinCost
)

// countRanges returns the least and the greatest number of records of every combination of classes of two sides: the sums over groups of m
// records of max(0, a + b - m) and min(a, b). With a word per block for the groups with at least t records of a class,
//
//	min(a, b) = sum_t [a >= t] [b >= t],  max(0, a + b - m) = sum_t [a >= t] [b >= m + 1 - t]
//
// It returns nil if planes do not fit.
func (p *Store) countRanges(ctx context.Context, sides []*question.Side) (low, high []int64, err error) {
	if len(sides) != 2 {
		return nil, nil, nil
	}
	k := p.newKernelWithin(sides, maxRanges, rangesCost)
	if k == nil {
		return nil, nil, nil
	}
	k.weighs, k.ranges = false, true
	totals, err := k.total(ctx)
	return totals.low, totals.high, err
}

// reaches have, for a side and a block, the groups with at least some number of records of a class.
type reaches struct {
	classes, stride int
	// one has the groups with a record, by class. more has the groups with at least 2 records, by class and number, up to the greatest number.
	one  []uint64
	more [][]uint64
	// several lists the classes with 2 records in some group; most is the greatest number of records of one class in a group.
	several []int
	most    int
}

func newReaches(s *kernelSide) *reaches {
	return &reaches{classes: s.classes, stride: s.stride, one: make([]uint64, s.classes), more: make([][]uint64, s.classes)}
}

// fill computes the reaches of some groups from the bits of their counts.
func (r *reaches) fill(counts [][]uint64, place, width int, groups uint64) {
	r.several, r.most = r.several[:0], 0
	for class := range r.one {
		planes, some, two := counts[class][place:place+width], uint64(0), uint64(0)
		for bit, plane := range planes {
			if some |= plane; bit > 0 {
				two |= plane
			}
		}
		r.one[class], r.more[class] = some&groups, r.more[class][:0]
		if some&groups != 0 {
			r.most = max(r.most, 1)
		}
		for t := 3; two&groups != 0; t++ {
			r.more[class] = append(r.more[class], two&groups)
			two = atLeast(planes, t)
		}
		if n := len(r.more[class]); n > 0 {
			r.several, r.most = append(r.several, class), max(r.most, n+1)
		}
	}
}

// atLeast returns the groups with at least t records.
func atLeast(planes []uint64, t int) uint64 {
	if t>>len(planes) > 0 {
		return 0
	}
	above, equal := uint64(0), ^uint64(0)
	for bit := len(planes) - 1; bit >= 0; bit-- {
		if t>>bit&1 == 1 {
			equal &= planes[bit]
		} else {
			above |= equal & planes[bit]
			equal &^= planes[bit]
		}
	}
	return above | equal
}

// groupsWith returns the groups with at least t records of a class.
func (r *reaches) groupsWith(class, t int) uint64 {
	switch {
	case t == 1:
		return r.one[class]
	case t-2 < len(r.more[class]):
		return r.more[class][t-2]
	}
	return 0
}

// addRanges adds groups of m records each of block b.
func (w *kernelWorker) addRanges(b int, groups uint64, m int) {
	outer, inner := w.reaches[0], w.reaches[1]
	for s, r := range w.reaches {
		if r.fill(w.counts[s], w.place(b), w.width, groups); r.stride == 1 && s == 0 && inner.stride != 1 {
			outer, inner = inner, outer
		}
	}
	for i, x := range outer.one {
		if x == 0 {
			continue
		}
		high := w.totals.high[i*outer.stride:]
		if inner.stride == 1 {
			high = high[:len(inner.one)]
			for j, y := range inner.one {
				high[j] += int64(bits.OnesCount64(x & y))
			}
		}
		for _, j := range inner.several {
			for t, x := range outer.more[i] {
				high[j*inner.stride] += int64(bits.OnesCount64(x & inner.groupsWith(j, t+2)))
			}
		}
		if n := 1 + len(outer.more[i]); n+inner.most > m {
			w.addLow(i, n, m, outer, inner)
		}
	}
}

// addLow adds to the lower bounds of class i, of which no group has more than n records.
func (w *kernelWorker) addLow(i, n, m int, outer, inner *reaches) {
	for j := range inner.one {
		for t := max(1, m-len(inner.more[j])); t <= n; t++ {
			w.totals.low[i*outer.stride+j*inner.stride] += int64(bits.OnesCount64(outer.groupsWith(i, t) & inner.groupsWith(j, m+1-t)))
		}
	}
}
