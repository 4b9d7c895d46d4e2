package figures

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/testsize"
)

// at is the probability of a number.
func (d Distribution) at(n int) float64 {
	if n < d.From || n >= d.From+len(d.P) {
		return 0
	}
	return d.P[n-d.From]
}

// Numbers of records with chances are what tossing one after the other gives.
func TestChances(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 52))
	var spare [2]Distribution
	for trial := range testsize.Levels(10, 25, 300) {
		var list ChanceList
		want := []float64{1}
		for range random.IntN(6) {
			x := Chance{[]float64{0, 1, 0.5, random.Float64(), random.Float64() * 1e-9}[random.IntN(5)], 1 + random.IntN(12)}
			list = append(list, x)
			for range x.Count {
				want = append(want, 0)
				for n := len(want) - 1; n > 0; n-- {
					want[n] = want[n]*(1-x.P) + want[n-1]*x.P
				}
				want[0] *= 1 - x.P
			}
		}
		got := list.Number(&spare)
		for n, p := range want {
			if math.Abs(got.at(n)-p) > 1e-13 {
				t.Fatalf("trial %d: P(%d) = %v, want %v, of %v", trial, n, got.at(n), p, list)
			}
		}
	}
}

// Common records of random sets: all is 1, the mean is the product of the means over
// m, and what avoids them is the probability of none, also where single probabilities
// are below what a float64 holds.
func TestIntersections(t *testing.T) {
	random := rand.New(rand.NewPCG(53, 54))
	for trial := range testsize.Levels(8, 17, 200) {
		m := 1 + random.IntN(20)
		if trial%50 == 0 {
			m = 3_000
		}
		var spare [2]Distribution
		draw := func() Distribution {
			n := random.IntN(m + 1)
			d := ChanceList{{1, n / 2}, {random.Float64(), n - n/2}}.Number(&spare)
			return Distribution{d.From, append([]float64(nil), d.P...)}
		}
		x, y := draw(), draw()
		work := &question.Checkpoint{Ctx: context.Background()}
		both, err := x.Intersect(y, m, work)
		if err != nil {
			t.Fatal(err)
		}
		total, mean := both.mean()
		_, meanX := x.mean()
		_, meanY := y.mean()
		if want := meanX * meanY / float64(m); math.Abs(total-1) > 1e-12 || math.Abs(mean-want) > 1e-9*(1+want) {
			t.Fatalf("trial %d: %v in all, mean %v, want 1, %v", trial, total, mean, want)
		}
		none, avoiding := 0.0, NewAvoidance(m, x)
		for i, p := range y.P {
			none += p * avoiding.Probability(y.From+i)
		}
		if math.Abs(none-both.at(0)) > 1e-12 {
			t.Fatalf("trial %d: none with probability %v, %v", trial, none, both.at(0))
		}
	}
}

func (d Distribution) mean() (total, mean float64) {
	for i, p := range d.P {
		total += p
		mean += p * float64(d.From+i)
	}
	return total, mean
}

// The number of common places of two random subsets, against counting.
func TestHypergeometric(t *testing.T) {
	for m := 1; m <= 6; m++ {
		for c := 0; c <= m; c++ {
			for n := 0; n <= m; n++ {
				want, got := make([]float64, m+1), Distribution{}
				subsets := 0.0
				for bits := range 1 << m {
					size, common := 0, 0
					for i := range m {
						if bits>>i&1 == 1 {
							size++
							if i < c {
								common++
							}
						}
					}
					if size == n {
						want[common]++
						subsets++
					}
				}
				got.fillHypergeometric(m, c, n)
				for k := range want {
					if math.Abs(got.at(k)-want[k]/subsets) > 1e-12 {
						t.Fatalf("m=%d c=%d n=%d k=%d: %v, counted %v", m, c, n, k, got.at(k), want[k]/subsets)
					}
				}
			}
		}
	}
}
