package units

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Tuples of a fragment that differ in a column which is constant in units belong to different units. So the tuples of a group are classified by these
// columns. The number of units of a class of alike tuples follows from its records, and the selections of different classes add up.

// An alikeClass is a class of alike tuples of a group: its number, from 1, and its number of units.
type alikeClass struct {
	number int
	units  float64
}

// An alikeOrder visits the tuples of a group class by class. It belongs to one core.
type alikeOrder struct {
	constant []*anonymize.FragmentColumn
	order    []uint32
}

// visit visits the tuples of a group.
func (o *alikeOrder) visit(f *anonymize.Fragment, g int, in *unitGroup, add func(t uint32, class alikeClass)) {
	o.sort(f, g)
	class := alikeClass{}
	for first := 0; first < len(o.order); {
		end, records := first, 0.0
		for ; end < len(o.order) && o.compare(o.order[first], o.order[end]) == 0; end++ {
			records += float64(f.Count[o.order[end]])
		}
		class.number++
		class.units = records / in.recordsPerUnit()
		for _, t := range o.order[first:end] {
			add(t, class)
		}
		first = end
	}
}

func (o *alikeOrder) sort(f *anonymize.Fragment, g int) {
	o.constant, o.order = o.constant[:0], o.order[:0]
	for _, c := range f.Columns {
		if c.Constant {
			o.constant = append(o.constant, c)
		}
	}
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		o.order = append(o.order, t)
	}
	slices.SortStableFunc(o.order, o.compare)
}

func (o *alikeOrder) compare(a, b uint32) int {
	for _, c := range o.constant {
		if order := cmp.Compare(c.Codes[a], c.Codes[b]); order != 0 {
			return order
		}
	}
	return 0
}
