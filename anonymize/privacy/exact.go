package privacy

import (
	"math/big"
	"math/bits"

	"github.com/anonsql/anonsql/anonymize"
)

// exact is a non-negative rational number: a ratio, not necessarily in lowest terms, or a large
// one if it exceeds 64 bits.
type exact struct {
	ratio anonymize.Ratio
	large *big.Rat
}

func quotient(part, whole uint64) exact {
	return exact{ratio: anonymize.Ratio{Num: part, Den: whole}}
}

func (x exact) rat() *big.Rat {
	if x.large != nil {
		return x.large
	}
	return x.ratio.Rat()
}

func (x exact) compare(y exact) int {
	if x.large == nil && y.large == nil {
		return x.ratio.Cmp(y.ratio)
	}
	return x.rat().Cmp(y.rat())
}

func (x exact) float() float64 {
	f, _ := x.rat().Float64()
	return f
}

// multiply returns first times the product of parts[i]/whole, exactly.
func multiply(first uint32, parts []uint32, whole uint32) exact {
	num, den := uint64(first), uint64(1)
	for _, part := range parts {
		overNum, newNum := bits.Mul64(num, uint64(part))
		overDen, newDen := bits.Mul64(den, uint64(whole))
		if overNum|overDen != 0 {
			return multiplyLarge(first, parts, whole)
		}
		num, den = newNum, newDen
	}
	return quotient(num, den)
}

func multiplyLarge(first uint32, parts []uint32, whole uint32) exact {
	product := big.NewRat(int64(first), 1)
	for _, part := range parts {
		product.Mul(product, big.NewRat(int64(part), int64(whole)))
	}
	return exact{large: product}
}

// sharesQuotient returns (part/whole) / (ofPart/ofWhole), exactly.
func sharesQuotient(part, whole, ofPart, ofWhole uint64) exact {
	overNum, num := bits.Mul64(part, ofWhole)
	overDen, den := bits.Mul64(whole, ofPart)
	if overNum|overDen == 0 {
		return quotient(num, den)
	}
	product := func(a, b uint64) *big.Int {
		return new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
	}
	return exact{large: new(big.Rat).SetFrac(product(part, ofWhole), product(whole, ofPart))}
}

// less1 returns x - 1 for x >= 1.
func (x exact) less1() exact {
	if x.large == nil {
		return quotient(x.ratio.Num-x.ratio.Den, x.ratio.Den)
	}
	return exact{large: new(big.Rat).Sub(x.large, big.NewRat(1, 1))}
}

// inverse returns 1/x for x > 0.
func (x exact) inverse() exact {
	if x.large == nil {
		return quotient(x.ratio.Den, x.ratio.Num)
	}
	return exact{large: new(big.Rat).Inv(x.large)}
}
