package answer

import (
	"math"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
)

func TestSettled(t *testing.T) {
	for x, want := range map[float64]float64{
		4351.999999999993: 4352, 4352.000000000004: 4352, -7.999999999999999: -8, 3657.5: 3657.5, 0.5625: 0.5625,
		4351.9999: 4351.9999, 1e-17: 1e-17, 0: 0, 1e15 + 0.125: 1e15,
	} {
		if got := settled(x); got != want {
			t.Errorf("settled(%v) = %v, want %v", x, got, want)
		}
	}
	if !math.IsInf(settled(math.Inf(1)), 1) {
		t.Error("settled loses infinity")
	}
}

// A figure takes the form of its type.
func TestValueOfFigure(t *testing.T) {
	tens := types.MustCreateDecimalType(14, 4)
	for _, c := range []struct {
		asked  Aggregate
		figure float64
		typ    sql.Type
		want   any
	}{
		{Aggregate{Kind: estimate.Count, countsWhole: true}, 4351.999999999993, types.Float64, 4352.0},
		{Aggregate{Kind: estimate.Count, countsWhole: true}, 3657.5, types.Float64, 3657.5},
		{Aggregate{Kind: estimate.Count, countsWhole: true}, 3657.5, types.Int64, int64(3658)},
		{Aggregate{Kind: estimate.Average}, 39.99999999999997, types.Float64, 39.99999999999997},
		{Aggregate{Kind: estimate.Sum}, 360.49999999999994, types.MustCreateDecimalType(30, 2), "360.50"},
		{Aggregate{Kind: estimate.Sum}, 12345678901234.56, types.MustCreateDecimalType(30, 2), "12345678901234.56"},
		{Aggregate{Kind: estimate.Average}, 2.0000499999999994, tens, "2.0001"}, // 2.00005 but for rounding
		{Aggregate{Kind: estimate.Average}, 36.125, tens, "36.1250"},
	} {
		got, err := c.asked.value(anonymize.RealValue(c.figure), c.typ)
		if number, ok := got.(decimal.Decimal); ok {
			got = number.StringFixed(-number.Exponent())
		}
		if err != nil || got != c.want {
			t.Errorf("%s of %v as %s is %v, %v, want %v", c.asked, c.figure, c.typ, got, err, c.want)
		}
	}
	count := Aggregate{Kind: estimate.Count}
	if v, err := count.value(anonymize.NullValue, types.Int64); v != nil || err != nil {
		t.Errorf("NULL is %v, %v", v, err)
	}
	if _, err := count.value(anonymize.RealValue(math.Exp2(63)), types.Int64); err == nil {
		t.Error("2^63 is a BIGINT")
	}
}

// What is exact stays exact when the join of other fragments blurs it, and nothing
// else changes.
func TestSettleAnswer(t *testing.T) {
	real := func(x float64) anonymize.Value { return anonymize.RealValue(x) }
	a := &answered{
		Answer: &estimate.Answer{Rows: []estimate.AnswerRow{{Figures: []anonymize.Value{real(4351.999999999993), real(2.5)}}}},
		spread: &interval.Spread{
			Deviations: [][]anonymize.Value{{real(1e-7), real(0.5)}},
			Bounds:     [][]estimate.Bound{{{Low: real(4351.9), High: real(4352.1)}, {Low: real(1), High: real(4)}}},
		},
	}
	a.settle([]Aggregate{{Kind: estimate.Count, exact: true, countsWhole: true}, {Kind: estimate.Count, countsWhole: true}})
	figures, bounds := a.Rows[0].Figures, a.spread.Bounds[0]
	if figures[0] != real(4352) || a.spread.Deviations[0][0] != real(0) || bounds[0] != (estimate.Bound{Low: real(4352), High: real(4352)}) {
		t.Errorf("the exact count is %v +- %v in %v", figures[0], a.spread.Deviations[0][0], bounds[0])
	}
	// Beside a figure with noise, or of an engine, bounds are not known, but that of an exact figure is.
	a.spread.Bounds[0][0] = estimate.Bound{Low: anonymize.NullValue, High: anonymize.NullValue}
	a.settle([]Aggregate{{Kind: estimate.Count, exact: true, countsWhole: true}, {Kind: estimate.Count, countsWhole: true}})
	if bounds[0] != (estimate.Bound{Low: real(4352), High: real(4352)}) {
		t.Errorf("the exact count's bounds are %v", bounds[0])
	}
	if figures[1] != real(2.5) || a.spread.Deviations[0][1] != real(0.5) || bounds[1] != (estimate.Bound{Low: real(1), High: real(4)}) {
		t.Errorf("the estimate is %v +- %v in %v", figures[1], a.spread.Deviations[0][1], bounds[1])
	}
}
