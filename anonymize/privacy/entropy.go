package privacy

import (
	"math"
	"math/big"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// entropy is entropy l-diversity: exp(H), with H the least entropy of a composition, exp(H) =
// product of (m/c)^(c/m). It is reported as a float64 but compared exactly: see atLeastBound.
type entropy struct {
	worst  float64
	group  int
	detail string
	// near are the distinct compositions that rounding might have ordered wrongly: counts in
	// lowest terms, ascending.
	near []nearEntropy
	// reduced is a buffer.
	reduced []uint64
}

type nearEntropy struct {
	value  float64
	counts []uint64
}

// entropyError generously bounds the relative error of exp(H) in float64. H is at most ln 2^50,
// with an error of about 2^-50 for each of up to 2^20 terms, which compensate; the measured
// error is below 1e-13.
const entropyError = 1e-9

func newEntropy() *entropy { return &entropy{worst: math.Inf(1), group: -1} }

func (e *entropy) look(c *composition) {
	value := effectiveValues(c.counts)
	if value > e.worst*(1+entropyError) {
		return
	}
	if value < e.worst {
		e.worst, e.group = value, c.group
		e.detail = c.values() + ", " + c.describeMostLikely()
		e.near = slices.DeleteFunc(e.near, func(n nearEntropy) bool { return n.value > value*(1+entropyError) })
	}
	e.reduced = lowestTerms(e.reduced[:0], c.counts)
	for _, n := range e.near {
		if slices.Equal(n.counts, e.reduced) {
			return
		}
	}
	e.near = append(e.near, nearEntropy{value, slices.Clone(e.reduced)})
}

// describeMostLikely returns "salary = 4500 is 2 of 4 records".
func (c *composition) describeMostLikely() string {
	most := c.mostLikely()
	return describeValue(c.column, c.codes[most]) + " is " + c.share(c.counts[most])
}

// effectiveValues returns exp(H), the number of equally likely values with that entropy.
func effectiveValues(counts []uint64) float64 {
	if slices.Min(counts) == slices.Max(counts) {
		return float64(len(counts))
	}
	total, sum := 0.0, 0.0
	for _, n := range counts {
		total += float64(n)
		if n > 1 {
			sum += float64(n) * math.Log(float64(n))
		}
	}
	return math.Exp(math.Log(total) - sum/total)
}

// lowestTerms appends the counts, divided by their greatest common divisor, ascending.
func lowestTerms(to, counts []uint64) []uint64 {
	divisor := uint64(0)
	for _, n := range counts {
		divisor = greatestCommonDivisor(n, divisor)
	}
	for _, n := range counts {
		to = append(to, n/divisor)
	}
	slices.Sort(to)
	return to
}

func (e *entropy) figure() figure {
	f := newFigure("entropy")
	f.worst = exact{large: new(big.Rat)}
	f.worst.large.SetFloat64(e.worst)
	f.group, f.detail = e.group, e.detail
	f.keeps = func(bound anonymize.Ratio) bool {
		return !slices.ContainsFunc(e.near, func(n nearEntropy) bool { return !n.atLeastBound(bound) })
	}
	return f
}

// greatestPower is the greatest total of counts that is raised to its own power to decide a
// bound: some million bits.
const greatestPower = 1 << 16

// atLeastBound reports whether exp(H) >= bound = p/q. If the float64 is clearly off the bound,
// it decides. Otherwise the m-th powers decide exactly: (m q)^m >= p^m times the product of
// c^c. If these are too large, the result is false: the figure is within entropyError of the
// bound and indistinguishable from it.
func (n nearEntropy) atLeastBound(bound anonymize.Ratio) bool {
	if b := bound.Float(); math.Abs(n.value-b) > 2*entropyError*b {
		return n.value > b
	}
	m := uint64(0)
	for _, c := range n.counts {
		if m += c; m > greatestPower {
			return false
		}
	}
	power := func(base *big.Int, exponent uint64) *big.Int {
		return base.Exp(base, new(big.Int).SetUint64(exponent), nil)
	}
	integer := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	left := power(new(big.Int).Mul(integer(m), integer(bound.Den)), m)
	right := power(integer(bound.Num), m)
	for _, c := range n.counts {
		right.Mul(right, power(integer(c), c))
	}
	return left.Cmp(right) >= 0
}
