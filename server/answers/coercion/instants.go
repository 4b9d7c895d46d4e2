package coercion

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// instantNumber is 20241231 of a DATE, 20241231235959 of a DATETIME, with its fraction.
func instantNumber(v time.Time, t sql.Type) any {
	day := int64(v.Year())*10000 + int64(v.Month())*100 + int64(v.Day())
	if types.IsDateType(t) {
		return day
	}
	n := day*1000000 + int64(v.Hour())*10000 + int64(v.Minute())*100 + int64(v.Second())
	if micro := v.Nanosecond() / 1000; micro != 0 {
		return decimal.NewFromInt(n).Add(decimal.New(int64(micro), -6)) // together they are no BIGINT
	}
	return n
}

// Instant is a value as a date and time; false where it is none, which is NULL in MySQL
// with a warning.
func Instant(ctx *sql.Context, v any, t sql.Type) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case types.Timespan:
		now := ctx.QueryTime()
		day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
		return day.Add(time.Duration(v) * time.Microsecond), true
	case string:
		return parsedInstant(ctx, v)
	case []byte:
		return parsedInstant(ctx, string(v))
	}
	d, err := Exact(ctx, v, t)
	if err != nil {
		return time.Time{}, false
	}
	return numberedInstant(ctx, d)
}

func warnInstant(ctx *sql.Context, v any) {
	ctx.Warn(1292, "Incorrect datetime value: '%v'", v)
}

// Century is the year, from 1970 to 2069, that its last two digits mean.
func Century(year int) int {
	if year < 70 {
		return year + 2000
	}
	return year + 1900
}

// numberedInstant reads 20241231, 241231, 20241231235959 and 241231235959.
func numberedInstant(ctx *sql.Context, d decimal.Decimal) (time.Time, bool) {
	n, micro := d.IntPart(), d.Sub(d.Truncate(0)).Shift(6).IntPart()
	if d.Sign() < 0 || d.GreaterThan(decimal.New(99991231235959999, -3)) {
		warnInstant(ctx, d)
		return time.Time{}, false
	}
	clock := int64(0)
	if n > 99991231 {
		n, clock = n/1000000, n%1000000
	} else {
		micro = 0
	}
	year := int(n / 10000)
	if n < 1000000 {
		year = Century(year)
	}
	return valid(ctx, d, year, int(n/100%100), int(n%100), int(clock/10000), int(clock/100%100), int(clock%100), int(micro))
}

// valid is false where there is no such day or time. The zero date is none.
func valid(ctx *sql.Context, of any, year, month, day, hour, minute, second, micro int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), day, hour, minute, second, micro*1000, time.UTC)
	if year > 9999 || int(t.Month()) != month || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		warnInstant(ctx, of)
		return time.Time{}, false
	}
	return t, true
}

// Day is a day of 24 hours: dates are in UTC.
const Day = 24 * time.Hour

// DecimalsOf are the decimals of a second that a value has by its type, those of a DATETIME too.
func DecimalsOf(t sql.Type) int {
	switch t := t.(type) {
	case sql.DecimalType:
		return int(min(t.Scale(), 6))
	case sql.DatetimeType:
		return t.Precision()
	}
	if types.IsInteger(t) || types.IsYear(t) || t == types.Null {
		return 0
	}
	return 6
}

// DatetimeOf is a DATETIME with decimals of a second, at most 6.
func DatetimeOf(decimals int) sql.Type {
	typ, err := types.CreateDatetimeType(types.DatetimeMaxPrecision.Type(), min(decimals, 6))
	if err != nil {
		return types.DatetimeMaxPrecision
	}
	return typ
}
