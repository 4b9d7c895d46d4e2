package weights

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// What an interval can allow weights to be off by, relatively: one of eight each, so that it tells three bits.
var (
	Deviations       = []float64{0, 0.01, 0.02, 0.035, 0.05, 0.07, 0.12, 1}  // of one record's, by itself
	SharedDeviations = []float64{0, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 1} // of the sum of many, together
)

// minRecords is how many records have a value that counts.
const minRecords = 20

// Measure finds Deviation and Shared. For the records of a value with weights w and errors d, the sum of w is off by sum d. Were errors of different records
// independent and relatively alike, of deviation s, that would be s sqrt(sum w^2), root mean square; s is Error. But records that share a value (a region)
// may be off together: what is left of (sum d)^2 is the square of Shared sum w, in the mean over an attribute's values, at the attribute of most. Both
// are rounded up.
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

// roundedUp is the least of some that is not less, or the greatest.
func roundedUp(among []float64, x float64) float64 {
	const rounding = 1e-7 // where every class has one weight
	at, _ := slices.BinarySearch(among, x-rounding)
	return among[min(at, len(among)-1)]
}
