package nonhomogeneous

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// An arrangement puts records into rings; it is reused for all blocks.
type arrangement struct {
	value  []uint32 // by record
	count  []uint32 // by value; zero between uses
	values []uint32
	sorted []uint32
	ring   []uint32
}

func newArrangement(b *bucketization.Buckets) *arrangement {
	return &arrangement{value: b.Value, count: make([]uint32, len(b.Count))}
}

// arrange returns the records in a cyclic order in which any l consecutive ones
// have different values. There is one if and only if no value has more than q =
// floor(n/l) of the n records: written by value, the most frequent first, column
// by column into q rows, they are read row by row. A row has l records or more. A
// value with q records fills a column. One with fewer is in one column, or at the
// end of one and at the beginning of the next, with a row or more between: l
// places or more in both directions. Records of one value have random places.
// What is returned is valid until the next call. O(n + values log values).
func (a *arrangement) arrange(records []uint32, l int, random *rand.Rand) []uint32 {
	sorted := a.byFrequency(records, random)
	q := len(sorted) / l
	a.ring = a.ring[:0]
	for row := range q {
		for place := row; place < len(sorted); place += q {
			a.ring = append(a.ring, sorted[place])
		}
	}
	return a.ring
}

// arrangeApart returns rings of about l records in which no two values count as one, if such values are consecutive and no set of
// them has more than q = floor(n/l) of the n records: written in order into columns of q rows, each row is a ring. The rows
// cannot form a single ring: where two rows meet, only q - 1 records lie between some two places. O(n log n).
func (a *arrangement) arrangeApart(records, value []uint32, l int, random *rand.Rand) (rings [][]uint32) {
	a.sorted = append(a.sorted[:0], records...)
	bucketization.Shuffle(a.sorted, random) // ties at random
	slices.SortStableFunc(a.sorted, func(x, y uint32) int { return cmp.Compare(value[x], value[y]) })
	q := len(a.sorted) / l
	a.ring = slices.Grow(a.ring[:0], len(a.sorted))
	for row := range q {
		first := len(a.ring)
		for place := row; place < len(a.sorted); place += q {
			a.ring = append(a.ring, a.sorted[place])
		}
		rings = append(rings, a.ring[first:])
	}
	return rings
}

// byFrequency sorts records by the frequency of their value, greatest first.
func (a *arrangement) byFrequency(records []uint32, random *rand.Rand) []uint32 {
	a.values = a.values[:0]
	for _, record := range records {
		v := a.value[record]
		if a.count[v] == 0 {
			a.values = append(a.values, v)
		}
		a.count[v]++
	}
	// Ties are broken by value, not by first record: the table's order must not show.
	slices.SortFunc(a.values, func(x, y uint32) int {
		return cmp.Or(cmp.Compare(a.count[y], a.count[x]), cmp.Compare(x, y))
	})
	start := uint32(0)
	for _, v := range a.values {
		a.count[v], start = start, start+a.count[v]
	}
	a.sorted = slices.Grow(a.sorted[:0], len(records))[:len(records)]
	for _, record := range records {
		v := a.value[record]
		a.sorted[a.count[v]] = record
		a.count[v]++
	}
	start = 0
	for _, v := range a.values {
		bucketization.Shuffle(a.sorted[start:a.count[v]], random)
		start, a.count[v] = a.count[v], 0
	}
	return a.sorted
}
