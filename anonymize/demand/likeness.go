package demand

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// isLike is basic beta-likeness: (q - p)/p <= beta for every value.
func (d *Demand) isLike(p *anonymize.Promise, count []uint32, m uint64) bool {
	for v, n := range d.total {
		if here, all := uint64(count[v])*d.rows, uint64(n)*m; here > all && !atMost(here-all, all, p.Bound) {
			return false
		}
	}
	return true
}

// isLikeEnhanced asks beside that for (q - p)/p <= -ln p.
func (d *Demand) isLikeEnhanced(p *anonymize.Promise, count []uint32, m uint64) bool {
	if !d.isLike(p, count, m) {
		return false
	}
	for v, n := range d.total {
		here, all := uint64(count[v])*d.rows, uint64(n)*m
		if here > all && float64(here-all)/float64(all) > math.Log(float64(d.rows)/float64(n))*(1-margin) {
			return false
		}
	}
	return true
}

// isDisclosureBound is delta-disclosure privacy: |log2(q/p)| < delta for every value of the
// table, of which none may be absent.
func (d *Demand) isDisclosureBound(p *anonymize.Promise, count []uint32, m uint64) bool {
	bound := p.Bound.Float() * (1 - margin)
	for v, n := range d.total {
		if n == 0 {
			continue
		}
		here, all := uint64(count[v])*d.rows, uint64(n)*m
		if here == 0 || here != all && math.Abs(math.Log2(float64(here)/float64(all))) > bound {
			return false
		}
	}
	return true
}
