package calendar

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

func parsing() []*builtin.Definition {
	return []*builtin.Definition{{Name: "str_to_date", Least: 2, Most: 2, Type: parsedType, Value: strToDate}}
}

// The letters of formats that are of a time of a day, and of a date.
const (
	clockLetters = "HkhIlisSfpTr"
	dateLetters  = "YymcdejUuVvXxbMWaDw"
)

// parsedType is DATE, TIME or DATETIME by what a constant format asks for.
func parsedType(arguments []sql.Expression) sql.Type {
	literal, ok := arguments[1].(*expression.Literal)
	if !ok {
		return types.DatetimeMaxPrecision
	}
	format, _ := literal.Value().(string)
	return typeOfFormat(format)
}

func typeOfFormat(format string) sql.Type {
	dated, clocked := false, false
	for i := 0; i+1 < len(format); i++ {
		if format[i] == '%' {
			i++
			dated = dated || strings.IndexByte(dateLetters, format[i]) >= 0
			clocked = clocked || strings.IndexByte(clockLetters, format[i]) >= 0
		}
	}
	switch {
	case dated && clocked:
		return types.DatetimeMaxPrecision
	case clocked:
		return types.Time
	}
	return types.Date
}

// Parts of a date that a format has named; -1 where it has not.
type parts struct {
	year, month, day, hour, minute, second, micro int
	yearDay, week, weekYear, weekday              int
	mondayWeek, strictWeek                        bool
	twelve, afternoon                             bool
}

func strToDate(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	format, err := coercion.Text(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	p := parts{yearDay: -1, week: -1, weekYear: -1, weekday: -1}
	rest, ok := p.read(s, format)
	if ok && strings.TrimSpace(rest) != "" {
		ctx.Warn(1292, "Truncated incorrect datetime value: '%s'", s)
	}
	if ok {
		if value, ok := p.value(typeOfFormat(format)); ok {
			if t, isTime := value.(time.Time); isTime || c.Type() != types.Time {
				if span, isSpan := value.(types.Timespan); isSpan {
					return time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(span) * time.Microsecond), nil
				}
				return t, nil
			}
			return value, nil
		}
	}
	ctx.Warn(1411, "Incorrect datetime value: '%s' for function str_to_date", s)
	return nil, nil
}

// digits reads a number of at most most digits from the beginning.
func digits(s string, most int) (n int, rest string, ok bool) {
	i := 0
	for i < len(s) && i < most && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, err := strconv.Atoi(s[:i])
	return n, s[i:], err == nil
}

// read reads the parts of a format from a text.
func (p *parts) read(s, format string) (rest string, ok bool) {
	for i := 0; i < len(format); i++ {
		s = strings.TrimLeft(s, " ")
		if s == "" {
			return "", true // what is not there is 0
		}
		if format[i] == ' ' {
			continue
		}
		if format[i] != '%' || i+1 == len(format) {
			if s[0] != format[i] {
				return s, false
			}
			s = s[1:]
			continue
		}
		i++
		if s, ok = p.part(s, format[i]); !ok {
			return s, false
		}
	}
	return s, true
}

// part reads the part for one letter of a format.
func (p *parts) part(s string, letter byte) (rest string, ok bool) {
	take := func(most int, into *int) (string, bool) {
		n, rest, ok := digits(s, most)
		*into = n
		return rest, ok
	}
	switch letter {
	case 'Y':
		n, rest, ok := digits(s, 4)
		if p.year = n; len(s)-len(rest) <= 2 {
			p.year = coercion.Century(n)
		}
		return rest, ok
	case 'y':
		n, rest, ok := digits(s, 2)
		p.year = coercion.Century(n)
		return rest, ok
	case 'm', 'c':
		return take(2, &p.month)
	case 'd', 'e':
		return take(2, &p.day)
	case 'D':
		rest, ok = take(2, &p.day)
		return rest[min(2, len(rest)):], ok
	case 'H', 'k':
		return take(2, &p.hour)
	case 'h', 'I', 'l':
		p.twelve = true
		rest, ok = take(2, &p.hour)
		return rest, ok && p.hour >= 1 && p.hour <= 12
	case 'i':
		return take(2, &p.minute)
	case 's', 'S':
		return take(2, &p.second)
	case 'f':
		n, rest, ok := digits(s, 6)
		for range 6 - (len(s) - len(rest)) {
			n *= 10
		}
		p.micro = n
		return rest, ok
	case 'j':
		return take(3, &p.yearDay)
	case 'w':
		return take(1, &p.weekday)
	case 'U', 'u', 'V', 'v':
		p.mondayWeek, p.strictWeek = letter == 'u' || letter == 'v', letter == 'V' || letter == 'v'
		rest, ok = take(2, &p.week)
		return rest, ok && p.week <= 53 && (p.week > 0 || !p.strictWeek)
	case 'X', 'x':
		return take(4, &p.weekYear)
	}
	return p.word(s, letter)
}

// word reads a part that is written in letters or composed of others.
func (p *parts) word(s string, letter byte) (rest string, ok bool) {
	switch letter {
	case 'p':
		if len(s) < 2 || !p.twelve { // MySQL's hours of 24 have none
			return s, false
		}
		p.afternoon = strings.EqualFold(s[:2], "PM")
		return s[2:], p.afternoon || strings.EqualFold(s[:2], "AM")
	case 'T':
		return p.read(s, "%H:%i:%S")
	case 'r':
		return p.read(s, "%I:%i:%S %p")
	case 'M', 'b':
		for m := time.January; m <= time.December; m++ {
			if rest, ok := named(s, m.String(), letter == 'b'); ok {
				p.month = int(m)
				return rest, true
			}
		}
		return s, false
	case 'W', 'a':
		for d := time.Sunday; d <= time.Saturday; d++ {
			if rest, ok := named(s, d.String(), letter == 'a'); ok {
				p.weekday = int(d)
				return rest, true
			}
		}
		return s, false
	case '.':
		return strings.TrimLeftFunc(s, unicode.IsPunct), true
	case '@':
		return strings.TrimLeftFunc(s, unicode.IsLetter), true
	case '#':
		return strings.TrimLeftFunc(s, unicode.IsDigit), true
	}
	if s[0] == letter {
		return s[1:], true
	}
	return s, false
}

func named(s, name string, short bool) (rest string, ok bool) {
	if short {
		name = name[:3]
	}
	if len(s) < len(name) || !strings.EqualFold(s[:len(name)], name) {
		return s, false
	}
	return s[len(name):], true
}

// value is the date, time or both that the parts are; false where there is none. A day of
// the year or of a week makes the date.
func (p *parts) value(typ sql.Type) (any, bool) {
	if p.twelve {
		p.hour %= 12
	}
	if p.afternoon {
		p.hour += 12
	}
	if p.hour > 23 || p.minute > 59 || p.second > 59 {
		return nil, false
	}
	clock := time.Duration(p.hour)*time.Hour + time.Duration(p.minute)*time.Minute + time.Duration(p.second)*time.Second +
		time.Duration(p.micro)*time.Microsecond
	if typ == types.Time {
		return types.Timespan(clock.Microseconds()), true
	}
	if p.yearDay > 0 {
		return time.Date(p.year, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, p.yearDay-1).Add(clock), true
	}
	if p.week >= 0 && p.weekday >= 0 {
		t, ok := p.dayOfWeek()
		return t.Add(clock), ok
	}
	t := time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
	if p.month < 1 || p.month > 12 || t.Day() != p.day {
		return nil, false // dates with zeros are none of the engine's
	}
	return t.Add(clock), true
}

// dayOfWeek is the day of a weekday in a week, as MySQL counts from the year's first.
func (p *parts) dayOfWeek() (time.Time, bool) {
	year := p.year
	if p.strictWeek {
		if p.weekYear < 0 {
			return time.Time{}, false
		}
		year = p.weekYear
	} else if p.weekYear >= 0 {
		return time.Time{}, false
	}
	newYear := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	begins, at := int(newYear.Weekday()), p.weekday
	if p.mondayWeek {
		begins, at = (begins+6)%7, (p.weekday+6)%7
	}
	days := (p.week-1)*7 + at
	if p.mondayWeek {
		if days -= begins; begins > 3 {
			days += 7
		}
	} else if days -= begins; begins > 0 {
		days += 7
	}
	return newYear.AddDate(0, 0, days), true
}
