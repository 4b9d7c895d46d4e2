package calendar

import (
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

func clock() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "sec_to_time", Least: 1, Most: 1, Type: builtin.Constant(types.Time), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
			if err != nil {
				return nil, err
			}
			f, _ := d.Shift(6).Round(0).Float64()
			return coercion.ClampTime(ctx, coercion.Saturated(f)), nil
		}},
		{Name: "time", Least: 1, Most: 1, Type: builtin.Constant(types.Time), Value: timeOf},
		{Name: "maketime", Least: 3, Most: 3, Type: builtin.Constant(types.Time), Value: makeTime},
		{
			Name:  "addtime",
			Least: 2,
			Most:  2,
			Type:  addedType,
			Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) { return addTime(c, ctx, v, 1) },
		},
		{
			Name:  "subtime",
			Least: 2,
			Most:  2,
			Type:  addedType,
			Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) { return addTime(c, ctx, v, -1) },
		},
		{Name: "timestamp", Least: 1, Most: 2, Type: timestampType, Value: timestamp},
		{Name: "utc_date", Type: builtin.Constant(types.Date), Value: func(_ *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
			return ctx.QueryTime().UTC().Truncate(coercion.Day), nil
		}},
		{Name: "curdate", Type: builtin.Constant(types.Date), Value: currentDate},
		{Name: "current_date", Type: builtin.Constant(types.Date), Value: currentDate},
		{Name: "utc_time", Most: 1, Type: builtin.Constant(types.Time), Value: func(c *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
			return timeOfDay(c, ctx.QueryTime().UTC())
		}},
		{Name: "utc_timestamp", Most: 1, Type: clockType, Value: func(c *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
			return cutSecond(c, ctx.QueryTime().UTC())
		}},
		{Name: "sysdate", Most: 1, Type: clockType, Value: func(c *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
			clock, err := coding.ClockOf(ctx)
			if err != nil {
				return nil, err
			}
			return cutSecond(c, clock.WallTime(time.Now()))
		}},
		{Name: "curtime", Most: 1, Type: builtin.Constant(types.Time), Value: currentTime},
		{Name: "current_time", Most: 1, Type: builtin.Constant(types.Time), Value: currentTime},
		{Name: "time_to_sec", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
			if !ok {
				return nil, nil
			}
			return int64(span) / 1_000_000, nil
		}},
		{Name: "hour", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: clockPart(3600e6, 1<<40)},
		{Name: "minute", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: clockPart(60e6, 60)},
		{Name: "second", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: clockPart(1e6, 60)},
		{Name: "microsecond", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: clockPart(1, 1e6)},
		{Name: "timediff", Least: 2, Most: 2, Type: builtin.Constant(types.Time), Value: timeDiff},
		{
			Name:  "current_role",
			Type:  builtin.Constant(types.LongText),
			Value: func(_ *builtin.Call, _ *sql.Context, _ []any) (any, error) { return "NONE", nil },
		},
		{
			Name:  "benchmark",
			Least: 2,
			Most:  2,
			Type:  builtin.Constant(types.Int64),
			Value: func(*builtin.Call, *sql.Context, []any) (any, error) { return int64(0), nil },
		},
	}
}

// clockType is a DATETIME with the decimals that a clock function's argument requests.
func clockType(arguments []sql.Expression) sql.Type {
	if len(arguments) == 0 {
		return coercion.DatetimeOf(0)
	}
	return coercion.DatetimeOf(scalar.LiteralNumber(arguments[0]))
}

// cutSecond is a moment of the statement's clock with these digits: what follows them is cut, as NOW cuts it.
func cutSecond(c *builtin.Call, moment time.Time) (time.Time, error) {
	digits := 0
	if len(c.Operands) > 0 {
		digits = scalar.LiteralNumber(c.Operands[0])
	}
	if digits > maxDigits {
		return time.Time{}, function.ErrTooHighPrecision.New(digits, c.Name, maxDigits)
	}
	return moment.Truncate(time.Duration(math.Pow10(9 - digits))), nil
}

// maxDigits is the number of decimals of a second in a time.
const maxDigits = 6

// timeOfDay is the time of day of a moment, cut in the same way.
func timeOfDay(c *builtin.Call, moment time.Time) (any, error) {
	moment, err := cutSecond(c, moment)
	return types.Timespan(moment.Sub(moment.Truncate(coercion.Day)).Microseconds()), err
}

// currentTime is the time that NOW has.
func currentTime(c *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
	moment, err := now(ctx)
	if err != nil {
		return nil, err
	}
	return timeOfDay(c, moment)
}

// currentDate is the day of NOW. The engine's is a text, and arithmetic would read only its year.
func currentDate(_ *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
	moment, err := now(ctx)
	return moment.Truncate(coercion.Day), err
}

// Now replaces the engine's NOW by the session's clock. In definitions the engine recognises its own by type.
func Now(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if own, ok := e.(*function.Now); ok {
		return nowFunction.Call(own.Children()...), transform.NewTree, nil
	}
	return e, transform.SameTree, nil
}

var nowFunction = &builtin.Definition{Name: "now", Most: 1, Type: clockType, Value: func(c *builtin.Call, ctx *sql.Context, _ []any) (any, error) {
	moment, err := now(ctx)
	if err != nil {
		return nil, err
	}
	return cutSecond(c, moment)
}}

// now is NOW with all digits of a second.
func now(ctx *sql.Context) (time.Time, error) {
	clock, err := coding.ClockOf(ctx)
	return clock.WallTime(ctx.QueryTime()), err
}

// timeOf is the time of a date with a time, or a time with its sign, which the engine loses.
func timeOf(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	return span, nil
}

// clockPart is a time in a unit of microseconds, without greater units.
func clockPart(unit, greater int64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
		if !ok {
			return nil, nil
		}
		return max(int64(span), -int64(span)) / unit % greater, nil
	}
}

func makeTime(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	hour, err := coercion.NearestBigint(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	minute, err := coercion.NearestBigint(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	second, err := coercion.Exact(ctx, v[2], c.OperandType(2))
	if err != nil || minute < 0 || minute > 59 || second.Sign() < 0 || second.IntPart() > 59 {
		return nil, err
	}
	hour = min(max(hour, -1000), 1000)
	micro := minute*60e6 + second.Shift(6).Round(0).IntPart()
	if hour < 0 {
		return coercion.ClampTime(ctx, hour*3600e6-micro), nil
	}
	return coercion.ClampTime(ctx, hour*3600e6+micro), nil
}

// timestampType has the decimals of a second that its arguments have.
func timestampType(arguments []sql.Expression) sql.Type {
	decimals := 0
	for _, a := range arguments {
		decimals = max(decimals, decimalsWritten(a))
	}
	return coercion.DatetimeOf(decimals)
}

// decimalsWritten are the decimals of a second of a date or time, also one that is written as a text.
func decimalsWritten(e sql.Expression) int {
	if literal, ok := e.(*expression.Literal); ok {
		if s, ok := literal.Value().(string); ok {
			_, after, _ := strings.Cut(s, ".")
			return min(len(after), 6)
		}
	}
	if c, ok := e.(*builtin.Call); ok {
		switch {
		case coercion.IsText(c.Type()) && shifts[c.Name]:
			return decimalsWritten(c.Operands[0])
		case c.Name == "sec_to_time":
			return coercion.DecimalsOf(c.OperandType(0))
		case c.Name == "maketime":
			return coercion.DecimalsOf(c.OperandType(2))
		case c.Name == scalar.TimeFunction:
			return scalar.LiteralNumber(c.Operands[1])
		}
	}
	if coercion.IsTimespan(e.Type()) {
		return 6
	}
	return coercion.DecimalsOf(e.Type())
}

// addedType is DATETIME of a date or time of one, TIME of a TIME, else a text.
func addedType(arguments []sql.Expression) sql.Type {
	switch t := arguments[0].Type(); {
	case coercion.IsInstant(t):
		return timestampType(arguments)
	case coercion.IsTimespan(t):
		return types.Time
	}
	return types.LongText
}

func addTime(c *builtin.Call, ctx *sql.Context, v []any, sign int64) (any, error) {
	if coercion.IsInstant(c.OperandType(1)) {
		return nil, nil // MySQL adds times only
	}
	added, ok := coercion.Timespan(ctx, v[1], c.OperandType(1))
	if !ok {
		return nil, nil
	}
	if isDated(v[0], c.OperandType(0)) {
		t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
		if !ok {
			return nil, nil
		}
		t = t.Add(time.Duration(sign*int64(added)) * time.Microsecond)
		if t.Year() > 9999 || t.Year() < 0 {
			return nil, nil
		}
		if c.Type() == types.LongText {
			return coercion.Text(ctx, t, types.DatetimeMaxPrecision)
		}
		return t, nil
	}
	span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	sum := coercion.ClampTime(ctx, int64(span)+sign*int64(added))
	if c.Type() == types.LongText {
		return sum.String(), nil
	}
	return sum, nil
}

// isDated reports whether a value is a date, with or without a time of day.
func isDated(v any, t sql.Type) bool {
	if s, ok := v.(string); ok {
		return coercion.IsInstant(t) || coercion.IsDated(s)
	}
	_, ok := v.(time.Time)
	return ok
}

// timestamp is a date with a time added to it.
func timestamp(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	if len(v) > 1 {
		added, ok := coercion.Timespan(ctx, v[1], c.OperandType(1))
		if !ok {
			return nil, nil
		}
		t = t.Add(time.Duration(added) * time.Microsecond)
	}
	return t, nil
}

// timeDiff is the time between two times or two dates with times; NULL of one of each.
func timeDiff(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	if isDated(v[0], c.OperandType(0)) != isDated(v[1], c.OperandType(1)) {
		return nil, nil
	}
	if isDated(v[0], c.OperandType(0)) {
		a, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
		b, also := coercion.Moment(ctx, v[1], c.OperandType(1))
		if !ok || !also {
			return nil, nil
		}
		return coercion.ClampTime(ctx, microsBetween(b, a)), nil
	}
	a, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
	b, also := coercion.Timespan(ctx, v[1], c.OperandType(1))
	if !ok || !also {
		return nil, nil
	}
	return coercion.ClampTime(ctx, int64(a-b)), nil
}
