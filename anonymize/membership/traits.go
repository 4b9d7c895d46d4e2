package membership

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A trait is a property by which units are counted: whole tuples, or the values of columns that are constant in units.
type trait struct {
	// columns are nil for the whole tuple.
	columns []int
	// weight is the cost of one unit too many or too few.
	weight int
}

// A constant trait belongs to whole units, so one unit too many is a unit that mixes values.
const (
	varyingWeight  = 1
	constantWeight = 4
)

// traitsOf lists the fragments' traits, constant ones first: records that share these stay together.
func traitsOf(r *anonymize.Release) [][]trait {
	traits := make([][]trait, len(r.Fragments))
	for i, f := range r.Fragments {
		constant := constantColumns(f)
		if len(constant) == len(f.Columns) {
			traits[i] = []trait{{weight: constantWeight}}
			continue
		}
		if len(constant) > 0 {
			traits[i] = append(traits[i], trait{constant, constantWeight})
		}
		traits[i] = append(traits[i], trait{weight: varyingWeight})
	}
	return traits
}

func constantColumns(f *anonymize.Fragment) (constant []int) {
	for i, c := range f.Columns {
		if c.Constant {
			constant = append(constant, i)
		}
	}
	return constant
}

// A numbering numbers the values of a group's tuples in some columns.
type numbering struct {
	seen   [][]uint32 // by number
	number []uint32   // by tuple of the group
	count  []uint32   // records by number
}

// sums returns the records of every number.
func (n *numbering) sums(f *anonymize.Fragment, columns []int, g int) []uint32 {
	n.seen, n.number, n.count = n.seen[:0], n.number[:0], n.count[:0]
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		codes := make([]uint32, len(columns))
		for i, c := range columns {
			codes[i] = f.Columns[c].Codes[t]
		}
		at := slices.IndexFunc(n.seen, func(known []uint32) bool { return slices.Equal(known, codes) })
		if at < 0 {
			at, n.seen, n.count = len(n.seen), append(n.seen, codes), append(n.count, 0)
		}
		n.number = append(n.number, uint32(at))
		n.count[at] += f.Count[t]
	}
	return n.count
}
