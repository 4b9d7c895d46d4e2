package scalar

import (
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

func formats() []*definition {
	return []*definition{{name: "date_format", least: 2, most: 2, typ: constant(types.LongText), value: dateFormat}}
}

// dateFormat writes a date; a letter without a meaning stands for itself.
func dateFormat(c *call, ctx *sql.Context, v []any) (any, error) {
	t, ok := instant(ctx, v[0], c.of(0))
	if !ok {
		return nil, nil
	}
	format, err := text(ctx, v[1], c.of(1))
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			out.WriteByte(format[i])
			continue
		}
		i++
		if part, ok := formatDay(t, format[i]); ok {
			out.WriteString(part)
		} else if part, ok = formatClock(t, format[i]); ok {
			out.WriteString(part)
		} else {
			out.WriteByte(format[i])
		}
	}
	return out.String(), nil
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
