package association

import (
	"math"
)

// This file computes from given counts, because a table may be where its rows cannot be read.

// EntropyOf is [Entropy] of an attribute from the numbers of records of its values.
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

// PhiSquaredOf is [PhiSquared] of two attributes from the pairs of their levels, each at most
// once. Levels are already discretized: o.Bins is ignored.
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
