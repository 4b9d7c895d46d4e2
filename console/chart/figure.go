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
// is wider to one side.
func (f Figure) Said() string {
	switch {
	case math.IsNaN(f.Value):
		return ""
	case !f.Known() || f.Exact():
		return Number(f.Value)
	}
	decimals, half := f.decimals(), (f.High-f.Low)/2
	if math.Abs(f.High+f.Low-2*f.Value) > 0.2*half {
		return rounded(f.Value, decimals) + " (" + rounded(f.Low, decimals) + " to " + rounded(f.High, decimals) + ")"
	}
	return rounded(f.Value, decimals) + " ± " + rounded(half, decimals)
}

// Bounds are the hard bounds in words; "" where they are not known, or say nothing more.
func (f Figure) Bounds() string {
	if math.IsNaN(f.Least) || math.IsNaN(f.Most) || f.Exact() {
		return ""
	}
	decimals := 0
	if f.Least != math.Trunc(f.Least) || f.Most != math.Trunc(f.Most) {
		decimals = f.decimals()
	}
	return rounded(f.Least, decimals) + " to " + rounded(f.Most, decimals)
}

// decimals are so many that two digits of the error are left; negative for tens and hundreds.
func (f Figure) decimals() int {
	half := (f.High - f.Low) / 2
	if !(half > 0) || math.IsInf(half, 0) {
		return 0
	}
	two, err := strconv.ParseFloat(strconv.FormatFloat(half, 'e', 1, 64), 64)
	if err != nil {
		return 0
	}
	return 1 - int(math.Floor(math.Log10(two)+1e-9))
}

// rounded writes a number with so many decimals, and commas between thousands.
func rounded(x float64, decimals int) string {
	scale := math.Pow(10, float64(decimals))
	if r := math.Round(x*scale) / scale; !math.IsInf(r, 0) && !math.IsNaN(r) {
		x = r
	}
	return grouped(strconv.FormatFloat(x, 'f', max(decimals, 0), 64))
}

// Number writes a number that is known, or whose error is not: whole ones whole, others with five digits.
func Number(x float64) string {
	switch {
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return grouped(strconv.FormatFloat(x, 'f', -1, 64))
	case math.Abs(x) >= 1e4 && math.Abs(x) < 1e15:
		return rounded(x, 0)
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
