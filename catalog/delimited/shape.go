package delimited

import (
	"math"
	"strconv"
)

// A shape classifies a single value.
type shape uint8

const (
	shapeText        shape = iota
	shapeInteger           // -12; not 012, not +12
	shapeDecimal           // -12.50, .5; not 012.5
	shapeFloat             // 1e-3
	shapeDate              // 2024-02-29
	shapeDatetime          // 2024-02-29 12:30:00.25, T instead of the blank
	shapeBoolean           // true, FALSE
	shapeComma             // -12,5
	shapeGrouped           // 1,234
	shapeCommaGroups       // 1.234,50, 1 234,5
	shapePointGroups       // 1,234.50, 1'234.5
	shapeGroups            // 1.234.567, 1 234
	shapeDots              // 29.2.2024, all of these maybe with a time
	shapeDaySlash          // 29/2/2024, 29-2-2024
	shapeMonthSlash        // 2/29/2024
	shapeEither            // 1/2/2024
	shapeYearFirst         // 2024/2/29, 2024-02-29 14:05
	shapeShortYear         // 29.2.24, 2/29/24
	shapeZoned             // 2024-02-29T14:05:00Z
	shapes
)

// A form is a shape with the sizes that determine a column type.
type form struct {
	shape    shape
	whole    int   // digits before the point
	fraction int   // digits after the point, or of the second
	integer  int64 // value of an integer of at most 18 digits
	negative bool
	timed    bool // a day with a time, written as SQL would not
}

// formOf classifies a value without surrounding blanks.
func formOf(b []byte) form {
	if len(b) == 0 {
		return form{}
	}
	switch c := b[0]; {
	case c == 't', c == 'T', c == 'f', c == 'F':
		if _, ok := Boolean(b); ok {
			return form{shape: shapeBoolean}
		}
	case '0' <= c && c <= '9' && len(b) >= 10 && b[4] == '-':
		if f := moment(b); f.shape != shapeText {
			return f
		}
		return civilForm(b)
	case c == '-', c == '.', '0' <= c && c <= '9':
		if f := number(b); f.shape != shapeText {
			return f
		}
		return foreign(b)
	}
	return form{}
}

// Boolean parses true and false in any case.
func Boolean(b []byte) (value, ok bool) {
	if len(b) != 4 && len(b) != 5 {
		return false, false
	}
	var lower [5]byte
	for i, c := range b {
		lower[i] = c | 0x20
	}
	switch string(lower[:len(b)]) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

func number(b []byte) form {
	f := form{shape: shapeInteger}
	i := 0
	if b[0] == '-' {
		f.negative = true
		i++
	}
	start := i
	for ; i < len(b) && isDigit(b[i]); i++ {
		if i-start < 18 {
			f.integer = f.integer*10 + int64(b[i]-'0')
		}
	}
	f.whole = i - start
	if f.whole > 1 && b[start] == '0' {
		return form{} // a code, not a number: 01234
	}
	if i < len(b) && b[i] == '.' {
		f.shape = shapeDecimal
		i++
		for ; i < len(b) && isDigit(b[i]); i++ {
			f.fraction++
		}
	}
	if f.whole+f.fraction == 0 {
		return form{}
	}
	if f.shape == shapeDecimal && f.fraction == 0 {
		f.shape = shapeFloat // "12." is no decimal literal, but a number
	}
	if i == len(b) {
		if f.negative {
			f.integer = -f.integer
		}
		return f
	}
	return float(b, b[i])
}

// float classifies a number whose digits are followed by c.
func float(b []byte, c byte) form {
	if c|0x20 != 'e' {
		return form{}
	}
	if v, err := strconv.ParseFloat(string(b), 64); err != nil || math.IsInf(v, 0) {
		return form{}
	}
	return form{shape: shapeFloat}
}

// moment recognises a date with an optional time. Dates that do not exist, and years before
// 1000, which MySQL's DATE does not guarantee, are text.
func moment(b []byte) form {
	year, ok1 := digits(b, 0, 4)
	month, ok2 := digits(b, 5, 2)
	day, ok3 := digits(b, 8, 2)
	if !ok1 || !ok2 || !ok3 || b[4] != '-' || b[7] != '-' || year < 1000 || !validDay(year, month, day) {
		return form{}
	}
	if len(b) == 10 {
		return form{shape: shapeDate}
	}
	if len(b) < 19 || (b[10] != ' ' && b[10] != 'T') || b[13] != ':' || b[16] != ':' {
		return form{}
	}
	hour, ok1 := digits(b, 11, 2)
	minute, ok2 := digits(b, 14, 2)
	second, ok3 := digits(b, 17, 2)
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 59 {
		return form{}
	}
	f := form{shape: shapeDatetime}
	if len(b) == 19 {
		return f
	}
	f.fraction = len(b) - 20
	if b[19] != '.' || f.fraction < 1 || f.fraction > 6 {
		return form{}
	}
	if _, ok := digits(b, 20, f.fraction); !ok {
		return form{}
	}
	return f
}

func validDay(year, month, day int) bool {
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	last := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[month-1]
	if month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0) {
		last = 29
	}
	return day <= last
}

func digits(b []byte, at, n int) (int, bool) {
	if at+n > len(b) {
		return 0, false
	}
	v := 0
	for _, c := range b[at : at+n] {
		if !isDigit(c) {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
