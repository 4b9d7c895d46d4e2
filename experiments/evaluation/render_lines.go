package evaluation

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Okabe and Ito's colours, which people with any colour vision can distinguish. Markers, dashes and hatches differ as
// well.
var colours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255},
	{0, 0, 0, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {120, 120, 120, 255},
}

var markers = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, diamond{},
	draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
}

// diamond is a square on its corner; gonum's crosses are too thin.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	r := style.Radius * 1.25
	c.FillPolygon(style.Color, []vg.Point{{X: at.X - r, Y: at.Y}, {X: at.X, Y: at.Y + r}, {X: at.X + r, Y: at.Y}, {X: at.X, Y: at.Y - r}})
}

var dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 2, 2, 2}, {4, 4}, {1, 3}, {10, 4}, {6, 2, 2, 2, 2, 2}}

// maxMarkers is the greatest number of points of a line with markers.
const maxMarkers = 25

// lines adds a line for every series. At every point with several repetitions, a bar goes from the least to the
// greatest.
func (f *Figure) lines(p *plot.Plot) ([]entry, error) {
	var entries []entry
	for i, s := range f.Series {
		points := f.drawable(s)
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		hue := colours[i%len(colours)]
		line.LineStyle = draw.LineStyle{Color: hue, Width: vg.Points(1.6), Dashes: dashes[i%len(dashes)]}
		marks.GlyphStyle = draw.GlyphStyle{Color: hue, Radius: vg.Points(3.4), Shape: markers[i%len(markers)]}
		spread, err := plotter.NewYErrorBars(points)
		if err != nil {
			return nil, err
		}
		spread.LineStyle, spread.CapWidth = draw.LineStyle{Color: hue, Width: vg.Points(0.8)}, vg.Points(5)
		p.Add(line)
		thumbnails := []plot.Thumbnailer{line}
		if len(points) <= maxMarkers {
			p.Add(spread, marks)
			thumbnails = append(thumbnails, marks)
		}
		entries = append(entries, entry{s.Label, thumbnails})
	}
	return entries, nil
}

// drawable omits points that logarithmic axes cannot show. A spread that reaches below the axis ends at the point.
func (f *Figure) drawable(s Series) plotPoints {
	var points plotPoints
	for _, p := range s.Points {
		if f.LogX && p.X <= 0 || f.LogY && p.Y <= 0 {
			continue
		}
		if f.LogY && p.Low <= 0 {
			p.Low = p.Y
		}
		points = append(points, p)
	}
	return points
}

// plotPoints implements the interfaces of gonum's plotters.
type plotPoints []Point

func (p plotPoints) Len() int                    { return len(p) }
func (p plotPoints) XY(i int) (x, y float64)     { return p[i].X, p[i].Y }
func (p plotPoints) YError(i int) (a, b float64) { return p[i].Y - p[i].Low, p[i].Top - p[i].Y }
