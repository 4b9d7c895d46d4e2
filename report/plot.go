package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// A Choice is a possible publication with its risk and error. Less is better in both.
type Choice struct {
	// Number labels its point; 0 for none.
	Number int
	Name   string
	// Risk and Error are shares, 0 or more; they may exceed 1.
	Risk, Error float64
	// Link is the point's link, "" for none.
	Link string
}

// A Plot is a risk-utility plot: a point per choice, and a line through the best. Its positions are computed; the template "plot" draws it.
type Plot struct {
	// ID is its title's in the page.
	ID, Caption string
	// Title describes the drawing in words.
	Title  string
	Points []Point
	Line   string // through the best, in a square of 1000 units
	X, Y   []tick
}

// A Point has its number beside it, at a distance in pixels. Best says that no other choice dominates it.
type Point struct {
	Number       int
	Name, Link   string
	X, Y         string
	Best         bool
	Right, Below int
	Anchor       string
}

// Linked reports whether points are links: then the drawing is not only a picture.
func (p *Plot) Linked() bool {
	return slices.ContainsFunc(p.Points, func(at Point) bool { return at.Link != "" })
}

// PlotTemplate adds the template "plot" to t, for pages that use Sheet.
func PlotTemplate(t *template.Template) (*template.Template, error) {
	return t.ParseFS(files, "page/plot.html")
}

// NewPlot draws choices, risk to the right and error upwards. id must be unique in the page. Points have the order of choices.
func NewPlot(id, caption string, choices []Choice) *Plot {
	p := &Plot{ID: id, Caption: caption}
	farthest, highest := 0.0, 0.0
	for _, c := range choices {
		farthest, highest = max(farthest, c.Risk), max(highest, c.Error)
	}
	right, stepAcross := niceTop(1.05 * farthest)
	top, stepUp := niceTop(1.1 * highest)
	p.X, p.Y = ticksAcross(right, stepAcross, percent), ticksDown(top, stepUp, percent)
	if len(p.X) > 6 {
		p.X = everySecond(p.X)
	}
	var taken labels
	for _, c := range choices {
		taken = append(taken, [2]float64{narrowPlot * c.Risk / right, plotHeight * (1 - c.Error/top)})
	}
	var said []string
	for _, c := range choices {
		y := plotHeight * (1 - c.Error/top)
		drawn := Point{Number: c.Number, Name: c.words(), Link: c.Link, X: position(c.Risk, right), Y: decimal(y), Best: c.isBest(choices)}
		if c.Number > 0 {
			drawn.Right, drawn.Below, drawn.Anchor = taken.place(c.Risk/right*narrowPlot, y)
		}
		p.Points = append(p.Points, drawn)
		said = append(said, drawn.Name)
	}
	p.Line, p.Title = frontier(choices, right, top), strings.Join(said, "; ")+"."
	return p
}

func (c Choice) words() string {
	return fmt.Sprintf("%s: %s and %s", c.Name, percent(c.Risk), percent(c.Error))
}

// isBest reports whether no other choice dominates it.
func (c Choice) isBest(choices []Choice) bool {
	return !slices.ContainsFunc(choices, func(o Choice) bool {
		return o.Risk <= c.Risk && o.Error <= c.Error && (o.Risk < c.Risk || o.Error < c.Error)
	})
}

// frontier returns the corners of the line through the best.
func frontier(choices []Choice, right, top float64) string {
	var best []Choice
	for _, c := range choices {
		if c.isBest(choices) {
			best = append(best, c)
		}
	}
	slices.SortStableFunc(best, func(a, b Choice) int { return cmp.Compare(a.Risk, b.Risk) })
	var corners []string
	for _, c := range best {
		corners = append(corners, decimal(1000*c.Risk/right)+","+decimal(1000*(1-c.Error/top)))
	}
	return strings.Join(corners, " ")
}

// narrowPlot is the least width of a plot, in pixels: labels that do not overlap there overlap
// nowhere.
const narrowPlot = 250

// labels are the occupied positions of points and numbers, in pixels of the narrowest plot.
type labels [][2]float64

// An offset is a possible position of a number.
type offset struct {
	right, below int
	anchor       string
}

// middle returns the middle of the number: digits are 7 pixels wide and 8 high.
func (o offset) middle(x, y float64) [2]float64 {
	return [2]float64{x + 1.4*float64(o.right), y + float64(o.below) - 4}
}

// place finds room for a point's number: beside, above or below it, else to the right.
func (l *labels) place(x, y float64) (right, below int, anchor string) {
	candidates := []offset{
		{9, 4, "start"},
		{-9, 4, "end"},
		{0, -9, "middle"},
		{0, 18, "middle"},
		{9, -8, "start"},
		{9, 16, "start"},
		{-9, -8, "end"},
		{-9, 16, "end"},
	}
	chosen := candidates[0]
	for _, c := range candidates {
		at := c.middle(x, y)
		if at[0] < narrowPlot && !slices.ContainsFunc(*l, func(o [2]float64) bool { return abs(o[0]-at[0]) < 10 && abs(o[1]-at[1]) < 10 }) {
			chosen = c
			break
		}
	}
	*l = append(*l, chosen.middle(x, y))
	return chosen.right, chosen.below, chosen.anchor
}

func abs(x float64) float64 { return max(x, -x) }
