package anonymize

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// EqualWidthPaths cuts the range from the least to the greatest number or point in time into
// intervals of equal width. groups has the number of intervals by level; each must be a
// multiple of the next coarser one. A group is named by its least and greatest leaf.
func EqualWidthPaths(c *Column, groups []int, show func(Value) string) ([][]string, error) {
	levels, err := nestedGroups("equal_width", groups)
	if err != nil {
		return nil, err
	}
	leaves, err := leavesOf(c)
	if err != nil {
		return nil, err
	}
	if !c.IsNumeric() {
		return nil, &DataError{fmt.Sprintf("column %s is not numeric: intervals of equal width need numbers or dates", c.Name)}
	}
	low, _ := leaves[0].Number()
	high, _ := leaves[len(leaves)-1].Number()
	if leaves[0].Kind == Integer {
		high++ // a whole number is an interval of width 1
	}
	finest := levels[0]
	narrow := make([]int, len(leaves)) // by leaf: its narrowest interval
	for i, v := range leaves {
		x, _ := v.Number()
		narrow[i] = min(finest-1, int(float64(finest)*((x-low)/max(high-low, math.SmallestNonzeroFloat64))))
	}
	labels := make([][]string, len(levels))
	for level, n := range levels {
		labels[level] = rangeLabels(leaves, show, func(leaf int) int { return narrow[leaf] / (finest / n) })
	}
	return pathsOf(leaves, len(levels), show, func(leaf, level int) string { return labels[level][leaf] }), nil
}

// maxRoundness is the greatest number of intervals of the narrowest width in [RoundWidths].
const maxRoundness = 32

// RoundWidths returns widths for [IntervalPaths] in which people count: 5, 10, 50, 100 and so
// on, and 0.5, 0.1 and so on below 1, each a multiple of the one before. The narrowest needs at
// most 32 intervals from the least number to the greatest, the widest at least 2. Whole numbers
// have whole widths above 1; a column of one number has width 5.
func RoundWidths(c *Column) ([]string, error) {
	values, err := occurring(c)
	if err != nil {
		return nil, err
	}
	if !c.IsNumeric() || values[0].Kind == Instant {
		return nil, &DataError{fmt.Sprintf("column %s is not numeric: intervals need numbers (date= is for dates, prefix= for codes)", c.Name)}
	}
	low, _ := values[0].Number()
	high, _ := values[len(values)-1].Number()
	whole := !slices.ContainsFunc(values, func(v Value) bool { return v.Kind != Integer })
	span := high - low
	if math.IsInf(span, 0) || span/maxRoundness == 0 {
		return []string{"5"}, nil
	}
	exponent := int(math.Floor(math.Log10(span/maxRoundness))) - 1
	if whole {
		exponent = max(exponent, 0)
	}
	var widths []string
	for ; math.Pow10(exponent) < span; exponent++ {
		for _, digit := range []string{"1", "5"} {
			width := math.Pow10(exponent)
			if digit == "5" {
				width *= 5
			}
			if width*maxRoundness >= span && width < span && !(whole && width <= 1) {
				widths = append(widths, roundText(digit, exponent))
			}
		}
	}
	if len(widths) == 0 { // up to six whole numbers
		widths = []string{"5"}
	}
	return widths, nil
}

// roundText returns digit times ten to the exponent as a decimal text.
func roundText(digit string, exponent int) string {
	if exponent >= 0 {
		return digit + strings.Repeat("0", exponent)
	}
	return "0." + strings.Repeat("0", -exponent-1) + digit
}

// FrequentPaths keeps the most frequent values and groups the others as "(others)". keep has
// the number of kept values by level. Ties are broken by the order of values. Without levels,
// the tree has the values and the root. Which values are frequent depends on the data.
func FrequentPaths(c *Column, keep []int, show func(Value) string) ([][]string, error) {
	leaves, err := occurring(c)
	if err != nil {
		return nil, err
	}
	levels, err := levelsBelow("frequent", keep, len(leaves), "must be numbers of values to keep, each once, from 1 to %d: the column has %d values")
	if err != nil {
		return nil, err
	}
	others := "(others)"
	for slices.ContainsFunc(leaves, func(v Value) bool { return show(v) == others }) {
		others = "(" + others + ")"
	}
	rank := ranksOf(c)
	return pathsOf(leaves, len(levels), show, func(leaf, level int) string {
		if rank[leaves[leaf]] < levels[level] {
			return show(leaves[leaf])
		}
		return others
	}), nil
}

// ranksOf ranks the values of a column, the most frequent first.
func ranksOf(c *Column) map[Value]int {
	count := c.Histogram()
	var order []int
	for code, v := range c.Dictionary {
		if !v.IsNull() {
			order = append(order, code)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	rank := make(map[Value]int, len(order))
	for i, code := range order {
		rank[c.Dictionary[code]] = i
	}
	return rank
}

// A GeneratedKind is a kind of taxonomy that is generated from a column's own values, with its levels.
type GeneratedKind struct {
	Kind   string // intervals, date, prefix or frequent, as CALL set_taxonomy has them
	Levels string // separated by commas
}

// SuggestTaxonomy chooses a kind by the column's values. Dates get months, quarters and years.
// Numbers get intervals of round widths. Codes (texts of one length, of digits and capital
// letters, with a digit) lose one character per level. Other texts keep the 64, 16 and 4 most
// frequent values.
func SuggestTaxonomy(c *Column) (GeneratedKind, error) {
	values, err := occurring(c)
	if err != nil {
		return GeneratedKind{}, err
	}
	if values[0].Kind == Instant && c.IsNumeric() {
		return GeneratedKind{"date", "month,quarter,year"}, nil
	}
	if c.IsNumeric() {
		widths, err := RoundWidths(c)
		return GeneratedKind{"intervals", strings.Join(widths, ",")}, err
	}
	var levels []string
	if n := lengthOfCodes(values); n > 1 {
		for length := 1; length < n; length++ {
			levels = append(levels, fmt.Sprint(length))
		}
		return GeneratedKind{"prefix", strings.Join(levels, ",")}, nil
	}
	for _, n := range []int{4, 16, 64} {
		if n < len(values) {
			levels = append(levels, fmt.Sprint(n))
		}
	}
	return GeneratedKind{"frequent", strings.Join(levels, ",")}, nil
}

// maxCodeLength is the length beyond which a text is not taken for a code.
const maxCodeLength = 12

// lengthOfCodes returns the common length of the texts if they are codes, else 0.
func lengthOfCodes(values []Value) int {
	length, digit := len(values[0].Text), false
	for _, v := range values {
		if v.Kind != Text || len(v.Text) != length {
			return 0
		}
		for _, r := range v.Text {
			if (r < '0' || r > '9') && (r < 'A' || r > 'Z') {
				return 0
			}
			digit = digit || r <= '9'
		}
	}
	if !digit || length > maxCodeLength {
		return 0
	}
	return length
}
