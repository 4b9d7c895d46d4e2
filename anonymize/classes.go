package anonymize

import "math/big"

// Classes says which values of a sensitive attribute count as one: entry i is
// the class of dictionary entry i, classes numbered from 0 in the order of
// their least value. A nil Classes means that every value is a class of its own.
//
// Zhu et al. 2015, Section 3.1: values of a numeric sensitive attribute are different
// when they differ by more than a threshold, and a table in which they do not
// "should be preprocessed". This is the preprocessing.
type Classes []uint32

// ThresholdClasses puts values that are at most threshold apart into classes,
// exactly: the least value without a class opens one, and every value up to
// threshold above it joins. So two values of one class are never more than the
// threshold apart; two of neighbouring classes may be closer. NULL is a class of
// its own. A column that is not numeric is a *DataError. A threshold of 0
// returns nil.
func ThresholdClasses(name string, dictionary []Value, threshold Ratio) (Classes, error) {
	if threshold.Num == 0 {
		return nil, nil
	}
	classes := make(Classes, len(dictionary))
	var limit *big.Rat // of the class that is open
	class := uint32(0)
	for i, v := range dictionary {
		at, ok := exactNumber(v)
		switch {
		case v.IsNull(): // sorts first
		case !ok:
			return nil, &DataError{"threshold: " + name + " is not numeric: " + v.String() + " has no distance to other values"}
		case limit == nil || at.Cmp(limit) > 0:
			if i > 0 {
				class++
			}
			limit = at.Add(at, threshold.Rat())
		}
		classes[i] = class
	}
	return classes, nil
}

// Minus is the exact difference of two numbers; false where one is none.
func (v Value) Minus(w Value) (*big.Rat, bool) {
	x, ok := exactNumber(v)
	y, other := exactNumber(w)
	if !ok || !other {
		return nil, false
	}
	return x.Sub(x, y), true
}

// exactNumber returns the number that v is, without rounding.
func exactNumber(v Value) (*big.Rat, bool) {
	switch v.Kind {
	case Integer:
		return new(big.Rat).SetInt64(v.Int), true
	case Real:
		r := new(big.Rat).SetFloat64(v.Float)
		return r, r != nil
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

// Count returns the number of classes of a dictionary of that many values.
func (c Classes) Count(values int) int {
	if c == nil {
		return values
	}
	if len(c) == 0 {
		return 0
	}
	return int(c[len(c)-1]) + 1
}
