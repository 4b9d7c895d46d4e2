package demand

import "github.com/anonsql/anonsql/anonymize"

// mostOf is what most records of the class have of values that count as one.
func (d *Demand) mostOf(c class) anonymize.CloseSet {
	return d.close.LargestSet(c.values, func(i int) uint64 { return uint64(c.count[c.values[i]]) })
}

// isCloseBound is l of values that count as one together: none in more than 1/l of the records.
func (d *Demand) isCloseBound(p *anonymize.Promise, c class) bool {
	return atMost(d.mostOf(c).Records, c.m, anonymize.Ratio{Num: p.Bound.Den, Den: p.Bound.Num})
}

// lacksCloseness is the share of the records that are too many.
func (d *Demand) lacksCloseness(p *anonymize.Promise, c class) float64 {
	return max(0, float64(d.mostOf(c).Records)/float64(c.m)-1/p.Bound.Float())
}
