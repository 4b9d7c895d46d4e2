package calendar

import (
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// The engine's sums of dates and intervals add a time of the day to a DATE, and panic for
// a NULL among them.

func intervals() []sql.Function {
	made := func(name string, sign int64) sql.Function {
		return sql.FunctionN{Name: name, Fn: func(given ...sql.Expression) (sql.Expression, error) {
			if len(given) != 2 {
				return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(name), 2, len(given))
			}
			count, unit := given[1], "DAY"
			if interval, ok := count.(*expression.Interval); ok {
				count, unit = interval.Child, interval.Unit
			}
			return shift(name, unit, sign).Call(given[0], count), nil
		}}
	}
	return []sql.Function{made("date_add", 1), made("adddate", 1), made("date_sub", -1), made("subdate", -1)}
}

// Shifted is a date or time minus (before) or plus an interval.
func Shifted(e sql.Expression, by *expression.Interval, before bool) sql.Expression {
	name, sign := "date_add", int64(1)
	if before {
		name, sign = "date_sub", -1
	}
	return shift(name, by.Unit, sign).Call(e, by.Child)
}

// shifts are the functions of intervals.
var shifts = map[string]bool{"date_add": true, "adddate": true, "date_sub": true, "subdate": true}

// ofDays are the units with which a DATE stays a DATE.
var ofDays = map[string]bool{"DAY": true, "WEEK": true, "MONTH": true, "QUARTER": true, "YEAR": true, "YEAR_MONTH": true}

// decimalsAdded are the decimals of a second that a number of units may have.
func decimalsAdded(t sql.Type, unit string) int {
	switch unit {
	case "MICROSECOND":
		return 6
	case "SECOND":
		return coercion.DecimalsOf(t)
	}
	return 0
}

// shift adds a number of units to a date; the result is NULL outside of years 0 to 9999.
func shift(name, unit string, sign int64) *builtin.Definition {
	unit = strings.ToUpper(unit)
	d := &builtin.Definition{Name: name, Unit: unit}
	d.Type = func(arguments []sql.Expression) sql.Type {
		switch t := arguments[0].Type(); {
		case types.IsDateType(t) && ofDays[unit]:
			return types.Date
		case coercion.IsInstant(t):
			return coercion.DatetimeOf(max(coercion.DecimalsOf(t), decimalsAdded(arguments[1].Type(), unit)))
		case coercion.IsTimespan(t):
			return types.Time
		}
		return types.LongText
	}
	d.Value = func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		move, err := mover(ctx, v[1], c.OperandType(1), unit, sign)
		if err != nil || move == nil {
			return nil, err
		}
		if span, ok := v[0].(types.Timespan); ok {
			zero := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
			return span + types.Timespan(microsBetween(zero, move(zero))), nil
		}
		t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
		if !ok {
			return nil, nil
		}
		if t = move(t); t.Year() < 0 || t.Year() > 9999 {
			ctx.Warn(1441, "Datetime function: datetime field overflow")
			return nil, nil
		}
		if !coercion.IsText(c.Type()) {
			return t, nil
		}
		whole := sql.Type(types.DatetimeMaxPrecision)
		if s, isText := v[0].(string); ofDays[unit] &&
			(isText && !coercion.HasClock(s) || coercion.IsNumber(c.OperandType(0)) && t.Equal(t.Truncate(coercion.Day))) {
			whole = types.Date
		}
		return coercion.Text(ctx, t, whole)
	}
	return d
}

// units are the lengths of units in microseconds, unitMonths in months.
var (
	units      = map[string]int64{"MICROSECOND": 1, "SECOND": 1e6, "MINUTE": 60e6, "HOUR": 3600e6, "DAY": 86400e6, "WEEK": 7 * 86400e6}
	unitMonths = map[string]int64{"MONTH": 1, "QUARTER": 3, "YEAR": 12}
)

// beyond is a number of microseconds after which no year is MySQL's.
const beyond = 10000 * 366 * 86400_000_000

// mover returns a function that adds a number of units to dates, nil for an invalid number.
func mover(ctx *sql.Context, v any, t sql.Type, unit string, sign int64) (func(time.Time) time.Time, error) {
	count, err := coercion.Exact(ctx, v, t)
	if err != nil {
		return nil, err
	}
	if unit != "SECOND" { // texts are cut, numbers rounded
		n, err := coercion.LargeWhole(ctx, v, t)
		if err != nil {
			return nil, err
		}
		count = decimal.NewFromBigInt(n, 0)
	}
	if months := unitMonths[unit]; months > 0 {
		n := sign * min(max(coercion.Saturated(count.InexactFloat64()), -1e6), 1e6) * months
		return func(t time.Time) time.Time { return addMonths(t, int(n)) }, nil
	}
	if length := units[unit]; length > 0 {
		f := count.InexactFloat64() * float64(length)
		if math.Abs(f) > beyond {
			return func(time.Time) time.Time { return time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC) }, nil
		}
		micro := sign * count.Mul(decimal.NewFromInt(length)).Round(0).IntPart()
		return func(t time.Time) time.Time {
			return t.AddDate(0, 0, int(micro/86400e6)).Add(time.Duration(micro%86400e6) * time.Microsecond)
		}, nil
	}
	delta, err := expression.NewInterval(expression.NewLiteral(v, t), unit).EvalDelta(ctx, nil)
	if err != nil || delta == nil {
		return nil, err
	}
	if sign < 0 {
		return delta.Sub, nil
	}
	return delta.Add, nil
}

// several are the units that an interval of them has, in the unit that dialect.Units counts.
var several = map[string][]int64{
	"YEAR_MONTH": {12, 1}, "DAY_HOUR": {86400, 3600}, "DAY_MINUTE": {86400, 3600, 60}, "DAY_SECOND": {86400, 3600, 60, 1},
	"HOUR_MINUTE": {3600, 60}, "HOUR_SECOND": {3600, 60, 1}, "MINUTE_SECOND": {60, 1},
	"DAY_MICROSECOND": {
		86400e6,
		3600e6,
		60e6,
		1e6,
		1,
	}, "HOUR_MICROSECOND": {3600e6, 60e6, 1e6, 1}, "MINUTE_MICROSECOND": {60e6, 1e6, 1}, "SECOND_MICROSECOND": {1e6, 1},
}

// unitsOf reads numbers with any signs between them, the last of the last unit; the last of MICROSECOND is a fraction of a
// second. NULL of more numbers than the units are.
func unitsOf(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	unit, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	s, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	lengths := several[unit]
	found := counts.FindAllString(s, -1)
	if len(found) > len(lengths) {
		return nil, nil
	}
	if n := len(found); n > 0 && strings.HasSuffix(unit, "MICROSECOND") {
		found[n-1] = (found[n-1] + "00000")[:max(6, len(found[n-1]))]
		found[n-1] = found[n-1][:6]
	}
	total := decimal.Zero
	for i, count := range found {
		total = total.Add(coercion.ExactDecimal(count).Mul(decimal.NewFromInt(lengths[len(lengths)-len(found)+i])))
	}
	if strings.HasPrefix(strings.TrimSpace(s), "-") {
		total = total.Neg()
	}
	return coercion.Saturated(total.InexactFloat64()), nil
}

var counts = regexp.MustCompile(`[0-9]+`)

// addMonths ends on the last day of a shorter month.
func addMonths(t time.Time, n int) time.Time {
	first := time.Date(t.Year(), t.Month()+time.Month(n), 1, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(t.Day(), last)-1)
}
