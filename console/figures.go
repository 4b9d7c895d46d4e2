package console

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/console/asking"
	"github.com/anonsql/anonsql/console/chart"
)

// A drawn is a figure of an answer: a chart for several groups, large digits for a single row.
type drawn struct {
	Chart *chart.Chart // nil for a single row
	Name  string
	Said  string
	Bound string // hard bounds, "" for none
}

// draw draws the figures and adds errors to those in the table.
func (a *answer) draw(items []asking.Item) {
	t := a.Result
	if items == nil || len(items) > len(t.Columns) {
		a.unknown = true
		return
	}
	var numeric []bool
	var keys []int
	for i, item := range items {
		if !item.Figure {
			keys, numeric = append(keys, i), append(numeric, t.Numeric[i])
		}
	}
	figures := make([][]chart.Figure, len(items))
	var known certainty
	for i, item := range items {
		if !item.Figure || !t.Numeric[i] {
			continue
		}
		var rows []chart.Row
		for _, row := range t.Rows {
			f := figureOf(row, i, item)
			known.note(f)
			a.unknown = a.unknown || !f.Known() && !math.IsNaN(f.Value)
			figures[i] = append(figures[i], f)
			r := chart.Row{Figure: f}
			for _, k := range keys {
				if row[k].Text == "" {
					row[k].Text = emptyText
				}
				r.Keys = append(r.Keys, row[k].fullText(t.Numeric[k]))
			}
			rows = append(rows, r)
		}
		if len(rows) == 1 && len(keys) == 0 {
			a.Drawn = append(a.Drawn, drawn{Name: t.Columns[i], Said: t.Rows[0][i].said(rows[0].Figure), Bound: rows[0].Figure.Bounds()})
		} else if len(rows) == 0 {
			continue // remove the added columns anyway
		} else if c := chart.New(t.Columns[i], numeric, rows, t.Cut); c != nil {
			a.Drawn = append(a.Drawn, drawn{Chart: c, Name: t.Columns[i]})
		}
	}
	if len(keys) == len(items) { // a count of a derived table is no figure here
		a.unknown = true
	}
	known.bounded = a.showErrors(items, figures)
	a.Legend = known.legend()
}

// markUnknown marks estimates without an interval, according to the notes. A cut result has no known notes.
func (a *answer) markUnknown() {
	noted := a.Notes != nil && slices.ContainsFunc(a.Notes.column("Message"), func(c cell) bool { return strings.HasPrefix(c.Value, "estimated") })
	switch {
	case !a.unknown || len(a.Result.Rows) == 0 || !noted && !a.Result.Cut:
	case a.Legend != "":
		a.Legend += " Figures without an interval may be estimates, too: how wrong they are is not known."
	case a.Result.Cut:
		a.Legend = "These may be estimates: how wrong they are is not known."
	default:
		a.Legend = "Estimated: how wrong these figures may be is not known."
	}
}

// figureOf reads a figure and what is known of its error.
func figureOf(row []cell, column int, item asking.Item) chart.Figure {
	f := chart.Unknown(number(row[column]))
	if item.Interval[1] > 0 {
		f.Low, f.High = number(row[item.Interval[0]]), number(row[item.Interval[1]])
	}
	if item.Bounds[1] > 0 {
		f.Least, f.Most = number(row[item.Bounds[0]]), number(row[item.Bounds[1]])
	}
	return f
}

// emptyText is what a key without letters is called.
const emptyText = "(empty)"

// fullText returns a value with all digits, so that distinct keys stay distinct.
func (c cell) fullText(numeric bool) string {
	if numeric && !c.Null {
		return c.Value
	}
	return c.Text
}

// said writes a figure with its error. An exact figure with more digits than a float64 stays as the server wrote it.
func (c cell) said(f chart.Figure) string {
	if c.Null || f.Exact() && math.Abs(f.Value) > 1<<53 {
		return c.fullText(true)
	}
	return f.Said()
}

// number parses a number; NaN for NULL and for texts.
func number(c cell) float64 {
	if x, err := strconv.ParseFloat(c.Value, 64); err == nil && !c.Null {
		return x
	}
	return math.NaN()
}

// certainly is the name of a column of hard bounds.
const certainly = "certainly"

// showErrors writes the errors into the table's figures and hard bounds beside them, and removes the added columns.
func (a *answer) showErrors(items []asking.Item, figures [][]chart.Figure) (bounded bool) {
	t := a.Result
	told := &table{Cut: t.Cut, Rows: make([][]cell, len(t.Rows))}
	for i := range items {
		told.Columns, told.Numeric = append(told.Columns, t.Columns[i]), append(told.Numeric, t.Numeric[i])
		some := slices.ContainsFunc(figures[i], func(f chart.Figure) bool { return f.Bounds() != "" })
		if some {
			told.Columns, told.Numeric, bounded = append(told.Columns, certainly), append(told.Numeric, true), true
		}
		for at, row := range t.Rows {
			c := row[i]
			c.Text = c.fullText(t.Numeric[i])
			if figures[i] != nil {
				c.Text = c.said(figures[i][at])
			}
			told.Rows[at] = append(told.Rows[at], c)
			if some {
				bounds := figures[i][at].Bounds()
				told.Rows[at] = append(told.Rows[at], cell{Value: bounds, Text: bounds})
			}
		}
	}
	a.Result = told
	return bounded
}

// certainty says what is known of an answer's figures.
type certainty struct{ exact, estimated, unknown, bounded bool }

func (c *certainty) note(f chart.Figure) {
	switch {
	case !f.Known():
		c.unknown = true
	case f.Exact():
		c.exact = true
	default:
		c.estimated = true
	}
}

// legend explains the marks, "" if it cannot say anything for sure.
func (c certainty) legend() (text string) {
	switch {
	case c.estimated:
		text = "Figures with ± or a range are estimates, each with its 95 % interval."
		if c.exact && !c.unknown {
			text += " Figures without are exact."
		}
		if c.bounded {
			text += " “" + certainly + "”: no table that agrees with what is published has less or more."
		}
	case c.exact && !c.unknown:
		text = "Exact: nothing is estimated."
	}
	return text
}
