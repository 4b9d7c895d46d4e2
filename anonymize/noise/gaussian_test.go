package noise_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// gaussians has the probabilities of 0, 1, 2, ... by the formula of the type.
func gaussians(variance float64) (p []float64) {
	sum := 0.0
	for k := range int(12*math.Sqrt(variance)) + 12 {
		x := math.Exp(-float64(k) * float64(k) / (2 * variance))
		p = append(p, x)
		if sum += x; k > 0 {
			sum += x
		}
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// 200,000 draws against the distribution, by chi-square over the values that 20 draws or more are expected of, and two tails; the bound is that of
// TestDrawsHaveTheDistribution.
func TestGaussiansHaveTheDistribution(t *testing.T) {
	const draws = 200_000
	for _, variance := range []uint64{1, 2, 9, 143, 410} {
		g, err := noise.NewGaussian(variance, rand.NewChaCha8([32]byte{39}))
		if err != nil {
			t.Fatal(err)
		}
		p := gaussians(float64(variance))
		end := int64(0)
		for draws*p[end+1] >= 20 {
			end++
		}
		seen := make([]float64, 2*end+3) // below -end, -end to end, above
		for range draws {
			k, err := g.Draw()
			if err != nil {
				t.Fatal(err)
			}
			seen[min(max(k, -end-1), end+1)+end+1]++
		}
		tail, square := 0.0, 0.0
		for _, x := range p[end+1:] {
			tail += x
		}
		for i, n := range seen {
			expected := draws * tail
			if k := max(int64(i)-end-1, end+1-int64(i)); k <= end {
				expected = draws * p[k]
			}
			square += (n - expected) * (n - expected) / expected
		}
		freedom := float64(len(seen) - 1)
		if limit := freedom + 6*math.Sqrt(2*freedom) + 10; square > limit {
			t.Errorf("variance %d: chi-square %.1f with %.0f degrees of freedom, must be below %.1f", variance, square, freedom, limit)
		}
	}
}

// The least and the largest variance draw numbers of the right size, within six standard errors of a mean square, which are sqrt(2/n) each.
func TestVarianceOfGaussians(t *testing.T) {
	const draws = 4000
	for _, variance := range []uint64{1, 8191 * 8191} {
		g, err := noise.NewGaussian(variance, rand.NewChaCha8([32]byte{7}))
		if err != nil {
			t.Fatal(err)
		}
		square := 0.0
		for range draws {
			k, err := g.Draw()
			if err != nil {
				t.Fatal(err)
			}
			square += float64(k) * float64(k) / draws
		}
		if got := square / float64(variance); math.Abs(got-1) > 6*math.Sqrt(2./draws) {
			t.Errorf("variance %d: the mean square is %.3f of it", variance, got)
		}
	}
	for _, variance := range []uint64{0, 8191*8191 + 1} {
		if _, err := noise.NewGaussian(variance, bytes.NewReader(nil)); err == nil {
			t.Errorf("the variance %d is admitted", variance)
		}
	}
	for b := range constant(2) {
		g, err := noise.NewGaussian(100, b*255)
		if err != nil {
			t.Fatal(err)
		}
		if k, err := g.Draw(); err == nil {
			t.Errorf("bytes of %d: %d", b*255, k)
		}
	}
}

// Ten tables at epsilon 1 and delta 10^-6 get a standard deviation of 20.3; one needs that of a hundredth of the records' squares. What is bounded
// is the delta of the Gaussian mechanism (Balle and Wang 2018, Theorem 5), which is less.
func TestVariances(t *testing.T) {
	for _, test := range []struct {
		tables, records int
		epsilon, delta  string
		deviation       float64
	}{
		{10, 1, "1", "0.000001", 20.26},
		{10, 1, "1", "0.00001", 18.09},
		{9, 1, "0.3", "0.000001", 59.53},
		{9, 3, "1", "0.000001", 3 * 19.22},
		{10, 1, "10", "0.000001", 2.65},
	} {
		counts := noise.Counts{Tables: test.tables, Records: test.records}
		epsilon, delta := anonymize.MustRatio(test.epsilon), anonymize.MustRatio(test.delta)
		variance, err := counts.Variance(epsilon, delta)
		if err != nil || math.Abs(math.Sqrt(float64(variance))-test.deviation) > .02*test.deviation {
			t.Errorf("%+v at %s and %s: the standard deviation is %.3f, must be %.3f (%v)", counts, epsilon, delta, math.Sqrt(float64(variance)), test.deviation, err)
		}
		if counts.DeltaOf(variance, epsilon.Float()) > delta.Float() || counts.DeltaOf(variance-1, epsilon.Float()) <= delta.Float() {
			t.Errorf("%+v at %s and %s: %d is not the least variance", counts, epsilon, delta, variance)
		}
		if loss := counts.EpsilonOf(variance, delta.Float()); loss > epsilon.Float()*(1+1e-6) || loss < epsilon.Float()*(1-1/float64(variance)) {
			t.Errorf("%+v at %s and %s: the loss is %.6f", counts, epsilon, delta, loss)
		}
		shift := math.Sqrt(2*float64(test.tables)) * float64(test.records) / math.Sqrt(float64(variance))
		normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		exact := normal(shift/2-epsilon.Float()/shift) - math.Exp(epsilon.Float())*normal(-shift/2-epsilon.Float()/shift)
		if exact > delta.Float() || exact < delta.Float()/30 {
			t.Errorf("%+v at %s and %s: the Gaussian mechanism has delta %.3g", counts, epsilon, delta, exact)
		}
	}
	for _, none := range [][2]string{{"0", "0.1"}, {"1", "0"}, {"1", "1"}, {"0.0001", "0.000001"}} {
		epsilon, _ := anonymize.ParseRatio(none[0])
		delta, _ := anonymize.ParseRatio(none[1])
		if variance, err := (noise.Counts{Tables: 10, Records: 1}).Variance(epsilon, delta); err == nil {
			t.Errorf("epsilon %s and delta %s have the variance %d", none[0], none[1], variance)
		}
	}
}
