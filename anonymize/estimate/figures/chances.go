package figures

import (
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A Chance says that each of Count records has a property with probability P, independently.
type Chance struct {
	P     float64
	Count int
}

type ChanceList []Chance

// A Distribution has the probabilities of the numbers from From on; omitted ones are
// negligible.
type Distribution struct {
	From int
	P    []float64
}

// Number returns the distribution of the number of records with the property: a convolution of binomial
// distributions. It reorders the list. The result is valid until the next use of spare.
//
// Cost: proportional to the standard deviations of the different chances times that of the
// number; at most the square of the records.
func (l ChanceList) Number(spare *[2]Distribution) Distribution {
	slices.SortFunc(l, func(x, y Chance) int {
		switch {
		case x.P < y.P:
			return -1
		case x.P > y.P:
			return 1
		}
		return 0
	})
	sum := Distribution{0, append(spare[0].P[:0], 1)}
	for i := 0; i < len(l); {
		count, p := 0, l[i].P
		for ; i < len(l) && l[i].P == p; i++ {
			count += l[i].Count
		}
		switch {
		case p <= 0:
		case p >= 1:
			sum.From += count
		case count == 1:
			sum.toss(p)
		default:
			spare[1].fillBinomial(count, p)
			sum = sum.plus(spare[1])
		}
		sum.trim()
	}
	spare[0] = sum
	return sum
}

// toss adds one record with probability p, 0 < p < 1.
func (d *Distribution) toss(p float64) {
	d.P = append(d.P, 0)
	for n := len(d.P) - 1; n > 0; n-- {
		d.P[n] = d.P[n]*(1-p) + d.P[n-1]*p
	}
	d.P[0] *= 1 - p
}

// plus returns the distribution of the sum of independent numbers.
func (d Distribution) plus(other Distribution) Distribution {
	if len(d.P) == 1 && d.P[0] == 1 {
		return Distribution{d.From + other.From, append(d.P[:0], other.P...)}
	}
	sum := make([]float64, len(d.P)+len(other.P)-1)
	for i, p := range d.P {
		for j, q := range other.P {
			sum[i+j] += p * q
		}
	}
	return Distribution{d.From + other.From, sum}
}

// trim removes negligible probabilities at both ends.
func (d *Distribution) trim() {
	for len(d.P) > 1 && d.P[len(d.P)-1] < trimmed {
		d.P = d.P[:len(d.P)-1]
	}
	first := 0
	for first < len(d.P)-1 && d.P[first] < trimmed {
		first++
	}
	if first > 0 {
		d.From += first
		d.P = append(d.P[:0], d.P[first:]...)
	}
}

// trimmed is a probability so small that the sum of a million such is negligible.
const trimmed = 1e-24

// fillBinomial sets d to the binomial distribution of n records with probability 0 < p < 1. It
// uses ratios of neighbours: the probability of 0 may be too small for a float64.
func (d *Distribution) fillBinomial(n int, p float64) {
	mode := min(n, int(float64(n+1)*p))
	d.fillFrom(mode, 0, n, func(k int) float64 { return float64(n-k) / float64(k+1) * (p / (1 - p)) })
}

// fillHypergeometric sets d to the distribution of the number of common elements of a fixed set
// of c and a random set of n out of m.
func (d *Distribution) fillHypergeometric(m, c, n int) {
	least, most := max(0, c+n-m), min(c, n)
	mode := min(most, max(least, int(float64(c+1)*float64(n+1)/float64(m+2))))
	d.fillFrom(mode, least, most, func(k int) float64 {
		return float64(c-k) * float64(n-k) / (float64(k+1) * float64(m-c-n+k+1))
	})
}

// fillFrom fills d from the mode to both sides; ratio(k) is P(k+1)/P(k).
func (d *Distribution) fillFrom(mode, least, most int, ratio func(k int) float64) {
	d.P = d.P[:0]
	low, p := mode, 1.0
	for low > least && p > trimmed {
		low--
		p /= ratio(low)
		d.P = append(d.P, p)
	}
	slices.Reverse(d.P)
	d.From, d.P = low, append(d.P, 1)
	p = 1
	for k := mode; k < most && p > trimmed; k++ {
		p *= ratio(k)
		d.P = append(d.P, p)
	}
	sum := 0.0
	for _, p := range d.P {
		sum += p
	}
	for i := range d.P {
		d.P[i] /= sum
	}
}

// Intersect returns the distribution of the number of common records of two random sets of m
// records whose sizes have the given distributions. The result is newly allocated.
func (d Distribution) Intersect(other Distribution, m int, work *question.Checkpoint) (Distribution, error) {
	common := make([]float64, min(d.From+len(d.P), other.From+len(other.P)))
	var one Distribution
	for i, p := range d.P {
		for j, q := range other.P {
			if p == 0 || q == 0 {
				continue
			}
			one.fillHypergeometric(m, d.From+i, other.From+j)
			for k, x := range one.P {
				common[one.From+k] += p * q * x
			}
			if err := work.Pass(len(one.P)); err != nil {
				return Distribution{}, err
			}
		}
	}
	result := Distribution{0, common}
	result.trim()
	return result, nil
}

// An Avoidance is the probability, by n, that a random set of n of m records has none in common
// with another random set, whose size c is random, too:
//
//	h(n) = sum_c P(c) (m-c)(m-c-1)...(m-c-n+1) / (m (m-1) ... (m-n+1))
//
// Each n costs time proportional to the remaining sizes c.
type Avoidance struct {
	M      int
	Common []commonChance
	h      []float64
}

// A commonChance is a size c with its summand of h(n).
type commonChance struct {
	c       int
	summand float64
}

func NewAvoidance(m int, number Distribution) *Avoidance {
	v := &Avoidance{M: m, h: []float64{1}}
	for i, p := range number.P {
		v.Common = append(v.Common, commonChance{number.From + i, p})
	}
	return v
}

func (v *Avoidance) Probability(n int) float64 {
	for at := len(v.h) - 1; at < n; at++ {
		total := 0.0
		for i := range v.Common {
			x := &v.Common[i]
			x.summand *= max(0, float64(v.M-x.c-at)) / float64(v.M-at)
			total += x.summand
		}
		v.Common = slices.DeleteFunc(v.Common, func(x commonChance) bool { return x.summand < math.SmallestNonzeroFloat64 })
		v.h = append(v.h, total)
	}
	return v.h[n]
}

// Convolve returns the distribution of the sum of two independent numbers, restricted to sums
// below length. A nil a stands for the number 0. Convolve may reuse a.
func Convolve(a, b []float64, length int) []float64 {
	b = b[:min(len(b), length)]
	for len(b) > 1 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	if a == nil {
		return slices.Clone(b)
	}
	have := len(a)
	for len(a) < min(have+len(b)-1, length) {
		a = append(a, 0)
	}
	for n := len(a) - 1; n >= 0; n-- { // downwards, so that it reads unmodified entries only
		sum := 0.0
		for i := max(0, n-have+1); i < min(len(b), n+1); i++ {
			sum += a[n-i] * b[i]
		}
		a[n] = sum
	}
	return a
}
