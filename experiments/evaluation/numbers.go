package evaluation

import (
	"math"
	"strconv"
)

// Number writes three digits that matter, and all digits of whole thousands.
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

// Plain is the shortest text that reads back as x.
func Plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// List names numbers, with commas and "and".
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
