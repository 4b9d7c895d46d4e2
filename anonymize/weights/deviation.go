package weights

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Deviations are what an interval can allow a weight to be off by: one of eight, so that it tells three bits.
var Deviations = []float64{0, 0.01, 0.02, 0.035, 0.05, 0.07, 0.12, 0.25}

// minRecords is how many records have a value that counts.
const minRecords = 20

// Measure finds Deviation: the weights of records that share a value of an attribute are off together. For the records of a value with weights w and
// errors d, the sum of w is off by |sum d|; were errors of different records independent and relatively alike, of deviation s, that would be s sqrt(sum w^2),
// root mean square. s is the greatest root mean square of an attribute's values, and that of single records at least, rounded up to one of [Deviations].
func (c *Classes) Measure(weights *anonymize.Column, by ...*anonymize.Column) {
	coarse := c.Coarsen(weights)
	deviation := c.Error
	for _, attribute := range by {
		off, squares, records := make([]float64, len(attribute.Dictionary)), make([]float64, len(attribute.Dictionary)), attribute.Histogram()
		for row, code := range attribute.Codes {
			w, _ := weights.Value(row).Number()
			mean, _ := coarse.Value(row).Number()
			off[code] += mean - w
			squares[code] += w * w
		}
		sum, values := 0.0, 0
		for code, n := range records {
			if n >= minRecords {
				sum += off[code] * off[code] / squares[code]
				values++
			}
		}
		if values > 0 {
			deviation = max(deviation, math.Sqrt(sum/float64(values)))
		}
	}
	const rounding = 1e-7 // where every class has one weight
	at, _ := slices.BinarySearch(Deviations, deviation-rounding)
	c.Deviation = Deviations[min(at, len(Deviations)-1)]
}
