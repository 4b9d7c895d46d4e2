package calendar

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// Weeks as in MySQL's calc_week: by the bits of the mode a week begins on Monday; it is
// counted from 1, in the year to which it belongs, and not from 0; and the first has the
// year's first Sunday or Monday rather than four of its days.
const (
	mondayFirst = 1 << iota
	weekYear
	firstWeekday
	weekModes = 8
)

// weekOf is the week of a day and the year to which it belongs.
func weekOf(t time.Time, mode int) (year, week int) {
	mode %= weekModes
	if mode < 0 {
		mode += weekModes
	}
	if mode&mondayFirst == 0 {
		mode ^= firstWeekday
	}
	monday, ofYear, first := mode&mondayFirst != 0, mode&weekYear != 0, mode&firstWeekday != 0
	weekday := func(t time.Time) int {
		if monday {
			return (int(t.Weekday()) + 6) % 7
		}
		return int(t.Weekday())
	}
	year = t.Year()
	newYear := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	start := weekday(newYear)
	days := t.YearDay() - 1
	if t.Month() == 1 && t.Day() <= 7-start {
		if !ofYear && (first && start != 0 || !first && start >= 4) {
			return year, 0
		}
		if first && start != 0 || !first && start >= 4 {
			ofYear = true
			year--
			length := daysOf(year)
			start = (start + 53*7 - length) % 7
			days += length
		}
	}
	if first && start != 0 || !first && start >= 4 {
		days -= 7 - start
	} else {
		days += start
	}
	if ofYear && days >= 52*7 {
		start = (start + daysOf(year)) % 7
		if !first && start < 4 || first && start == 0 {
			return year + 1, 1
		}
	}
	return year, days/7 + 1
}

func daysOf(year int) int { return time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC).YearDay() }

func weeks() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "week", Least: 1, Most: 2, Type: builtin.Constant(types.Int64), Choose: func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
			t, mode, ok, err := weekArguments(c, ctx, row)
			if !ok {
				return nil, err
			}
			if len(c.Operands) == 1 {
				mode = defaultWeekMode(ctx)
			}
			_, week := weekOf(t, mode)
			return int64(week), err
		}},
		{Name: "yearweek", Least: 1, Most: 2, Type: builtin.Constant(types.Int64), Choose: func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
			t, mode, ok, err := weekArguments(c, ctx, row)
			if !ok {
				return nil, err
			}
			year, week := weekOf(t, mode|weekYear)
			return int64(year*100 + week), err
		}},
		{Name: "weekofyear", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			t, ok := coercion.Moment(ctx, v[0], c.OperandType(0))
			if !ok {
				return nil, nil
			}
			_, week := weekOf(t, mondayFirst|weekYear)
			return int64(week), nil
		}},
	}
}

// defaultWeekMode is the mode of WEEK that has none: YEARWEEK has 0.
func defaultWeekMode(ctx *sql.Context) int {
	if value, err := ctx.GetSessionVariable(ctx, "default_week_format"); err == nil {
		mode, _ := value.(int64)
		return int(mode)
	}
	return 0
}

// weekArguments are a day and a mode, which is 0 for NULL; false where the day is none.
func weekArguments(c *builtin.Call, ctx *sql.Context, row sql.Row) (t time.Time, mode int, ok bool, err error) {
	day, err := c.Argument(0, ctx, row)
	if day == nil || err != nil {
		return t, 0, false, err
	}
	if t, ok = coercion.Moment(ctx, day, c.OperandType(0)); !ok || len(c.Operands) == 1 {
		return t, 0, ok, nil
	}
	given, err := c.Argument(1, ctx, row)
	if given == nil || err != nil {
		return t, 0, err == nil, err
	}
	n, err := coercion.NearestBigint(ctx, given, c.OperandType(1))
	return t, int(n % weekModes), err == nil, err
}
