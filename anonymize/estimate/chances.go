package estimate

import (
	"math"
	"slices"
)

// A chance is that of each of count records to have something, independently.
type chance struct {
	p     float64
	count int
}

type chanceList []chance

// A distribution has the probabilities of the numbers from from on; those left out
// are negligible.
type distribution struct {
	from int
	p    []float64
}

// number is the distribution of how many records have it: a convolution of binomial
// ones. It reorders the list. The result is in spare, until the next call.
//
// Cost: the standard deviations of the different chances times that of the number,
// by some constants; never more than the square of the records.
func (l chanceList) number(spare *[2]distribution) distribution {
	slices.SortFunc(l, func(x, y chance) int {
		switch {
		case x.p < y.p:
			return -1
		case x.p > y.p:
			return 1
		}
		return 0
	})
	sum := distribution{0, append(spare[0].p[:0], 1)}
	for i := 0; i < len(l); {
		count, p := 0, l[i].p
		for ; i < len(l) && l[i].p == p; i++ {
			count += l[i].count
		}
		switch {
		case p <= 0:
		case p >= 1:
			sum.from += count
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
func (d *distribution) toss(p float64) {
	d.p = append(d.p, 0)
	for n := len(d.p) - 1; n > 0; n-- {
		d.p[n] = d.p[n]*(1-p) + d.p[n-1]*p
	}
	d.p[0] *= 1 - p
}

// plus is the distribution of the sum of independent numbers.
func (d distribution) plus(other distribution) distribution {
	if len(d.p) == 1 && d.p[0] == 1 {
		return distribution{d.from + other.from, append(d.p[:0], other.p...)}
	}
	sum := make([]float64, len(d.p)+len(other.p)-1)
	for i, p := range d.p {
		for j, q := range other.p {
			sum[i+j] += p * q
		}
	}
	return distribution{d.from + other.from, sum}
}

// trim leaves out what is negligible, at both ends.
func (d *distribution) trim() {
	for len(d.p) > 1 && d.p[len(d.p)-1] < trimmed {
		d.p = d.p[:len(d.p)-1]
	}
	first := 0
	for first < len(d.p)-1 && d.p[first] < trimmed {
		first++
	}
	if first > 0 {
		d.from += first
		d.p = append(d.p[:0], d.p[first:]...)
	}
}

// trimmed is so small a probability that a million of them are nothing.
const trimmed = 1e-24

// fillBinomial makes d that of n records with probability 0 < p < 1, by the ratios of
// neighbours: numbers far from the likeliest may be too small for a float64.
func (d *distribution) fillBinomial(n int, p float64) {
	mode := min(n, int(float64(n+1)*p))
	d.fillFrom(mode, 0, n, func(k int) float64 { return float64(n-k) / float64(k+1) * (p / (1 - p)) })
}

// fillHypergeometric makes d that of the number of common elements of a fixed set of
// c and a random set of n out of m.
func (d *distribution) fillHypergeometric(m, c, n int) {
	least, most := max(0, c+n-m), min(c, n)
	mode := min(most, max(least, int(float64(c+1)*float64(n+1)/float64(m+2))))
	d.fillFrom(mode, least, most, func(k int) float64 {
		return float64(c-k) * float64(n-k) / (float64(k+1) * float64(m-c-n+k+1))
	})
}

// fillFrom walks from the likeliest number to both sides; ratio(k) is P(k+1)/P(k).
func (d *distribution) fillFrom(mode, least, most int, ratio func(k int) float64) {
	d.p = d.p[:0]
	low, p := mode, 1.0
	for low > least && p > trimmed {
		low--
		p /= ratio(low)
		d.p = append(d.p, p)
	}
	slices.Reverse(d.p)
	d.from, d.p = low, append(d.p, 1)
	p = 1
	for k := mode; k < most && p > trimmed; k++ {
		p *= ratio(k)
		d.p = append(d.p, p)
	}
	sum := 0.0
	for _, p := range d.p {
		sum += p
	}
	for i := range d.p {
		d.p[i] /= sum
	}
}

// intersect is the distribution of the number of common records, out of m, of two
// random sets whose numbers have distributions. The result is nobody's scratch.
func (d distribution) intersect(other distribution, m int, work *checkpoint) (distribution, error) {
	common := make([]float64, min(d.from+len(d.p), other.from+len(other.p)))
	var one distribution
	for i, p := range d.p {
		for j, q := range other.p {
			if p == 0 || q == 0 {
				continue
			}
			one.fillHypergeometric(m, d.from+i, other.from+j)
			for k, x := range one.p {
				common[one.from+k] += p * q * x
			}
			if err := work.pass(len(one.p)); err != nil {
				return distribution{}, err
			}
		}
	}
	result := distribution{0, common}
	result.trim()
	return result, nil
}

// An avoidance is the probability that a random set of n of m records has none in
// common with another, of which the number is random too, by n:
//
//	h(n) = sum_c P(c) (m-c)(m-c-1)...(m-c-n+1) / (m (m-1) ... (m-n+1))
//
// Every n costs the numbers c that are left.
type avoidance struct {
	m      int
	common []commonChance
	h      []float64
}

// A commonChance is a number c, with its summand of h(n).
type commonChance struct {
	c       int
	summand float64
}

func newAvoidance(m int, number distribution) *avoidance {
	v := &avoidance{m: m, h: []float64{1}}
	for i, p := range number.p {
		v.common = append(v.common, commonChance{number.from + i, p})
	}
	return v
}

func (v *avoidance) probability(n int) float64 {
	for at := len(v.h) - 1; at < n; at++ {
		total := 0.0
		for i := range v.common {
			x := &v.common[i]
			x.summand *= max(0, float64(v.m-x.c-at)) / float64(v.m-at)
			total += x.summand
		}
		v.common = slices.DeleteFunc(v.common, func(x commonChance) bool { return x.summand < math.SmallestNonzeroFloat64 })
		v.h = append(v.h, total)
	}
	return v.h[n]
}
