package evaluation

import (
	"math"
	"strconv"
)

// Number formats three significant digits, and all digits from 1,000.
func Number(x float64) string {
	if math.Abs(x) < 1000 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if x < 0 {
		return "-" + text
	}
	return text
}

// Plain formats x as the shortest text that parses to x.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// List joins numbers with commas and "and".
func List(values []float64) string {
	text := ""
	for i, v := range values {
		switch {
		case i > 0 && i == len(values)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += Number(v)
	}
	return text
}
