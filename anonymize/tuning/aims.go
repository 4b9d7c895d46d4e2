package tuning

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// Aims are an owner's possible goals. Each selects the best of some trials that are choices.
var Aims = []struct {
	Name string
	Of   func(trials []Trial) *Trial
}{{"protection", Safest}, {"balance", Balanced}, {"precision", MostPrecise}}

// Safest returns the trial of least risk, the least loss on a tie.
func Safest(trials []Trial) *Trial {
	return leastTrial(trials, func(t *Trial) (float64, float64) { return t.Risk, t.Loss })
}

// MostPrecise returns the trial of least loss, the least risk on a tie.
func MostPrecise(trials []Trial) *Trial {
	return leastTrial(trials, func(t *Trial) (float64, float64) { return t.Loss, t.Risk })
}

// indistinct is a difference of distances that a sample cannot distinguish.
const indistinct = 0.05

// Balanced returns the trial nearest to the ideal one with both the least risk and the least loss; distances are in units of the
// differences between the safest and the most precise trial. Among about equally near ones it prefers the greatest l, or 1/beta, which promises most.
func Balanced(trials []Trial) *Trial {
	low, high := Safest(trials), MostPrecise(trials)
	share := func(v, from, to float64) float64 {
		if to <= from {
			return 0
		}
		return (v - from) / (to - from)
	}
	distance := func(t *Trial) float64 {
		return math.Hypot(share(t.Risk, low.Risk, high.Risk), share(t.Loss, high.Loss, low.Loss))
	}
	nearest := leastTrial(trials, func(t *Trial) (float64, float64) { return distance(t), t.Risk })
	return leastTrial(trials, func(t *Trial) (float64, float64) {
		if t == nearest || t.Method.Name == nearest.Method.Name && distance(t) < distance(nearest)+indistinct {
			return -diversity(t), distance(t)
		}
		return math.Inf(1), 0
	})
}

// diversity returns the l of a trial, 1/beta if its method has beta instead, 0 if it has neither.
func diversity(t *Trial) float64 {
	if l, err := anonymize.ParseRatio(t.Arguments["l"]); err == nil {
		return l.Float()
	}
	if beta, err := anonymize.ParseRatio(t.Arguments["beta"]); err == nil {
		return 1 / beta.Float()
	}
	return 0
}

// leastTrial returns the first trial with the least figures.
func leastTrial(trials []Trial, figures func(t *Trial) (first, second float64)) *Trial {
	best := &trials[0]
	for i := range trials {
		a, b := figures(&trials[i])
		if c, d := figures(best); a < c || a == c && b < d {
			best = &trials[i]
		}
	}
	return best
}
