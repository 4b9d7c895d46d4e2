package frontier

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

var sizeOption = regexp.MustCompile(` size=\d+`)

// Plot draws the points of a table whose learned attack was measured, by that and by the error of pairs. Releases
// that differ by the size of groups alone are one line.
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
