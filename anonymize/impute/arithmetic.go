package impute

import (
	"math"
	"math/rand/v2"
)

// These functions give the same results on every architecture. The standard library's math.Exp
// and math.Log have implementations that differ in the last bit, and a compiler may fuse a
// product with a sum unless a conversion separates them (Go specification, "Floating-point
// operators").

// exponential returns e^x for x <= 0 with a relative error below 3e-7, and 0 below -87.
//
// It uses e^x = 2^k e^r with |r| <= ln(2)/2, and the Taylor polynomial of degree 6 for e^r.
func exponential(x float32) float32 {
	if x < -87 {
		return 0
	}
	const (
		ln2High = 0.693359375 // its product with a small integer is exact
		ln2Low  = -2.12194440e-4
	)
	k := int32(float32(x*math.Log2E) - 0.5) // rounds to nearest, since x <= 0
	whole := float32(k)
	r := x - float32(whole*ln2High)
	r -= float32(whole * ln2Low)
	p := float32(r*(1.0/720)) + 1.0/120
	p = float32(p*r) + 1.0/24
	p = float32(p*r) + 1.0/6
	p = float32(p*r) + 0.5
	p = float32(p*r) + 1
	p = float32(p*r) + 1
	return math.Float32frombits(uint32(int32(math.Float32bits(p)) + k<<23))
}

// antilogarithm returns e^x, 0 below -87 and infinity above 87.
func antilogarithm(x float32) float32 {
	if x <= 0 {
		return exponential(x)
	}
	return 1 / exponential(-x)
}

// logarithm returns ln(x) for a positive normal x with an error below 1e-6 (1 + |ln x|). It
// applies Newton's iteration to exponential for the mantissa.
func logarithm(x float32) float32 {
	bits := math.Float32bits(x)
	exponent := float32(int(bits>>23) - 127)
	mantissa := math.Float32frombits(bits&(1<<23-1) | 127<<23) // 1 <= mantissa < 2
	y := float32((mantissa - 1) * 0.7)
	for range 4 {
		y += float32(mantissa*exponential(-y)) - 1
	}
	return y + float32(exponent*math.Ln2)
}

// unit returns a random number above 0 and up to 1.
func unit(random *rand.Rand) float32 { return float32(random.Uint32()>>8+1) / (1 << 24) }

// signedUnit returns a random number from -1 to below 1.
func signedUnit(random *rand.Rand) float32 {
	return float32(int32(random.Uint32()>>8)-1<<23) / (1 << 23)
}

// exponentialVariate draws from the exponential distribution of mean 1.
func exponentialVariate(random *rand.Rand) float32 { return -logarithm(unit(random)) }

// normalVariate draws from the standard normal distribution (Marsaglia's polar method, 1964).
// It uses one variate of each pair.
func normalVariate(random *rand.Rand) float32 {
	for {
		u, v := signedUnit(random), signedUnit(random)
		s := float32(u*u) + float32(v*v)
		if s > 0 && s < 1 {
			return u * float32(math.Sqrt(float64(-2*logarithm(s)/s)))
		}
	}
}

// square returns x^2 and prevents fusing.
func square(x float64) float64 { return float64(x * x) }
