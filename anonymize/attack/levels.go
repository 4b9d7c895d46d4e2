package attack

import (
	"cmp"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// levels is a quasi-identifier, reduced to what the attacker can learn from.
type levels struct {
	codes []uint32 // by record
	of    []uint32 // level by code
	count int
}

// newLevels bins a numeric column with more than bins values. In other columns it keeps the
// most-1 most frequent values and merges the rest: nothing can be learned from rare values.
func newLevels(c *anonymize.Column, bins, most int) levels {
	histogram := c.Histogram()
	distinct := 0
	for _, n := range histogram {
		if n > 0 {
			distinct++
		}
	}
	l := levels{codes: c.Codes, of: make([]uint32, len(histogram)), count: min(distinct, most)}
	switch {
	case distinct > bins && c.IsNumeric():
		l.count = min(bins, most)
		l.equalFrequency(histogram)
	default:
		l.mostFrequent(histogram)
	}
	return l
}

// equalFrequency assigns a value to the bin of its middle rank. NULL, which sorts first, goes
// to the lowest bin.
func (l *levels) equalFrequency(histogram []int) {
	below, rows := 0, len(l.codes)
	for code, n := range histogram {
		l.of[code] = uint32(min((2*below+n)*l.count/(2*rows), l.count-1))
		below += n
	}
}

func (l *levels) mostFrequent(histogram []int) {
	order := anonymize.Indices(len(histogram))
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(histogram[b], histogram[a]) })
	for place, code := range order {
		l.of[code] = uint32(min(place, l.count-1))
	}
}
