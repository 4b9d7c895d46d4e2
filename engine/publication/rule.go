package publication

import (
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
)

// A Rule describes the groups of a block of n records: floor(n / Size) groups of nearly equal size, each with
// floor or ceil(c / groups) records of every sensitive value with c records. It bounds how many these may be.
type Rule struct {
	// Size is the least number of records of a group; 0 makes a block one group.
	Size int64
	// Share is the greatest share of a group for a sensitive value: beta, or 1/l.
	Share anonymize.Ratio
	// Delta bounds the distance of that share from the value's share of the table's Records. 1 is no bound.
	Delta   anonymize.Ratio
	Records int64
}

// groups returns the number of a block's groups.
func (r Rule) groups(records int64) int64 {
	if r.Size == 0 {
		return 1
	}
	return records / r.Size
}

// keeps reports whether a value may have here records of a block and total of the table.
func (r Rule) keeps(here, block, total int64) bool {
	groups := r.groups(block)
	if groups == 0 {
		return false
	}
	least, size := here/groups, block/groups // of the value in a group, and of the group
	most := (here + groups - 1) / groups
	if !r.Share.Admits(int(most), int(size)) {
		return false
	}
	if r.Delta.Cmp(ratioOne) >= 0 {
		return true
	}
	larger := (block + groups - 1) / groups
	for _, of := range [][2]int64{{least, size}, {least, larger}, {most, size}, {most, larger}} {
		if !deviates(of[0], of[1], total, r.Records).atMost(r.Delta) {
			return false
		}
	}
	return true
}

// light reports whether a value with total records keeps the rule in any blocks of at least least records.
func (r Rule) light(total, least int64) bool {
	groups := r.groups(least)
	if groups == 0 {
		return false
	}
	most, size := (total+groups-1)/groups, r.Size
	if size == 0 {
		size = least
	}
	return r.Share.Admits(int(most), int(size)) &&
		(r.Delta.Cmp(ratioOne) >= 0 || deviates(most, size, total, r.Records).atMost(r.Delta) && deviates(0, size, total, r.Records).atMost(r.Delta))
}

// Heavy returns the values that are not light and must be distinguished when planning blocks of at least least records.
func (r Rule) Heavy(counts []Count, least int64) (heavy []Count) {
	for _, c := range counts {
		if !r.light(c.Records, least) {
			heavy = append(heavy, c)
		}
	}
	return heavy
}

// A deviation is the difference of two shares.
type deviation struct{ here, size, total, records int64 }

// deviates returns |here/size - total/records|, the left side of Eq. (8) of Yao et al. 2021.
func deviates(here, size, total, records int64) deviation {
	return deviation{here, size, total, records}
}

func (d deviation) float() float64 {
	return math.Abs(float64(d.here)/float64(d.size) - float64(d.total)/float64(d.records))
}

// atMost compares exactly: floats decide unless rounding matters, then big integers do.
func (d deviation) atMost(bound anonymize.Ratio) bool {
	const margin = 1e-12
	if is, most := d.float(), bound.Float(); math.Abs(is-most) > margin {
		return is < most
	}
	difference := new(big.Rat).Sub(big.NewRat(d.here, d.size), big.NewRat(d.total, d.records))
	return difference.Abs(difference).Cmp(bound.Rat()) <= 0
}
