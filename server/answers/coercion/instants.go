package coercion

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/declared"
)

// instantNumber is 20241231 for a DATE, 20241231235959 for a DATETIME, with its fraction.
func instantNumber(v time.Time, t sql.Type) any {
	if v.Equal(ZeroTime) {
		return int64(0)
	}
	day := int64(v.Year())*10000 + int64(v.Month())*100 + int64(v.Day())
	if types.IsDateType(t) {
		return day
	}
	n := day*1000000 + int64(v.Hour())*10000 + int64(v.Minute())*100 + int64(v.Second())
	if micro := v.Nanosecond() / 1000; micro != 0 {
		return decimal.NewFromInt(n).Add(shortest(int64(micro))) // together they are no BIGINT
	}
	return n
}

// shortest converts microseconds to a fraction of a second, without trailing zeros.
func shortest(micro int64) decimal.Decimal {
	places := int32(6)
	for micro != 0 && micro%10 == 0 {
		micro, places = micro/10, places-1
	}
	return decimal.New(micro, -places)
}

// Instant converts a value to a date and time; it returns false for an invalid one,
// which is NULL in MySQL, and adds a warning.
func Instant(ctx *sql.Context, v any, t sql.Type) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case types.Timespan:
		clock, err := coding.ClockOf(ctx)
		return clock.WallTime(ctx.QueryTime()).Truncate(Day).Add(time.Duration(v) * time.Microsecond), err == nil
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

// Moment converts a value to an instant for calculations; a zero date is invalid.
func Moment(ctx *sql.Context, v any, t sql.Type) (time.Time, bool) {
	moment, ok := Instant(ctx, v, t)
	return moment, ok && !moment.Equal(ZeroTime)
}

func warnInstant(ctx *sql.Context, v any) {
	ctx.Warn(1292, "Incorrect datetime value: '%v'", v)
}

// Century is the year, from 1970 to 2069, for two digits.
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
	if n > maxDay {
		n, clock = n/1000000, n%1000000
	} else {
		micro = 0
	}
	day, ok := numberedDay(n)
	if !ok {
		warnInstant(ctx, d)
		return time.Time{}, false
	}
	return valid(ctx, d, day.Year, day.Month, day.Day, int(clock/10000), int(clock/100%100), int(clock%100), int(micro))
}

// maxDay is the last day there is.
const maxDay = 99991231

// numberedDay reads 20241231 and 241231, and 0. Between 991231 and 10000101 no number is a day.
func numberedDay(n int64) (Fields, bool) {
	day := Fields{int(n / 10000), int(n / 100 % 100), int(n % 100)}
	switch {
	case n == 0:
		return day, true
	case n < 101 || n > 691231 && n < 700101 || n > 991231 && n < 10000101:
		return day, false
	case n < 1000000:
		day.Year = Century(day.Year)
	}
	return day, true
}

// Fields are the parts of a date. Month and day may be 0, as in 0 and in '2024-00-00'.
type Fields struct{ Year, Month, Day int }

// FieldsOf are the parts of a value as a date; false where there is no such day.
func FieldsOf(ctx *sql.Context, v any, t sql.Type) (Fields, bool) {
	switch own := v.(type) {
	case time.Time:
		if own.Equal(ZeroTime) {
			return Fields{}, true
		}
		return Fields{own.Year(), int(own.Month()), own.Day()}, true
	case types.Timespan:
		day, _ := Instant(ctx, own, t)
		return FieldsOf(ctx, day, t)
	case string, []byte:
		s, err := Text(ctx, own, t)
		d, ok := scanDate(s, false)
		fields := Fields{d.fields[year], d.fields[month], d.fields[day]}
		if ok = ok && err == nil && d.isClock() && fields.exist(); !ok || d.truncated {
			warnInstant(ctx, s)
		}
		return fields, ok
	}
	d, err := Exact(ctx, v, t)
	if err != nil {
		return Fields{}, false
	}
	n := d.IntPart()
	if n > maxDay {
		n /= 1000000
	}
	fields, ok := numberedDay(n)
	if ok = ok && d.Sign() >= 0 && fields.exist(); !ok {
		warnInstant(ctx, d)
	}
	return fields, ok
}

// IsZeroDate recognises 0 and of '0000-00-00'.
func IsZeroDate(ctx *sql.Context, v any, t sql.Type) bool {
	switch own := v.(type) {
	case time.Time:
		return false
	case string:
		d, ok := scanDate(own, false)
		return ok && d.fields == [fieldCount]int{}
	}
	d, err := Exact(ctx, v, t)
	return err == nil && d.IsZero()
}

// StandsForZero recognises the text of the day that the engine uses for 0000-00-00.
func StandsForZero(s string) bool {
	d, ok := scanDate(s, false)
	return ok && d.fields == [fieldCount]int{month: 1, day: 1}
}

// WholeSeconds is a date or time rounded to seconds; other values are unchanged.
func WholeSeconds(v any) any {
	switch own := v.(type) {
	case time.Time:
		return own.Round(time.Second)
	case types.Timespan:
		return types.Timespan((time.Duration(own) * time.Microsecond).Round(time.Second) / time.Microsecond)
	}
	return v
}

// exist recognises a day that a calendar has, or that is a 0.
func (f Fields) exist() bool {
	if f.Year > 9999 || f.Month > 12 || f.Day > 31 {
		return false
	}
	return f.Month == 0 || f.Day == 0 || time.Date(f.Year, time.Month(f.Month), f.Day, 0, 0, 0, 0, time.UTC).Day() == f.Day
}

// valid returns false for an invalid day or time, including the zero date and the engine's instant for it.
func valid(ctx *sql.Context, of any, year, month, day, hour, minute, second, micro int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), day, hour, minute, second, micro*1000, time.UTC)
	if t.Equal(ZeroTime) || year > 9999 || int(t.Month()) != month || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		warnInstant(ctx, of)
		return time.Time{}, false
	}
	return t, true
}

// ZeroTime is the engine's value for 0000-00-00: the first instant of 0000-01-01, which is therefore no valid date here.
var ZeroTime = types.DatetimeMaxPrecision.Zero().(time.Time)

// Day is a day of 24 hours: dates are in UTC.
const Day = 24 * time.Hour

// DecimalsOf are the decimals of a second that a value has by its type, those of a DATETIME too.
func DecimalsOf(t sql.Type) int {
	switch t := t.(type) {
	case sql.DecimalType:
		return int(min(t.Scale(), 6))
	case sql.DatetimeType:
		return t.Precision()
	case declared.Time:
		return t.Decimals()
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
