package experiments

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A reading compares series of a figure. x names the places: "K", or "records".
type reading struct {
	*Figure
	x string
}

// place names a place.
func (r reading) place(x float64) string {
	at, named := number(x), false
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

// each calls look for every x that all the labelled series have.
func (r reading) each(look func(x float64, y []float64), labels ...string) {
	first := r.Label(labels[0])
	if first == nil {
		return
	}
	for _, p := range first.Points {
		y := make([]float64, 0, len(labels))
		for _, label := range labels {
			if s := r.Label(label); s != nil {
				if q, ok := s.At(p.X); ok {
					y = append(y, q.Y)
				}
			}
		}
		if len(y) == len(labels) {
			look(p.X, y)
		}
	}
}

// span is the least and the greatest value of a series; low is above high where
// it has none.
func (r reading) span(label string) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	r.each(func(_ float64, y []float64) { low, high = min(low, y[0]), max(high, y[0]) }, label)
	return low, high
}

// ends tells the values of series at the first place and at the last, and between
// them where places are few names.
func (r reading) ends(labels ...string) string {
	places := []float64{}
	for _, label := range labels {
		r.each(func(x float64, _ []float64) { places = append(places, x) }, label)
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
			if y, ok := r.value(label, x); ok {
				values = append(values, label+": "+number(y))
			}
		}
		texts = append(texts, "At "+r.place(x)+", "+strings.Join(values, "; "))
	}
	return strings.Join(texts, ". ") + "."
}

// beats tells at how many places a series is below all the others.
func (r reading) beats(label string, others ...string) string {
	below, places := 0, 0
	r.each(func(_ float64, y []float64) {
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

// value is that of a series at a place.
func (r reading) value(label string, x float64) (float64, bool) {
	s := r.Label(label)
	if s == nil {
		return 0, false
	}
	p, ok := s.At(x)
	return p.Y, ok
}

// number writes three digits that matter, and all digits of whole thousands.
func number(x float64) string {
	if math.Abs(x) < 1000 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if x < 0 {
		return "-" + text
	}
	return text
}
