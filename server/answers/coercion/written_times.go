package coercion

import (
	"math"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Fields of a date and time in a text, in this order. Missing ones are 0.
const (
	year = iota
	month
	day
	hour
	minute
	second
	microsecond
	fieldCount
)

// A writtenDate is the date and time at the beginning of a text. It may be invalid: the 30th of February, the
// month 0.
type writtenDate struct {
	fields    [fieldCount]int
	roundsUp  bool // a seventh decimal of a second is 5 or more
	truncated bool // other characters follow
	clocked   bool // it has a time of the day
}

// scanDate reads a date as MySQL's str_to_datetime does (sql-common/my_time.cc): fields with any punctuation between
// them, a T or spaces after the day, or digits alone (20241231, 241231, 20241231235959); a year of two digits is one
// from 1970 to 2069. ok is false if the text has fewer than three fields. withSpace: a text with punctuation must
// also have a space, since 12:34:56.789012 is a time.
func scanDate(s string, withSpace bool) (d writtenDate, ok bool) {
	s = s[skipSpaces(s, 0):]
	digits := 0
	for digits < len(s) && (isDigit(s[digits]) || s[digits] == 'T') {
		digits++
	}
	if s == "" || !isDigit(s[0]) {
		return d, false
	}
	together := digits == len(s) || s[digits] == '.'
	width := 4
	if together && digits != 4 && digits != 8 && digits < 14 {
		width = 2
	}
	var lengths [fieldCount]int
	count, at, end, punctuated, spaced := 0, 0, 0, false, false
	for ; count < fieldCount && at < len(s) && isDigit(s[at]); count++ {
		begin := at
		for at < len(s) && isDigit(s[at]) && (at-begin < width || !together && count != microsecond) {
			if d.fields[count] = d.fields[count]*10 + int(s[at]-'0'); d.fields[count] > 999999 {
				return d, false
			}
			at++
		}
		lengths[count], width, end = at-begin, 2, at
		switch {
		case at == len(s):
			continue
		case count == day && s[at] == 'T':
			at++
			continue
		case count == second && s[at] == '.':
			at++
			width, end = 6, at
			continue
		case count == second && isDigit(s[at]):
			at = len(s) // more digits than a date has
			continue
		case count == second:
			continue
		}
		for ; at < len(s) && (isPunctuation(s[at]) || isSpace(s[at])); at++ {
			if isSpace(s[at]) && count != day && count != microsecond {
				return d, false
			}
			punctuated, spaced = true, spaced || isSpace(s[at])
		}
		end = at
	}
	if count < 3 || withSpace && punctuated && !spaced {
		return d, false
	}
	d.clocked = count > hour
	if lengths[year] == 2 && d.fields != [fieldCount]int{} {
		d.fields[year] = Century(d.fields[year])
	}
	d.fields[microsecond] *= int(math.Pow10(6 - lengths[microsecond]))
	if lengths[microsecond] == 6 && end < len(s) && isDigit(s[end]) {
		d.roundsUp = s[end] >= '5'
		for end < len(s) && isDigit(s[end]) {
			end++
		}
	}
	d.truncated = skipSpaces(s, end) < len(s)
	return d, true
}

// instant is the date and time; false if it is invalid, as are the zero date and the engine's instant for it.
func (d writtenDate) instant() (time.Time, bool) {
	f := d.fields
	t := time.Date(f[year], time.Month(f[month]), f[day], f[hour], f[minute], f[second], f[microsecond]*1000, time.UTC)
	if int(t.Month()) != f[month] || t.Day() != f[day] || f[year] > 9999 || !d.isClock() {
		return time.Time{}, false
	}
	if d.roundsUp {
		t = t.Add(time.Microsecond)
	}
	return t, t.Year() <= 9999 && !t.Equal(ZeroTime)
}

// isClock recognises fields that are a time of a day.
func (d writtenDate) isClock() bool {
	return d.fields[hour] < 24 && d.fields[minute] < 60 && d.fields[second] < 60
}

// clock is the time of the day, also of a day 0 of a month 0; false where the month has no such day.
func (d writtenDate) clock() (types.Timespan, bool) {
	f := d.fields
	if f[year] > 9999 || f[month] > 12 || f[day] > 31 || !d.isClock() {
		return 0, false
	}
	if f[month] > 0 && f[day] > 0 && time.Date(f[year], time.Month(f[month]), f[day], 0, 0, 0, 0, time.UTC).Day() != f[day] {
		return 0, false
	}
	return types.Timespan(int64(f[hour]*3600+f[minute]*60+f[second])*1e6 + int64(f[microsecond])), true
}

// minDatetimeLength is the length from which on a text is read as a date and time first, where a time is wanted.
const minDatetimeLength = 12

// scanTime reads a time as MySQL's str_to_time does: [days ]hours:minutes[:seconds[.decimals]], days and hours alone,
// or digits (101112, 1112), with a sign. The date is not nil where the text is a date and time.
func scanTime(s string) (micro int64, date *writtenDate, truncated, ok bool) {
	s = s[skipSpaces(s, 0):]
	negative := s != "" && s[0] == '-'
	if negative {
		s = s[1:]
	}
	if len(s) >= minDatetimeLength {
		if d, found := scanDate(s, true); found {
			return 0, &d, d.truncated, !negative
		}
	}
	first, at, fits := scanWhole(s, 0)
	if !fits || s == "" {
		return 0, nil, false, false
	}
	var days, hours, minutes, seconds int64
	spaces := skipSpaces(s, at)
	switch {
	case len(s)-spaces > 1 && spaces > at && isDigit(s[spaces]):
		days = first
		hours, at, fits = scanWhole(s, spaces)
		minutes, seconds, at, fits = scanMinutes(s, at, fits)
	case at == spaces && isColon(s, at):
		hours = first
		minutes, seconds, at, fits = scanMinutes(s, at, fits)
	default:
		hours, minutes, seconds, at = first/10000, first/100%100, first%100, spaces
	}
	micro, at = scanDecimals(s, at)
	if !fits || minutes > 59 || seconds > 59 || isExponent(s, at) || at == 0 {
		return 0, nil, false, false
	}
	micro += ((days*24+hours)*3600 + minutes*60 + seconds) * 1e6
	if negative {
		micro = -micro
	}
	return micro, nil, skipSpaces(s, at) < len(s), true
}

// scanMinutes reads :minutes and :seconds, which may be missing.
func scanMinutes(s string, at int, fits bool) (minutes, seconds int64, end int, ok bool) {
	if isColon(s, at) {
		var within bool
		minutes, at, within = scanWhole(s, at+1)
		fits = fits && within
		if isColon(s, at) {
			seconds, at, within = scanWhole(s, at+1)
			fits = fits && within
		}
	}
	return minutes, seconds, at, fits
}

// scanWhole reads digits; false where they are more than 32 bits.
func scanWhole(s string, at int) (n int64, end int, ok bool) {
	for ; at < len(s) && isDigit(s[at]); at++ {
		n = min(n*10+int64(s[at]-'0'), math.MaxUint32+1)
	}
	return n, at, n <= math.MaxUint32
}

// scanDecimals reads the decimals of a second as microseconds, rounded.
func scanDecimals(s string, at int) (micro int64, end int) {
	if at+1 == len(s) && s[at] == '.' {
		return 0, at + 1
	}
	if at+1 >= len(s) || s[at] != '.' || !isDigit(s[at+1]) {
		return 0, at
	}
	unit := int64(100000)
	for at++; at < len(s) && isDigit(s[at]); at++ {
		if unit == 0 && s[at] >= '5' && s[at-7] == '.' {
			micro++
		}
		micro += unit * int64(s[at]-'0')
		unit /= 10
	}
	return micro, at
}

// isExponent recognises an exponent after a number's digits: such a text is no time.
func isExponent(s string, at int) bool {
	if at+1 >= len(s) || s[at] != 'e' && s[at] != 'E' {
		return false
	}
	return isDigit(s[at+1]) || at+2 < len(s) && (s[at+1] == '-' || s[at+1] == '+') && isDigit(s[at+2])
}

func isColon(s string, at int) bool { return at+1 < len(s) && s[at] == ':' && isDigit(s[at+1]) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isPunctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

func skipSpaces(s string, at int) int {
	for at < len(s) && isSpace(s[at]) {
		at++
	}
	return at
}

// parsedInstant is a text as a date and time.
func parsedInstant(ctx *sql.Context, s string) (time.Time, bool) {
	d, ok := scanDate(s, false)
	if !ok {
		warnInstant(ctx, s)
		return time.Time{}, false
	}
	t, ok := d.instant()
	if !ok {
		warnInstant(ctx, s)
	} else if d.truncated {
		ctx.Warn(1292, "Truncated incorrect datetime value: '%s'", s)
	}
	return t, ok
}

// parsedTimespan is a text as a time: of a date and time its time of the day.
func parsedTimespan(ctx *sql.Context, s string) (types.Timespan, bool) {
	micro, date, truncated, ok := scanTime(s)
	span := types.Timespan(micro)
	if ok && date != nil {
		span, ok = date.clock()
	}
	if !ok || truncated {
		ctx.Warn(1292, "Truncated incorrect time value: '%s'", s)
	}
	if !ok {
		return 0, false
	}
	return ClampTime(ctx, int64(span)), true
}

// HasClock recognises a text that is a date with a time of the day.
func HasClock(s string) bool {
	d, ok := scanDate(s, false)
	return ok && d.clocked
}

// WrittenTime is a text as a TIME, also of a date and time; false where it is none, or something follows. beyond is that
// there is no such TIME.
func WrittenTime(s string) (span types.Timespan, beyond, ok bool) {
	micro, date, truncated, ok := scanTime(s)
	span = types.Timespan(micro)
	if ok && date != nil {
		span, ok = date.clock()
	}
	return span, span > maxTime || span < -maxTime, ok && !truncated
}

// WrittenInstant is a text as a date and time; false where it is none, or something follows.
func WrittenInstant(s string) (time.Time, bool) {
	d, ok := scanDate(s, false)
	if !ok || d.truncated {
		return time.Time{}, false
	}
	return d.instant()
}

// IsDated recognises a text that is a date and time where a time is wanted.
func IsDated(s string) bool {
	_, date, _, _ := scanTime(s)
	return date != nil
}
