package imputation

import (
	"fmt"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

// byL makes two figures of a method: of the means and of the medians. Each has a pair of lines for every kind of
// question except the ranges of 4 to 6: more than eight lines could not be distinguished.
func (p *publisher) byL(a arm, outcomes []*outcome) (list []evaluation.Figure) {
	for _, average := range averages {
		f := evaluation.Figure{Name: experiment + "-l-" + fileName(a.label) + "-" + average.name, Printed: a.label + ", " + average.name,
			Title: fmt.Sprintf("%s: %s errors by l", a.label, average.name), X: "l", Y: average.name + " " + errorAxis, Notes: p.figureNotes()}
		for _, estimator := range estimators {
			for i, kind := range kinds() {
				if kind.low > 1 && kind.selectivity > 0 {
					continue
				}
				s := evaluation.Series{Label: kind.label + ", " + estimator}
				for k, o := range outcomes {
					s.Points = append(s.Points, point(float64(p.ls[k]), average.of(o.errorsOf(estimator)[i])))
				}
				f.Series = append(f.Series, s)
			}
		}
		judgeCurves(&f)
		list = append(list, f)
	}
	return list
}

func judgeCurves(f *evaluation.Figure) {
	r := f.Read("l")
	var claims []evaluation.Claim
	for _, kind := range kinds() {
		claims = append(claims, r.ClaimBelow(kind.label+", "+byTables, kind.label+", "+byEquation, worseBy))
	}
	f.Aim = notWorse + "."
	f.Conclude(r.Summary(f.Labels()...), claims)
}
