package demand

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// atMost reports whether part/whole <= bound, exactly.
func atMost(part, whole uint64, bound anonymize.Ratio) bool {
	return bound.Admits(int(part), int(whole))
}

// isLarge tests the class's size, for any attribute.
func (d *Demand) isLarge(p *anonymize.Promise, c class) bool {
	return atMost(p.Bound.Num, c.m, anonymize.Ratio{Num: p.Bound.Den, Den: 1})
}

func (d *Demand) lacksRecords(p *anonymize.Promise, c class) float64 {
	return max(0, p.Bound.Float()/float64(c.m)-1)
}

func (d *Demand) isDistinct(p *anonymize.Promise, c class) bool {
	return c.occurring()*p.Bound.Den >= p.Bound.Num
}

// occurring returns the number of values with a count.
func (c class) occurring() (values uint64) {
	for _, v := range c.values {
		if c.count[v] > 0 {
			values++
		}
	}
	return values
}

func (d *Demand) lacksDistinct(p *anonymize.Promise, c class) float64 {
	return max(0, 1-float64(c.occurring())/p.Bound.Float())
}

// margin is the least distance of a logarithm from its bound: some thousand roundings.
const margin = 1e-9

// isEntropic tests entropy l-diversity: exp(H) >= l. It decides equal counts exactly.
func (d *Demand) isEntropic(p *anonymize.Promise, c class) bool {
	values, entropy, equal := c.entropy()
	if equal {
		return values*p.Bound.Den >= p.Bound.Num
	}
	return math.Exp(entropy) > p.Bound.Float()*(1+margin)
}

// entropy returns the values' entropy in nats, their number, and whether all are equally
// frequent.
func (c class) entropy() (values uint64, entropy float64, equal bool) {
	sum, first := 0.0, uint32(0)
	equal = true
	for _, v := range c.values {
		n := c.count[v]
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
	return values, math.Log(float64(c.m)) - sum/float64(c.m), equal
}

func (d *Demand) lacksEntropy(p *anonymize.Promise, c class) float64 {
	_, entropy, _ := c.entropy()
	return max(0, 1-entropy/math.Log(p.Bound.Float()))
}

// isRecursive tests (c, l)-diversity: r_1 < c (r_l + ... ), where c is the bound and l the
// threshold.
func (d *Demand) isRecursive(p *anonymize.Promise, c class) bool {
	most, tail, _ := d.tail(p, c)
	return tail > 0 && !atMost(tail, most, anonymize.Ratio{Num: p.Bound.Den, Den: p.Bound.Num}) // most/tail < c
}

// tail returns the count of the most frequent value and of all from rank l on, and the number
// of values as a share of the required l.
func (d *Demand) tail(p *anonymize.Promise, c class) (most, tail uint64, has float64) {
	l := 2
	if p.Threshold.Num > 0 {
		l = max(2, int(min((p.Threshold.Num+p.Threshold.Den-1)/p.Threshold.Den, 1<<31)))
	}
	s := d.scratch.Get().(*scratch)
	defer d.scratch.Put(s)
	s.counts = s.counts[:0]
	for _, v := range c.values {
		if n := c.count[v]; n > 0 {
			s.counts = append(s.counts, n)
		}
	}
	slices.Sort(s.counts)
	for _, n := range s.counts[:max(0, len(s.counts)-l+1)] {
		tail += uint64(n)
	}
	return uint64(s.counts[len(s.counts)-1]), tail, min(1, float64(len(s.counts))/float64(l))
}

// lacksTail returns one half for a class of too few values, and more the fewer it has.
func (d *Demand) lacksTail(p *anonymize.Promise, c class) float64 {
	most, tail, has := d.tail(p, c)
	return max(0, 1-p.Bound.Float()*float64(tail)/float64(most))/2 + (1-has)/2
}

// bestDiversity returns the whole table's diversity, the best of any division, rounded to the
// safe side in thousandths.
func (d *Demand) bestDiversity(p *anonymize.Promise, table class) (largest, smallest anonymize.Ratio) {
	switch name, _, _ := anonymize.SplitAbout(p.Guarantee); name {
	case "size":
		largest = anonymize.NewRatio(table.m, 1)
	case "distinct":
		largest = anonymize.NewRatio(table.occurring(), 1)
	case "entropy":
		values, entropy, equal := table.entropy()
		if largest = anonymize.NewRatio(values, 1); !equal {
			largest = anonymize.NewRatio(uint64(1000*math.Exp(entropy)*(1-2*margin)), 1000)
		}
	case "recursive":
		if most, tail, _ := d.tail(p, table); tail > 0 {
			smallest = anonymize.NewRatio(1000*most/tail+1, 1000)
		}
	}
	return largest, smallest
}
