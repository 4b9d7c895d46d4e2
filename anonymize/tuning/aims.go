package tuning

import (
	"math"

	"github.com/anonsql/anonsql/anonymize"
)

// Aims are what an owner may want most: which of some trials that are choices serves it best.
var Aims = []struct {
	Name string
	Of   func(trials []Trial) *Trial
}{{"protection", Safest}, {"balance", Balanced}, {"precision", MostPrecise}}

// Safest has the least risk of some trials that are choices; among equal ones the least loss.
func Safest(trials []Trial) *Trial {
	return leastTrial(trials, func(t *Trial) (float64, float64) { return t.Risk, t.Loss })
}

// MostPrecise has the least loss; among equal ones the least risk.
func MostPrecise(trials []Trial) *Trial {
	return leastTrial(trials, func(t *Trial) (float64, float64) { return t.Loss, t.Risk })
}

// indistinct is by how much distances differ that a sample does not tell apart.
const indistinct = 0.05

// Balanced is nearest to a choice that would be safest and most precise, where the distance between these two is 1 in both figures.
// Of those that are about as near the one is taken whose l is greatest: it promises most.
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

// diversity is the l of a trial, 0 where its method has none.
func diversity(t *Trial) float64 {
	l, err := anonymize.ParseRatio(t.Arguments["l"])
	if err != nil {
		return 0
	}
	return l.Float()
}

// leastTrial is the first trial with the least figures.
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
