package demand

import (
	"math"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// atMost reports whether part/whole <= bound, exactly.
func atMost(part, whole uint64, bound anonymize.Ratio) bool {
	leftHigh, leftLow := bits.Mul64(part, bound.Den)
	rightHigh, rightLow := bits.Mul64(whole, bound.Num)
	return leftHigh < rightHigh || leftHigh == rightHigh && leftLow <= rightLow
}

func (d *Demand) isDistinct(p *anonymize.Promise, count []uint32, _ uint64) bool {
	values := uint64(0)
	for _, n := range count {
		if n > 0 {
			values++
		}
	}
	return values*p.Bound.Den >= p.Bound.Num
}

// margin is how far from its bound a logarithm must be: some thousand roundings.
const margin = 1e-9

// isEntropic is entropy l-diversity: exp(H) >= l. Equal counts are decided exactly.
func (d *Demand) isEntropic(p *anonymize.Promise, count []uint32, m uint64) bool {
	values, sum, equal, first := uint64(0), 0.0, true, uint32(0)
	for _, n := range count {
		if n == 0 {
			continue
		}
		if first == 0 {
			first = n
		}
		equal = equal && n == first
		values++
		sum += float64(n) * math.Log(float64(n))
	}
	if equal {
		return values*p.Bound.Den >= p.Bound.Num
	}
	return math.Exp(math.Log(float64(m))-sum/float64(m)) > p.Bound.Float()*(1+margin)
}

// isRecursive is (c, l)-diversity: r_1 < c (r_l + ... ), the bound being c and the threshold
// l.
func (d *Demand) isRecursive(p *anonymize.Promise, count []uint32, m uint64) bool {
	l := 2
	if p.Threshold.Num > 0 {
		l = int(min((p.Threshold.Num+p.Threshold.Den-1)/p.Threshold.Den, 1<<31))
	}
	s := d.scratch.Get().(*scratch)
	defer d.scratch.Put(s)
	s.counts = s.counts[:0]
	for _, n := range count {
		if n > 0 {
			s.counts = append(s.counts, n)
		}
	}
	if len(s.counts) < max(l, 2) {
		return false
	}
	slices.Sort(s.counts)
	tail := uint64(0)
	for _, n := range s.counts[:len(s.counts)-max(l, 2)+1] {
		tail += uint64(n)
	}
	most := uint64(s.counts[len(s.counts)-1])
	return !atMost(tail, most, anonymize.Ratio{Num: p.Bound.Den, Den: p.Bound.Num}) // most/tail < c
}
