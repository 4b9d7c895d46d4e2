package calendar

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/dialect"
)

// daysBeforeYear1 counts the days from year 0, of the calendar as if it had always been
// ours, to the first of year 1.
const daysBeforeYear1 = 366

func months() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "timestampdiff", Least: 3, Most: 3, Type: builtin.Constant(types.Int64), Value: timestampDiff},
		{Name: dialect.Units, Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: unitsOf},
		{Name: "to_days", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
			if !ok {
				return nil, nil
			}
			return dayNumber(t), nil
		}},
		{Name: "to_seconds", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
			if !ok {
				return nil, nil
			}
			return dayNumber(t)*86400 + int64(t.Sub(t.Truncate(coercion.Day))/time.Second), nil
		}},
		{Name: "from_days", Least: 1, Most: 1, Type: builtin.Constant(types.Date), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			n, err := coercion.NearestBigint(ctx, v[0], c.OperandType(0))
			if err != nil || n < daysBeforeYear1 || n > 3652424 {
				return nil, err
			}
			return time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(n-daysBeforeYear1)), nil
		}},
		{Name: "makedate", Least: 2, Most: 2, Type: builtin.Constant(types.Date), Value: makeDate},
		{Name: "datediff", Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			a, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
			b, also := coercion.Moment(ctx, v[1], c.OperandType(1))
			if !ok || !also {
				return nil, nil
			}
			return dayNumber(a) - dayNumber(b), nil
		}},
		{Name: "period_add", Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			return periods(c, ctx, v, func(period, n int64) (int64, error) {
				months, err := periodMonths("period_add", period)
				return monthsPeriod(months + n), err
			})
		}},
		{Name: "period_diff", Least: 2, Most: 2, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			return periods(c, ctx, v, func(a, b int64) (int64, error) {
				x, err := periodMonths("period_diff", a)
				if err != nil {
					return 0, err
				}
				y, err := periodMonths("period_diff", b)
				return x - y, err
			})
		}},
	}
}

// dayNumber counts days from year 0, which has no 29th of February in MySQL.
func dayNumber(t time.Time) int64 {
	n := t.Truncate(coercion.Day).Unix()/86400 + 719528
	if t.Year() == 0 && t.Month() <= time.February {
		n++
	}
	return n
}

// timestampDiff counts whole units from the second date to the third.
func timestampDiff(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	unit, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	from, ok := coercion.Moment(ctx, v[1], c.OperandType(1))
	to, also := coercion.Moment(ctx, v[2], c.OperandType(2))
	if !ok || !also {
		return nil, nil
	}
	switch strings.TrimPrefix(strings.ToUpper(unit), "SQL_TSI_") {
	case "YEAR":
		return monthsBetween(from, to) / 12, nil
	case "QUARTER":
		return monthsBetween(from, to) / 3, nil
	case "MONTH":
		return monthsBetween(from, to), nil
	case "WEEK":
		return microsBetween(from, to) / (7 * 86400e6), nil
	case "DAY":
		return microsBetween(from, to) / 86400e6, nil
	case "HOUR":
		return microsBetween(from, to) / 3600e6, nil
	case "MINUTE":
		return microsBetween(from, to) / 60e6, nil
	case "SECOND":
		return microsBetween(from, to) / 1e6, nil
	case "MICROSECOND", "FRAC_SECOND":
		return microsBetween(from, to), nil
	}
	return nil, mysql.NewSQLError(mysql.ERParseError, "42000", "TIMESTAMPDIFF has no unit %s", unit)
}

// microsBetween does not overflow within MySQL's 10,000 years.
func microsBetween(from, to time.Time) int64 { return to.UnixMicro() - from.UnixMicro() }

// monthsBetween counts months that are over: the day of the month and the time of the day
// have been reached.
func monthsBetween(from, to time.Time) int64 {
	if to.Before(from) {
		return -monthsBetween(to, from)
	}
	n := int64(to.Year()-from.Year())*12 + int64(to.Month()) - int64(from.Month())
	if to.Day() < from.Day() || to.Day() == from.Day() && to.Sub(to.Truncate(coercion.Day)) < from.Sub(from.Truncate(coercion.Day)) {
		n--
	}
	return n
}

func periods(c *builtin.Call, ctx *sql.Context, v []any, f func(a, b int64) (int64, error)) (any, error) {
	a, err := coercion.NearestBigint(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	b, err := coercion.NearestBigint(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	n, err := f(a, b)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// periodMonths reads 202412 or 2412.
func periodMonths(function string, period int64) (int64, error) {
	if period < 0 || period > 999912 || period%100 < 1 || period%100 > 12 {
		return 0, mysql.NewSQLError(mysql.ERWrongArguments, "HY000", "Incorrect arguments to %s", function)
	}
	year := period / 100
	if year < 100 {
		year = int64(coercion.Century(int(year)))
	}
	return year*12 + period%100 - 1, nil
}

func monthsPeriod(months int64) int64 {
	if months <= 0 {
		return 0
	}
	year := months / 12
	if year < 100 {
		year = int64(coercion.Century(int(year)))
	}
	return year*100 + months%12 + 1
}

// makeDate is the day of a year, counted from 1; NULL before the first and
// after year 9999. Years below 100 are those of 1970 to 2069.
func makeDate(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	year, err := coercion.NearestBigint(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	day, err := coercion.NearestBigint(ctx, v[1], c.OperandType(1))
	if err != nil || day < 1 || year < 0 || year > 9999 || day > 366*10000 {
		return nil, err
	}
	switch {
	case year < 70:
		year += 2000
	case year < 100:
		year += 1900
	}
	date := time.Date(int(year), 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(day)-1)
	if date.Year() > 9999 {
		return nil, nil
	}
	return date, nil
}
