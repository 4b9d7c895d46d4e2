package delimited

import (
	"bytes"
	"fmt"
)

// A civil is a day in a common notation, with an optional time of day.
type civil struct {
	numbers  [3]int
	year     int  // at which place the year is, 0 or 2
	digits   int  // of the year
	sign     byte // between the numbers
	clock    bool
	time     [3]int
	fraction []byte // of the second
	zoned    bool
}

// parseCivil splits 1.2.2017, 01/02/2017 14:05, 2017/02/01, 1-2-2017 2:05:07 PM. It does not check that the day exists.
func parseCivil(b []byte) (c civil, ok bool) {
	rest := b
	for i := range c.numbers {
		n := 0
		for n < len(rest) && n < 5 && isDigit(rest[n]) {
			n++
		}
		if n == 0 || n == 3 || n > 4 || n == 4 && i == 1 {
			return c, false
		}
		c.numbers[i], _ = digits(rest, 0, n)
		if n == 4 || i == 2 && c.digits == 0 {
			if c.digits != 0 {
				return c, false
			}
			c.year, c.digits = i, n
		}
		rest = rest[n:]
		if i == 2 {
			break
		}
		if len(rest) == 0 || bytes.IndexByte([]byte("./-"), rest[0]) < 0 || i == 1 && rest[0] != c.sign {
			return c, false
		}
		c.sign, rest = rest[0], rest[1:]
	}
	if c.digits == 1 || c.digits == 4 && c.numbers[c.year] < 1000 {
		return c, false
	}
	return c, len(rest) == 0 || c.readClock(rest)
}

// readClock parses a time of day after a day: " 14:05", "T14:05:00.25", ", 2:05 PM", "14:05Z".
func (c *civil) readClock(b []byte) bool {
	rest := bytes.TrimPrefix(b, []byte{','})
	if len(rest) == 0 || rest[0] != ' ' && rest[0] != 'T' {
		return false
	}
	rest, c.clock = rest[1:], true
	seconds := false
	for i := range c.time {
		n := 0
		for n < len(rest) && n < 3 && isDigit(rest[n]) {
			n++
		}
		if n == 0 || n > 2 || i > 0 && n != 2 {
			return false
		}
		c.time[i], _ = digits(rest, 0, n)
		rest, seconds = rest[n:], i == 2
		after, more := bytes.CutPrefix(rest, []byte{':'})
		if !more {
			if i == 0 {
				return false
			}
			break
		}
		if i == 2 {
			return false
		}
		rest = after
	}
	if seconds && len(rest) > 1 && (rest[0] == '.' || rest[0] == ',') && isDigit(rest[1]) {
		n := 1
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
		c.fraction, rest = rest[1:n], rest[n:]
	}
	rest, ok := c.readHalf(rest)
	c.zoned = isZone(rest)
	return ok && (len(rest) == 0 || c.zoned) && c.time[0] < 24 && c.time[1] < 60 && c.time[2] < 60 && len(c.fraction) <= 6
}

// readHalf parses AM or PM.
func (c *civil) readHalf(b []byte) (rest []byte, ok bool) {
	half := bytes.ToUpper(bytes.ReplaceAll(bytes.TrimLeft(b, " "), []byte{'.'}, nil))
	if !bytes.Equal(half, []byte("AM")) && !bytes.Equal(half, []byte("PM")) {
		return b, true
	}
	if c.time[0] < 1 || c.time[0] > 12 {
		return nil, false
	}
	c.time[0] %= 12
	if half[0] == 'P' {
		c.time[0] += 12
	}
	return nil, true
}

// isZone recognises Z, +01:00, -0500, +01, UTC, GMT, also after a blank.
func isZone(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte{' '})
	if string(b) == "Z" || string(b) == "z" || string(b) == "UTC" || string(b) == "GMT" {
		return true
	}
	if len(b) < 3 || b[0] != '+' && b[0] != '-' {
		return false
	}
	hours := bytes.Replace(b[1:], []byte{':'}, nil, 1)
	_, ok := digits(hours, 0, len(hours))
	return ok && (len(hours) == 2 || len(hours) == 4)
}

// HasZone reports whether a zone follows a time of day, however the day and the second are written.
func HasZone(b []byte) bool {
	_, clock, ok := bytes.Cut(b, []byte{':'})
	zone, _, _ := bytes.Cut(bytes.TrimPrefix(bytes.TrimLeft(clock, "0123456789:.,"), []byte{' '}), []byte{' '})
	return ok && isZone(zone)
}

// civilForm classifies a day in a notation other than SQL's.
func civilForm(b []byte) form {
	c, ok := parseCivil(b)
	if !ok {
		return form{}
	}
	f := form{timed: c.clock, fraction: len(c.fraction)}
	first, second := c.numbers[0], c.numbers[1]
	y := c.numbers[c.year]
	if c.digits == 2 {
		y = 2000
	}
	dayFirst, monthFirst := validDay(y, second, first), validDay(y, first, second)
	switch {
	case c.year == 0 && !validDay(y, second, c.numbers[2]), c.year == 2 && !dayFirst && !monthFirst:
		return form{}
	case c.zoned:
		f.shape = shapeZoned
	case c.year == 0:
		f.shape = shapeYearFirst
	case c.digits == 2:
		f.shape = shapeShortYear
	case c.sign == '.' && dayFirst:
		f.shape = shapeDots
	case c.sign == '.':
		return form{}
	case dayFirst && monthFirst:
		f.shape = shapeEither
	case dayFirst:
		f.shape = shapeDaySlash
	default:
		f.shape = shapeMonthSlash
	}
	return f
}

// appendAs appends the day in SQL's notation, reading its numbers in the order of n.
func (c *civil) appendAs(out []byte, n Notation) []byte {
	day, month := c.numbers[0], c.numbers[1]
	switch {
	case c.year == 0:
		day = c.numbers[2]
	case n == MonthFirst:
		day, month = month, day
	}
	out = fmt.Appendf(out, "%04d-%02d-%02d", c.numbers[c.year], month, day)
	if !c.clock {
		return out
	}
	out = fmt.Appendf(out, " %02d:%02d:%02d", c.time[0], c.time[1], c.time[2])
	if len(c.fraction) > 0 {
		out = append(append(out, '.'), c.fraction...)
	}
	return out
}

// civilType returns the type of days of one notation.
func (g *guess) civilType() string {
	switch {
	case g.second > 0:
		return "DATETIME(6)"
	case g.timed || g.seen[shapeDatetime]:
		return "DATETIME"
	}
	return "DATE"
}
