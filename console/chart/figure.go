package chart

import (
	"math"
	"strconv"
	"strings"
)

// A Figure is a value with the ends of its interval, and its hard bounds. What is not known is NaN.
type Figure struct{ Value, Low, High, Least, Most float64 }

// Unknown is a value alone.
func Unknown(value float64) Figure {
	return Figure{value, math.NaN(), math.NaN(), math.NaN(), math.NaN()}
}

// Known says that the figure has an interval; Exact that it is a point.
func (f Figure) Known() bool { return f.Low <= f.High }

// Exact is known without error.
func (f Figure) Exact() bool { return f.Low == f.High }

// low and high are what a drawing needs room for.
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

// Said is the figure as people say it: 1,820 ± 140, two digits of its error and no more of its value; or 1,820 (1,730 to 1,990) where the interval
// is wider to one side; all digits of one that is exact.
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

// skewed says that the interval is wider to one side: ± would lie.
func (f Figure) skewed() bool { return math.Abs(f.High+f.Low-2*f.Value) > 0.1*(f.High-f.Low) }

// Bounds are the hard bounds in words, rounded outwards; "" where they are not known, or say nothing more.
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

// outwards is rounded, but never to the inner side of a bound: below one of direction 1, above one of -1.
func outwards(x float64, decimals int, direction float64) string {
	for _, r := range []float64{x, x + direction*math.Pow(10, float64(-decimals))} {
		text := strconv.FormatFloat(round(r, decimals), 'f', max(decimals, 0), 64)
		if y, err := strconv.ParseFloat(text, 64); err == nil && direction*(y-x) >= 0 {
			return grouped(text)
		}
	}
	return grouped(strconv.FormatFloat(x, 'f', -1, 64))
}

// decimals are so many that two digits of the error are left; negative for tens and hundreds.
func (f Figure) decimals() int { return decimalsOf((f.High - f.Low) / 2) }

// decimalsOf are so many that two digits of a number are left.
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

// round is the nearest number of so many decimals; x itself where float64 has none.
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

// rounded writes a number with so many decimals, and commas between thousands.
func rounded(x float64, decimals int) string {
	return grouped(strconv.FormatFloat(round(x, decimals), 'f', max(decimals, 0), 64))
}

// Number writes a number whose error is not known: whole ones whole, others with five digits, or hundredths where these are more.
func Number(x float64) string {
	switch {
	case x == math.Trunc(x) && math.Abs(x) <= 1<<53:
		return grouped(strconv.FormatFloat(x, 'f', -1, 64))
	case math.Abs(x) >= 1000 && math.Abs(x) < 1e15:
		return rounded(x, 2)
	}
	return strconv.FormatFloat(x, 'g', 5, 64)
}

// grouped sets commas between thousands.
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
