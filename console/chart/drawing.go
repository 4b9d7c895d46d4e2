package chart

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Drawing has shapes on an area of pixels.
type Drawing struct {
	Title         string
	Width, Height int
	Shapes        []Shape
}

// A Shape is a rect, a line, a circle, a path or a text. Tip is its tooltip.
type Shape struct {
	Kind, Class    string
	X, Y, W, H     string // the ends of a line; the centre and radius of a circle
	Text, Anchor   string // Text has the points of a path
	Tip, Opacity   string
	Rotate, Series string
}

// size has the dimensions of a drawing.
type size struct {
	width, label, side int // in pixels: total, labels on the left, what stands on the right
	narrow             bool
}

var (
	wide   = size{960, 190, 170, false}
	narrow = size{340, 90, 0, true}
)

// Approximate widths of characters of 13 and 11 pixels.
const (
	characterWidth = 7
	smallWidth     = 6
)

func px(x float64) string { return strconv.FormatFloat(math.Round(10*x)/10, 'f', -1, 64) }

func (d *Drawing) rect(class string, x, y, w, h float64, tip string) *Shape {
	return d.add(Shape{Kind: "rect", Class: class, X: px(x), Y: px(y), W: px(w), H: px(h), Tip: tip})
}

func (d *Drawing) line(class string, x1, y1, x2, y2 float64) *Shape {
	return d.add(Shape{Kind: "line", Class: class, X: px(x1), Y: px(y1), W: px(x2), H: px(y2)})
}

func (d *Drawing) circle(class string, x, y, r float64, tip string) *Shape {
	return d.add(Shape{Kind: "circle", Class: class, X: px(x), Y: px(y), W: px(r), Tip: tip})
}

func (d *Drawing) text(class string, x, y float64, anchor, text string) *Shape {
	return d.add(Shape{Kind: "text", Class: class, X: px(x), Y: px(y), Anchor: anchor, Text: text})
}

func (d *Drawing) path(class, points string) *Shape {
	return d.add(Shape{Kind: "path", Class: class, Text: points})
}

func (d *Drawing) add(s Shape) *Shape {
	d.Shapes = append(d.Shapes, s)
	return &d.Shapes[len(d.Shapes)-1]
}

// cut shortens a text to a width in pixels.
func cut(text string, width float64) string {
	most := max(int(width/characterWidth), 2)
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:most-1])) + "…"
}

// An axis extends from its first tick to its last.
type axis struct{ ticks []float64 }

// axisOf returns an axis of about count ticks at round numbers, from at most low to at least high, which must be drawable. It
// includes zero if zero is set or the range is near it. Values too close for float64 ticks are drawn as equal.
func axisOf(low, high float64, count int, zero bool) axis {
	if zero || low >= 0 && low < 0.6*high || high <= 0 && high > 0.6*low {
		low, high = min(low, 0), max(high, 0)
	}
	if largest := max(math.Abs(low), math.Abs(high)); low == high || high-low < 1e-9*largest {
		high = low + max(1, 1e-6*largest)
	}
	step := math.Pow(10, math.Floor(math.Log10((high-low)/float64(count))))
	for _, times := range []float64{1, 2, 5, 10} {
		if (high-low)/(times*step) <= float64(count) {
			step *= times
			break
		}
	}
	var a axis
	first := math.Floor(low/step + 1e-9)
	for n := range 2*count + 3 {
		if tick := (first + float64(n)) * step; tick < high+step*(1-1e-9) {
			a.ticks = append(a.ticks, tick)
		}
	}
	return a
}

// position returns a value's position, from 0 to 1.
func (a axis) position(x float64) float64 {
	first, last := a.ticks[0], a.ticks[len(a.ticks)-1]
	return (x - first) / (last - first)
}

// written returns a tick as text, with the decimals of the step; if that is long, with an exponent and as many digits as distinguish the ticks.
func (a axis) written(i int) string {
	step, largest := a.ticks[1]-a.ticks[0], max(math.Abs(a.ticks[0]), math.Abs(a.ticks[len(a.ticks)-1]))
	if largest >= 1e15 || step < 1e-9 {
		return strings.ReplaceAll(strconv.FormatFloat(a.ticks[i], 'g', 1+int(math.Ceil(math.Log10(largest/step))), 64), "-", "−")
	}
	return rounded(a.ticks[i], max(0, -int(math.Floor(math.Log10(step)+1e-9))))
}

// span returns the range of values that a drawing must show.
func span(rows []Row) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		low, high = min(low, r.Figure.low()), max(high, r.Figure.high())
	}
	return low, high
}
