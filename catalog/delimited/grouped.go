package delimited

import "bytes"

// commaNumber recognises a number with a decimal comma.
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

// separators may separate groups of three digits: point, comma, apostrophe, blank, no-break blanks.
var separators = [][]byte{{'.'}, {','}, {'\''}, []byte("’"), {' '}, []byte("\u00a0"), []byte("\u202f")}

// groupedNumber recognises a number with groups of three digits: 1.234,50, 1,234.50, 1 234,50, 1'234.50. The sign after
// the last group is the decimal sign; without one, a grouped number may be an identifier (a person's 12.345.678).
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

// groups counts the digits in two or more leading groups and returns the rest.
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

// plainNumber appends a number with a decimal point and without separators. It appends other values unchanged.
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

// numberNotation returns the notation of the column's numbers, AsSQL if it is SQL's, and their most digits before and after the decimal
// sign. decimal is the owner's notation for an ambiguous column. A sign that occurs twice in a number is not the decimal sign.
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

// pointsMayGroup reports whether there are numbers like 1.234, and no point that cannot group thousands.
func (g *guess) pointsMayGroup() bool { return g.seen[shapeDecimal] && !g.ungrouped }
