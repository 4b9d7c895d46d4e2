package delimited

// A Notation is the way in which a column's values are written, if not as in SQL.
type Notation uint8

// The notations. A day after the 12th separates DayFirst from MonthFirst; points mean DayFirst.
const (
	AsSQL        Notation = iota
	DecimalComma          // 1234,50
	DecimalPoint          // 1,234.50
	DayFirst              // 31.12.2017, 31/12/2017 14:05
	MonthFirst            // 12/31/2017 2:05 PM
	YearFirst             // 2017/12/31, 2017-12-31 14:05
)

// A Doubt is the reason why values that look like numbers or dates stay text, or what else a column's numbers may mean.
type Doubt uint8

// The doubts.
const (
	NoDoubt     Doubt = iota
	DayOrMonth        // 01/02/2017 and no day after the 12th
	BothOrders        // 31/12/2017 and 12/31/2017
	ShortYears        // 31.12.55: the century is unknown
	CommaGroups       // 1,234: a decimal comma, or thousands
	PointGroups       // 1.234.567, 1 234: numbers, or identifiers
	Zoned             // 2017-12-31T14:05:00Z: DATETIME has no zone
	LongNumbers       // too many digits for a DECIMAL, and a DOUBLE would round them
	Thousands         // 1.234: read as a decimal, and every point of the column may group thousands
)

// foreign classifies a value in a notation other than SQL's.
func foreign(b []byte) form {
	if f := commaNumber(b); f.shape != shapeText {
		return f
	}
	if f := groupedNumber(b); f.shape != shapeText {
		return f
	}
	return civilForm(b)
}

// Rewrite appends a value to out in SQL's notation; values of another notation stay as they are.
func (n Notation) Rewrite(out, value []byte) []byte {
	switch n {
	case DecimalComma:
		return plainNumber(out, value, ',')
	case DecimalPoint:
		return plainNumber(out, value, '.')
	case DayFirst, MonthFirst, YearFirst:
		if c, ok := parseCivil(value); ok {
			return c.appendAs(out, n)
		}
	}
	return append(out, value...)
}

// notation returns the values' notation and type; "" for SQL's notation or text.
func (g *guess) notation(opts InferOptions) (n Notation, sqlType string) {
	switch n, whole, fraction := g.numberNotation(opts.Decimal); {
	case n != AsSQL && fitsDecimal(whole, fraction):
		return n, decimalType(whole, fraction)
	case n != AsSQL:
		return AsSQL, g.textType()
	}
	switch {
	case g.hasOnly(shapeDots), g.hasOnly(shapeDaySlash, shapeEither) && (g.seen[shapeDaySlash] || opts.Dates == DayFirst):
		return DayFirst, g.civilType()
	case g.hasOnly(shapeMonthSlash, shapeEither) && (g.seen[shapeMonthSlash] || opts.Dates == MonthFirst):
		return MonthFirst, g.civilType()
	case g.hasOnly(shapeYearFirst, shapeDate, shapeDatetime) && g.seen[shapeYearFirst]:
		return YearFirst, g.civilType()
	}
	return AsSQL, ""
}

// doubt returns why the column is text although its values are nearly something else.
func (g *guess) doubt() Doubt {
	switch {
	case g.hasOnly(shapeInteger, shapeDecimal, shapeComma, shapeGrouped, shapeGroups, shapeCommaGroups, shapePointGroups) &&
		!fitsDecimal(max(g.whole, g.grouped), max(g.fraction, g.commas)):
		return LongNumbers
	case g.hasOnly(shapeEither):
		return DayOrMonth
	case g.hasOnly(shapeEither, shapeDaySlash, shapeMonthSlash):
		return BothOrders
	case g.hasOnly(shapeShortYear):
		return ShortYears
	case g.hasOnly(shapeZoned, shapeDatetime) && g.seen[shapeZoned]:
		return Zoned
	case g.ungrouped:
		return NoDoubt
	case g.seen[shapeGrouped] && !g.commasBetween && g.hasOnly(shapeInteger, shapeDecimal, shapeGrouped, shapeGroups):
		return CommaGroups
	case g.seen[shapeGroups] && g.hasOnly(shapeInteger, shapeDecimal, shapeGrouped, shapeGroups):
		return PointGroups
	}
	return NoDoubt
}
