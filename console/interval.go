package console

import (
	"fmt"
	"strconv"
	"strings"
)

// intervals are the rows of a result as dots on lines: the estimate between the ends of its interval.
type intervals struct {
	Figure, Title string
	Lanes         []lane
	Least, Most   string // the ends of the axis
}

// A lane is a row. Positions are percents of the axis.
type lane struct {
	Label, Said            string
	Start, Width, Estimate string
}

// maxLanes bounds a drawing; a longer result has its table.
const maxLanes = 60

// newIntervals draws results of GROUP BY with an estimate, followed by its interval; nil for others.
func newIntervals(t *table) *intervals {
	low, high := t.named("interval_low", "low"), t.named("interval_high", "high")
	figure := min(low, high) - 1
	if figure < 1 || len(t.Rows) < 2 || len(t.Rows) > maxLanes {
		return nil
	}
	var rows [][3]float64
	least, most := 0.0, 0.0
	for _, row := range t.Rows {
		var x [3]float64
		for i, column := range []int{low, figure, high} {
			var err error
			if x[i], err = strconv.ParseFloat(row[column].Value, 64); err != nil {
				return nil // NULL, or no number
			}
			least, most = min(least, x[i]), max(most, x[i])
		}
		if x[0] > x[2] {
			return nil
		}
		rows = append(rows, x)
	}
	if most == least {
		return nil
	}
	c := &intervals{Figure: t.Columns[figure], Least: roundDecimals(least), Most: roundDecimals(most)}
	c.Title = fmt.Sprintf("%s of %d groups with intervals, on an axis from %s to %s.", c.Figure, len(rows), c.Least, c.Most)
	percent := func(x float64) string { return strconv.FormatFloat(100*x/(most-least), 'f', 3, 64) + "%" }
	for i, x := range rows {
		var label []string
		for _, key := range t.Rows[i][:figure] {
			label = append(label, key.Text)
		}
		c.Lanes = append(c.Lanes, lane{strings.Join(label, ", "), fmt.Sprintf("%s, from %s to %s", roundDecimals(x[1]), roundDecimals(x[0]), roundDecimals(x[2])),
			percent(x[0] - least), percent(x[2] - x[0]), percent(x[1] - least)})
	}
	return c
}

// named finds a column that is called so, or whose expression has the function; -1 for none.
func (t *table) named(function, name string) int {
	for i, column := range t.Columns {
		if c := strings.ToLower(column); c == name || strings.Contains(c, function) {
			return i
		}
	}
	return -1
}

func roundDecimals(x float64) string {
	if x == float64(int64(x)) {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
