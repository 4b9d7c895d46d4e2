package chart

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// A figure is rounded to two digits of its error.
func TestSaid(t *testing.T) {
	nan := math.NaN()
	for want, f := range map[string]Figure{
		"1,820 ± 140":               {1823.4, 1683.4, 1963.4, nan, nan},
		"37.43 ± 0.38":              {37.433, 37.053, 37.813, nan, nan},
		"39 ± 10":                   {38.7, 28.74, 48.66, nan, nan},
		"12,300 ± 1,200":            {12345, 11145, 13545, nan, nan},
		"6.2 (0.0 to 13.9)":         {6.2, 0, 13.9, nan, nan},
		"−5.0 ± 1.0":                {-5, -6, -4, nan, nan},
		"8,059":                     {8059, 8059, 8059, nan, nan},
		"0.33333":                   Unknown(1. / 3),
		"1,234,567":                 Unknown(1234567),
		"12,345.67":                 Unknown(12345.67),
		"1,234.57":                  Unknown(1234.567),
		"1,234,567,890,123,456":     {1234567890123456, 1234567890123456, 1234567890123456, nan, nan},
		"12,345.678":                {12345.678, 12345.678, 12345.678, nan, nan},
		"0.3333333333333333":        {1. / 3, 1. / 3, 1. / 3, nan, nan},
		"":                          Unknown(nan),
		"0.000120 ± 0.000050":       {0.00012, 0.00007, 0.00017, nan, nan},
		"2,000,000,000,000 ± 1,000": {2e12, 2e12 - 1000, 2e12 + 1000, nan, nan},
	} {
		if got := f.Said(); got != want {
			t.Errorf("%v is %q, want %q", f, got, want)
		}
	}
	if got := (Figure{5, 4, 6, 0, 1930}).Bounds(); got != "0 to 1,930" {
		t.Errorf("bounds are %q", got)
	}
	if got := (Figure{5, 5, 5, 5, 5}).Bounds(); got != "" {
		t.Errorf("an exact figure has bounds %q", got)
	}
}

func figures(keys func(i int) []string, n int) (rows []Row) {
	for i := range n {
		v := float64(10 + i%7)
		rows = append(rows, Row{keys(i), Figure{v, v - 2, v + 2, 0, 100}})
	}
	return rows
}

// Keys decide the form, every group has its mark, and every mark lies in its drawing.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct {
		numeric []bool
		rows    []Row
		class   string // of the marks
		lines   int
	}{
		"bars":                 {[]bool{false}, figures(func(i int) []string { return []string{"key" + strconv.Itoa(i)} }, 60), "bar", 0},
		"columns":              {[]bool{false}, figures(func(i int) []string { return []string{"key" + strconv.Itoa(i)} }, 1000), "bar", 0},
		"numbers":              {[]bool{true}, figures(func(i int) []string { return []string{strconv.Itoa(20 + i)} }, 77), "dot", 1},
		"few":                  {[]bool{true}, figures(func(i int) []string { return []string{strconv.Itoa(i)} }, 5), "bar", 0},
		"years":                {[]bool{true}, figures(func(i int) []string { return []string{strconv.Itoa(2019 + i)} }, 4), "dot", 1},
		"dates":                {[]bool{false}, figures(func(i int) []string { return []string{fmt.Sprintf("2024-%02d-11", i+1)} }, 12), "dot", 1},
		"two groups over time": {[]bool{false, false}, figures(func(i int) []string { return []string{[]string{"f", "m"}[i%2], fmt.Sprintf("2024-%02d", i/2+1)} }, 24), "dot", 2},
		"map":                  {[]bool{true, false}, figures(func(i int) []string { return []string{strconv.Itoa(i / 14), "disease" + strconv.Itoa(i%14)} }, 126), "cell", 0},
		"three keys":           {[]bool{false, false, false}, figures(func(i int) []string { return []string{"a", strconv.Itoa(i), "c"} }, 90), "bar", 0},
		"a pair twice":         {[]bool{false, false}, figures(func(i int) []string { return []string{"a", "b"} }, 3), "bar", 0},
	} {
		drawn := New("n", c.numeric, c.rows, false)
		if drawn == nil {
			t.Fatalf("%s: there is no chart", name)
		}
		for _, d := range []Drawing{drawn.Wide, drawn.Narrow} {
			marks, curves := 0, 0
			for _, s := range d.Shapes {
				if s.Class == c.class && s.Tip != "" {
					marks++
				}
				if s.Class == "curve" {
					curves++
				}
				if outside(d, s) {
					t.Errorf("%s: %+v is outside of %d x %d", name, s, d.Width, d.Height)
				}
			}
			if marks != len(c.rows) || curves != c.lines {
				t.Errorf("%s has %d marks of %d groups, and %d lines, want %d", name, marks, len(c.rows), curves, c.lines)
			}
		}
	}
}

func outside(d Drawing, s Shape) bool {
	for _, text := range []string{s.X, s.Y, s.W, s.H} {
		x, err := strconv.ParseFloat(text, 64)
		if text != "" && (err != nil || x < -0.5 || x > float64(max(d.Width, d.Height))+0.5) {
			return true
		}
	}
	return strings.Contains(s.Text, "NaN")
}

// Answers without numbers have no chart, and a NULL has no mark.
func TestNoChart(t *testing.T) {
	row := func(v float64) Row { return Row{[]string{strconv.FormatFloat(v, 'f', -1, 64)}, Unknown(v)} }
	if New("n", []bool{false}, []Row{row(1)}, false) != nil || New("n", nil, []Row{row(1), row(2)}, false) != nil || New("n", []bool{false}, []Row{row(math.NaN()), row(2)}, false) != nil {
		t.Error("there is a chart")
	}
	if c := New("n", []bool{false}, []Row{row(0), row(0), row(math.Inf(1))}, true); c == nil || !strings.Contains(c.Title, "of the first 2 groups") {
		t.Errorf("the chart of zeros is %v", c)
	}
}

// A map's field shows the figure's error: an asymmetric one is no ±, and is omitted if it does not fit.
func TestErrorsInMaps(t *testing.T) {
	nan := math.NaN()
	for want, f := range map[string]Figure{"5 0–40": {5, 0, 40, nan, nan}, "20 ±20": {20, 0, 40, nan, nan}, "7 ": {7, 7, 7, nan, nan}, "6.2 0.0–13.9": {6.2, 0, 13.9, nan, nan}} {
		if value, wrong := f.parts(); value+" "+wrong != want {
			t.Errorf("%v is %s %s, want %s", f, value, wrong, want)
		}
	}
	var rows []Row
	for i := range 28 {
		rows = append(rows, Row{[]string{"a" + strconv.Itoa(i%2), "b" + strconv.Itoa(i/2)}, Figure{3e5, 0, 2.1e6, nan, nan}})
	}
	for _, s := range New("n", []bool{false, false}, rows, false).Wide.Shapes {
		if s.Class == "error" {
			t.Errorf("%s has no room", s.Text)
		}
	}
}

// A bar goes from zero to its figure, a whisker covers its interval, on one axis for all groups.
func TestPlaces(t *testing.T) {
	c := New("n", []bool{false}, []Row{{[]string{"a"}, Figure{50, 25, 100, 0, 0}}, {[]string{"b"}, Figure{-50, -100, 0, 0, 0}}}, false)
	var bars, whiskers []Shape
	for _, s := range c.Wide.Shapes {
		switch {
		case s.Class == "bar":
			bars = append(bars, s)
		case s.Class == "whisker" && s.Y == s.H:
			whiskers = append(whiskers, s)
		}
	}
	// From 194 to 790 pixels is from -100 to 100.
	for i, want := range []Shape{{X: "492", W: "149"}, {X: "343", W: "149"}} {
		if bars[i].X != want.X || bars[i].W != want.W {
			t.Errorf("bar %d is at %s, %s wide, want %v", i, bars[i].X, bars[i].W, want)
		}
	}
	for i, want := range []Shape{{X: "566.5", W: "790"}, {X: "194", W: "492"}} {
		if whiskers[i].X != want.X || whiskers[i].W != want.W {
			t.Errorf("whisker %d goes from %s to %s, want %v", i, whiskers[i].X, whiskers[i].W, want)
		}
	}
}
