// Package evaluationtest makes figures for tests of claims and of experiments that use them. Only tests import it.
package evaluationtest

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

// Line returns a series at x = 1, 2, 3, ...
func Line(label string, ys ...float64) evaluation.Series {
	s := evaluation.Series{Label: label}
	for i, y := range ys {
		s.Points = append(s.Points, evaluation.Point{X: float64(i + 1), Y: y, Low: y, Top: y, Repetitions: 1})
	}
	return s
}

// VerdictOf judges a figure with these series, whose x axis has the label "x".
func VerdictOf(judge func(*evaluation.Figure), series ...evaluation.Series) evaluation.Figure {
	f := evaluation.Figure{Name: "test", X: "x", Series: series}
	judge(&f)
	return f
}

// Expect checks a verdict. There must be a reason exactly if the verdict needs one, and the results and the reason
// together must contain the words.
func Expect(t *testing.T, f evaluation.Figure, want evaluation.Verdict, words ...string) {
	t.Helper()
	if f.Verdict != want {
		t.Errorf("the verdict is %q, not %q: %s", f.Verdict, want, f.Why)
	}
	if (f.Why == "") != (want == evaluation.Agrees) || f.RunShows == "" && want != evaluation.Infeasible {
		t.Errorf("%q: shows %q, why %q", f.Verdict, f.RunShows, f.Why)
	}
	for _, w := range words {
		if !strings.Contains(f.RunShows+" "+f.Why, w) {
			t.Errorf("%q and %q do not say %q", f.RunShows, f.Why, w)
		}
	}
}
