package frontier

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

var sizeOption = regexp.MustCompile(` size=\d+`)

// Plot draws the points of a table with a measured learned attack: the error of pairs against the attack. One line
// joins the releases that differ only in group size.
func Plot(table string, points []*Point) *evaluation.Figure {
	f := &evaluation.Figure{Name: "frontier-" + table, Title: table + ": error of pairs against the learned attack",
		X: "learned: mean probability of the actual value", Y: "mean relative error of pairs"}
	for _, p := range points {
		learned, measured := p.Attacks["learned"]
		if !measured {
			continue
		}
		label := sizeOption.ReplaceAllString(strings.Trim(p.Name, "`"), "")
		s := f.Label(label)
		if s == nil {
			f.Series = append(f.Series, evaluation.Series{Label: label})
			s = &f.Series[len(f.Series)-1]
		}
		s.Points = append(s.Points, evaluation.NewPoint(learned.Mean, []float64{p.Errors[Pairs].Mean}))
	}
	for _, s := range f.Series {
		slices.SortFunc(s.Points, func(a, b evaluation.Point) int { return cmp.Compare(a.X, b.X) })
	}
	return f
}
