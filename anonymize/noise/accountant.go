package noise

import (
	"fmt"
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
)

// Counts describe what a publication reveals, with noise, about one sensitive attribute.
type Counts struct {
	// Tables is the number of tables of counts that contain each record once: the two-way tables, and the
	// attribute's own counts if they have noise. Tables of disjoint records, as of blocks, are one table
	// (McSherry, "Privacy Integrated Queries", 2009, Theorem 4: parallel composition). At least 1.
	Tables int
	// Records is the greatest number of a unit's records: 1 if records are the units.
	Records int
}

// Sensitivity returns the change of all counts together, in sum, when one unit's sensitive values are replaced: per record and
// table, one count falls by one and another rises by one, so 2 * Tables * Records (Dwork, McSherry, Nissim and Smith,
// "Calibrating Noise to Sensitivity in Private Data Analysis", 2006, Definition 3, for the replacement of a label).
func (c Counts) Sensitivity() (uint64, error) {
	if c.Tables < 1 || c.Records < 1 || c.Tables > 1<<20 || c.Records > 1<<20 {
		return 0, fmt.Errorf("noise for %d tables and %d records a unit: must be 1 to %d each", c.Tables, c.Records, 1<<20)
	}
	return 2 * uint64(c.Tables) * uint64(c.Records), nil
}

// Scale returns the scale of discrete Laplace noise on every count for a loss of epsilon: Sensitivity /
// epsilon (Dwork et al. 2006, Proposition 1), which divides epsilon evenly over tables and records.
func (c Counts) Scale(epsilon anonymize.Ratio) (anonymize.Ratio, error) {
	return c.divide(epsilon, "epsilon")
}

// Loss returns the epsilon of noise with this scale: Sensitivity / scale. It inverts Scale.
func (c Counts) Loss(scale anonymize.Ratio) (anonymize.Ratio, error) {
	return c.divide(scale, "the scale")
}

func (c Counts) divide(divisor anonymize.Ratio, name string) (anonymize.Ratio, error) {
	sensitivity, err := c.Sensitivity()
	if err != nil {
		return anonymize.Ratio{}, err
	}
	if divisor.Num == 0 || divisor.Den == 0 {
		return anonymize.Ratio{}, fmt.Errorf("%s is %s, must be positive", name, divisor)
	}
	q := new(big.Rat).SetFrac(new(big.Int).SetUint64(sensitivity), big.NewInt(1))
	q.Quo(q, divisor.Rat())
	if !q.Num().IsUint64() || !q.Denom().IsUint64() {
		return anonymize.Ratio{}, fmt.Errorf("%s is %s: %d divided by it needs more than 64 bits; take a number of fewer digits", name, divisor, sensitivity)
	}
	return anonymize.Ratio{Num: q.Num().Uint64(), Den: q.Denom().Uint64()}, nil
}

// Squares bounds the change of all counts in the sum of squares: 2 * Tables if units are records, since each count
// changes by one. A unit may have all of its records in one cell of a table, which makes it 2 * Tables * Records^2.
func (c Counts) Squares() int64 { return 2 * int64(c.Tables) * int64(c.Records) * int64(c.Records) }

// Variance returns the variance of discrete Gaussian noise on every count for (epsilon, delta): the least integer with a loss within them.
func (c Counts) Variance(epsilon, delta anonymize.Ratio) (uint64, error) {
	if _, err := c.Sensitivity(); err != nil {
		return 0, err
	}
	if delta.Num == 0 || delta.Cmp(anonymize.NewRatio(1, 1)) >= 0 || epsilon.Num == 0 {
		return 0, fmt.Errorf("epsilon is %s and delta is %s, must be positive, and delta below 1", epsilon, delta)
	}
	low, high := uint64(0), uint64(maxVariance) // high is within
	if c.DeltaOf(high, epsilon.Float()) > delta.Float() {
		return 0, fmt.Errorf("epsilon %s and delta %s need noise of a standard deviation above %.0f: take larger ones, or fewer tables", epsilon.Text(), delta.Text(), math.Sqrt(maxVariance))
	}
	for low+1 < high {
		if middle := low + (high-low)/2; c.DeltaOf(middle, epsilon.Float()) > delta.Float() {
			low = middle
		} else {
			high = middle
		}
	}
	return high, nil
}

// DeltaOf bounds the delta of an epsilon for discrete Gaussian noise with this variance on every count.
// The noise is rho-zCDP with rho = [Counts.Squares] / (2 variance) (Bun and Steinke, "Concentrated
// Differential Privacy", 2016), hence (epsilon, delta)-differentially private with
//
//	delta = exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)^a   for every a > 1
//
// (Canonne, Kamath and Steinke 2020, Corollary 13); it takes the least over some a. Bun and Steinke's
// own bound, epsilon = rho + 2 sqrt(rho ln(1/delta)), is larger by a sixth at epsilon 1.
func (c Counts) DeltaOf(variance uint64, epsilon float64) float64 {
	rho := float64(c.Squares()) / (2 * float64(variance))
	least := 0.0 // the logarithm of delta
	for over := 1e-3; over < 1e6; over *= 1.01 {
		a := over + 1
		least = min(least, over*(a*rho-epsilon)-math.Log(over)+a*math.Log(over/a))
	}
	return math.Exp(least)
}

// EpsilonOf returns the loss of a variance at a delta, rounded up at the sixth digit: the least epsilon whose DeltaOf is within delta.
func (c Counts) EpsilonOf(variance uint64, delta float64) float64 {
	low, high := 0.0, 1e6
	for high-low > high*1e-7 {
		if middle := (low + high) / 2; c.DeltaOf(variance, middle) > delta {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
