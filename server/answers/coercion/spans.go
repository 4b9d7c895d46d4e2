package coercion

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// maxTime is MySQL's greatest TIME, 838:59:59, in microseconds.
const maxTime = types.Timespan((838*3600 + 59*60 + 59) * 1_000_000)

// ClampTime converts microseconds to a TIME, or to the nearest end of its range, with a warning.
func ClampTime(ctx *sql.Context, micro int64) types.Timespan {
	if span := types.Timespan(micro); span <= maxTime && span >= -maxTime {
		return span
	}
	ctx.Warn(1292, "Truncated incorrect time value: '%d'", micro/1e6)
	if micro < 0 {
		return -maxTime
	}
	return maxTime
}

// leastDatetimeNumber is the least number that is read as a date and time where a time is wanted.
var leastDatetimeNumber = decimal.New(1, 10)

// mostSpanNumber bounds the numbers that are read as times.
var mostSpanNumber = decimal.New(1, 18)

// mostTimeNumber is the greatest TIME as a number; a number with more digits may be a date and time.
var mostTimeNumber = decimal.New(8385959, 0)

// BeyondTimes recognises numbers that are a TIME beyond 838:59:59.
func BeyondTimes(d decimal.Decimal) bool {
	return d.Abs().GreaterThanOrEqual(mostTimeNumber.Add(decimal.New(1, 0))) && d.Abs().LessThan(leastDatetimeNumber)
}

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
	if d.GreaterThanOrEqual(leastDatetimeNumber) {
		if at, ok := numberedInstant(ctx, d); ok {
			return types.Timespan(at.Sub(at.Truncate(Day)).Microseconds()), true
		}
	}
	if d.Abs().GreaterThan(mostSpanNumber) { // and than a BIGINT, it may be
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", d)
		return ClampTime(ctx, int64(d.Sign())*int64(maxTime+1)), true
	}
	n, micro := d.Abs().IntPart(), d.Abs().Sub(d.Abs().Truncate(0)).Shift(6).IntPart()
	if n > 8385959 || n/100%100 > 59 || n%100 > 59 {
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", d)
		if n > 8385959 && n < 1e10 && n/100%100 <= 59 && n%100 <= 59 {
			return ClampTime(ctx, int64(d.Sign())*int64(maxTime+1)), true
		}
		return 0, false
	}
	span := types.Timespan((n/10000*3600+n/100%100*60+n%100)*1e6 + micro)
	if d.Sign() < 0 {
		span = -span
	}
	return span, true
}

// timespanNumber is 235959 for a TIME, with its fraction.
func timespanNumber(v types.Timespan) any {
	micro := int64(v)
	sign := int64(1)
	if micro < 0 {
		sign, micro = -1, -micro
	}
	seconds := micro / 1e6
	n := sign * (seconds/3600*10000 + seconds/60%60*100 + seconds%60)
	if micro%1e6 != 0 {
		return decimal.NewFromInt(n).Add(shortest(sign * (micro % 1e6)))
	}
	return n
}
