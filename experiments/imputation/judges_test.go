package imputation

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

// line is a series at x = 0, 1, 2, ..., as those by method are.
func line(label string, ys ...float64) evaluation.Series {
	s := evaluation.Series{Label: label}
	for i, y := range ys {
		s.Points = append(s.Points, point(float64(i), y))
	}
	return s
}

// The aims hold where every error is at most theirs, and nowhere is an estimator worse.
func TestJudgeMethods(t *testing.T) {
	aimed := map[string]float64{anatomyArm: .075, asnArm: .2}
	judge := func(f *evaluation.Figure) {
		f.Categories = []string{anatomyArm, asnArm}
		judgeMethods(f, aimed)
	}
	both := func(independent, imputed [2]float64) []evaluation.Series {
		return []evaluation.Series{line("Eq. 11, mean", independent[:]...), line("imputed, mean", imputed[:]...), line("Eq. 11, median", .2, .3), line("imputed, median", .1, .2)}
	}
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judge, both([2]float64{.3, .4}, [2]float64{.075, .2})...), evaluation.Agrees,
		"Anatomy: Eq. 11 0.3 / 0.2, imputed 0.075 / 0.1. ASN: Eq. 11 0.4 / 0.3, imputed 0.2 / 0.2.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judge, both([2]float64{.3, .4}, [2]float64{.076, .19})...), evaluation.Partly, "imputed, mean is at most 0.075 at Anatomy", "it is 0.076")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judge, both([2]float64{.05, .1}, [2]float64{.0526, .105})...), evaluation.Partly, "give or take 5 percent", "Anatomy: 0.0526 against 0.05")
	f := evaluationtest.VerdictOf(judge, both([2]float64{.3, .4}, [2]float64{.07, .2})...)
	if want := "Completed tables are nowhere worse than Eq. (11) by more than 5 percent; the mean error of Anatomy is at most 0.075; the mean error of ASN is at most 0.2."; f.Aim != want {
		t.Errorf("the aim is %q, not %q", f.Aim, want)
	}
	aimed = nil
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judge, both([2]float64{.3, .4}, [2]float64{.2, .3})...), evaluation.Agrees)
}

// Aims are about methods and questions that there are.
func TestAims(t *testing.T) {
	left := maps.Clone(aims)
	for _, kind := range kinds() {
		delete(left, kind.label)
	}
	if len(left) > 0 {
		t.Errorf("aims of no questions: %v", left)
	}
	for kind, of := range aims {
		of = maps.Clone(of)
		for _, label := range labels() {
			delete(of, label)
		}
		if len(of) > 0 {
			t.Errorf("%s: aims of no methods: %v", kind, of)
		}
	}
}

func TestJudgeCurves(t *testing.T) {
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCurves, evaluationtest.Line("1 to 3, Eq. 11", .2, .3), evaluationtest.Line("1 to 3, imputed", .1, .3)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCurves, evaluationtest.Line("1 to 3, Eq. 11", .2, .3), evaluationtest.Line("1 to 3, imputed", .1, .32)), evaluation.Partly, "l = 2: 0.32 against 0.3")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCurves, evaluationtest.Line("1 to 3, Eq. 11", .2, .3), evaluationtest.Line("1 to 3, imputed", .4, .5)), evaluation.Disagrees)
}

// A method is the best where no point of another is under its line, whatever there is
// beside its ends.
func TestJudgeAttack(t *testing.T) {
	at := func(label string, points ...[2]float64) evaluation.Series {
		s := evaluation.Series{Label: label}
		for _, p := range points {
			s.Points = append(s.Points, point(p[0], p[1]))
		}
		return s
	}
	own := at(slppaAlike, [2]float64{.2, .3}, [2]float64{.4, .1}) // .2 at .3
	for _, c := range []struct {
		want  evaluation.Verdict
		other evaluation.Series
		word  string
	}{
		{evaluation.Agrees, at(anatomyArm, [2]float64{.1, .05}, [2]float64{.5, .01}), "Anatomy: 0.05 at 0.1, 0.01 at 0.5."}, // beside the ends
		{evaluation.Agrees, at(anatomyArm, [2]float64{.2, .3}, [2]float64{.3, .21}), "Anatomy: 0.3 at 0.2, 0.21 at 0.3."},
		{evaluation.Partly, at(anatomyArm, [2]float64{.2, .3}, [2]float64{.3, .19}), "at 0.3 Anatomy has 0.19 against 0.2"},
		{evaluation.Partly, at(anatomyArm, [2]float64{.3, .25}, [2]float64{.35, .27}), "Anatomy falls with probability"},
	} {
		evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeAttack, c.other, own), c.want, c.word)
	}
}

// Every method publishes at every l, and its groups keep the bound.
func TestArms(t *testing.T) {
	for _, a := range arms() {
		for _, l := range []int{2, 4} {
			in := anontest.People(400, 1)
			in.Random = rand.NewPCG(1, uint64(l))
			r, err := a.method.Run(t.Context(), in, a.argumentsFor(l))
			if err != nil {
				t.Fatalf("%s, l = %d: %v", a.label, l, err)
			}
			seen := 0
			for g, size := range r.GroupSizes {
				for _, f := range r.Fragments {
					if f.Columns[0].Name != "sensitive" {
						continue
					}
					for _, n := range f.Count[f.GroupStart[g]:f.GroupStart[g+1]] {
						seen += int(n)
						if int(n)*l > int(size) {
							t.Fatalf("%s, l = %d: %d of %d records of group %d have one value", a.label, l, n, size, g)
						}
					}
				}
			}
			if seen != r.Rows {
				t.Errorf("%s, l = %d: %d of %d records were looked at", a.label, l, seen, r.Rows)
			}
		}
	}
}
