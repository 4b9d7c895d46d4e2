package anonymize

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// MaxListed is the greatest number of values that are listed regardless of whether they occur:
// the leaves of a generated taxonomy, the possible values of a generalized column.
const MaxListed = 1 << 17

// Listing returns all values from the first to the last of ascending, which has values of one
// kind: whole numbers, whole days, or decimals with the given number of places. So the list
// does not reveal which values occur. Listing returns nil for more than [MaxListed] values and
// for kinds that it cannot list: floating point numbers, times of day, texts.
func Listing(ascending []Value) []Value {
	g, ok := gridOf(ascending)
	if !ok {
		return nil
	}
	first, last := g.steps(ascending[0]), g.steps(ascending[len(ascending)-1])
	count := new(big.Int).Sub(last, first)
	if !count.IsInt64() || count.Int64() >= MaxListed {
		return nil
	}
	all := make([]Value, 0, count.Int64()+1)
	for at := first; at.Cmp(last) <= 0; at = new(big.Int).Add(at, big.NewInt(1)) {
		all = append(all, g.value(at))
	}
	return all
}

// Spans reports whether the column has numbers of one kind that are too many to list. Between
// any two of them lie others, so intervals of them have points as leaves ([IntervalPaths]).
func (c *Column) Spans() bool {
	values, err := occurring(c)
	if err != nil || Listing(values) != nil {
		return false
	}
	g, ok := gridOf(values)
	floating := !slices.ContainsFunc(values, func(v Value) bool { return v.Kind != Real })
	return floating || ok && g.kind != Instant
}

// Adjacent reports whether no number of their kind is between two that ascend: if floating point numbers are single, as
// [AreSingle] says, none of single precision.
func Adjacent(a, b Value, single bool) bool {
	if a.Kind != Real || b.Kind != Real {
		g, ok := gridOf([]Value{a, b})
		return ok && new(big.Int).Sub(g.steps(b), g.steps(a)).Cmp(big.NewInt(1)) <= 0
	}
	next := math.Nextafter(a.Float, b.Float)
	if single {
		next = float64(math.Nextafter32(float32(a.Float), float32(b.Float)))
	}
	return next >= b.Float
}

// AreSingle reports whether all floating point numbers have single precision. [IntervalPaths] takes them as such then.
func AreSingle(values []Value) bool {
	return !slices.ContainsFunc(values, func(v Value) bool { return float64(float32(v.Float)) != v.Float })
}

// A grid has the values of a kind that are a step apart: what a column's type has between two values.
type grid struct {
	kind   ValueKind
	step   int64 // for whole numbers and points in time
	places int   // for decimals
}

// gridOf returns the grid that contains all values; ok is false if there is none.
func gridOf(values []Value) (g grid, ok bool) {
	if len(values) == 0 {
		return g, false
	}
	g = grid{kind: values[0].Kind, step: 1, places: placesOf(values[0])}
	if g.kind == Instant {
		g.step = microsecondsOfDay
	}
	for _, v := range values {
		whole := (v.Kind == Integer || v.Kind == Instant) && v.Int%g.step == 0
		if v.Kind != g.kind || !whole && (v.Kind != Decimal || placesOf(v) != g.places) {
			return g, false
		}
	}
	return g, true
}

// placesOf returns the number of decimal places in v's text.
func placesOf(v Value) int {
	if _, fraction, ok := strings.Cut(v.Text, "."); ok && v.Kind == Decimal {
		return len(fraction)
	}
	return 0
}

// steps returns the number of steps from zero to v, a value of the grid.
func (g grid) steps(v Value) *big.Int {
	if g.kind != Decimal {
		return big.NewInt(v.Int / g.step)
	}
	n, _ := new(big.Int).SetString(strings.Replace(v.Text, ".", "", 1), 10)
	if n == nil {
		n = new(big.Int)
	}
	return n
}

// value is the inverse of steps.
func (g grid) value(steps *big.Int) Value {
	if g.kind != Decimal {
		return Value{Kind: g.kind, Int: steps.Int64() * g.step}
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(g.places)), nil)
	return DecimalValue(new(big.Rat).SetFrac(steps, unit).FloatString(g.places))
}

// ceil returns the number of the least grid value that is not below x.
func (g grid) ceil(x *big.Rat) *big.Int {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(g.places)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(unit))
	// Euclidean division rounds down for positive divisors.
	down := new(big.Int).Div(new(big.Int).Neg(scaled.Num()), scaled.Denom())
	return down.Neg(down)
}
