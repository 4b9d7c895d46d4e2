package demand

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// isLike tests basic beta-likeness: (q - p)/p <= beta for every value.
func (d *Demand) isLike(p *anonymize.Promise, c class) bool {
	for _, v := range c.values {
		if here, all := uint64(c.count[v])*d.rows, uint64(d.total[v])*c.m; here > all && !atMost(here-all, all, p.Bound) {
			return false
		}
	}
	return true
}

// isLikeEnhanced also tests (q - p)/p <= -ln p.
func (d *Demand) isLikeEnhanced(p *anonymize.Promise, c class) bool {
	if !d.isLike(p, c) {
		return false
	}
	for _, v := range c.values {
		here, all := uint64(c.count[v])*d.rows, uint64(d.total[v])*c.m
		if here > all && float64(here-all)/float64(all) > d.logarithm[v]*(1-margin) {
			return false
		}
	}
	return true
}

func (d *Demand) lacksLikeness(p *anonymize.Promise, c class) float64 {
	return d.tooMany(c, p.Bound.Float(), false)
}

func (d *Demand) lacksLikenessEnhanced(p *anonymize.Promise, c class) float64 {
	return d.tooMany(c, p.Bound.Float(), true)
}

// tooMany returns the share of records above the permitted gain.
func (d *Demand) tooMany(c class, bound float64, enhanced bool) (share float64) {
	one, rows := 1/float64(c.m), 1/float64(d.rows)
	for _, v := range c.values {
		gain := bound
		if enhanced {
			gain = min(gain, d.logarithm[v])
		}
		share += max(0, float64(c.count[v])*one-float64(d.total[v])*rows*(1+gain))
	}
	return share
}

// isDisclosureBound tests delta-disclosure privacy: |log2(q/p)| < delta for every value of the
// table, all of which must occur.
func (d *Demand) isDisclosureBound(p *anonymize.Promise, c class) bool {
	bound, values := p.Bound.Float()*(1-margin), 0
	for _, v := range c.values {
		here, all := uint64(c.count[v])*d.rows, uint64(d.total[v])*c.m
		if here == 0 {
			continue
		}
		if values++; here != all && math.Abs(math.Log2(float64(here)/float64(all))) > bound {
			return false
		}
	}
	return values == len(d.values)
}

// lacksDisclosure returns the share of records above the greatest or below the least permitted
// share of a value.
func (d *Demand) lacksDisclosure(p *anonymize.Promise, c class) float64 {
	factor := math.Exp2(p.Bound.Float())
	share := 1 / factor // as if all were absent
	for _, v := range c.values {
		if c.count[v] > 0 {
			here, all := float64(c.count[v])/float64(c.m), float64(d.total[v])/float64(d.rows)
			share += max(0, here-all*factor) + max(0, all/factor-here) - all/factor
		}
	}
	return max(0, share)
}
