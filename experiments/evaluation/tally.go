package evaluation

import (
	"math"
	"slices"
)

// A Tally collects repetitions, by series and place.
type Tally struct {
	labels []string
	values map[string]map[float64][]float64
}

func (t *Tally) Add(label string, x, y float64) {
	if t.values == nil {
		t.values = map[string]map[float64][]float64{}
	}
	if t.values[label] == nil {
		t.values[label] = map[float64][]float64{}
		t.labels = append(t.labels, label)
	}
	t.values[label][x] = append(t.values[label][x], y)
}

// Series returns the medians with their spread, in the order in which labels were added.
func (t *Tally) Series() []Series {
	list := []Series{}
	for _, label := range t.labels {
		s := Series{Label: label}
		for x, values := range t.values[label] {
			s.Points = append(s.Points, NewPoint(x, values))
		}
		slices.SortFunc(s.Points, func(a, b Point) int { return int(math.Copysign(1, a.X-b.X)) })
		list = append(list, s)
	}
	return list
}

// Read compares the series as those of a figure. x names their places.
func (t *Tally) Read(x string) Reading { return (&Figure{Series: t.Series()}).Read(x) }
