package anonymize

import (
	"math"
	"slices"
	"testing"
)

// ascending has values of all kinds in the order of Compare.
var ascending = []Value{
	NullValue,
	IntegerValue(math.MinInt64), IntegerValue(-1), IntegerValue(0), IntegerValue(math.MaxInt64),
	RealValue(math.Inf(-1)), RealValue(-0.5), RealValue(0), RealValue(1e300),
	DecimalValue("-10000000000000000000.0"), DecimalValue("-9999999999999999999.9"), // one float64
	DecimalValue("-10000000000000000.01"), DecimalValue("-10000000000000000.00"), // one float64
	DecimalValue("-12.50"), DecimalValue("-0.0"), DecimalValue("0.0"), DecimalValue("0.1"), DecimalValue("0.99999999999999999999"), DecimalValue("1.00000000000000000000"), // one float64
	DecimalValue("9.99"), DecimalValue("9.99999999999999999999"), DecimalValue("10.00"),
	DecimalValue("10000000000000000.00"), DecimalValue("10000000000000000.01"), // one float64
	DecimalValue("9999999999999999999"), DecimalValue("10000000000000000000"), DecimalValue("10000000000000000000.5"), // one float64
	InstantValue(-1), InstantValue(0),
	TextValue(""), TextValue("A"), TextValue("a"), TextValue("aa"), TextValue("\xff"),
}

func TestCompare(t *testing.T) {
	for i, a := range ascending {
		for j, b := range ascending {
			want := slices.Compare([]int{i}, []int{j})
			if got := Compare(a, b); got != want || (got == 0) != (a == b) {
				t.Errorf("Compare(%v, %v) = %d, want %d", a, b, got, want)
			}
		}
	}
	if n := testing.AllocsPerRun(10, func() { Compare(ascending[9], ascending[10]) }); n > 0 {
		t.Errorf("Compare allocates %v times", n)
	}
}

func TestNegativeZeroIsZero(t *testing.T) {
	if RealValue(math.Copysign(0, -1)) != RealValue(0) || math.Signbit(RealValue(math.Copysign(0, -1)).Float) {
		t.Error("-0 and 0 are two values")
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[Value]float64{
		IntegerValue(-3): -3, RealValue(2.5): 2.5, DecimalValue("-12.50"): -12.5, InstantValue(1_000_000): 1e6,
	} {
		if got, ok := v.Number(); !ok || got != want {
			t.Errorf("%v: %v, %v", v, got, ok)
		}
	}
	for _, v := range []Value{NullValue, TextValue("7")} {
		if _, ok := v.Number(); ok {
			t.Errorf("%v has a place on the number line", v)
		}
	}
}

func TestValueString(t *testing.T) {
	for v, want := range map[Value]string{
		NullValue: "NULL", IntegerValue(-3): "-3", RealValue(2.5): "2.5", RealValue(1e21): "1e+21",
		DecimalValue("10.00"): "10.00", InstantValue(5): "1970-01-01 00:00:00.000005", InstantValue(-86_400_000_000): "1969-12-31", TextValue("x y"): "x y",
	} {
		if got := v.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
