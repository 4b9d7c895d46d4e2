package calendar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

func formats() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "date_format", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: dateFormat},
		{Name: "time_format", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: timeFormat},
		{Name: "from_unixtime", Least: 1, Most: 2, Type: unixType, Value: fromUnixtime},
	}
}

// dateFormat writes a date; NULL in an empty format.
func dateFormat(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	format, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if format == "" || err != nil {
		return nil, err
	}
	return filled(format, func(letter byte) (string, bool) {
		if part, ok := formatDay(t, letter); ok {
			return part, true
		}
		return formatClock(t, letter)
	}), nil
}

// filled is a format with what stands for %letter in the place of it; a letter without a meaning stands for itself.
func filled(format string, of func(letter byte) (string, bool)) string {
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		if part, ok := of(format[i]); ok {
			out.WriteString(part)
		} else {
			out.WriteByte(format[i])
		}
	}
	return out.String()
}

// timeFormat writes a time, whose hours may be more than a day has.
func timeFormat(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	format, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if format == "" || err != nil {
		return nil, err
	}
	sign := ""
	if span < 0 {
		sign, span = "-", -span
	}
	hours := int64(span) / 3600e6
	t := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(span) * time.Microsecond)
	return sign + filled(format, func(letter byte) (string, bool) {
		switch letter {
		case 'H':
			return fmt.Sprintf("%02d", hours), true
		case 'k':
			return fmt.Sprint(hours), true
		case 'T':
			return fmt.Sprintf("%02d:%s", hours, t.Format("04:05")), true
		}
		return formatClock(t, letter)
	}), nil
}

func formatDay(t time.Time, letter byte) (string, bool) {
	week := func(mode int) int { _, week := weekOf(t, mode); return week }
	year := func(mode int) int { year, _ := weekOf(t, mode); return year }
	switch letter {
	case 'a':
		return t.Weekday().String()[:3], true
	case 'b':
		return t.Month().String()[:3], true
	case 'c':
		return fmt.Sprint(int(t.Month())), true
	case 'D':
		return fmt.Sprint(t.Day()) + ordinal(t.Day()), true
	case 'd':
		return fmt.Sprintf("%02d", t.Day()), true
	case 'e':
		return fmt.Sprint(t.Day()), true
	case 'j':
		return fmt.Sprintf("%03d", t.YearDay()), true
	case 'M':
		return t.Month().String(), true
	case 'm':
		return fmt.Sprintf("%02d", int(t.Month())), true
	case 'U':
		return fmt.Sprintf("%02d", week(0)), true
	case 'u':
		return fmt.Sprintf("%02d", week(mondayFirst)), true
	case 'V':
		return fmt.Sprintf("%02d", week(weekYear)), true
	case 'v':
		return fmt.Sprintf("%02d", week(weekYear|mondayFirst)), true
	case 'W':
		return t.Weekday().String(), true
	case 'w':
		return fmt.Sprint(int(t.Weekday())), true
	case 'X':
		return fmt.Sprintf("%04d", year(weekYear)), true
	case 'x':
		return fmt.Sprintf("%04d", year(weekYear|mondayFirst)), true
	case 'Y':
		return fmt.Sprintf("%04d", t.Year()), true
	case 'y':
		return fmt.Sprintf("%02d", t.Year()%100), true
	}
	return "", false
}

func formatClock(t time.Time, letter byte) (string, bool) {
	switch letter {
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 'H':
		return t.Format("15"), true
	case 'h', 'I':
		return t.Format("03"), true
	case 'i':
		return t.Format("04"), true
	case 'k':
		return fmt.Sprint(t.Hour()), true
	case 'l':
		return t.Format("3"), true
	case 'p':
		return t.Format("PM"), true
	case 'r':
		return t.Format("03:04:05 PM"), true
	case 'S', 's':
		return t.Format("05"), true
	case 'T':
		return t.Format("15:04:05"), true
	}
	return "", false
}

// ordinal is the ending of an English ordinal number.
func ordinal(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

// unixType has as many decimals of a second as the number of seconds has.
func unixType(arguments []sql.Expression) sql.Type {
	if len(arguments) > 1 {
		return types.LongText
	}
	return coercion.DatetimeOf(coercion.DecimalsOf(arguments[0].Type()))
}

// fromUnixtime is a number of seconds as a date and time of the session's zone, to the microsecond. The engine knows
// zones, and cuts fractions.
func fromUnixtime(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
	if err != nil || d.Sign() < 0 {
		return nil, err
	}
	d = d.Round(6)
	ofSeconds, err := function.NewFromUnixtime(expression.NewLiteral(coercion.Saturated(d.Truncate(0).InexactFloat64()), types.Int64))
	if err != nil {
		return nil, err
	}
	value, err := ofSeconds.Eval(ctx, nil)
	t, ok := value.(time.Time)
	if !ok || err != nil {
		return nil, err
	}
	t = t.Add(time.Duration(d.Sub(d.Truncate(0)).Shift(6).IntPart()) * time.Microsecond)
	if len(v) == 1 {
		return t, nil
	}
	return dateFormat(c, ctx, []any{t, v[1]})
}

// unixTimestamp is the engine's, of numbers that are dates too, and a BIGINT where there are no fractions. A TIMESTAMP is what the
// session's clock shows, as a DATETIME is; the engine takes some for moments.
func unixTimestamp(arguments ...sql.Expression) (sql.Expression, error) {
	if len(arguments) == 1 && types.IsTimestampType(arguments[0].Type()) {
		decimals := expression.NewLiteral(int64(coercion.DecimalsOf(arguments[0].Type())), types.Int64)
		arguments = []sql.Expression{scalar.DatetimeCast.Call(arguments[0], decimals)}
	}
	if len(arguments) == 1 && !coercion.IsInstant(arguments[0].Type()) {
		decimals := 0
		if !coercion.IsNumber(arguments[0].Type()) {
			decimals = decimalsWritten(arguments[0])
		}
		arguments = []sql.Expression{scalar.DatetimeCast.Call(arguments[0], expression.NewLiteral(int64(decimals), types.Int64))}
	}
	e, err := function.NewUnixTimestamp(arguments...)
	if err != nil {
		return nil, err
	}
	if typ, ok := e.Type().(sql.DecimalType); ok && typ.Scale() == 0 {
		return scalar.As(e, types.Int64), nil
	}
	return e, nil
}

// convertTZ is the engine's, whose dates have six decimals of a second, and that moves dates that are no TIMESTAMPs, too.
func convertTZ(date, from, to sql.Expression) sql.Expression {
	return zoned.Call(date, from, to)
}

var zoned = &builtin.Definition{Name: "convert_tz", Least: 3, Most: 3, Value: inZone, Type: func(arguments []sql.Expression) sql.Type {
	return coercion.DatetimeOf(decimalsWritten(arguments[0]))
}}

func inZone(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
	if !ok || t.Equal(coercion.ZeroTime) || !isZone(v[1]) || !isZone(v[2]) {
		return nil, nil
	}
	move := func(to any) (any, error) {
		zone := func(v any) sql.Expression { return expression.NewLiteral(v, types.LongText) }
		return function.NewConvertTz(expression.NewLiteral(t, types.DatetimeMaxPrecision), zone(v[1]), zone(to)).Eval(ctx, nil)
	}
	utc, err := move("+00:00")
	moved, ok := utc.(time.Time)
	switch {
	case !ok || err != nil:
		return nil, err
	case moved.Unix() < 1 || moved.Unix() > function.MaxUnixTimeSecs:
		return t, nil
	}
	return move(v[2])
}

var offset = regexp.MustCompile(`^([+-])(\d{1,2}):([0-5]\d)$`)

// isZone is false for an offset that MySQL has none of: they are from -13:59 to +14:00.
func isZone(v any) bool {
	name, _ := v.(string)
	found := offset.FindStringSubmatch(name)
	if found == nil {
		return true // a name, which may be none
	}
	hours, _ := strconv.Atoi(found[2])
	return hours < 14 || hours == 14 && found[1] == "+" && found[3] == "00"
}
