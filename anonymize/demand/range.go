package demand

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// reaches returns, for every occurring number, the least number such that a class from the former to
// the latter spans the bound; MaxUint32 for none. numbers are codes, ascending. It is exact.
func reaches(p *anonymize.Promise, numbers []uint32, dictionary []anonymize.Value) []uint32 {
	reach := make([]uint32, len(dictionary))
	at := 0
	for _, from := range numbers {
		reach[from] = math.MaxUint32
		for at < len(numbers) {
			span, ok := dictionary[numbers[at]].Minus(dictionary[from])
			if ok && span.Cmp(p.Bound.Rat()) >= 0 {
				reach[from] = numbers[at]
				break
			}
			at++
		}
	}
	return reach
}

// isWide tests the error bound e of (k, e)-anonymity: the class's numbers span at least e (Zhang, Koudas, Srivastava, Yu, ICDE 2007).
func (d *Demand) isWide(_ *anonymize.Promise, c class) bool {
	least, greatest, some := d.ends(c)
	return some && greatest >= d.reach[least]
}

// ends returns the least and the greatest number of the class, without NULL.
func (d *Demand) ends(c class) (least, greatest uint32, some bool) {
	least = math.MaxUint32
	for _, v := range c.values {
		if c.count[v] > 0 && d.isNumber[v] {
			least, greatest, some = min(least, v), max(greatest, v), true
		}
	}
	return least, greatest, some
}

// lacksRange returns 0, or up to 1 by the number of missing values.
func (d *Demand) lacksRange(_ *anonymize.Promise, c class) float64 {
	least, greatest, some := d.ends(c)
	if !some {
		return 1
	}
	to := d.reach[least]
	if greatest >= to {
		return 0
	}
	last := uint32(len(d.reach))
	missing, _ := slices.BinarySearch(d.values, min(to, last))
	has, _ := slices.BinarySearch(d.values, greatest)
	return float64(missing-has) / float64(len(d.values))
}
