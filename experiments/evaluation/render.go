package evaluation

import (
	"bytes"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of a picture: a PNG of 957 by 658 pixels, readable when a page shows it 800 pixels wide.
const (
	width  = 7.2 * vg.Inch
	height = 4.95 * vg.Inch
	dpi    = 133
	edge   = 8 // points of white around everything
)

// WritePNG draws the figure.
func (f *Figure) WritePNG(w io.Writer) error {
	c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))}
	if err := f.draw(draw.New(c)); err != nil {
		return err
	}
	_, err := c.WriteTo(w)
	return err
}

// WriteSVG draws the figure. Viewers without the PNG's font use another one without serifs.
func (f *Figure) WriteSVG(w io.Writer) error {
	c := vgsvg.New(width, height)
	if err := f.draw(draw.New(c)); err != nil {
		return err
	}
	var text bytes.Buffer
	if _, err := c.WriteTo(&text); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}

// draw fills the canvas: the legend at the bottom, the plot above it.
func (f *Figure) draw(c draw.Canvas) error {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	c = draw.Crop(c, edge, -edge, edge, -edge)
	p := plot.New()
	f.dress(p)
	var thumbnails []entry
	var err error
	if len(f.Categories) > 0 {
		thumbnails, err = f.bars(p)
	} else {
		thumbnails, err = f.lines(p)
	}
	if err != nil {
		return err
	}
	high := drawLegend(c, p.Legend.TextStyle, thumbnails)
	p.Draw(draw.Crop(c, 0, 0, high, 0))
	return nil
}

// dress sets titles, fonts, axes and grid.
func (f *Figure) dress(p *plot.Plot) {
	sans := func(size vg.Length) font.Font {
		return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	}
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = f.Title, f.X, f.Y
	p.Title.TextStyle.Font, p.Title.Padding = sans(12), 8
	p.Legend.TextStyle.Font = sans(10)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = sans(11), sans(10)
		axis.Label.Padding = 4
	}
	grid := plotter.NewGrid()
	pale := draw.LineStyle{Color: color.Gray{Y: 225}, Width: vg.Points(0.5)}
	grid.Horizontal, grid.Vertical = pale, pale
	if len(f.Categories) > 0 {
		grid.Vertical.Color = nil
	}
	p.Add(grid)
	f.scaleX(p)
	f.scaleY(p)
}

// maxTicks is the greatest number of places for which the x axis marks all.
const maxTicks = 9

func (f *Figure) scaleX(p *plot.Plot) {
	low, high := f.extent(func(p Point) (float64, float64) { return p.X, p.X }, f.LogX)
	if len(f.Categories) > 0 {
		ticks := make(plot.ConstantTicks, len(f.Categories))
		for i, name := range f.Categories {
			ticks[i] = plot.Tick{Value: float64(i), Label: name}
		}
		p.X.Tick.Marker, p.X.Min, p.X.Max = ticks, -0.5, float64(len(f.Categories))-0.5
		return
	}
	p.X.Min, p.X.Max = low, high
	if f.LogX && low > 0 {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
		return
	}
	p.X.Tick.Marker = numberTicks{}
	if places := f.places(); len(places) <= maxTicks && haveRoom(places) {
		ticks := make(plot.ConstantTicks, len(places))
		for i, x := range places {
			ticks[i] = plot.Tick{Value: x, Label: Number(x)}
		}
		p.X.Tick.Marker = ticks
	}
}

// scaleY starts at 0 if there are bars, so that heights are ratios, or if lines come near 0.
func (f *Figure) scaleY(p *plot.Plot) {
	low, high := f.extent(func(p Point) (float64, float64) { return p.Low, p.Top }, f.LogY)
	if f.LogY && low > 0 {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		p.Y.Min, p.Y.Max = low/1.3, high*1.3
		return
	}
	p.Y.Tick.Marker = numberTicks{}
	p.Y.Min, p.Y.Max = min(0, low), max(0, high)
	if len(f.Categories) == 0 && low > fromZero*high && low < high {
		p.Y.Min = low - 0.05*(high-low)
	}
	p.Y.Max += 0.05 * (p.Y.Max - p.Y.Min)
	if p.Y.Min == p.Y.Max {
		p.Y.Max++
	}
}

// fromZero is the share of the greatest value that all lines must exceed for the axis to start elsewhere.
const fromZero = 0.4

// extent returns the range of the points, for a logarithmic axis only of the positive ones. Without points it is 0 to
// 0.
func (f *Figure) extent(of func(Point) (low, high float64), positive bool) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for _, p := range s.Points {
			least, greatest := of(p)
			for _, v := range []float64{least, greatest} {
				if !positive || v > 0 {
					low, high = min(low, v), max(high, v)
				}
			}
		}
	}
	if low > high {
		return 0, 0
	}
	return low, high
}

// places returns the distinct x of all points, ascending.
func (f *Figure) places() []float64 {
	var all []float64
	for _, s := range f.Series {
		for _, p := range s.Points {
			all = append(all, p.X)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// haveRoom reports whether labels at the places fit next to each other.
func haveRoom(places []float64) bool {
	if len(places) < 2 {
		return true
	}
	room := (places[len(places)-1] - places[0]) / 14
	for i := range places[1:] {
		if places[i+1]-places[i] < room {
			return false
		}
	}
	return true
}
