package delimited

import "bytes"

// A Notation is how the values of a column are written, where SQL writes them in another way.
type Notation uint8

// The notations. Days and months are told apart by days after the 12th; points are for the day first.
const (
	AsSQL        Notation = iota
	DecimalComma          // 1234,50
	DayFirst              // 31.12.2017, 31/12/2017
	MonthFirst            // 12/31/2017
)

// A Doubt is why a column is text whose values look like numbers or dates.
type Doubt uint8

// The doubts.
const (
	NoDoubt     Doubt = iota
	DayOrMonth        // 01/02/2017 and no day after the 12th
	ShortYears        // 31.12.55: the century is not told
	CommaGroups       // 1,234: a decimal comma, or thousands
)

// foreign classifies a value that SQL would not write so.
func foreign(b []byte) form {
	if f := commaNumber(b); f.shape != shapeText {
		return f
	}
	first, second, year, sign, ok := dayParts(b)
	switch {
	case !ok:
		return form{}
	case len(year) == 2 && (plausible(first, second) || plausible(second, first)):
		return form{shape: shapeShortYear}
	case len(year) != 4 || year[0] == '0':
		return form{}
	}
	y, _ := digits(year, 0, 4)
	dayFirst, monthFirst := validDay(y, second, first), validDay(y, first, second)
	switch {
	case sign == '.' && dayFirst:
		return form{shape: shapeDots}
	case sign == '/' && dayFirst && monthFirst:
		return form{shape: shapeEither}
	case sign == '/' && dayFirst:
		return form{shape: shapeDaySlash}
	case sign == '/' && monthFirst:
		return form{shape: shapeMonthSlash}
	}
	return form{}
}

func plausible(day, month int) bool { return validDay(2000, month, day) }

// commaNumber is a number with a decimal comma.
func commaNumber(b []byte) form {
	at := bytes.IndexByte(b, ',')
	if at < 1 || at == len(b)-1 || bytes.IndexByte(b, '.') >= 0 {
		return form{}
	}
	f := number(bytes.Replace(b, []byte{','}, []byte{'.'}, 1))
	if f.shape != shapeDecimal {
		return form{}
	}
	f.shape = shapeComma
	if whole := f.whole; f.fraction == 3 && whole < 4 && b[at-1] != '-' && !(whole == 1 && b[at-1] == '0') {
		f.shape = shapeGrouped
	}
	return f
}

// dayParts divides 1.2.2017, 01/02/2017 and 01.02.17.
func dayParts(b []byte) (first, second int, year []byte, sign byte, ok bool) {
	at := bytes.IndexAny(b, "./")
	if at < 1 || at > 2 {
		return 0, 0, nil, 0, false
	}
	sign = b[at]
	next := bytes.IndexByte(b[at+1:], sign)
	if next < 1 || next > 2 {
		return 0, 0, nil, 0, false
	}
	next += at + 1
	first, firstOK := digits(b[:at], 0, at)
	second, secondOK := digits(b[at+1:next], 0, next-at-1)
	year = b[next+1:]
	_, yearOK := digits(year, 0, len(year))
	return first, second, year, sign, firstOK && secondOK && yearOK
}

// Rewrite appends a value as SQL writes it to out; one that is not of the notation stays as it is.
func (n Notation) Rewrite(out, value []byte) []byte {
	switch n {
	case DecimalComma:
		return append(out, bytes.Replace(value, []byte{','}, []byte{'.'}, 1)...)
	case DayFirst, MonthFirst:
		day, month, year, _, ok := dayParts(value)
		if n == MonthFirst {
			day, month = month, day
		}
		if ok {
			out = append(append(out, year...), '-', byte('0'+month/10), byte('0'+month%10))
			return append(out, '-', byte('0'+day/10), byte('0'+day%10))
		}
	}
	return append(out, value...)
}

// notation is how the values are written, and their type; "" where they are as in SQL, or text.
func (g *guess) notation(dates Notation) (n Notation, sqlType string) {
	switch {
	case g.only(shapeInteger, shapeDecimal, shapeComma, shapeGrouped) && g.seen[shapeComma] && !g.seen[shapeDecimal] && g.whole+g.fraction <= exactDecimal:
		return DecimalComma, decimalType(g.whole, g.fraction)
	case g.only(shapeDots), g.only(shapeDaySlash, shapeEither) && (g.seen[shapeDaySlash] || dates == DayFirst):
		return DayFirst, "DATE"
	case g.only(shapeMonthSlash, shapeEither) && (g.seen[shapeMonthSlash] || dates == MonthFirst):
		return MonthFirst, "DATE"
	}
	return AsSQL, ""
}

// doubt is why the column is text, where its values were nearly something else.
func (g *guess) doubt() Doubt {
	switch {
	case g.only(shapeEither), g.only(shapeEither, shapeDaySlash, shapeMonthSlash):
		return DayOrMonth
	case g.only(shapeShortYear):
		return ShortYears
	case g.only(shapeInteger, shapeGrouped) && g.seen[shapeGrouped]:
		return CommaGroups
	}
	return NoDoubt
}
