package chart

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

// extremes are figures near the limits of numbers, equal ones and nearly equal ones.
var extremes = [][]float64{
	{4e15}, {2e15}, {-2e15}, {1e16}, {math.MaxInt64}, {1e16, 1e16 + 2}, {-1e16, -1e16 - 2}, {1e100}, {1e299}, {1e308}, {-1e308, 1e308}, {5e-324}, {1e-280},
	{1e-289, 2e-289}, {1e300, 2}, {0}, {0.1, math.Nextafter(0.1, 1)}, {1, 1e15}, {-3, 1e-200},
}

// An axis has 2 to 13 ticks with distinct texts, and its figures are between the first and the last.
func TestAxes(t *testing.T) {
	for _, values := range extremes {
		low, high := slices.Min(values), slices.Max(values)
		if slices.ContainsFunc(values, func(v float64) bool { return !drawable(v) }) {
			continue
		}
		for _, count := range []int{3, 5, 6} {
			for _, zero := range []bool{true, false} {
				a := axisOf(low, high, count, zero)
				var texts []string
				for i := range a.ticks {
					texts = append(texts, a.written(i))
				}
				distinct := slices.Compact(slices.Clone(texts))
				if len(texts) < 2 || len(texts) > 13 || len(distinct) != len(texts) || a.position(low) < -1e-6 || a.position(high) > 1+1e-6 {
					t.Errorf("%v, %d ticks, zero %v: %v, from %v to %v", values, count, zero, texts, a.position(low), a.position(high))
				}
			}
		}
	}
}

// Figures of any size are drawn within their drawing, or have no chart.
func TestExtremesAreDrawn(t *testing.T) {
	for _, values := range extremes {
		for name, rows := range map[string]int{"bars": 2, "years": 3, "lines": 12, "columns": 70} {
			var all []Row
			for i := range rows {
				all = append(all, Row{[]string{strconv.Itoa(2000 + i)}, Unknown(values[i%len(values)])})
			}
			c := New("n", []bool{name == "years" || name == "lines"}, all, false)
			if c == nil {
				if drawable(values[0]) && drawable(values[len(values)-1]) {
					t.Errorf("%s of %v are not drawn", name, values)
				}
				continue
			}
			for _, d := range []Drawing{c.Wide, c.Narrow} {
				for _, s := range d.Shapes {
					if outside(d, s) {
						t.Errorf("%s of %v: %+v is outside of %d x %d", name, values, s, d.Width, d.Height)
					}
				}
			}
		}
	}
}
