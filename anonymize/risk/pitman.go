package risk

import (
	"errors"
	"math"
)

// Pitman estimates the number of population uniques by Pitman's sampling formula: Hoshino,
// "Applying Pitman's Sampling Formula to Microdata Disclosure Risk Assessment" (Journal of
// Official Statistics 17(4), 2001). The parameters alpha in (0, 1) and theta > -alpha maximize
// the likelihood,
//
//	sum_{i<u} ln(theta + i alpha) - sum_{i<n} ln(theta + i) + sum_j S_j sum_{i<j} ln(i - alpha),
//
// for u classes of n records, S_j of them with j records. The estimate is the expected number
// of classes of one among N,
//
//	N Gamma(theta + alpha + N - 1) Gamma(theta + 1) / (Gamma(theta + alpha) Gamma(theta + N)),
//
// for which Hoshino gives the limit N^alpha Gamma(theta + 1)/Gamma(theta + alpha) (DEVIATIONS.md, 153).
//
// It suits data with many small and some large classes. It fails if the likelihood has no
// interior maximum: if every record is unique, if none is, or if class sizes are too similar.
func Pitman(sizes []SizeCount, population uint64) (float64, error) {
	s, err := newSample(sizes, population)
	if err != nil {
		return 0, err
	}
	if s.uniques == s.records {
		return 0, errors.New("every record is unique: nothing tells how many share their quasi-identifiers in the population")
	}
	if s.uniques == 0 {
		return 0, nil
	}
	theta := 0.0
	alpha := maximize(func(alpha float64) (likelihood float64) {
		theta, likelihood = s.theta(alpha)
		return likelihood
	}, minAlpha, 1-minAlpha)
	theta, _ = s.theta(alpha)
	if alpha < 2*minAlpha || alpha > 1-2*minAlpha || theta+alpha < 2*minAlpha {
		return 0, errors.New("the likelihood of the Pitman model has no maximum for these classes")
	}
	return meanUniques(theta, alpha, float64(population)), nil
}

// meanUniques returns the expected number of classes of one among n persons.
func meanUniques(theta, alpha, n float64) float64 {
	return math.Exp(math.Log(n) + logGamma(theta+alpha+n-1) + logGamma(theta+1) - logGamma(theta+alpha) - logGamma(theta+n))
}

// minAlpha is the least distance of alpha from the ends of its range.
const minAlpha = 1e-6

// theta returns the theta that maximizes the likelihood for an alpha, and the likelihood. It
// searches over the logarithm of theta + alpha.
func (s *sample) theta(alpha float64) (theta, likelihood float64) {
	at := maximize(func(x float64) float64 { return s.likelihood(math.Exp(x)-alpha, alpha) }, math.Log(minAlpha), math.Log(1e3*s.records+10))
	theta = math.Exp(at) - alpha
	return theta, s.likelihood(theta, alpha)
}

// likelihood returns the log-likelihood without terms that do not depend on the parameters.
func (s *sample) likelihood(theta, alpha float64) float64 {
	l := (s.classes-1)*math.Log(alpha) + logGamma(theta/alpha+s.classes) - logGamma(theta/alpha+1)
	l -= logGamma(theta+s.records) - logGamma(theta+1)
	for _, c := range s.sizes {
		if c.Size > 1 {
			l += float64(c.Classes) * (logGamma(float64(c.Size)-alpha) - logGamma(1-alpha))
		}
	}
	return l
}

func logGamma(x float64) float64 {
	l, _ := math.Lgamma(x)
	return l
}

// golden is the golden ratio minus 1.
const golden = 0.6180339887498949

// maximize finds the maximum in [low, high] of f, which first rises and then falls: first among
// evenly spaced points, then by golden-section search around the best.
func maximize(f func(float64) float64, low, high float64) float64 {
	const points = 24
	step, best, most := (high-low)/points, low, math.Inf(-1)
	for i := range points + 1 {
		x := low + float64(i)*step
		if y := f(x); y > most {
			best, most = x, y
		}
	}
	low, high = max(low, best-step), min(high, best+step)
	a, b := high-golden*(high-low), low+golden*(high-low)
	fa, fb := f(a), f(b)
	for high-low > 1e-10*max(1, math.Abs(low)) {
		if fa > fb {
			high, b, fb = b, a, fa
			a = high - golden*(high-low)
			fa = f(a)
		} else {
			low, a, fa = a, b, fb
			b = low + golden*(high-low)
			fb = f(b)
		}
	}
	return (low + high) / 2
}
