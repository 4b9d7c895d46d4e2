package noise_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// probability of k at a scale, by the formula of the type.
func probability(k int64, scale float64) float64 {
	e := math.Exp(-1 / scale)
	return (1 - e) / (1 + e) * math.Exp(-math.Abs(float64(k))/scale)
}

func draw(t *testing.T, scale anonymize.Ratio, source io.Reader) (int64, error) {
	t.Helper()
	l, err := noise.NewLaplace(scale, source)
	if err != nil {
		t.Fatal(err)
	}
	return l.Draw()
}

// Every string of random bits is tried. Numbers of this test take at most two bits each, so four bytes stand for all; a string that is too
// short for a draw is made longer by each of the four. What is certain after maxBytes is a lower bound of each probability, and with
// what is open an upper one.
func TestEveryStringOfBits(t *testing.T) {
	const maxBytes = 9
	for _, scale := range []string{"1", "1/2", "3", "4"} {
		certain, open := make(map[int64]float64), 0.0
		var try func(prefix []byte, mass float64)
		try = func(prefix []byte, mass float64) {
			k, err := draw(t, anonymize.MustRatio(scale), bytes.NewReader(prefix))
			switch {
			case err == nil:
				certain[k] += mass
			case !errors.Is(err, io.ErrUnexpectedEOF):
				t.Fatal(err)
			case len(prefix) == maxBytes:
				open += mass
			default:
				for b := range byte(4) {
					try(append(prefix, b), mass/4)
				}
			}
		}
		try(make([]byte, 0, maxBytes), 1)
		if open > .5 {
			t.Errorf("scale %s: %.3f is open: the test says little", scale, open)
		}
		for k := int64(-12); k <= 12; k++ {
			p := probability(k, anonymize.MustRatio(scale).Float())
			if p < certain[k]-1e-12 || p > certain[k]+open+1e-12 {
				t.Errorf("scale %s: %d has a probability of %.5f to %.5f, must have %.5f", scale, k, certain[k], certain[k]+open, p)
			}
		}
	}
}

// 200,000 draws against the distribution, by chi-square over the values that 20 draws or more are expected of, and two tails. The bound is
// six standard deviations above its mean: a right implementation breaks it for less than one seed in 10^6, and the seed is fixed.
func TestDrawsHaveTheDistribution(t *testing.T) {
	const draws = 200_000
	for _, scale := range []string{"1/3", "1", "2.5", "16", "40", "160"} {
		l, err := noise.NewLaplace(anonymize.MustRatio(scale), rand.NewChaCha8([32]byte{38}))
		if err != nil {
			t.Fatal(err)
		}
		b := anonymize.MustRatio(scale).Float()
		end := int64(0)
		for draws*probability(end+1, b) >= 20 {
			end++
		}
		seen := make([]float64, 2*end+3) // below -end, -end to end, above
		for range draws {
			k, err := l.Draw()
			if err != nil {
				t.Fatal(err)
			}
			seen[min(max(k, -end-1), end+1)+end+1]++
		}
		tail := math.Exp(-float64(end+1)/b) / (1 + math.Exp(-1/b)) // P(k > end)
		square := 0.0
		for i, n := range seen {
			expected := draws * probability(int64(i)-end-1, b)
			if i == 0 || i == len(seen)-1 {
				expected = draws * tail
			}
			square += (n - expected) * (n - expected) / expected
		}
		freedom := float64(len(seen) - 1)
		if limit := freedom + 6*math.Sqrt(2*freedom) + 10; square > limit {
			t.Errorf("scale %s: chi-square %.1f with %.0f degrees of freedom, must be below %.1f", scale, square, freedom, limit)
		}
	}
}

// The largest scale that is admitted draws, and its numbers have the size that they should have: of 2,000 the mean of |k| is the scale
// within six standard errors.
func TestLargeScale(t *testing.T) {
	const draws, scale = 2000, 1 << 48
	l, err := noise.NewLaplace(anonymize.NewRatio(scale, 1), rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for range draws {
		k, err := l.Draw()
		if err != nil {
			t.Fatal(err)
		}
		sum += math.Abs(float64(k))
	}
	if mean := sum / draws / scale; math.Abs(mean-1) > 6/math.Sqrt(draws) {
		t.Errorf("the mean of |k| is %.3f scales", mean)
	}
}

// A constant gives the same byte for ever.
type constant byte

func (c constant) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(c)
	}
	return len(p), nil
}

func TestStandardDeviation(t *testing.T) {
	for _, scale := range []string{"1/3", "1", "2.5", "40"} {
		b, variance := anonymize.MustRatio(scale).Float(), 0.0
		for k := range int64(4000) {
			variance += 2 * float64(k) * float64(k) * probability(k, b)
		}
		l, err := noise.NewLaplace(anonymize.MustRatio(scale), bytes.NewReader(nil))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := l.StandardDeviation(), math.Sqrt(variance); math.Abs(got-want) > 1e-9*want {
			t.Errorf("scale %s: %.12f, must be %.12f", scale, got, want)
		}
	}
}

// A source that fails is told, whenever it fails, and one that gives the same byte for ever does not keep the draw.
func TestErrorsOfTheSource(t *testing.T) {
	broken := errors.New("no entropy")
	random := make([]byte, 64)
	if _, err := rand.NewChaCha8([32]byte{2}).Read(random); err != nil {
		t.Fatal(err)
	}
	failures := 0
	for n := range random {
		_, err := draw(t, anonymize.MustRatio("1000"), io.MultiReader(bytes.NewReader(random[:n]), iotest.ErrReader(broken)))
		if err != nil && !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
		if err != nil {
			failures++
		}
	}
	if failures == 0 || failures == len(random) {
		t.Errorf("%d of %d beginnings failed", failures, len(random))
	}
	if _, err := draw(t, anonymize.MustRatio("3"), bytes.NewReader(nil)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("an empty source: %v", err)
	}
	for b, scale := range map[constant]string{0: "1000", 255: "3"} {
		if k, err := draw(t, anonymize.MustRatio(scale), b); err == nil {
			t.Errorf("bytes of %d at scale %s: %d", b, scale, k)
		}
	}
	for _, scale := range []anonymize.Ratio{{}, {Num: 0, Den: 1}, {Num: 1<<48 + 1, Den: 1}, {Num: 1, Den: 1<<48 + 1}} {
		if _, err := noise.NewLaplace(scale, bytes.NewReader(nil)); err == nil {
			t.Errorf("the scale %d/%d is admitted", scale.Num, scale.Den)
		}
	}
}
