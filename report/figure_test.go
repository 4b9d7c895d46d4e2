package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	for x, want := range map[float64]string{0: "0 %", 1: "100 %", 0.25: "25 %", 1. / 3: "33.3 %", 0.0625: "6.25 %", 0.000123: "0.012 %",
		0.000001: "below 0.001 %", 12.345: "1,235 %", 0.99999: "100 %"} {
		if got := strings.ReplaceAll(share(x).Text, "\u00a0", " "); got != want {
			t.Errorf("share %v is %s, want %s", x, got, want)
		}
	}
	for x, want := range map[float64]string{0: "0", 4: "4", 50000: "50,000", 1234567: "1,234,567", -1234: "-1,234", 9.868: "9.87", 0.3333: "0.333",
		12.34: "12.3", 1234.4: "1,234", 0.00012: "0.00012", 2e18: "2e+18"} {
		if got := number(x).Text; got != want {
			t.Errorf("number %v is %s, want %s", x, got, want)
		}
	}
	if f := share(1. / 3); f.Value != "0.3333333333333333" {
		t.Errorf("the value is %s", f.Value)
	}
}

// An axis holds its values, on three to six steps of 1, 2 or 5.
func TestNiceTop(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		x := math.Exp(random.Float64()*40 - 20)
		top, step := niceTop(x)
		if digit := fmt.Sprintf("%.0e", step)[:1]; top < x*(1-1e-9) || top/step > 6.000001 || top/step < 1.99 || !strings.Contains("125", digit) {
			t.Fatalf("%v: an axis to %v by %v", x, top, step)
		}
	}
	for _, x := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if top, step := niceTop(x); top != 1 || step != 0.25 {
			t.Errorf("%v: an axis to %v by %v", x, top, step)
		}
	}
}

// Bins cover all sizes, none twice, and fit a telephone.
func TestBins(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		sizes := make([]uint32, 2+random.IntN(100))
		least, greatest := uint32(math.MaxUint32), uint32(0)
		for i := range sizes {
			sizes[i] = 1 + uint32(math.Exp(random.Float64()*12))
			least, greatest = min(least, sizes[i]), max(greatest, sizes[i])
		}
		bins, groups, next := binsOf(sizes, int(least), int(greatest)), 0, int(least)
		for _, b := range bins {
			if b.first != next {
				t.Fatalf("%v: a bin begins at %d, not %d", sizes, b.first, next)
			}
			groups, next = groups+b.groups, b.last+1
		}
		if groups != len(sizes) || len(bins) > maxBins || next <= int(greatest) {
			t.Fatalf("%v: %v", sizes, bins)
		}
	}
}

// Numbers of points that are near each other do not stand on each other, nor on a
// point.
func TestLabelsDoNotMeet(t *testing.T) {
	points := [][2]float64{{100, 100}, {104, 102}, {100, 110}, {249, 50}, {30, 180}, {31, 180}}
	var taken labels
	taken = append(taken, points...)
	for _, p := range points {
		taken.place(p[0], p[1])
	}
	for i, a := range taken[len(points):] {
		for j, b := range taken {
			if j != i+len(points) && abs(a[0]-b[0]) < 7 && abs(a[1]-b[1]) < 8 {
				t.Errorf("the number of %v is at %v, where %v is", points[i], a, b)
			}
		}
		if a[0] > narrowPlot {
			t.Errorf("the number of %v is at %v, beyond the plot", points[i], a)
		}
	}
}
