package chart

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Hard bounds in words contain the numeric ones, whatever is known of the interval: values outside would be called impossible.
func TestBoundsContain(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	number := func() float64 { return (random.Float64() - 0.3) * math.Pow(10, float64(random.IntN(22)-8)) }
	for range 20_000 {
		low, value := number(), number()
		f := Figure{value, value - math.Abs(low), value + math.Abs(number()), low, low + math.Abs(number())}
		if random.IntN(2) == 0 {
			f.Low, f.High = math.NaN(), math.NaN()
		}
		if random.IntN(3) == 0 {
			f.Least, f.Most = math.Round(f.Least), math.Round(f.Most)
		}
		least, most, told := strings.Cut(f.Bounds(), " to ")
		if !told && f.Exact() {
			continue
		}
		if unsaid(t, least) > f.Least || unsaid(t, most) < f.Most {
			t.Fatalf("%v has the bounds %q", f, f.Bounds())
		}
	}
	for want, f := range map[string]Figure{
		"0.20 to 0.40":   {.3, math.NaN(), math.NaN(), .2, .4},
		"0.201 to 0.299": {.25, math.NaN(), math.NaN(), .201, .299},
		"0.2 to 3.2":     {1, 0, 6, .25, 3.14},
		"-1.0 to 0.7":    {0, -3, 3, -.96, .7},
		"0 to 1,930":     {5, 4, 6, 0, 1930},
	} {
		if got := strings.ReplaceAll(f.Bounds(), "−", "-"); got != want {
			t.Errorf("%v has the bounds %q, want %q", f, got, want)
		}
	}
}

func unsaid(t *testing.T, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.NewReplacer(",", "", "−", "-").Replace(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
