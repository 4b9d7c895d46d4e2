package texts

import "math"

// Thousandths rounds a measured figure, such as an error, a share or seconds, to three decimals.
func Thousandths(x float64) float64 { return math.Round(1000*x) / 1000 }

// Millionths rounds a recomputed figure to six decimals. It leaves figures above 1e9 in
// absolute value unchanged.
func Millionths(x float64) float64 {
	if math.Abs(x) > 1e9 {
		return x
	}
	return math.Round(1e6*x) / 1e6
}
