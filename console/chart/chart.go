package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Bounds of the forms of charts.
const (
	maxBars   = 60 // groups with one line each; more are columns
	maxSeries = 5  // lines, each with a colour
	maxCells  = 40 // of a map, per direction
	fewValues = 8  // of a number that is shown by bars
)

// A Row is a group of an answer: its keys as texts, and a figure; NaN for NULL.
type Row struct {
	Keys   []string
	Figure Figure
}

// A Chart draws a figure of all groups.
type Chart struct {
	// Name is the figure's, Title describes the drawing.
	Name, Title string
	// Wide and Narrow are for screens and for telephones.
	Wide, Narrow Drawing
	// Legend has the names of lines, in the order of their colours.
	Legend []string
}

// New draws a figure of groups; nil for fewer than two groups with figures that are [drawable].
// numeric says which keys are numbers, and cut that there are more groups.
func New(name string, numeric []bool, rows []Row, cut bool) *Chart {
	if len(numeric) == 0 || len(rows) < 2 {
		return nil
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		f := r.Figure
		return !drawable(f.Value) || f.Known() && !(drawable(f.Low) && drawable(f.High))
	})
	if len(rows) < 2 {
		return nil
	}
	c := &Chart{Name: name, Title: name + " of " + map[bool]string{true: "the first "}[cut] + Number(float64(len(rows))) + " groups"}
	draw := c.form(numeric, rows)
	c.Wide, c.Narrow = draw(wide), draw(narrow)
	c.Wide.Title, c.Narrow.Title = c.Title, c.Title
	return c
}

// drawable reports whether float64 can also represent the number's ticks and distances. NaN and infinities are not drawable.
func drawable(x float64) bool { return x == 0 || math.Abs(x) > 1e-290 && math.Abs(x) < 1e300 }

// form chooses the form of the drawing by the keys.
func (c *Chart) form(numeric []bool, rows []Row) func(size) Drawing {
	for _, key := range [][]int{{0}, {0, 1}, {1, 0}} {
		if len(key) != len(numeric) {
			continue
		}
		if series := seriesOf(rows, key[0], key[1:], numeric[key[0]]); series != nil {
			if len(series) > 1 {
				for _, s := range series {
					c.Legend = append(c.Legend, s.name)
				}
			}
			c.Title += ", over " + strconv.Itoa(len(series[0].points)) + " values"
			return func(s size) Drawing { return lines(s, series) }
		}
	}
	if len(numeric) == 2 {
		if m := mapOf(rows); m != nil {
			c.Title += ", " + strconv.Itoa(len(m.down)) + " by " + strconv.Itoa(len(m.across))
			return m.draw
		}
	}
	if len(rows) <= maxBars {
		return func(s size) Drawing { return bars(s, rows) }
	}
	return func(s size) Drawing { return columns(s, rows) }
}

// A series is a line: points from left to right.
type series struct {
	name   string
	points []point
}

type point struct {
	x     float64
	label string
	Figure
}

// seriesOf returns lines over a key, one per value of the other; nil if that key is neither number nor date, or if there are too few or too many lines.
func seriesOf(rows []Row, over int, other []int, numeric bool) (all []series) {
	place := placeOf(rows, over, numeric)
	if place == nil {
		return nil
	}
	for _, r := range rows {
		name := ""
		if len(other) > 0 {
			name = r.Keys[other[0]]
		}
		at := slices.IndexFunc(all, func(s series) bool { return s.name == name })
		if at < 0 {
			if at = len(all); at == maxSeries {
				return nil
			}
			all = append(all, series{name: name})
		}
		x, _ := place(r.Keys[over])
		all[at].points = append(all[at].points, point{x, r.Keys[over], r.Figure})
	}
	for _, s := range all {
		slices.SortStableFunc(s.points, func(a, b point) int {
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return 0
		})
		for i := 1; i < len(s.points); i++ {
			if s.points[i].x == s.points[i-1].x {
				return nil // rows differ in another key
			}
		}
	}
	return all
}

// placeOf returns the position of a key's values on a line; nil for texts and for few numbers.
func placeOf(rows []Row, key int, numeric bool) func(string) (float64, bool) {
	place := dateOf
	if numeric {
		place = numberOf
	}
	values := make(map[float64]bool)
	for _, r := range rows {
		x, ok := place(r.Keys[key])
		if !ok {
			return nil
		}
		values[x] = true
	}
	least := 3
	if _, year := yearOf(rows, key); numeric && !year {
		least = fewValues + 1
	}
	if len(values) < least {
		return nil
	}
	return place
}

// yearOf recognises numbers that are years, which people read as dates.
func yearOf(rows []Row, key int) (name string, years bool) {
	for _, r := range rows {
		x, ok := numberOf(r.Keys[key])
		if !ok || x != math.Trunc(x) || x < 1900 || x > 2100 {
			return "", false
		}
	}
	return rows[0].Keys[key], true
}

func numberOf(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && drawable(x)
}

// dateOf parses a date or a month.
func dateOf(text string) (float64, bool) {
	for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01"} {
		if at, err := time.Parse(layout, text); err == nil {
			return float64(at.Unix()) / 86400, true
		}
	}
	return 0, false
}

// label joins all keys of a row.
func (r Row) label() string { return strings.Join(r.Keys, ", ") }

// tip returns the tooltip of a row.
func (r Row) tip() string { return tipOf(r.label(), r.Figure) }

func tipOf(label string, f Figure) string {
	text := label + ": " + f.Said()
	if bounds := f.Bounds(); bounds != "" {
		text += ", certainly " + bounds
	}
	return text
}
