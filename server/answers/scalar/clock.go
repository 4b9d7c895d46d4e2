package scalar

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// mostTime is MySQL's greatest TIME, 838:59:59, in microseconds.
const mostTime = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)

func clock() []*definition {
	return []*definition{
		{name: "sec_to_time", least: 1, most: 1, typ: constant(types.Time), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			d, err := exact(ctx, v[0], c.of(0))
			if err != nil {
				return nil, err
			}
			f, _ := d.Shift(6).Round(0).Float64()
			return within(ctx, saturated(f)), nil
		}},
		{name: "maketime", least: 3, most: 3, typ: constant(types.Time), value: makeTime},
		{name: "addtime", least: 2, most: 2, typ: addedType, value: func(c *call, ctx *sql.Context, v []any) (any, error) { return addTime(c, ctx, v, 1) }},
		{name: "subtime", least: 2, most: 2, typ: addedType, value: func(c *call, ctx *sql.Context, v []any) (any, error) { return addTime(c, ctx, v, -1) }},
		{name: "timestamp", least: 1, most: 2, typ: timestampType, value: timestamp},
		{name: "utc_date", typ: constant(types.Date), value: func(_ *call, ctx *sql.Context, _ []any) (any, error) {
			return ctx.QueryTime().UTC().Truncate(day), nil
		}},
		{name: "utc_time", most: 1, typ: constant(types.Time), value: func(_ *call, ctx *sql.Context, _ []any) (any, error) {
			now := ctx.QueryTime().UTC().Truncate(time.Second)
			return types.Timespan(now.Sub(now.Truncate(day)).Microseconds()), nil
		}},
		{name: "time_to_sec", least: 1, most: 1, typ: constant(types.Int64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			span, ok := timespan(ctx, v[0], c.of(0))
			if !ok {
				return nil, nil
			}
			return int64(span) / 1_000_000, nil
		}},
		{name: "hour", least: 1, most: 1, typ: constant(types.Int64), value: clockPart(3600e6, 1<<40)},
		{name: "minute", least: 1, most: 1, typ: constant(types.Int64), value: clockPart(60e6, 60)},
		{name: "second", least: 1, most: 1, typ: constant(types.Int64), value: clockPart(1e6, 60)},
		{name: "microsecond", least: 1, most: 1, typ: constant(types.Int64), value: clockPart(1, 1e6)},
		{name: "timediff", least: 2, most: 2, typ: constant(types.Time), value: timeDiff},
		{name: "current_role", typ: constant(types.LongText), value: func(_ *call, _ *sql.Context, _ []any) (any, error) { return "NONE", nil }},
		{name: "benchmark", least: 2, most: 2, typ: constant(types.Int64), value: func(*call, *sql.Context, []any) (any, error) { return int64(0), nil }},
	}
}

// clockPart is a time in a unit of microseconds, without greater units.
func clockPart(unit, greater int64) func(*call, *sql.Context, []any) (any, error) {
	return func(c *call, ctx *sql.Context, v []any) (any, error) {
		span, ok := timespan(ctx, v[0], c.of(0))
		if !ok {
			return nil, nil
		}
		return max(int64(span), -int64(span)) / unit % greater, nil
	}
}

func within(ctx *sql.Context, micro int64) types.Timespan {
	if span := types.Timespan(micro); span <= mostTime && span >= -mostTime {
		return span
	}
	ctx.Warn(1292, "Truncated incorrect time value: '%d'", micro/1e6)
	if micro < 0 {
		return -mostTime
	}
	return mostTime
}

// clocked is a time as MySQL reads it: days, hours, minutes and seconds, with a sign.
var clocked = regexp.MustCompile(`^\s*(-?)(?:(\d+)\s+)?(\d{1,3}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,6})\d*)?)?\s*$`)

var daysAndHours = regexp.MustCompile(`^\s*(-?)(\d+)\s+(\d{1,2})\s*$`)

// timespan is a value as a time; false where it is none.
func timespan(ctx *sql.Context, v any, t sql.Type) (types.Timespan, bool) {
	switch v := v.(type) {
	case types.Timespan:
		return v, true
	case time.Time:
		if types.IsDateType(t) {
			return 0, true
		}
		return types.Timespan(v.Sub(v.Truncate(day)).Microseconds()), true
	case string, []byte:
		s, err := text(ctx, v, t)
		if err != nil {
			return 0, false
		}
		return parsedTimespan(ctx, s)
	}
	d, err := exact(ctx, v, t)
	if err != nil {
		return 0, false
	}
	n, micro := d.Abs().IntPart(), d.Abs().Sub(d.Abs().Truncate(0)).Shift(6).IntPart()
	if n > 8385959 || n/100%100 > 59 || n%100 > 59 {
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", d)
		if n > 8385959 && n < 1e10 && n/100%100 <= 59 && n%100 <= 59 {
			return within(ctx, int64(d.Sign())*int64(mostTime+1)), true
		}
		return 0, false
	}
	span := types.Timespan((n/10000*3600+n/100%100*60+n%100)*1e6 + micro)
	if d.Sign() < 0 {
		span = -span
	}
	return span, true
}

func parsedTimespan(ctx *sql.Context, s string) (types.Timespan, bool) {
	if dated.MatchString(s) {
		t, ok := parsedInstant(ctx, s)
		return types.Timespan(t.Sub(t.Truncate(day)).Microseconds()), ok
	}
	part := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 32); return n }
	found := clocked.FindStringSubmatch(s)
	if found == nil {
		if short := daysAndHours.FindStringSubmatch(s); short != nil {
			found = []string{"", short[1], short[2], short[3], "0", "0", ""}
		}
	}
	if found == nil {
		if digitsOnly.MatchString(strings.TrimPrefix(strings.TrimSpace(s), "-")) {
			return timespan(ctx, exactly(prefix(s)), types.Float64)
		}
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", s)
		return 0, false
	}
	if part(found[4]) > 59 || part(found[5]) > 59 {
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", s)
		return 0, false
	}
	micro := part((found[6] + "000000")[:6]) + 1e6*(part(found[5])+60*part(found[4])+3600*part(found[3])+86400*part(found[2]))
	if found[1] == "-" {
		micro = -micro
	}
	return within(ctx, micro), true
}

func makeTime(c *call, ctx *sql.Context, v []any) (any, error) {
	hour, err := whole(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	minute, err := whole(ctx, v[1], c.of(1))
	if err != nil {
		return nil, err
	}
	second, err := exact(ctx, v[2], c.of(2))
	if err != nil || minute < 0 || minute > 59 || second.Sign() < 0 || second.IntPart() > 59 {
		return nil, err
	}
	hour = min(max(hour, -1000), 1000)
	micro := minute*60e6 + second.Shift(6).Round(0).IntPart()
	if hour < 0 {
		return within(ctx, hour*3600e6-micro), nil
	}
	return within(ctx, hour*3600e6+micro), nil
}

// timestampType has the decimals of a second that its arguments have.
func timestampType(arguments []sql.Expression) sql.Type {
	decimals := 0
	for _, a := range arguments {
		decimals = max(decimals, decimalsWritten(a))
	}
	return datetimeOf(decimals)
}

// decimalsWritten are the decimals of a second of a date or time, also one that is written as a text.
func decimalsWritten(e sql.Expression) int {
	if literal, ok := e.(*expression.Literal); ok {
		if s, ok := literal.Value().(string); ok {
			_, after, _ := strings.Cut(s, ".")
			return min(len(after), 6)
		}
	}
	if c, ok := e.(*call); ok {
		switch {
		case isText(c.Type()) && shifts[c.name]:
			return decimalsWritten(c.Operands[0])
		case c.name == "sec_to_time":
			return decimalsOf(c.of(0))
		case c.name == "maketime":
			return decimalsOf(c.of(2))
		case c.name == TimeFunction:
			return size(c.Operands[1])
		}
	}
	if isTimespan(e.Type()) {
		return 6
	}
	return decimalsOf(e.Type())
}

// addedType is DATETIME of a date or time of one, TIME of a TIME, else a text.
func addedType(arguments []sql.Expression) sql.Type {
	switch t := arguments[0].Type(); {
	case isInstant(t):
		return timestampType(arguments)
	case isTimespan(t):
		return types.Time
	}
	return types.LongText
}

func addTime(c *call, ctx *sql.Context, v []any, sign int64) (any, error) {
	if isInstant(c.of(1)) {
		return nil, nil // MySQL adds times only
	}
	added, ok := timespan(ctx, v[1], c.of(1))
	if !ok {
		return nil, nil
	}
	if isDated(v[0], c.of(0)) {
		t, ok := instant(ctx, v[0], c.of(0))
		if !ok {
			return nil, nil
		}
		t = t.Add(time.Duration(sign*int64(added)) * time.Microsecond)
		if t.Year() > 9999 || t.Year() < 0 {
			return nil, nil
		}
		if c.Type() == types.LongText {
			return text(ctx, t, types.DatetimeMaxPrecision)
		}
		return t, nil
	}
	span, ok := timespan(ctx, v[0], c.of(0))
	if !ok {
		return nil, nil
	}
	sum := within(ctx, int64(span)+sign*int64(added))
	if c.Type() == types.LongText {
		return sum.String(), nil
	}
	return sum, nil
}

// isDated tells of a value that is a date, with a time of the day or without.
func isDated(v any, t sql.Type) bool {
	if s, ok := v.(string); ok {
		return isInstant(t) || dated.MatchString(s)
	}
	_, ok := v.(time.Time)
	return ok
}

// timestamp is a date with a time added to it.
func timestamp(c *call, ctx *sql.Context, v []any) (any, error) {
	t, ok := instant(ctx, v[0], c.of(0))
	if !ok {
		return nil, nil
	}
	if len(v) > 1 {
		added, ok := timespan(ctx, v[1], c.of(1))
		if !ok {
			return nil, nil
		}
		t = t.Add(time.Duration(added) * time.Microsecond)
	}
	return t, nil
}

// timeDiff is the time between two times or two dates with times; NULL of one of each.
func timeDiff(c *call, ctx *sql.Context, v []any) (any, error) {
	if isDated(v[0], c.of(0)) != isDated(v[1], c.of(1)) {
		return nil, nil
	}
	if isDated(v[0], c.of(0)) {
		a, ok := instant(ctx, v[0], c.of(0))
		b, also := instant(ctx, v[1], c.of(1))
		if !ok || !also {
			return nil, nil
		}
		return within(ctx, microsBetween(b, a)), nil
	}
	a, ok := timespan(ctx, v[0], c.of(0))
	b, also := timespan(ctx, v[1], c.of(1))
	if !ok || !also {
		return nil, nil
	}
	return within(ctx, int64(a-b)), nil
}
