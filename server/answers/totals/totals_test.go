package totals

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

func of(t testing.TB, e sql.Expression) *Total {
	total, ok := TotalOf(e)
	if !ok {
		t.Fatalf("%s is no total", e)
	}
	return total
}

func total(t testing.TB, e sql.Expression, rows []sql.Row) any {
	buffer, err := of(t, e).NewBuffer()
	if err != nil {
		t.Fatal(err)
	}
	defer buffer.Dispose()
	ctx := sql.NewEmptyContext()
	for _, row := range rows {
		if err := buffer.Update(ctx, row); err != nil {
			t.Fatal(err)
		}
	}
	v, err := buffer.Eval(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func field(t sql.Type) sql.Expression { return expression.NewGetField(0, t, "x", true) }

// Sums of random numbers, near the limits of BIGINT and far beyond, equal big.Int's.
func TestSumsAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	typ := types.MustCreateDecimalType(60, 2)
	for range 200 {
		want, rows, seen := new(big.Int), []sql.Row{{nil}}, map[string]bool{}
		once := new(big.Int)
		for range r.IntN(40) + 1 {
			n := new(big.Int).SetInt64([]int64{math.MaxInt64, math.MinInt64, math.MinInt64 + 1, int64(r.IntN(9)) - 4, r.Int64()}[r.IntN(5)])
			if r.IntN(4) == 0 {
				n.Mul(n, n)
			}
			if want.Add(want, n); !seen[n.String()] {
				once.Add(once, n)
			}
			seen[n.String()] = true
			d := decimal.NewFromBigInt(n, -2)
			if r.IntN(2) == 0 {
				d = d.Add(decimal.New(0, -4)) // the same number with more zeros
			}
			rows = append(rows, sql.Row{d})
		}
		got := total(t, aggregation.NewSum(field(typ)), rows).(decimal.Decimal)
		if !got.Equal(decimal.NewFromBigInt(want, -2)) {
			t.Fatalf("the sum of %v is %s, want %s hundredths", rows, got, want)
		}
		got = total(t, aggregation.NewSum(expression.NewDistinctExpression(field(typ))), rows).(decimal.Decimal)
		if !got.Equal(decimal.NewFromBigInt(once, -2)) {
			t.Fatalf("the sum of different %v is %s, want %s hundredths", rows, got, once)
		}
	}
}

func TestTotals(t *testing.T) {
	whole := []sql.Row{{int32(1)}, {nil}, {int32(1)}, {int32(2)}}
	price := types.MustCreateDecimalType(5, 1)
	x, d, f := field(types.Int32), field(price), field(types.Float64)
	tenths := []sql.Row{{decimal.New(15, -1)}, {decimal.New(20, -1)}, {decimal.New(15, -1)}}
	for _, c := range []struct {
		of   sql.Expression
		rows []sql.Row
		typ  string
		want string // "" is NULL
	}{
		{aggregation.NewSum(x), whole, "decimal(32,0)", "4"},
		{aggregation.NewAvg(x), whole, "decimal(14,4)", "1.333333333"}, // nine digits, as MySQL calculates with
		{aggregation.NewSum(x), []sql.Row{{nil}}, "decimal(32,0)", ""},
		{aggregation.NewAvg(x), nil, "decimal(14,4)", ""},
		{aggregation.NewSum(d), tenths, "decimal(27,1)", "5"},
		{aggregation.NewSum(expression.NewDistinctExpression(d)), tenths, "decimal(27,1)", "3.5"},
		{aggregation.NewAvg(expression.NewDistinctExpression(d)), tenths, "decimal(9,5)", "1.75"},
		{aggregation.NewSum(field(types.Uint64)), []sql.Row{{uint64(math.MaxUint64)}, {uint64(1)}}, "decimal(42,0)", "18446744073709551616"},
		{aggregation.NewSum(f), []sql.Row{{.5}, {1.25}}, "double", "1.75"},
		{aggregation.NewAvg(f), []sql.Row{{.5}, {1.25}}, "double", "0.875"},
		{aggregation.NewSum(expression.NewDistinctExpression(f)), []sql.Row{{.5}, {.5}}, "double", "0.5"},
		{aggregation.NewSum(expression.NewDiv(x, expression.NewLiteral(int8(3), types.Int8))), whole, "decimal(36,4)", "1.3333"},
	} {
		if got := of(t, c.of).Type().String(); got != c.typ {
			t.Errorf("%s is %s, want %s", c.of, got, c.typ)
		}
		got := ""
		switch v := total(t, c.of, c.rows).(type) {
		case decimal.Decimal:
			got = v.String()
		case float64:
			got = decimal.NewFromFloat(v).String()
		}
		if got != c.want {
			t.Errorf("%s is %s, want %s", c.of, got, c.want)
		}
	}
}

// windowed is SUM over a window whose partition has the rows but the first.
func windowed(t *testing.T, typ sql.Type, rows sql.WindowBuffer) sql.WindowFunction {
	t.Helper()
	definition := sql.NewWindowDefinition(nil, nil, nil, "", "")
	function, err := of(t, aggregation.NewSum(field(typ))).WithWindow(definition).(*Total).NewWindowFunction()
	if err != nil {
		t.Fatal(err)
	}
	if err := function.StartPartition(sql.NewEmptyContext(), sql.WindowInterval{Start: 1, End: len(rows)}, rows); err != nil {
		t.Fatal(err)
	}
	return function
}

// Totals of every frame of a partition are those of its rows.
func TestFrames(t *testing.T) {
	ctx := sql.NewEmptyContext()
	rows := sql.WindowBuffer{{int64(5)}, {int64(math.MaxInt64)}, {nil}, {int64(math.MaxInt64)}, {int64(math.MinInt64)}, {int64(-3)}, {nil}}
	function := windowed(t, types.Int64, rows)
	for start := 1; start <= len(rows); start++ {
		for end := start; end <= len(rows); end++ {
			var want *big.Int
			for _, row := range rows[start:end] {
				if n, ok := row[0].(int64); ok {
					if want == nil {
						want = new(big.Int)
					}
					want.Add(want, big.NewInt(n))
				}
			}
			got := function.Compute(ctx, sql.WindowInterval{Start: start, End: end}, rows)
			if want == nil && got != nil || want != nil && !decimal.NewFromBigInt(want, 0).Equal(got.(decimal.Decimal)) {
				t.Errorf("rows %d to %d have the sum %v, want %v", start, end, got, want)
			}
		}
	}
}

// A huge number, or an infinity, leaves the frames behind it all their digits.
func TestFramesOfDoubles(t *testing.T) {
	rows := sql.WindowBuffer{{7.}, {1e300}, {.1}, {.2}, {nil}, {math.Inf(1)}, {math.Inf(-1)}, {.3}}
	for range 3 * blockRows {
		rows = append(rows, sql.Row{1.})
	}
	function, n := windowed(t, types.Float64, rows), len(rows)
	for _, c := range []struct {
		start, end int
		want       float64
	}{
		{1, 3, 1e300}, {2, 4, .30000000000000004}, {2, 6, math.Inf(1)}, {7, 8, .3}, {8, 9, 1}, {8, n, 3 * blockRows}, {blockRows - 1, n - 1, float64(n - blockRows)},
	} {
		if got := function.Compute(sql.NewEmptyContext(), sql.WindowInterval{Start: c.start, End: c.end}, rows); got != c.want {
			t.Errorf("rows %d to %d have the sum %v, want %v", c.start, c.end, got, c.want)
		}
	}
}

// Adding an integer, and a DECIMAL of its column's places, allocates nothing.
func TestSumsAllocateNothing(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for typ, row := range map[sql.Type]sql.Row{
		types.Int32: {int32(7)}, types.Int64: {int64(1) << 40}, types.Float64: {1.5}, types.MustCreateDecimalType(8, 2): {decimal.New(125, -2)},
	} {
		buffer, err := of(t, aggregation.NewSum(field(typ))).NewBuffer()
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(1000, func() { _ = buffer.Update(ctx, row) }); n > 0 {
			t.Errorf("adding a %s allocates %v times", typ, n)
		}
	}
}
