package planes

import (
	"context"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// maxRanges bounds the combinations of classes whose bounds are found together, rangesCost the operations beside those of package groups, by record.
const (
	maxRanges  = 1 << 12
	rangesCost = 4 * joinCost
)

// countRanges returns, by combination of classes of two sides, how many records have it at least and at most: the sums over groups of m records of
// max(0, a + b - m) and min(a, b). With the groups that have t records or more of a class as words, one a block,
//
//	min(a, b) = sum_t [a >= t] [b >= t],  max(0, a + b - m) = sum_t [a >= t] [b >= m + 1 - t]
//
// It returns nil where planes do not fit.
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

// reaches are, of a side in a block, the groups with so many records of a class, or more.
type reaches struct {
	classes, stride int
	// one has the groups with a record, by class; more those with 2 records or more, by class and number, as far as there are any.
	one  []uint64
	more [][]uint64
	// several lists the classes of which some group has 2 records, most is the number of records of one class in a group at most.
	several []int
	most    int
}

func newReaches(s *kernelSide) *reaches {
	return &reaches{classes: s.classes, stride: s.stride, one: make([]uint64, s.classes), more: make([][]uint64, s.classes)}
}

// fill finds the reaches of some groups by the bits of the numbers of their records.
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

// atLeast are the groups with t records or more.
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

// groupsWith are the groups with t records or more of a class.
func (r *reaches) groupsWith(class, t int) uint64 {
	switch {
	case t == 1:
		return r.one[class]
	case t-2 < len(r.more[class]):
		return r.more[class][t-2]
	}
	return 0
}

// addRanges adds groups of block b that have m records.
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

// addLow adds to the least numbers those of a class of which no group has more than n records.
func (w *kernelWorker) addLow(i, n, m int, outer, inner *reaches) {
	for j := range inner.one {
		for t := max(1, m-len(inner.more[j])); t <= n; t++ {
			w.totals.low[i*outer.stride+j*inner.stride] += int64(bits.OnesCount64(outer.groupsWith(i, t) & inner.groupsWith(j, m+1-t)))
		}
	}
}
