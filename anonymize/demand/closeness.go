package demand

import "github.com/anonsql/anonsql/anonymize"

// mostOf returns the greatest set of the class's records with values that count as one.
func (d *Demand) mostOf(c class) anonymize.CloseSet {
	return d.close.LargestSet(c.values, func(i int) uint64 { return uint64(c.count[c.values[i]]) })
}

// isCloseBound tests l for values that count as one: no set has more than 1/l of the records.
func (d *Demand) isCloseBound(p *anonymize.Promise, c class) bool {
	return atMost(d.mostOf(c).Records, c.m, anonymize.Ratio{Num: p.Bound.Den, Den: p.Bound.Num})
}

// lacksCloseness returns the share of the records in excess.
func (d *Demand) lacksCloseness(p *anonymize.Promise, c class) float64 {
	return max(0, float64(d.mostOf(c).Records)/float64(c.m)-1/p.Bound.Float())
}
