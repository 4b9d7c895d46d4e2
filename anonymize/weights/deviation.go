package weights

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// The relative errors of weights that an interval can allow for: eight each, so the choice reveals three bits.
var (
	Deviations       = []float64{0, 0.01, 0.02, 0.035, 0.05, 0.07, 0.12, 1}  // of one record's, independently
	SharedDeviations = []float64{0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 1} // of the sum of many
)

// minRecords is the least number of records of a value that Measure uses.
const minRecords = 20

// Measure sets Deviation and Shared. For a value's records with weights w and errors d, the sum of w has the
// error sum d. For independent errors with relative deviation s, its root mean square would be s sqrt(sum w^2),
// where s is Error. But the errors of records that share a value (a region) may be correlated: the rest of (sum
// d)^2 is (Shared sum w)^2, averaged over an attribute's values, for the worst attribute. Both are rounded up.
func (c *Classes) Measure(weights *anonymize.Column, by ...*anonymize.Column) {
	coarse, shared := c.Coarsen(weights), 0.0
	for _, attribute := range by {
		off, sums, squares := make([]float64, len(attribute.Dictionary)), make([]float64, len(attribute.Dictionary)), make([]float64, len(attribute.Dictionary))
		for row, code := range attribute.Codes {
			w, _ := weights.Value(row).Number()
			mean, _ := coarse.Value(row).Number()
			off[code] += mean - w
			sums[code] += w
			squares[code] += w * w
		}
		left, values := 0.0, 0.0
		for code, n := range attribute.Histogram() {
			if n >= minRecords {
				left += (off[code]*off[code] - c.Error*c.Error*squares[code]) / (sums[code] * sums[code])
				values++
			}
		}
		if values > 0 {
			shared = max(shared, left/values)
		}
	}
	c.Deviation, c.Shared = roundedUp(Deviations, c.Error), roundedUp(SharedDeviations, math.Sqrt(shared))
}

// roundedUp returns the least of among that is at least x, or the greatest.
func roundedUp(among []float64, x float64) float64 {
	const rounding = 1e-7 // for classes with one weight each
	at, _ := slices.BinarySearch(among, x-rounding)
	return among[min(at, len(among)-1)]
}
