package privacy

import (
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
)

// shares returns a cell's distribution as integers that add up to whole. Uniform cells are
// exact. A weight is a float64, so 1/5 is stored as a number slightly above it; shares takes
// the simplest fraction that close. This recovers the method's number if the denominator is
// below some million. ok is false if the weights have no common denominator up to greatestUnit,
// or do not sum to exactly 1 over it.
func shares(c *anonymize.Cell) (parts []uint64, whole uint64, ok bool) {
	parts = make([]uint64, len(c.Members))
	if c.Weights == nil {
		for i := range parts {
			parts[i] = 1
		}
		return parts, uint64(len(parts)), true
	}
	fractions, whole := make([]*big.Rat, len(parts)), uint64(1)
	for i, w := range c.Weights {
		fractions[i] = simplest(w)
		if den := fractions[i].Denom(); !den.IsUint64() || den.Uint64() > greatestUnit {
			return nil, 0, false
		}
		whole = leastCommonMultiple(whole, fractions[i].Denom().Uint64())
		if whole > greatestUnit {
			return nil, 0, false
		}
	}
	total := uint64(0)
	for i, f := range fractions {
		parts[i] = f.Num().Uint64() * (whole / f.Denom().Uint64())
		total += parts[i]
	}
	return parts, whole, total == whole
}

// roundedShares is shares for cells whose weights have no small denominator: weights in
// multiples of 2^-50, rounded up.
func roundedShares(c *anonymize.Cell) (parts []uint64, whole uint64) {
	parts, whole, ok := shares(c)
	if ok {
		return parts, whole
	}
	parts, whole = make([]uint64, len(c.Weights)), 1<<50
	for i, w := range c.Weights {
		parts[i] = uint64(math.Ceil(w * (1 << 50)))
	}
	return parts, whole
}

// weightError is the greatest relative distance of a weight from the fraction that it
// represents: eight roundings of a float64.
const weightError = 0x1p-50

// simplest returns the fraction with the least denominator within weightError of w, by
// continued fractions of the two ends.
func simplest(w float64) *big.Rat {
	if w == 0 {
		return new(big.Rat)
	}
	middle := new(big.Rat).SetFloat64(w)
	slack := new(big.Rat).Mul(middle, new(big.Rat).SetFloat64(weightError))
	return simplestBetween(new(big.Rat).Sub(middle, slack), new(big.Rat).Add(middle, slack))
}

// simplestBetween returns the simplest fraction in [low, high], for 0 < low <= high.
func simplestBetween(low, high *big.Rat) *big.Rat {
	floor := new(big.Int).Quo(low.Num(), low.Denom())
	whole := new(big.Rat).SetInt(floor)
	if low.IsInt() {
		return whole
	}
	next := new(big.Rat).Add(whole, big.NewRat(1, 1))
	if next.Cmp(high) <= 0 {
		return next
	}
	rest := simplestBetween(new(big.Rat).Inv(new(big.Rat).Sub(high, whole)), new(big.Rat).Inv(new(big.Rat).Sub(low, whole)))
	return whole.Add(whole, rest.Inv(rest))
}

func leastCommonMultiple(a, b uint64) uint64 { return a / greatestCommonDivisor(a, b) * b }

func greatestCommonDivisor(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
