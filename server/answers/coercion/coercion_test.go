package coercion

import (
	"fmt"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// readTexts are texts, the values read from them, and the numbers of warnings.
var readTexts = []struct {
	as, text string
	want     any
	warnings uint16
}{
	{"double", " 12.5e1abc", 125.0, 0},
	{"double", "abc", 0.0, 0},
	{"whole", "-7.9", int64(-8), 0},
	{"date", "2024-02-29", "2024-02-29 00:00:00", 0},
	{"date", "24.2.29 1:2:3.5", "2024-02-29 01:02:03.5", 0},
	{"date", "70-1-1", "1970-01-01 00:00:00", 0},
	{"date", "20240229235959", "2024-02-29 23:59:59", 0},
	{"date", "2023-02-29", nil, 1},
	{"date", "soon", nil, 1},
	{"time", "-1 2:03:04", "-26:03:04", 0},
	{"time", "900:00:00", "838:59:59", 1},
	{"time", "10:60:00", nil, 1},
	{"date", "20240229T235959.25", "2024-02-29 23:59:59.25", 0},
	{"date", "2015-09.30 12", "2015-09-30 12:00:00", 0},
	{"date", "70101", "1970-10-01 00:00:00", 0},
	{"date", "2112123", "2021-12-12 03:00:00", 0},
	{"date", "2000:01:01 00:00:00.000001", "2000-01-01 00:00:00.000001", 0},
	{"date", "2024-02-29 23:59:59.9999995", "2024-03-01 00:00:00", 0},
	{"date", "2024-02-29abc", "2024-02-29 00:00:00", 1},
	{"date", "2024-02 29", nil, 1},
	{"time", "15:30:45abc", "15:30:45", 1},
	{"time", "2024-12-20", "00:20:24", 1},
	{"time", "24-12-20 15:30:45", "15:30:45", 0},
	{"time", "20241220153045.123abc", "15:30:45.123000", 1},
	{"time", "12:34:56.789012", "12:34:56.789012", 0},
	{"time", "12:34:56.7890125", "12:34:56.789013", 0},
	{"time", "101112.5", "10:11:12.500000", 0},
	{"time", "2024-01-00 10:20:30", "10:20:30", 0},
	{"time", "2024-02-30 10:20:30", nil, 1},
	{"time", "225 10:11:12", "838:59:59", 1},
	{"time", "2 03", "51:00:00", 0},
	{"time", "12:", "00:00:12", 1},
	{"time", "12::56", "00:00:12", 1},
	{"time", "1e5", nil, 1},
	{"time", "abc", nil, 1},
}

// How MySQL 8 reads texts: its manual, "Date and Time Literals" and "Type Conversion in Expression Evaluation".
func TestTexts(t *testing.T) {
	of := map[string]func(*sql.Context, string) any{
		"double": func(ctx *sql.Context, s string) any { f, _ := Float(ctx, s, types.LongText); return f },
		"whole":  func(ctx *sql.Context, s string) any { n, _ := NearestBigint(ctx, s, types.LongText); return n },
		"date": func(ctx *sql.Context, s string) any {
			at, ok := Instant(ctx, s, types.LongText)
			if !ok {
				return nil
			}
			return at.Format("2006-01-02 15:04:05.999999")
		},
		"time": func(ctx *sql.Context, s string) any {
			span, ok := Timespan(ctx, s, types.LongText)
			if !ok {
				return nil
			}
			return span.String()
		},
	}
	for _, c := range readTexts {
		ctx := sql.NewEmptyContext()
		if got := of[c.as](ctx, c.text); got != c.want || ctx.WarningCount() != c.warnings {
			t.Errorf("%q as a %s is %v with %d warnings, must be %v with %d", c.text, c.as, got, ctx.WarningCount(), c.want, c.warnings)
		}
	}
}

// A number of a date and time is its time of the day, where a time is wanted.
func TestTimesOfNumbers(t *testing.T) {
	for n, want := range map[int64]string{20241220153045: "15:30:45", 101112: "10:11:12", 8385960: "NULL", 9000000: "838:59:59", -101112: "-10:11:12"} {
		span, ok := Timespan(sql.NewEmptyContext(), n, types.Int64)
		got := "NULL"
		if ok {
			got = span.String()
		}
		if got != want {
			t.Errorf("%d as a time is %s, must be %s", n, got, want)
		}
	}
}

// Dates are numbers of their digits, in both directions.
func TestDatesAreNumbers(t *testing.T) {
	ctx := sql.NewEmptyContext()
	for _, n := range []int64{20241231, 20241231235959} {
		at, ok := Instant(ctx, n, types.Int64)
		if !ok {
			t.Fatalf("%d is no date", n)
		}
		typ := sql.Type(types.Date)
		if n > 1e9 {
			typ = types.DatetimeMaxPrecision
		}
		back, err := Exact(ctx, at, typ)
		if err != nil || !back.Equal(decimal.NewFromInt(n)) {
			t.Errorf("%d is %v as a date, which is %v (%v)", n, at, back, err)
		}
	}
}

// Several types share one, as in MySQL's IFNULL and UNION.
func TestCommonTypes(t *testing.T) {
	decimals := func(precision, scale uint8) sql.Type { return types.MustCreateDecimalType(precision, scale) }
	for _, c := range []struct {
		list []sql.Type
		want sql.Type
	}{
		{[]sql.Type{types.Int16, types.Int32}, types.Int64},
		{[]sql.Type{types.Int64, types.Null}, types.Int64},
		{[]sql.Type{types.Int64, types.Uint64}, decimals(20, 0)},
		{[]sql.Type{decimals(5, 2), decimals(4, 3)}, decimals(6, 3)},
		{[]sql.Type{decimals(5, 2), types.Float64}, types.Float64},
		{[]sql.Type{types.Date, types.DatetimeMaxPrecision}, types.DatetimeMaxPrecision},
	} {
		if got := Common(c.list...); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v share %v, must share %v", c.list, got, c.want)
		}
	}
}
