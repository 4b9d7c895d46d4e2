package calendar

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

func formats() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "date_format", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: dateFormat},
		{Name: "time_format", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: timeFormat},
		{Name: "from_unixtime", Least: 1, Most: 2, Type: unixType, Value: fromUnixtime},
		{Name: "unix_timestamp", Most: 1, Type: unixTimestampType, Value: unixTimestamp},
		{Name: "convert_tz", Least: 3, Most: 3, Type: convertedType, Value: convertTZ},
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

// filled expands the specifiers %letter of a format; a letter without a meaning stands for itself.
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

// timeFormat formats a time, with possibly more than 23 hours. Numeric parts of a date are 0; names and weeks make the result NULL.
func timeFormat(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	format, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if format == "" || err != nil || dated.MatchString(format) {
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
		case 'Y':
			return "0000", true
		case 'y', 'm', 'd':
			return "00", true
		case 'c', 'e':
			return "0", true
		}
		return formatClock(t, letter)
	}), nil
}

// dated matches formats with a part that needs a date, not only a time.
var dated = regexp.MustCompile(`^(?:[^%]|%[^abDjMUuVvWwXx])*%[abDjMUuVvWwXx]`)

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

// fromUnixtime is a number of seconds as a date and time of the session's clock, to the microsecond.
func fromUnixtime(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
	if err != nil || d.Sign() < 0 || d.GreaterThanOrEqual(decimal.NewFromInt(function.MaxUnixTimeSecs+1)) {
		return nil, err
	}
	clock, err := coding.ClockOf(ctx)
	if err != nil {
		return nil, err
	}
	t := clock.WallTime(time.UnixMicro(d.Shift(6).Round(0).IntPart()))
	if len(v) == 1 {
		return t, nil
	}
	return dateFormat(c, ctx, []any{t, v[1]})
}

// unixTimestamp are the seconds since 1970 of a date that the session's clock shows; of one that is beyond the range 0.
func unixTimestamp(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	moment := ctx.QueryTime()
	if len(v) > 0 {
		t, ok := coercion.Instant(ctx, v[0], c.OperandType(0))
		clock, err := coding.ClockOf(ctx)
		if !ok || err != nil {
			return nil, err
		}
		moment = clock.Moment(t)
	}
	if moment.Unix() < 1 || moment.Unix() > function.MaxUnixTimeSecs {
		moment = time.Unix(0, 0)
	}
	if decimals := int32(unixDecimals(c.Operands)); decimals > 0 {
		return decimal.New(moment.UnixMicro(), -6).Truncate(decimals), nil
	}
	return moment.Unix(), nil
}

// unixDecimals are the decimals of a second that UNIX_TIMESTAMP has: none of numbers, which are dates.
func unixDecimals(arguments []sql.Expression) int {
	if len(arguments) == 0 || coercion.IsNumber(arguments[0].Type()) {
		return 0
	}
	return decimalsWritten(arguments[0])
}

func unixTimestampType(arguments []sql.Expression) sql.Type {
	if decimals := unixDecimals(arguments); decimals > 0 {
		return types.MustCreateDecimalType(19, uint8(decimals))
	}
	return types.Int64
}

// convertTZ converts a date and time from one time zone to another; one outside the range of TIMESTAMP stays unchanged.
func convertTZ(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
	from, fromErr := coding.ClockIn(fmt.Sprint(v[1]))
	to, toErr := coding.ClockIn(fmt.Sprint(v[2]))
	if !ok || fromErr != nil || toErr != nil {
		return nil, nil // as in MySQL for an unknown zone
	}
	if moment := from.Moment(t); moment.Unix() >= 1 && moment.Unix() <= function.MaxUnixTimeSecs {
		return to.WallTime(moment), nil
	}
	return t, nil
}

func convertedType(arguments []sql.Expression) sql.Type {
	return coercion.DatetimeOf(decimalsWritten(arguments[0]))
}
