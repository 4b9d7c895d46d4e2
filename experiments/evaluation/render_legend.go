package evaluation

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry is a line of the legend.
type entry struct {
	label      string
	thumbnails []plot.Thumbnailer
}

// Dimensions of the legend, in points.
const (
	thumbnailWidth = 26
	rowHeight      = 15
	gap            = 6
	betweenEntries = 18
)

// drawLegend draws the entries in rows at the bottom of the canvas, as many in a row as fit, and returns the height
// of the legend. Below the plot it hides nothing.
func drawLegend(c draw.Canvas, style text.Style, entries []entry) vg.Length {
	rows := rowsOf(entries, c.Max.X-c.Min.X, style)
	for i, row := range rows {
		wide := vg.Length(0)
		for _, e := range row {
			wide += entryWidth(e, style)
		}
		x := c.Min.X + (c.Max.X-c.Min.X-wide+betweenEntries)/2
		y := c.Min.Y + rowHeight*vg.Length(len(rows)-1-i)
		for _, e := range row {
			icon := &draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y + 1}, Max: vg.Point{X: x + thumbnailWidth, Y: y + rowHeight - 4}}}
			for _, t := range e.thumbnails {
				t.Thumbnail(icon)
			}
			c.FillText(style, vg.Point{X: x + thumbnailWidth + gap, Y: y + 3}, e.label)
			x += entryWidth(e, style)
		}
	}
	return rowHeight*vg.Length(len(rows)) + gap
}

func entryWidth(e entry, style text.Style) vg.Length {
	return thumbnailWidth + gap + style.Width(e.label) + betweenEntries
}

func rowsOf(entries []entry, room vg.Length, style text.Style) [][]entry {
	var rows [][]entry
	left := vg.Length(0)
	for _, e := range entries {
		w := entryWidth(e, style)
		if len(rows) == 0 || w-betweenEntries > left {
			rows, left = append(rows, nil), room
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		left -= w
	}
	return rows
}
