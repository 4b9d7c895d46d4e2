package calendar

import (
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// dates are the functions for parts of dates. The engine's misread numbers, and cast texts differently.
func dates() []*builtin.Definition {
	part := func(name string, of func(coercion.Fields) int) *builtin.Definition {
		return ofDate(name, types.Int64, func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			if fields, ok := coercion.FieldsOf(ctx, v[0], c.OperandType(0)); ok {
				return int64(of(fields)), nil
			}
			return nil, nil
		})
	}
	whole := func(name string, typ sql.Type, of func(time.Time) any) *builtin.Definition {
		return ofDate(name, typ, func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			if day, ok := coercion.Moment(ctx, v[0], c.OperandType(0)); ok {
				return of(day), nil
			}
			return nil, nil
		})
	}
	day := func(f coercion.Fields) int { return f.Day }
	return []*builtin.Definition{
		part("year", func(f coercion.Fields) int { return f.Year }),
		part("quarter", func(f coercion.Fields) int { return (f.Month + 2) / 3 }),
		part("month", func(f coercion.Fields) int { return f.Month }),
		part("day", day),
		part("dayofmonth", day),
		whole("dayofyear", types.Int64, func(t time.Time) any { return int64(t.YearDay()) }),
		whole("dayofweek", types.Int64, func(t time.Time) any { return int64(t.Weekday()) + 1 }),
		whole("weekday", types.Int64, func(t time.Time) any { return int64(t.Weekday()+6) % 7 }),
		whole("dayname", types.LongText, func(t time.Time) any { return t.Weekday().String() }),
		ofDate("monthname", types.LongText, func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			if fields, ok := coercion.FieldsOf(ctx, v[0], c.OperandType(0)); ok && fields.Month > 0 { // of a day 0, too
				return time.Month(fields.Month).String(), nil
			}
			return nil, nil
		}),
		whole("last_day", types.Date, func(t time.Time) any { return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC) }),
	}
}

type valuer = func(c *builtin.Call, ctx *sql.Context, v []any) (any, error)

func ofDate(name string, typ sql.Type, value valuer) *builtin.Definition {
	return &builtin.Definition{Name: name, Least: 1, Most: 1, Type: builtin.Constant(typ), Value: value}
}

// ExtractFunction stands for EXTRACT(unit FROM x) of a part of the time of the day, alone or with days: the unit's name, x.
const ExtractFunction = "__anon_extract"

// A clockUnit is a range of the units day, hour, minute, second and microsecond that EXTRACT returns, two digits each.
type clockUnit struct{ first, last int }

const (
	days = iota
	hours
	minutes
	seconds
	micros
)

var clockUnits = map[string]clockUnit{
	"hour": {hours, hours}, "minute": {minutes, minutes}, "second": {seconds, seconds}, "microsecond": {micros, micros},
	"day_hour": {days, hours}, "day_minute": {days, minutes}, "day_second": {days, seconds}, "day_microsecond": {days, micros},
	"hour_minute": {hours, minutes}, "hour_second": {hours, seconds}, "hour_microsecond": {hours, micros},
	"minute_second": {minutes, seconds}, "minute_microsecond": {minutes, micros}, "second_microsecond": {seconds, micros},
}

// ExtractsClock recognises a unit that EXTRACT reads of a time, not of a date.
func ExtractsClock(unit string) bool { _, ok := clockUnits[unit]; return ok }

var extract = &builtin.Definition{Name: ExtractFunction, Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: extracted}

func extracted(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	unit, ok := clockUnits[v[0].(string)]
	if !ok {
		return nil, sql.ErrUnsupportedFeature.New("EXTRACT(" + v[0].(string) + ")")
	}
	span, ok := coercion.Timespan(ctx, v[1], c.OperandType(1))
	if !ok {
		return nil, nil
	}
	size := max(int64(span), -int64(span))
	parts := []int64{dayOf(ctx, v[1], c.OperandType(1)), size / 3600e6, size / 60e6 % 60, size / 1e6 % 60, size % 1e6}
	n := int64(0)
	for at := unit.first; at <= unit.last; at++ {
		if at == micros {
			n *= int64(math.Pow10(maxDigits - 2))
		}
		n = n*100 + parts[at]
	}
	if span < 0 {
		n = -n
	}
	return n, nil
}

// dayOf is the day of the month of a date and time, 0 of what is a time alone.
func dayOf(ctx *sql.Context, v any, t sql.Type) int64 {
	if s, ok := v.(string); ok && !coercion.IsDated(s) || coercion.IsTimespan(t) || coercion.IsNumber(t) {
		return 0
	}
	day, _ := coercion.FieldsOf(ctx, v, t)
	return int64(day.Day)
}
