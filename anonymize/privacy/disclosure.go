package privacy

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
)

// disclosure is delta-disclosure privacy, Brickell and Shmatikov, "The Cost of Privacy" (KDD
// 2008): |log2(q/p)| < delta for every value and every class, where q is the value's share of
// the class and p that of the release. A class that lacks a value has q = 0 and no delta; then
// there is no figure. The paper does not give the base of the logarithm; this one is in bits.
func disclosure(r *anonymize.Release) ([]figure, error) {
	worst := newFigure("delta_disclosure")
	var none error
	err := eachComposed(r, func(c *composition, p *prior) {
		if len(c.codes) < p.values && none == nil {
			none = fmt.Errorf("no delta is enough in group %d: it has no %s, which %s of %d %s of the release have%s",
				c.group+1, describeValue(c.column, p.absent(c)), p.records(p.total[p.absent(c)]), p.release.Rows, counted(p.release), c.condition(c.class))
		}
		for i := range c.codes {
			x := p.ratio(c, i)
			if x.compare(quotient(1, 1)) < 0 {
				x = x.inverse()
			}
			if worst.raise(x, c.group) {
				worst.detail = p.describe(c, i)
			}
		}
	})
	if err := cmp.Or(err, none); err != nil {
		return nil, err
	}
	return []figure{inBits(worst)}, nil
}

// absent returns the release's most frequent value that a composition lacks.
func (p *prior) absent(c *composition) uint32 {
	has := make(map[uint32]bool, len(c.codes))
	for _, code := range c.codes {
		has[code] = true
	}
	for _, code := range p.order {
		if !has[code] {
			return code
		}
	}
	return 0
}

// inBits turns a figure x >= 1 into log2 x, which is compared with bounds without rounding.
func inBits(f figure) figure {
	x := f.worst
	f.worst = exact{large: new(big.Rat)}
	bits := math.Log2(x.float())
	f.worst.large.SetFloat64(bits)
	f.keeps = func(bound anonymize.Ratio) bool {
		if b := bound.Float(); math.Abs(bits-b) > 1e-9*max(1, b) {
			return bits < b
		}
		return x.belowPowerOf2(bound)
	}
	return f
}

// greatestExponent is the greatest power of a ratio that is computed to decide a bound.
const greatestExponent = 1 << 12

// belowPowerOf2 reports whether x < 2^(a/b), that is x^b < 2^a. If these powers are too large,
// it returns false: x is then indistinguishable from its bound.
func (x exact) belowPowerOf2(bound anonymize.Ratio) bool {
	if bound.Num > 64*greatestExponent || bound.Den > greatestExponent {
		return false
	}
	power := new(big.Int).SetUint64(bound.Den)
	left := new(big.Int).Exp(x.rat().Num(), power, nil)
	right := new(big.Int).Exp(x.rat().Denom(), power, nil)
	return left.Cmp(right.Lsh(right, uint(bound.Num))) < 0
}
