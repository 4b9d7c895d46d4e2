package chart

import (
	"math"
	"strconv"
	"strings"
)

// A Figure is a value with the ends of its interval and its hard bounds. Unknown ones are NaN.
type Figure struct{ Value, Low, High, Least, Most float64 }

// Unknown returns a figure with only a value.
func Unknown(value float64) Figure {
	return Figure{value, math.NaN(), math.NaN(), math.NaN(), math.NaN()}
}

// Known reports whether the figure has an interval.
func (f Figure) Known() bool { return f.Low <= f.High }

// Exact reports whether the figure is known without error.
func (f Figure) Exact() bool { return f.Low == f.High }

// low and high return the range that a drawing must show.
func (f Figure) low() float64 {
	if f.Known() {
		return min(f.Low, f.Value)
	}
	return f.Value
}

func (f Figure) high() float64 {
	if f.Known() {
		return max(f.High, f.Value)
	}
	return f.Value
}

// Said writes the figure for readers: 1,820 ± 140, with two digits of its error and its value to the same
// place; or 1,820 (1,730 to 1,990) if the interval is wider on one side; an exact one with all digits.
func (f Figure) Said() string {
	switch {
	case math.IsNaN(f.Value):
		return ""
	case f.Exact() && math.Abs(f.Value) < 1e21:
		return grouped(strconv.FormatFloat(f.Value, 'f', -1, 64))
	case !f.Known() || f.Exact():
		return Number(f.Value)
	}
	decimals := f.decimals()
	if f.skewed() {
		return rounded(f.Value, decimals) + " (" + rounded(f.Low, decimals) + " to " + rounded(f.High, decimals) + ")"
	}
	return rounded(f.Value, decimals) + " ± " + rounded((f.High-f.Low)/2, decimals)
}

// skewed reports whether the interval is wider on one side, so that ± would mislead.
func (f Figure) skewed() bool { return math.Abs(f.High+f.Low-2*f.Value) > 0.1*(f.High-f.Low) }

// Bounds describes the hard bounds, rounded outwards; "" if they are unknown or say nothing more.
func (f Figure) Bounds() string {
	if math.IsNaN(f.Least) || math.IsNaN(f.Most) || f.Exact() {
		return ""
	}
	decimals := 0
	if f.Least != math.Trunc(f.Least) || f.Most != math.Trunc(f.Most) {
		decimals = f.decimals()
		if !f.Known() {
			decimals = decimalsOf(max(f.Most-f.Least, 1e-4*math.Abs(f.Least)) / 2)
		}
	}
	return outwards(f.Least, decimals, -1) + " to " + outwards(f.Most, decimals, 1)
}

// outwards rounds, but never to the inner side of a bound: it rounds down for direction -1, up for 1.
func outwards(x float64, decimals int, direction float64) string {
	for _, r := range []float64{x, x + direction*math.Pow(10, float64(-decimals))} {
		text := strconv.FormatFloat(round(r, decimals), 'f', max(decimals, 0), 64)
		if y, err := strconv.ParseFloat(text, 64); err == nil && direction*(y-x) >= 0 {
			return grouped(text)
		}
	}
	return grouped(strconv.FormatFloat(x, 'f', -1, 64))
}

// decimals returns the number of decimals that leaves two digits of the error; negative for tens and hundreds.
func (f Figure) decimals() int { return decimalsOf((f.High - f.Low) / 2) }

// decimalsOf returns the number of decimals that leaves two digits of a number.
func decimalsOf(x float64) int {
	if !(x > 0) || math.IsInf(x, 0) {
		return 0
	}
	two, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64)
	if err != nil {
		return 0
	}
	return 1 - int(math.Floor(math.Log10(two)+1e-9))
}

// round rounds to a number of decimals; it returns x itself if float64 cannot.
func round(x float64, decimals int) float64 {
	scale := math.Pow(10, math.Abs(float64(decimals)))
	r := math.Round(x*scale) / scale
	if decimals < 0 {
		r = math.Round(x/scale) * scale
	}
	if math.IsInf(r, 0) || math.IsNaN(r) {
		return x
	}
	return r
}

// rounded writes a number with a number of decimals and commas between thousands.
func rounded(x float64, decimals int) string {
	return grouped(strconv.FormatFloat(round(x, decimals), 'f', max(decimals, 0), 64))
}

// Number writes a number with unknown error: integers exactly, others with five digits, or with hundredths if these are more.
func Number(x float64) string {
	switch {
	case x == math.Trunc(x) && math.Abs(x) <= 1<<53:
		return grouped(strconv.FormatFloat(x, 'f', -1, 64))
	case math.Abs(x) >= 1000 && math.Abs(x) < 1e15:
		return rounded(x, 2)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}

// grouped inserts commas between thousands.
func grouped(text string) string {
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "−", text[1:]
	}
	if strings.Trim(text, "0.") == "" {
		sign = ""
	}
	whole, fraction, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}
