package anonymize

import (
	"math/big"
	"slices"
)

// Classes partitions the values of a sensitive attribute into classes that count as one value
// ([Closeness.Classes]). Entry i is the class of dictionary entry i. Classes are numbered from 0 in the
// order of their first value. A nil Classes means that every value is a class of its own.
type Classes []uint32

// Minus returns the exact difference v - w; ok is false unless both are numbers or points in time.
func (v Value) Minus(w Value) (*big.Rat, bool) {
	x, ok := exactNumber(v)
	y, other := exactNumber(w)
	if !ok || !other {
		return nil, false
	}
	return x.Sub(x, y), true
}

const microsecondsOfDay = 24 * 60 * 60 * 1_000_000

// exactNumber returns v as a number without rounding; a point in time becomes days since 1970.
func exactNumber(v Value) (*big.Rat, bool) {
	switch v.Kind {
	case Integer:
		return new(big.Rat).SetInt64(v.Int), true
	case Real:
		r := new(big.Rat).SetFloat64(v.Float)
		return r, r != nil
	case Instant:
		return big.NewRat(v.Int, microsecondsOfDay), true
	case Decimal:
		return new(big.Rat).SetString(v.Text)
	}
	return nil, false
}

// ClassOf returns the class of a code.
func (c Classes) ClassOf(code uint32) uint32 {
	if c == nil {
		return code
	}
	return c[code]
}

// Count returns the number of classes in a dictionary of that many values.
func (c Classes) Count(values int) int {
	if c == nil {
		return values
	}
	if len(c) == 0 {
		return 0
	}
	return int(slices.Max(c)) + 1
}
