package generalization

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// published returns the dictionary of the generalized column, ascending.
func (a *Attribute) published() []anonymize.Value {
	occurring := make([]anonymize.Value, 0, a.Places)
	for place := range a.Places {
		occurring = append(occurring, a.value(place))
	}
	var all []anonymize.Value
	switch low, step, count := a.grid(); {
	case a.taxonomy != nil:
		all = slices.Clone(a.taxonomy.Leaves())
	case a.names != nil:
		all = slices.Clone(a.names.Leaves())
	case count > 0:
		for i := range count {
			v := a.value(a.Places - 1) // for its kind
			v.Int = low + int64(i)*step
			all = append(all, v)
		}
	default:
		all = occurring
		slices.SortFunc(all, anonymize.Compare)
		return all
	}
	if a.null {
		all = append(all, anonymize.NullValue)
	}
	slices.SortFunc(all, anonymize.Compare)
	return all
}

// Listed reports whether the published dictionary is independent of which values
// occur between the least and the greatest. Where it is not (fractions, numbers
// that span too much for a list, ordinal and nominal values without a taxonomy)
// estimates tell which single values occur somewhere in the table.
func (a *Attribute) Listed() bool {
	_, _, count := a.grid()
	return a.taxonomy != nil || a.names != nil || count > 0
}

// day is a step of the grid of points in time that are all whole days.
const day = 24 * 60 * 60 * 1_000_000

// grid returns the whole numbers, or days, from the least value to the greatest;
// count is 0 when there is no such list.
func (a *Attribute) grid() (low, step int64, count int) {
	first := 0
	if a.null {
		first = 1
	}
	if a.Scale != anonymize.Numeric || a.Places <= first {
		return 0, 0, 0
	}
	kind := a.value(first).Kind
	step = 1
	if kind == anonymize.Instant {
		step = day
	}
	for place := first; place < a.Places; place++ {
		v := a.value(place)
		if v.Kind != kind || kind != anonymize.Integer && kind != anonymize.Instant || v.Int%step != 0 {
			return 0, 0, 0
		}
	}
	low, high := a.value(first).Int, a.value(a.Places-1).Int
	if width := float64(high) - float64(low); math.Abs(width) >= float64(step)*MostListed {
		return 0, 0, 0
	}
	return low, step, int((high-low)/step) + 1
}
