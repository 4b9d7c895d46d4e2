package imputation

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

// byMethod makes a figure for every kind of question, with all methods side by side, at one l.
func (p *publisher) byMethod(measured [][]*outcome) (list []evaluation.Figure) {
	at := slices.Index(p.ls, p.compared)
	for i, kind := range kinds() {
		f := evaluation.Figure{Name: experiment + "-" + fileName(kind.label), Printed: kind.label,
			Title: fmt.Sprintf("Errors of %s, l = %d", kind.title, p.compared), X: "method", Y: errorAxis, Categories: labels(), Notes: p.figureNotes()}
		for _, average := range averages {
			for _, estimator := range estimators {
				s := evaluation.Series{Label: estimator + ", " + average.name}
				for x, outcomes := range measured {
					s.Points = append(s.Points, point(float64(x), average.of(outcomes[at].errorsOf(estimator)[i])))
				}
				f.Series = append(f.Series, s)
			}
		}
		var aimed map[string]float64
		if p.printed && p.compared == aimedL {
			aimed = aims[kind.label]
		}
		judgeMethods(&f, aimed)
		list = append(list, f)
	}
	return list
}

// aims are upper bounds for the mean error of completed tables on UCI Adult at aimedL, by kind of question and
// method.
var aims = map[string]map[string]float64{
	"1 to 3":         {anatomyArm: .075, slppaAlike: .105, asnArm: .2},
	"1 to 3, ranges": {anatomyArm: .055},
}

const aimedL = 5

func judgeMethods(f *evaluation.Figure, aimed map[string]float64) {
	r := f.Read("method")
	var claims []evaluation.Claim
	f.Aim = notWorse
	for _, average := range averages {
		claims = append(claims, r.ClaimBelow(byTables+", "+average.name, byEquation+", "+average.name, worseBy))
	}
	for x, label := range f.Categories {
		if most, ok := aimed[label]; ok {
			f.Aim += fmt.Sprintf("; the mean error of %s is at most %s", label, evaluation.Number(most))
			claims = append(claims, r.AtMost(float64(x), byTables+", mean", most))
		}
	}
	f.Aim += "."
	f.Conclude(describeErrors(r), claims)
}

// describeErrors lists the errors of all methods.
func describeErrors(r evaluation.Reading) string {
	text := "Measured: mean / median relative error."
	for x, label := range r.Categories {
		text += " " + label
		for i, estimator := range estimators {
			text += []string{": ", ", "}[i] + estimator + " "
			for k, average := range averages {
				y, _ := r.Value(estimator+", "+average.name, float64(x))
				text += []string{"", " / "}[k] + evaluation.Number(y)
			}
		}
		text += "."
	}
	return text
}
