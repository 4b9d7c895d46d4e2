package delimited

import "bytes"

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

// separators are what stands between groups of three digits: a point, a comma, an apostrophe, a blank, or one that does not break a line.
var separators = [][]byte{{'.'}, {','}, {'\''}, []byte("’"), {' '}, []byte("\u00a0"), []byte("\u202f")}

// groupedNumber is a number whose digits stand in groups of three: 1.234,50, 1,234.50, 1 234,50, 1'234.50. What is after the last group says which sign
// is the decimal one; without that a number in groups may be a number of something (12.345.678 of a person).
func groupedNumber(b []byte) form {
	for _, separator := range separators {
		whole, rest, ok := groups(b, separator)
		if !ok {
			continue
		}
		f := form{shape: shapeGroups, whole: whole, negative: b[0] == '-'}
		if len(rest) == 0 {
			return f
		}
		if bytes.HasPrefix(rest, separator) || rest[0] != ',' && rest[0] != '.' {
			return form{}
		}
		if _, ok := digits(rest[1:], 0, len(rest)-1); !ok || len(rest) == 1 {
			return form{}
		}
		f.fraction = len(rest) - 1
		f.shape = shapeCommaGroups
		if rest[0] == '.' {
			f.shape = shapePointGroups
		}
		return f
	}
	return form{}
}

// groups counts the digits that stand in groups at the beginning, of which there are two or more, and returns what follows.
func groups(b, separator []byte) (count int, rest []byte, ok bool) {
	rest = bytes.TrimPrefix(b, []byte{'-'})
	for len(rest) > count && count < 4 && isDigit(rest[count]) {
		count++
	}
	if count == 0 || count > 3 || rest[0] == '0' {
		return 0, nil, false
	}
	rest = rest[count:]
	for {
		group, found := bytes.CutPrefix(rest, separator)
		if !found {
			return count, rest, ok
		}
		if _, three := digits(group, 0, 3); !three {
			return count, rest, ok
		}
		if len(group) > 3 && isDigit(group[3]) {
			return 0, nil, false
		}
		count, rest, ok = count+3, group[3:], true
	}
}

// plainNumber appends a number with a decimal point and nothing between its digits. What is no number stays.
func plainNumber(out, value []byte, decimal byte) []byte {
	switch formOf(value).shape {
	case shapeInteger, shapeDecimal, shapeComma, shapeGrouped, shapeGroups, shapeCommaGroups, shapePointGroups:
	default:
		return append(out, value...)
	}
	for _, c := range value {
		switch {
		case c == decimal:
			out = append(out, '.')
		case isDigit(c) || c == '-':
			out = append(out, c)
		}
	}
	return out
}

// numberNotation is how the column's numbers are written, if not as in SQL, and how many digits they have before and after the sign. decimal is what the
// owner says of a column that does not tell. A sign that stands in one number twice is not the decimal one.
func (g *guess) numberNotation(decimal Notation) (n Notation, whole, fraction int) {
	commas, points := g.seen[shapeComma] || g.seen[shapeCommaGroups], g.seen[shapePointGroups] || g.seen[shapeGrouped] && g.ungrouped
	if grouped := g.seen[shapeGrouped] || g.seen[shapeGroups]; !commas && !points {
		commas, points = decimal == DecimalComma && (grouped || g.pointsMayGroup()), decimal == DecimalPoint && grouped
	}
	switch {
	case commas == points, commas && g.commasBetween, points && g.pointsBetween:
	case points && g.hasOnly(shapeInteger, shapeDecimal, shapeGrouped, shapeGroups, shapePointGroups):
		return DecimalPoint, max(g.whole, g.grouped), g.fraction
	case commas && g.hasOnly(shapeInteger, shapeComma, shapeGrouped, shapeGroups, shapeCommaGroups):
		return DecimalComma, g.whole, g.commas
	case commas && (g.seen[shapeCommaGroups] || decimal == DecimalComma) && !g.ungrouped &&
		g.hasOnly(shapeInteger, shapeDecimal, shapeComma, shapeGrouped, shapeGroups, shapeCommaGroups):
		return DecimalComma, max(g.whole, g.grouped), g.commas // 1.234 beside 1.234,50
	}
	return AsSQL, 0, 0
}

// pointsMayGroup reports whether some numbers are like 1.234, and none has a point that groups no thousands.
func (g *guess) pointsMayGroup() bool { return g.seen[shapeDecimal] && !g.ungrouped }
