package risk

import (
	"math"
	"testing"
)

// Deviation 153: the mean number of classes of one among N, and not its limit. They agree for
// large populations; of small ones the limit has more uniques than persons.
func TestDeviation153_PitmanMeanNotLimit(t *testing.T) {
	limit := func(theta, alpha, n float64) float64 {
		return math.Exp(logGamma(theta+1)-logGamma(theta+alpha)) * math.Pow(n, alpha)
	}
	for _, c := range []struct{ theta, alpha, n, relative float64 }{{50, 0.6, 1e7, 1e-4}, {3, 0.9, 1e6, 1e-4}, {0.5, 0.2, 1e6, 1e-4}} {
		if got, want := meanUniques(c.theta, c.alpha, c.n), limit(c.theta, c.alpha, c.n); math.Abs(got-want) > c.relative*want {
			t.Errorf("%+v: %v, in the limit %v", c, got, want)
		}
	}
	if got, persons := meanUniques(5000, 0.5, 100), 100.0; got > persons || limit(5000, 0.5, persons) < persons {
		t.Errorf("%v of %v persons, the limit is %v", got, persons, limit(5000, 0.5, persons))
	}
}

// Deviation 154: where the equations have several solutions the one is taken that Newton's
// method reaches from the mean size of a class. It has the right mean where the model is
// true.
func TestDeviation154_SolutionNearTheMean(t *testing.T) {
	for _, c := range []struct{ alpha, beta, f float64 }{{1, 0.4, 0.5}, {2, 0.3, 0.2}, {0.5, 0.2, 0.3}} {
		// A sample that is exactly as the model expects, of 10^6 classes.
		const k = 1e6
		p := slide{math.Log(c.alpha), logit(c.beta)}
		once, twice := p.drawn(c.f)
		mean := c.alpha * (1 - c.beta) / c.beta
		found, ok := slide{math.Log(mean), 0}.solve(c.f, once, twice)
		if got, want := k*math.Pow(found.beta(), math.Exp(found.logAlpha)), k*math.Pow(c.beta, c.alpha); !ok || math.Abs(got-want) > 1e-3*want {
			t.Errorf("%+v: %.0f uniques, want %.0f (%v)", c, got, want, ok)
		}
	}
}
