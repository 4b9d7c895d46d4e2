package estimate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// at is the probability of a number.
func (d distribution) at(n int) float64 {
	if n < d.from || n >= d.from+len(d.p) {
		return 0
	}
	return d.p[n-d.from]
}

// Numbers of records with chances are what tossing one after the other gives.
func TestChances(t *testing.T) {
	random := rand.New(rand.NewPCG(51, 52))
	var spare [2]distribution
	for trial := range trials(300) {
		var list chanceList
		want := []float64{1}
		for range random.IntN(6) {
			x := chance{[]float64{0, 1, 0.5, random.Float64(), random.Float64() * 1e-9}[random.IntN(5)], 1 + random.IntN(12)}
			list = append(list, x)
			for range x.count {
				want = append(want, 0)
				for n := len(want) - 1; n > 0; n-- {
					want[n] = want[n]*(1-x.p) + want[n-1]*x.p
				}
				want[0] *= 1 - x.p
			}
		}
		got := list.number(&spare)
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
	for trial := range trials(200) {
		m := 1 + random.IntN(20)
		if trial%50 == 0 {
			m = 3_000
		}
		var spare [2]distribution
		draw := func() distribution {
			n := random.IntN(m + 1)
			d := chanceList{{1, n / 2}, {random.Float64(), n - n/2}}.number(&spare)
			return distribution{d.from, append([]float64(nil), d.p...)}
		}
		x, y := draw(), draw()
		work := &checkpoint{ctx: context.Background()}
		both, err := x.intersect(y, m, work)
		if err != nil {
			t.Fatal(err)
		}
		total, mean := both.mean()
		_, meanX := x.mean()
		_, meanY := y.mean()
		if want := meanX * meanY / float64(m); math.Abs(total-1) > 1e-12 || math.Abs(mean-want) > 1e-9*(1+want) {
			t.Fatalf("trial %d: %v in all, mean %v, want 1, %v", trial, total, mean, want)
		}
		none, avoiding := 0.0, newAvoidance(m, x)
		for i, p := range y.p {
			none += p * avoiding.probability(y.from+i)
		}
		if math.Abs(none-both.at(0)) > 1e-12 {
			t.Fatalf("trial %d: none with probability %v, %v", trial, none, both.at(0))
		}
	}
}

func (d distribution) mean() (total, mean float64) {
	for i, p := range d.p {
		total += p
		mean += p * float64(d.from+i)
	}
	return total, mean
}
