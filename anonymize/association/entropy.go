package association

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// Entropy returns the entropy of a column in bits, Eq. (9): W = -sum p log2 p.
// The paper leaves the base open; only the order of the weights matters. It is
// 0 for a column of one value and for one of no rows.
func Entropy(c *anonymize.Column) float64 {
	n := float64(c.Rows())
	bits := 0.0
	for _, count := range c.Histogram() {
		if count > 0 {
			p := float64(count) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
