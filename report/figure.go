package report

import (
	"math"
	"strconv"
	"strings"
)

// A Figure is a number, for readers and with all its digits.
type Figure struct{ Value, Text string }

func figure(x float64, text string) Figure {
	return Figure{strconv.FormatFloat(x, 'g', -1, 64), text}
}

// share shows a share as a percentage with at most three digits.
func share(x float64) Figure { return figure(x, percent(x)) }

func percent(x float64) string {
	p := 100 * x
	switch size := math.Abs(p); {
	case size == 0:
		return "0\u00a0%"
	case size < 0.001:
		return "below\u00a00.001\u00a0%"
	case size < 0.1:
		return trimmed(p, 3) + "\u00a0%"
	case size < 10:
		return trimmed(p, 2) + "\u00a0%"
	case size < 1000:
		return trimmed(p, 1) + "\u00a0%"
	}
	return grouped(math.Round(p)) + "\u00a0%"
}

// number shows other numbers: integers with separators, others with about three digits.
func number(x float64) Figure {
	size := math.Abs(x)
	switch {
	case x == math.Trunc(x) && size < 1e15:
		return figure(x, grouped(x))
	case size >= 1e15, size < 0.001:
		return figure(x, strconv.FormatFloat(x, 'g', 3, 64))
	case size >= 1000:
		return figure(x, grouped(math.Round(x)))
	case size >= 10:
		return figure(x, trimmed(x, 1))
	case size >= 1:
		return figure(x, trimmed(x, 2))
	}
	return figure(x, trimmed(x, 3))
}

func count(n int) Figure { return number(float64(n)) }

// trimmed writes at most decimals decimals, without trailing zeros.
func trimmed(x float64, decimals int) string {
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// grouped writes an integer with separators between thousands.
func grouped(x float64) string {
	digits := strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	if x < 0 {
		return "-" + digits
	}
	return digits
}

// position returns a place on an axis for SVG: a percentage of the whole.
func position(x, whole float64) string {
	if whole <= 0 || math.IsNaN(x) {
		return "0"
	}
	return strconv.FormatFloat(100*min(1, max(0, x/whole)), 'f', 3, 64)
}

// niceTop returns the end of an axis that includes x and the step of its three to six ticks: 1,
// 2 or 5 times a power of ten.
func niceTop(x float64) (top, step float64) {
	if !(x > 0) || math.IsInf(x, 0) {
		return 1, 0.25
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, s := range []float64{0.2, 0.5, 1, 2} {
		if step = s * power; x/step <= 6 {
			break
		}
	}
	return step * math.Ceil(x/step-1e-9), step
}
