package evaluation

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars adds a bar for every point; the bars of a category are side by side.
func (f *Figure) bars(p *plot.Plot) ([]entry, error) {
	var entries []entry
	for i, s := range f.Series {
		b := &bars{points: f.drawable(s), style: i, of: len(f.Series)}
		p.Add(b)
		entries = append(entries, entry{s.Label, []plot.Thumbnailer{b}})
	}
	return entries, nil
}

// bars are the bars of one series: number style, from 0, of the figure's series.
type bars struct {
	points    plotPoints
	style, of int
}

// taken is the share of a category's width that the bars fill.
const taken = 0.8

// Plot implements plot.Plotter.
func (b *bars) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	foot := max(0, p.Y.Min)
	each := taken / float64(b.of)
	for _, point := range b.points {
		left := point.X - taken/2 + each*float64(b.style)
		r := vg.Rectangle{Min: vg.Point{X: toX(left), Y: toY(min(foot, point.Y))}, Max: vg.Point{X: toX(left + each), Y: toY(max(foot, point.Y))}}
		hatched(c, r, b.style)
		if point.Top > point.Low {
			whisker := draw.LineStyle{Color: color.Black, Width: vg.Points(0.9)}
			x, cap := (r.Min.X+r.Max.X)/2, (r.Max.X-r.Min.X)/6
			c.StrokeLine2(whisker, x, toY(point.Low), x, toY(point.Top))
			c.StrokeLine2(whisker, x-cap, toY(point.Low), x+cap, toY(point.Low))
			c.StrokeLine2(whisker, x-cap, toY(point.Top), x+cap, toY(point.Top))
		}
	}
}

// Thumbnail implements plot.Thumbnailer.
func (b *bars) Thumbnail(c *draw.Canvas) { hatched(*c, c.Rectangle, b.style) }

// hatched fills a rectangle with the colour and lines of a style.
func hatched(c draw.Canvas, r vg.Rectangle, style int) {
	hue := colours[style%len(colours)]
	corners := []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}, r.Min}
	c.FillPolygon(paler(hue), corners)
	line := draw.LineStyle{Color: hue, Width: vg.Points(0.9)}
	switch style % 6 {
	case 0:
		c.FillPolygon(hue, corners)
	case 1:
		diagonals(c, r, line, 1)
	case 2:
		diagonals(c, r, line, -1)
	case 3:
		for y := r.Min.Y + hatch; y < r.Max.Y; y += hatch {
			c.StrokeLine2(line, r.Min.X, y, r.Max.X, y)
		}
	case 4:
		diagonals(c, r, line, 1)
		diagonals(c, r, line, -1)
	}
	c.StrokeLines(draw.LineStyle{Color: hue, Width: vg.Points(1)}, corners)
}

// hatch is the distance between lines.
const hatch = vg.Length(4)

// diagonals draws lines of slope 1 or -1, clipped to the rectangle.
func diagonals(c draw.Canvas, r vg.Rectangle, line draw.LineStyle, slope vg.Length) {
	w, h := r.Max.X-r.Min.X, r.Max.Y-r.Min.Y
	step := hatch * vg.Length(math.Sqrt2)
	for d := step - h; d < w; d += step { // where the line of slope 1 meets the foot, from the left
		from, to := max(0, d), min(w, d+h)
		if from >= to {
			continue
		}
		y0, y1 := r.Min.Y+from-d, r.Min.Y+to-d
		if slope < 0 {
			y0, y1 = r.Min.Y+r.Max.Y-y0, r.Min.Y+r.Max.Y-y1
		}
		c.StrokeLine2(line, r.Min.X+from, y0, r.Min.X+to, y1)
	}
}

func paler(c color.RGBA) color.RGBA {
	mix := func(v uint8) uint8 { return uint8((int(v) + 3*255) / 4) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}
