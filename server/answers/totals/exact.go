package totals

import (
	"math"

	"github.com/shopspring/decimal"
)

// An exact is a sum of integers and decimals: units of 10^-places in an int64, plus
// beyond for what overflows it or has other places.
type exact struct {
	units  int64
	beyond decimal.Decimal
}

// addWhole adds n units.
func (x *exact) addWhole(n int64, places int32) {
	if sum := x.units + n; (sum > x.units) == (n > 0) {
		x.units = sum
		return
	}
	x.beyond = x.beyond.Add(decimal.New(x.units, -places))
	x.units = n
}

// add adds a decimal.
func (x *exact) add(d decimal.Decimal, places int32) {
	if n, ok := unitsOf(d, places); ok {
		x.addWhole(n, places)
		return
	}
	x.beyond = x.beyond.Add(d)
}

// subtract returns x - other.
func (x exact) subtract(other exact, places int32) exact {
	difference := exact{beyond: x.beyond.Sub(other.beyond)}
	difference.addWhole(x.units, places)
	if other.units == math.MinInt64 {
		difference.beyond = difference.beyond.Sub(decimal.New(other.units, -places))
	} else {
		difference.addWhole(-other.units, places)
	}
	return difference
}

// sum returns the total.
func (x *exact) sum(places int32) decimal.Decimal {
	units := decimal.New(x.units, -places)
	if x.beyond.IsZero() {
		return units
	}
	return x.beyond.Add(units)
}

// bounds are the least and greatest decimals whose units fit an int64, by places.
var bounds = func() (all [maxPlaces + 1][2]decimal.Decimal) {
	for places := range all {
		all[places] = [2]decimal.Decimal{decimal.New(math.MinInt64, -int32(places)), decimal.New(math.MaxInt64, -int32(places))}
	}
	return all
}()

const maxPlaces = 30

// unitsOf converts a decimal with exactly these places to units of 10^-places; false if it has other places or overflows
// an int64. It allocates nothing.
func unitsOf(d decimal.Decimal, places int32) (int64, bool) {
	if d.Exponent() != -places || d.Cmp(bounds[places][0]) < 0 || d.Cmp(bounds[places][1]) > 0 {
		return 0, false
	}
	return d.CoefficientInt64(), true
}

// wholeNumber converts an integer value to an int64, if it fits.
func wholeNumber(v any) (int64, bool) {
	switch n := v.(type) {
	case int64:
		return n, true
	case int32:
		return int64(n), true
	case int16:
		return int64(n), true
	case int8:
		return int64(n), true
	case int:
		return int64(n), true
	case uint64:
		return int64(n), n <= math.MaxInt64
	case uint32:
		return int64(n), true
	case uint16:
		return int64(n), true
	case uint8:
		return int64(n), true
	case bool:
		if n {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
