package impute

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// pseudoLikelihood is the logarithm of the weighted product of the responses' conditional
// probabilities, in the simplest way.
func pseudoLikelihood(t *table, theta, bias []float32, weights []float32) float64 {
	width, sum := len(t.attributes), 0.0
	for g := range t.groups() {
		for slot := int(t.first[g]); slot < int(t.first[g+1]); slot++ {
			row := t.rows[slot*width:][:width]
			for i, a := range t.attributes {
				if a.first < t.responses {
					continue
				}
				exponent := func(v int) float64 {
					x := float64(bias[v-t.responses])
					for j, u := range row {
						if j != i {
							x += float64(theta[v*t.categories+int(u)])
						}
					}
					return x
				}
				total := 0.0
				for v := a.first; v < a.end; v++ {
					total += math.Exp(exponent(v))
				}
				sum += float64(weights[g]) * (exponent(int(row[i])) - math.Log(total))
			}
		}
	}
	return sum
}

// The score is the slope of the pseudo-likelihood, by differences.
func TestScore(t *testing.T) {
	for _, scale := range []float64{0.3, 60} { // where products are float32s, and where they are not
		t.Run(fmt.Sprint(scale), func(t *testing.T) { compareScore(t, scale) })
	}
}

func compareScore(t *testing.T, scale float64) {
	random := rand.New(rand.NewPCG(1, 9))
	l := sampleOf(t, 300)
	s := l.schema
	current := l.begin()
	current.shuffle(random)
	theta, bias, weights := randomTheta(s, scale, random), make([]float32, s.categories-s.responses), make([]float32, l.groups())
	for v := range bias {
		bias[v] = float32(random.NormFloat64())
	}
	f := factorsOf(l, theta)
	copy(f.bias, bias)
	f.refresh()
	score := s.newScore()
	for g := range weights {
		weights[g] = exponentialVariate(random)
		score.add(current, f, int(l.first[g]), int(l.first[g+1]), weights[g])
	}
	score.finish()
	slope := func(parameters ...*float32) float64 {
		const h = 1.0 / 64
		move := func(by float32) float64 {
			for _, p := range parameters {
				*p += by
			}
			return pseudoLikelihood(current, theta, bias, weights)
		}
		up := move(h)
		down := move(-2 * h)
		move(h)
		return (up - down) / (2 * h)
	}
	checked := 0
	for range 300 {
		u, v := random.IntN(s.categories), s.responses+random.IntN(len(bias))
		if s.attributeOf(u) == s.attributeOf(v) {
			continue
		}
		want := slope(&theta[u*s.categories+v], &theta[v*s.categories+u])
		got := float64(score.pair[u*len(bias)+v-s.responses])
		if u >= s.responses {
			got += float64(score.pair[v*len(bias)+u-s.responses])
		}
		if math.Abs(got-want) > 0.02+0.005*math.Abs(want) {
			t.Fatalf("theta[%d,%d]: %v, want %v", u, v, got, want)
		}
		checked++
	}
	for v := range bias {
		if got, want := float64(score.bias[v]), slope(&bias[v]); math.Abs(got-want) > 0.02+0.005*math.Abs(want) {
			t.Errorf("bias[%d]: %v, want %v", v, got, want)
		}
	}
	if checked < 100 {
		t.Errorf("%d slopes were compared", checked)
	}
}

// attributeOf returns the attribute of a category.
func (s *schema) attributeOf(category int) int {
	for i, a := range s.attributes {
		if a.first <= category && category < a.end {
			return i
		}
	}
	return -1
}

// The products of rows and the sums of lanes are those of the plain loops, to the bit,
// however many are taken in one pass.
func TestPasses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 10))
	const n = 9
	from := make([]float32, n)
	for i := range from {
		from[i] = random.Float32()
	}
	s := &score{excess: make([]uint64, n)}
	for i := range s.excess {
		s.excess[i] = random.Uint64()
	}
	var rows [][]float32
	for range 13 {
		want := append([]float32(nil), from...)
		left := rows
		for ; len(left) >= 3; left = left[3:] {
			for i := range want {
				want[i] *= left[0][i] * left[1][i] * left[2][i]
			}
		}
		for _, row := range left {
			for i := range want {
				want[i] *= row[i]
			}
		}
		got := make([]float32, n)
		multiplyAll(got, from, rows)
		if !slices.Equal(got, want) {
			t.Errorf("products of %d rows are %v, want %v", len(rows), got, want)
		}
		s.to = nil
		for range rows {
			s.to = append(s.to, make([]uint64, n))
		}
		s.spread()
		for i, lane := range s.to {
			if !slices.Equal(lane, s.excess) {
				t.Errorf("lane %d of %d has %v, want %v", i, len(rows), lane, s.excess)
			}
		}
		row := make([]float32, n)
		for i := range row {
			row[i] = random.Float32()
		}
		rows = append(rows, row)
	}
}
