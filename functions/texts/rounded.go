package texts

import "math"

// Thousandths rounds a measured figure: an error, a share, seconds.
func Thousandths(x float64) float64 { return math.Round(1000*x) / 1000 }

// Millionths rounds a recomputed figure. Figures above a billion have no such digits and
// stay as they are.
func Millionths(x float64) float64 {
	if math.Abs(x) > 1e9 {
		return x
	}
	return math.Round(1e6*x) / 1e6
}
