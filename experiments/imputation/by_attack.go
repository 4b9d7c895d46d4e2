package imputation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

// byAttack plots the error of the answers against the success of a learner, a point for every release.
func (p *publisher) byAttack(measured [][]*outcome) evaluation.Figure {
	kind := kinds()[0]
	f := evaluation.Figure{Name: experiment + "-attack", Printed: "the attack", Title: "Error of completed tables against the learned attack",
		X: "mean probability of the actual value", Y: "mean " + errorAxis, Notes: append(
			p.figureNotes(),
			fmt.Sprintf("A point for every l, from %d on the left to %d on the right. The questions are those of %s.", p.ls[len(p.ls)-1], p.ls[0], kind.title),
			fmt.Sprintf(
				"The learner is the model of the completed tables; it knows all quasi-identifiers and the group of everybody, and is asked for some %s records.",
				evaluation.Number(attacked),
			),
		)}
	for i, a := range arms() {
		s := evaluation.Series{Label: a.label}
		for _, o := range measured[i] {
			s.Points = append(s.Points, point(o.learned, o.imputed[0].Mean))
		}
		slices.SortFunc(s.Points, func(a, b evaluation.Point) int { return cmp.Compare(a.X, b.X) })
		f.Series = append(f.Series, s)
	}
	judgeAttack(&f)
	return f
}

func judgeAttack(f *evaluation.Figure) {
	r := f.Read("probability")
	claims := []evaluation.Claim{best(f, slppaAlike)}
	f.Aim = "At the same mean probability " + slppaAlike + " has the smallest error of all methods. With every method the error falls where the probability rises: what analysts gain a learner gains, too."
	shows := "Measured: " + f.Y + ", at the " + f.X + "."
	for _, s := range f.Series {
		first, last := s.Points[0], s.Points[len(s.Points)-1]
		shows += fmt.Sprintf(
			" %s: %s at %s, %s at %s.",
			s.Label,
			evaluation.Number(first.Y),
			evaluation.Number(first.X),
			evaluation.Number(last.Y),
			evaluation.Number(last.X),
		)
		claims = append(claims, r.Falls(s.Label, worseBy))
	}
	f.Conclude(shows, claims)
}

// best claims that no point of another series is below the line of a series. It ignores points beyond the ends of the
// line.
func best(f *evaluation.Figure, label string) evaluation.Claim {
	c := evaluation.Claim{Says: label + " has the smallest error at the same probability"}
	own := f.Label(label)
	for _, s := range f.Series {
		for _, p := range s.Points {
			y, ok := onLine(own, p.X)
			if s.Label == label || !ok {
				continue
			}
			c.Places++
			if p.Y < y {
				c.Against = append(
					c.Against,
					fmt.Sprintf("at %s %s has %s against %s", evaluation.Number(p.X), s.Label, evaluation.Number(p.Y), evaluation.Number(y)),
				)
			}
		}
	}
	return c
}

// onLine interpolates a series, whose points ascend; false beyond its ends.
func onLine(s *evaluation.Series, x float64) (y float64, ok bool) {
	if s == nil {
		return 0, false
	}
	for i, p := range s.Points {
		if p.X == x {
			return p.Y, true
		}
		if i > 0 && s.Points[i-1].X < x && x < p.X {
			before := s.Points[i-1]
			return before.Y + (p.Y-before.Y)*(x-before.X)/(p.X-before.X), true
		}
	}
	return 0, false
}
