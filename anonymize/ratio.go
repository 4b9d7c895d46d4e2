package anonymize

import (
	"cmp"
	"fmt"
	"math/big"
	"math/bits"
	"strings"
)

// A Ratio is an exact non-negative threshold such as 0.05 or 1/3. Thresholds are never compared
// as binary floats: with 0.1 as a float, 1 of 10 records would exceed it in some arithmetic and
// not in another.
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

// ParseRatio parses "0.05", "5e-2" or "1/3". It refuses negative numbers and numbers whose
// numerator or denominator exceeds 64 bits.
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

// MustRatio is ParseRatio for constants in programs and tests; it panics on errors.
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
	if order := cmp.Compare(leftHigh, rightHigh); order != 0 {
		return order
	}
	return cmp.Compare(leftLow, rightLow)
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

// String returns a decimal of up to eight places if that is exact, else four digits and the
// fraction: "0.25", "0.3333 (1/3)". It is for people; ParseRatio cannot read it, but can read
// Text.
func (r Ratio) String() string {
	if r.Den == 0 {
		return "0"
	}
	if decimal, exact := r.decimal(8, false); exact {
		return decimal
	}
	decimal := fmt.Sprintf("%.4f", r.Float())
	if decimal == "0.0000" {
		decimal = fmt.Sprintf("%.4g", r.Float())
	}
	return fmt.Sprintf("%s (%d/%d)", decimal, r.Num, r.Den)
}

// Text returns r in the exact form that ParseRatio reads: "0.25", "1/3".
func (r Ratio) Text() string {
	if decimal, exact := r.decimal(8, false); exact {
		return decimal
	}
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}

// RoundUp returns the least decimal of four digits that is not below r. A user who copies it
// from a message as a bound keeps to r.
func (r Ratio) RoundUp() string {
	decimal, _ := r.decimal(r.places(), true)
	return decimal
}

// RoundDown returns the greatest decimal of four digits that is not above r.
func (r Ratio) RoundDown() string {
	decimal, _ := r.decimal(r.places(), false)
	return decimal
}

// places returns the number of decimal places that show four significant digits.
func (r Ratio) places() int {
	places := 4
	for x := r.Float(); x > 0 && x < 0.1; x *= 10 {
		places++
	}
	return places
}

// decimal rounds r to a number of places, down or up.
func (r Ratio) decimal(places int, up bool) (text string, exact bool) {
	if r.Den == 0 {
		return "0", true
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	scaled := new(big.Int).Mul(new(big.Int).SetUint64(r.Num), scale)
	quotient, rest := scaled.QuoRem(scaled, new(big.Int).SetUint64(r.Den), new(big.Int))
	exact = rest.Sign() == 0
	if up && !exact {
		quotient.Add(quotient, big.NewInt(1))
	}
	text = new(big.Rat).SetFrac(quotient, scale).FloatString(places)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), "."), exact
}
