package noise

import (
	"fmt"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
)

// Counts are what a publication tells with noise about one sensitive attribute.
type Counts struct {
	// Tables is how many tables of counts every record is in once: the two-way tables, and the attribute's own counts where they are told
	// with noise. Tables of disjoint records, as of blocks, are one table (McSherry, "Privacy Integrated Queries", 2009, Theorem 4:
	// parallel composition). At least 1.
	Tables int
	// Records is how many records a unit has at most: 1 where records are the units.
	Records int
}

// Sensitivity is how much all the counts together change, in sum, when one unit's sensitive values are replaced by others: of each
// record and table a count falls by one and another rises by one, so 2 * Tables * Records (Dwork, McSherry, Nissim and Smith,
// "Calibrating Noise to Sensitivity in Private Data Analysis", 2006, Definition 3, for the replacement of a label).
func (c Counts) Sensitivity() (uint64, error) {
	if c.Tables < 1 || c.Records < 1 || c.Tables > 1<<20 || c.Records > 1<<20 {
		return 0, fmt.Errorf("noise for %d tables and %d records a unit: must be 1 to %d each", c.Tables, c.Records, 1<<20)
	}
	return 2 * uint64(c.Tables) * uint64(c.Records), nil
}

// Scale is that of discrete Laplace noise on every count for a loss of epsilon: Sensitivity / epsilon (Dwork et al. 2006, Proposition 1),
// which is epsilon divided evenly over tables and records.
func (c Counts) Scale(epsilon anonymize.Ratio) (anonymize.Ratio, error) {
	return c.divide(epsilon, "epsilon")
}

// Loss is epsilon of noise of a scale: Sensitivity / scale. It undoes Scale.
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
