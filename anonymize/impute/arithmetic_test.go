package impute

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

func TestExponential(t *testing.T) {
	worst := 0.0
	for x := float32(0); x > -86.9; x -= 0.00137 {
		want := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(exponential(x))-want)/want)
	}
	if worst > 3e-7 {
		t.Errorf("relative error %.2g", worst)
	}
	if exponential(0) != 1 {
		t.Errorf("e^0 = %v", exponential(0))
	}
	for _, x := range []float32{-87.5, -1e30, float32(math.Inf(-1))} {
		if exponential(x) != 0 {
			t.Errorf("e^%v = %v, want 0", x, exponential(x))
		}
	}
}

func TestLogarithm(t *testing.T) {
	for x := 1e-30; x < 1e30; x *= 1.00137 {
		got, want := float64(logarithm(float32(x))), math.Log(float64(float32(x)))
		if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("ln(%g) = %v, want %v", x, got, want)
		}
	}
}

// The first moments, of as many numbers that a deviation of five standard errors would
// be seen.
func TestVariates(t *testing.T) {
	const n = 400_000
	for _, c := range []struct {
		name          string
		draw          func(*rand.Rand) float32
		moments       [3]float64 // the means of x, x^2, x^3
		deviations    [3]float64 // of x, x^2, x^3
		least, greats float64
	}{
		{"exponential", exponentialVariate, [3]float64{1, 2, 6}, [3]float64{1, math.Sqrt(20), math.Sqrt(684)}, 0, 17},
		{"normal", normalVariate, [3]float64{0, 1, 0}, [3]float64{1, math.Sqrt(2), math.Sqrt(15)}, -6, 6},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		var sums [3]float64
		for range n {
			x := float64(c.draw(random))
			if x < c.least || x > c.greats {
				t.Fatalf("%s: %v", c.name, x)
			}
			sums[0], sums[1], sums[2] = sums[0]+x, sums[1]+x*x, sums[2]+x*x*x
		}
		for k := range sums {
			if got := sums[k] / n; math.Abs(got-c.moments[k]) > 5*c.deviations[k]/math.Sqrt(n) {
				t.Errorf("%s: the mean of x^%d is %v, want %v", c.name, k+1, got, c.moments[k])
			}
		}
	}
}

// On arm64 the compiler fuses a product with a sum where no conversion stands between,
// and the last bit differs from amd64. Nothing here is fused, so tables are the same.
func TestNothingIsFused(t *testing.T) {
	build := exec.Command("go", "build", "-gcflags=-S", ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	assembly, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.500s", err, assembly)
	}
	if !strings.Contains(string(assembly), "FMULS") {
		t.Fatal("the listing has no product: it is no listing for arm64")
	}
	for _, line := range regexp.MustCompile(`.*\bFN?M(ADD|SUB)[SD]\b.*`).FindAllString(string(assembly), 5) {
		t.Error(line)
	}
}
