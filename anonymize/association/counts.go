package association

import (
	"math"
)

// What is in this file is computed from counts that somebody else has counted: a
// table may be where nobody reads its rows.

// EntropyOf is [Entropy] of an attribute whose values have so many records each.
func EntropyOf(records []int64) float64 {
	var n, bits float64
	for _, count := range records {
		n += float64(count)
	}
	for _, count := range records {
		if count > 0 {
			p := float64(count) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// A Pair says how many records have level A of one attribute and B of another.
type Pair struct {
	A, B    uint32
	Records int64
}

// PhiSquaredOf is [PhiSquared] of two attributes whose levels go together in these
// pairs, each at most once. Levels are discretized already: o.Bins says nothing.
func PhiSquaredOf(pairs []Pair, o Options) float64 {
	a, b := make(map[uint32]int64), make(map[uint32]int64)
	var rows int64
	for _, p := range pairs {
		if p.Records > 0 {
			a[p.A] += p.Records
			b[p.B] += p.Records
			rows += p.Records
		}
	}
	sum := 0.0
	for _, p := range pairs {
		if p.Records > 0 {
			sum += float64(p.Records) / float64(a[p.A]) * (float64(p.Records) / float64(b[p.B]))
		}
	}
	return contingency(sum, len(a), len(b), float64(rows), o)
}
