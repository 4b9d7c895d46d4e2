package anonymize

import (
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// A Ratio is an exact non-negative threshold such as 0.05 or 1/3. Thresholds
// are never compared as binary floats: with 0.1 as a float, 1 record of 10
// would exceed it on some machines' arithmetic and not on others'.
type Ratio struct {
	Num, Den uint64 // in lowest terms; Den > 0
}

// NewRatio returns num/den in lowest terms. den must not be 0.
func NewRatio(num, den uint64) Ratio {
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return Ratio{Num: num / a, Den: den / a}
}

// ParseRatio reads "0.05", "5e-2" or "1/3". Negative numbers, and numbers that
// need more than 64 bits above or below the line, are errors.
func ParseRatio(text string) (Ratio, error) {
	text = strings.TrimSpace(text)
	r, ok := new(big.Rat), len(text) <= 64
	if ok {
		r, ok = r.SetString(text)
	}
	if !ok || r.Sign() < 0 || !r.Num().IsUint64() || !r.Denom().IsUint64() {
		return Ratio{}, fmt.Errorf("%q is not a number such as 0.05 or 1/3", text)
	}
	return Ratio{Num: r.Num().Uint64(), Den: r.Denom().Uint64()}, nil
}

// MustRatio is ParseRatio for constants in programs and tests.
func MustRatio(text string) Ratio {
	r, err := ParseRatio(text)
	if err != nil {
		panic(err)
	}
	return r
}

// Cmp compares r with s: -1, 0 or 1.
func (r Ratio) Cmp(s Ratio) int {
	leftHigh, leftLow := bits.Mul64(r.Num, s.Den)
	rightHigh, rightLow := bits.Mul64(s.Num, r.Den)
	switch {
	case leftHigh != rightHigh:
		if leftHigh < rightHigh {
			return -1
		}
		return 1
	case leftLow < rightLow:
		return -1
	case leftLow > rightLow:
		return 1
	}
	return 0
}

// Admits reports whether part/whole <= r, exactly.
func (r Ratio) Admits(part, whole int) bool {
	leftHigh, leftLow := bits.Mul64(uint64(part), r.Den)
	rightHigh, rightLow := bits.Mul64(r.Num, uint64(whole))
	return leftHigh < rightHigh || leftHigh == rightHigh && leftLow <= rightLow
}

// Rat returns r as a big.Rat.
func (r Ratio) Rat() *big.Rat {
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(r.Num), new(big.Int).SetUint64(r.Den))
}

// Float returns the float64 nearest to r.
func (r Ratio) Float() float64 {
	if r.Den == 0 {
		return 0
	}
	return float64(r.Num) / float64(r.Den)
}

// String returns a decimal of up to four places when that is exact, else a
// decimal of four places with the fraction behind it: "0.25", "0.3333 (1/3)".
func (r Ratio) String() string {
	if r.Den == 0 {
		return "0"
	}
	decimal := fmt.Sprintf("%.4f", r.Float())
	back, _ := new(big.Rat).SetString(decimal)
	if back.Cmp(r.Rat()) != 0 {
		return fmt.Sprintf("%s (%d/%d)", decimal, r.Num, r.Den)
	}
	return strings.TrimSuffix(strings.TrimRight(decimal, "0"), ".")
}
