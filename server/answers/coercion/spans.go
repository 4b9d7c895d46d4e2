package coercion

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// mostTime is MySQL's greatest TIME, 838:59:59, in microseconds.
const mostTime = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)

// Within is a TIME of microseconds, or the end of its range that is nearest, with a warning.
func Within(ctx *sql.Context, micro int64) types.Timespan {
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

// Timespan is a value as a time; false where it is none.
func Timespan(ctx *sql.Context, v any, t sql.Type) (types.Timespan, bool) {
	switch v := v.(type) {
	case types.Timespan:
		return v, true
	case time.Time:
		if types.IsDateType(t) {
			return 0, true
		}
		return types.Timespan(v.Sub(v.Truncate(Day)).Microseconds()), true
	case string, []byte:
		s, err := Text(ctx, v, t)
		if err != nil {
			return 0, false
		}
		return parsedTimespan(ctx, s)
	}
	d, err := Exact(ctx, v, t)
	if err != nil {
		return 0, false
	}
	n, micro := d.Abs().IntPart(), d.Abs().Sub(d.Abs().Truncate(0)).Shift(6).IntPart()
	if n > 8385959 || n/100%100 > 59 || n%100 > 59 {
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", d)
		if n > 8385959 && n < 1e10 && n/100%100 <= 59 && n%100 <= 59 {
			return Within(ctx, int64(d.Sign())*int64(mostTime+1)), true
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
	if Dated.MatchString(s) {
		t, ok := parsedInstant(ctx, s)
		return types.Timespan(t.Sub(t.Truncate(Day)).Microseconds()), ok
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
			return Timespan(ctx, Exactly(prefix(s)), types.Float64)
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
	return Within(ctx, micro), true
}

// timespanNumber is 235959 of a TIME, with its fraction.
func timespanNumber(v types.Timespan) any {
	micro := int64(v)
	sign := int64(1)
	if micro < 0 {
		sign, micro = -1, -micro
	}
	seconds := micro / 1e6
	n := sign * (seconds/3600*10000 + seconds/60%60*100 + seconds%60)
	if micro%1e6 != 0 {
		return decimal.New(n*1e6+sign*(micro%1e6), -6)
	}
	return n
}
