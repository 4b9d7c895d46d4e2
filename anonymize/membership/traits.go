package membership

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A trait is what records of a unit have together or apart: their tuples, or the values of columns that are constant in units.
type trait struct {
	// columns are nil for the whole tuple.
	columns []int
	// weight is what a unit too many or too few counts.
	weight int
}

// A constant trait is in whole units, so that one unit too many is one that mixes values.
const (
	varyingWeight  = 1
	constantWeight = 4
)

// traitsOf lists the traits of the fragments, constant ones first: records that have these in common stay together.
func traitsOf(r *anonymize.Release) [][]trait {
	traits := make([][]trait, len(r.Fragments))
	for i, f := range r.Fragments {
		if isWhole(r, f) {
			traits[i] = []trait{{weight: constantWeight}}
			continue
		}
		if columns := constantColumns(r, f); len(columns) > 0 {
			traits[i] = append(traits[i], trait{columns, constantWeight})
		}
		traits[i] = append(traits[i], trait{weight: varyingWeight})
	}
	return traits
}

// isWhole reports whether every tuple is in all records of its units.
func isWhole(r *anonymize.Release, f *anonymize.Fragment) bool {
	for g := range r.Groups() {
		records := r.GroupSizes[g] / r.Units[g]
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			if f.Units[t]*records != f.Count[t] {
				return false
			}
		}
	}
	return true
}

// constantColumns are the columns whose values have the records of whole units in every group, one by one and together, and so many units as their
// tuples have at most.
func constantColumns(r *anonymize.Release, f *anonymize.Fragment) []int {
	var constant []int
	for c := range f.Columns {
		if haveWholeUnits(r, f, append(slices.Clip(constant), c)) {
			constant = append(constant, c)
		}
	}
	return constant
}

func haveWholeUnits(r *anonymize.Release, f *anonymize.Fragment, columns []int) bool {
	var of numbering
	for g := range r.Groups() {
		records := r.GroupSizes[g] / r.Units[g]
		if records == 1 {
			continue
		}
		for value, n := range of.sums(f, columns, g) {
			if n%records != 0 || of.most[value] > n/records {
				return false
			}
		}
	}
	return true
}

// A numbering numbers the values that the tuples of a group have in some columns.
type numbering struct {
	seen   [][]uint32 // by number
	number []uint32   // by tuple of the group
	count  []uint32   // records by number
	most   []uint32   // units of a tuple, by number
}

// sums are the records of every number.
func (n *numbering) sums(f *anonymize.Fragment, columns []int, g int) []uint32 {
	n.seen, n.number, n.count, n.most = n.seen[:0], n.number[:0], n.count[:0], n.most[:0]
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		codes := make([]uint32, len(columns))
		for i, c := range columns {
			codes[i] = f.Columns[c].Codes[t]
		}
		at := slices.IndexFunc(n.seen, func(known []uint32) bool { return slices.Equal(known, codes) })
		if at < 0 {
			at, n.seen, n.count, n.most = len(n.seen), append(n.seen, codes), append(n.count, 0), append(n.most, 0)
		}
		n.number = append(n.number, uint32(at))
		n.count[at], n.most[at] = n.count[at]+f.Count[t], max(n.most[at], f.Units[t])
	}
	return n.count
}
