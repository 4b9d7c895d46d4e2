package risk

import (
	"errors"
	"math"
)

// SlideNegativeBinomial estimates the number of population uniques: Chen and Keller-McNulty,
// "Estimation of Identification Disclosure Risk in Microdata" (Journal of Official Statistics
// 14(1), 1998). A class of the population has 1 + X persons, with X negative binomial with
// alpha and beta; each person is drawn with the sampling fraction f. With
//
//	D = 1 - (1 - f)(1 - beta),   r = f (1 - beta)/D
//
// a class of the population has one person in the sample with probability P_1 and two with P_2:
//
//	P_1 = (beta/D)^alpha (f + (1 - f) alpha r)
//	P_2 = (beta/D)^alpha (f alpha r + (1 - f) alpha (alpha + 1) r^2/2)
//
// Shlosser's estimator gives the total number K of classes; alpha and beta solve K P_1 = S_1
// and K P_2 = S_2, the sample's classes of one and two. The estimate is K beta^alpha.
//
// It fails if there is no solution, as for samples without pairs. Of several solutions, it
// takes the one near the mean class size (DEVIATIONS.md, 154).
func SlideNegativeBinomial(sizes []SizeCount, population uint64) (float64, error) {
	s, err := newSample(sizes, population)
	if err != nil || s.uniques == 0 {
		return 0, err
	}
	if s.fraction == 1 {
		return s.uniques, nil
	}
	k := s.shlosser()
	if s.pairs == 0 || !(k >= s.classes) || k > s.population {
		return 0, errors.New("the slide negative binomial model has no solution for these classes")
	}
	once, twice := s.uniques/k, s.pairs/k
	// Start from the mean size of a class, N/K = 1 + alpha (1 - beta)/beta.
	mean := max(s.population/k-1, 1e-9)
	for _, beta := range []float64{0.5, 0.1, 0.9, 0.01, 0.99, 0.001, 0.999} {
		start := slide{math.Log(mean * beta / (1 - beta)), logit(beta)}
		if found, ok := start.solve(s.fraction, once, twice); ok {
			return k * math.Exp(math.Exp(found.logAlpha)*math.Log(found.beta())), nil
		}
	}
	return 0, errors.New("the slide negative binomial model has no solution for these classes")
}

// shlosser estimates the number of classes in the population: Haas and Stokes, "Estimating the
// Number of Classes in a Finite Population" (JASA 93, 1998), the third of the estimators based
// on Shlosser (1981).
func (s *sample) shlosser() float64 {
	var a, b, c, d float64
	f := s.fraction
	for _, size := range s.sizes {
		i, n := float64(size.Size), float64(size.Classes)
		missed := math.Pow(1-f, i)
		a += i * f * f * math.Pow(1-f*f, i-1) * n
		b += (math.Pow(1-f*f, i) - missed) * n // missed ((1+f)^i - 1), which for a large class would be 0 times infinity
		c += missed * n
		d += i * f * math.Pow(1-f, i-1) * n
	}
	return s.classes + s.uniques*(a/b)*(c/d)*(c/d)
}

// slide has alpha and beta, transformed to unbounded numbers.
type slide struct{ logAlpha, logitBeta float64 }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

func (x slide) beta() float64 { return 1 / (1 + math.Exp(-x.logitBeta)) }

// drawn returns P_1 and P_2.
func (x slide) drawn(f float64) (once, twice float64) {
	alpha, beta := math.Exp(x.logAlpha), x.beta()
	d := 1 - (1-f)*(1-beta)
	r := f * (1 - beta) / d
	none := math.Exp(alpha * math.Log(beta/d))
	return none * (f + (1-f)*alpha*r), none * (f*alpha*r + (1-f)*alpha*(alpha+1)*r*r/2)
}

// solve applies Newton's method; it halves steps until both logarithms improve.
func (x slide) solve(f, once, twice float64) (slide, bool) {
	miss := func(x slide) (a, b float64) {
		p, q := x.drawn(f)
		return math.Log(p / once), math.Log(q / twice)
	}
	a, b := miss(x)
	for range 200 {
		if math.Abs(a)+math.Abs(b) < 1e-10 {
			return x, true
		}
		const h = 1e-6
		aAlpha, bAlpha := miss(slide{x.logAlpha + h, x.logitBeta})
		aBeta, bBeta := miss(slide{x.logAlpha, x.logitBeta + h})
		aa, ab, ba, bb := (aAlpha-a)/h, (aBeta-a)/h, (bAlpha-b)/h, (bBeta-b)/h
		determinant := aa*bb - ab*ba
		dAlpha, dBeta := (b*ab-a*bb)/determinant, (a*ba-b*aa)/determinant
		nearer := false
		for scale := 1.0; scale > 1e-8 && !nearer; scale /= 2 {
			next := slide{x.logAlpha + scale*dAlpha, x.logitBeta + scale*dBeta}
			if na, nb := miss(next); math.Abs(na)+math.Abs(nb) < math.Abs(a)+math.Abs(b) {
				x, a, b, nearer = next, na, nb, true
			}
		}
		if !nearer {
			return x, math.Abs(a)+math.Abs(b) < 1e-7
		}
	}
	return x, false
}
