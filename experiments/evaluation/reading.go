package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Reading compares series of a figure. x names their places.
type Reading struct {
	*Figure
	x string
}

// Place names a place.
func (r Reading) Place(x float64) string {
	at, named := Number(x), false
	if i := int(x); i >= 0 && i < len(r.Categories) {
		at, named = r.Categories[i], true
	}
	switch {
	case strings.HasSuffix(r.x, "s"):
		return at + " " + r.x
	case named:
		return at
	}
	return r.x + " = " + at
}

// walkPlaces calls look for every x that all the labelled series share.
func (r Reading) walkPlaces(look func(x float64, y []float64), labels ...string) {
	first := r.Label(labels[0])
	if first == nil {
		return
	}
	for _, p := range first.Points {
		y := make([]float64, 0, len(labels))
		for _, label := range labels {
			if s := r.Label(label); s != nil {
				if q, ok := s.PointAt(p.X); ok {
					y = append(y, q.Y)
				}
			}
		}
		if len(y) == len(labels) {
			look(p.X, y)
		}
	}
}

// Span returns the least and the greatest value of a series; low is above high if it has no values.
func (r Reading) Span(label string) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	r.walkPlaces(func(_ float64, y []float64) { low, high = min(low, y[0]), max(high, y[0]) }, label)
	return low, high
}

// Ends describes the values of series at the first and the last place, and between if the places are few categories.
func (r Reading) Ends(labels ...string) string {
	places := []float64{}
	for _, label := range labels {
		r.walkPlaces(func(x float64, _ []float64) { places = append(places, x) }, label)
	}
	if len(places) == 0 {
		return "Nothing was measured."
	}
	slices.Sort(places)
	places = slices.Compact(places)
	if len(r.Categories) == 0 || len(places) > shown {
		places = slices.Compact([]float64{places[0], places[len(places)-1]})
	}
	var texts []string
	for _, x := range places {
		var values []string
		for _, label := range labels {
			if y, ok := r.Value(label, x); ok {
				values = append(values, label+": "+Number(y))
			}
		}
		texts = append(texts, "At "+r.Place(x)+", "+strings.Join(values, "; "))
	}
	return strings.Join(texts, ". ") + "."
}

// Beats describes at how many places a series is below all the others.
func (r Reading) Beats(label string, others ...string) string {
	below, places := 0, 0
	r.walkPlaces(func(_ float64, y []float64) {
		places++
		if y[0] <= slices.Min(y[1:]) {
			below++
		}
	}, append([]string{label}, others...)...)
	if places == 0 {
		return ""
	}
	return fmt.Sprintf("%s is at or below %s at %d of %d places", label, strings.Join(others, ", "), below, places)
}

// values returns the values of a series, in the order of its points.
func (r Reading) values(label string) []float64 {
	var list []float64
	r.walkPlaces(func(_ float64, y []float64) { list = append(list, y[0]) }, label)
	return list
}

// Value returns the value of a series at a place; false if it has none.
func (r Reading) Value(label string, x float64) (float64, bool) {
	s := r.Label(label)
	if s == nil {
		return 0, false
	}
	p, ok := s.PointAt(x)
	return p.Y, ok
}

// Summary describes what was measured, with its unit, and then Ends.
func (r Reading) Summary(labels ...string) string {
	return "Measured: " + r.Y + ". " + r.Ends(labels...)
}

// Ratio describes how many times greater a series is than another, at the last place that both have; "" if there is
// none.
func (r Reading) Ratio(more, less string) string {
	text := ""
	r.walkPlaces(func(x float64, y []float64) {
		if y[1] > 0 {
			text = fmt.Sprintf("At %s %s is %s times %s.", r.Place(x), more, Number(y[0]/y[1]), less)
		}
	}, more, less)
	return text
}
