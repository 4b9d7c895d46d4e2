package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

// four are DRASL, DPP, OKA and IKA.
func four(drasl, dpp, oka, ika []float64) []evaluation.Series {
	return []evaluation.Series{evaluationtest.Line(draslArm, drasl...), evaluationtest.Line(dppArm, dpp...), evaluationtest.Line(okaArm, oka...), evaluationtest.Line(ikaArm, ika...)}
}

// The judges of Yan et al. 2021.
func TestDRASLJudges(t *testing.T) {
	y := func(ys ...float64) []float64 { return ys }
	least := func(f *evaluation.Figure) { judgeLinkage(f, "K", "A cause.") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(least, four(y(1, 2, 3), y(2, 3, 4), y(5, 6, 7), y(5, 6, 7))...), evaluation.Agrees, "At K = 1, DRASL: 1; DPP: 2; OKA: 5; IKA: 5.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(least, four(y(2.01, 2, 3), y(2, 3, 4), y(5, 6, 7), y(5, 6, 7))...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(least, four(y(3, 4, 5), y(2, 3, 4), y(5, 6, 7), y(5, 6, 7))...), evaluation.Partly, "DRASL is below DPP", "at 3 of 3 places", "K = 1: 3 against 2", "A cause.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(least, four(y(9, 9, 9), y(2, 3, 4), y(5, 6, 7), y(5, 6, 7))...), evaluation.Disagrees)
	of := &linkage{}
	for x, m := range []float64{.05, .06} {
		of.meanIL.Add(draslArm, float64(x+1), m+.01)
		of.meanIL.Add(dppArm, float64(x+1), m)
		of.meanPr.Add(draslArm, float64(x+1), m/10)
		of.meanPr.Add(dppArm, float64(x+1), m/5)
	}
	loss := func(f *evaluation.Figure) { judgeLoss(f, "K", of) }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(loss, four(y(3, 4), y(2, 3), y(5, 6), y(5, 6))...), evaluation.Partly,
		"Distance of a record. At K = 1, DRASL: 0.06; DPP: 0.05.", "Linkage of a record's group. At K = 1, DRASL: 0.005; DPP: 0.01.")
	time := func(f *evaluation.Figure) { judgeTime(f, "K") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(time, four(y(2, 2), y(2, 1.5), y(1, 1), y(3, 3))...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(time, four(y(2, 4), y(2, 2), y(1, 1), y(3, 3))...), evaluation.Partly, "K = 2: 4 against 2")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(time, four(y(9, 9), y(2, 2), y(10, 10), y(3, 3))...), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGrowth, four(y(1, 4, 9), y(1, 4, 9), y(.5, 2, 4.5), y(1, 4, 9))...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGrowth, four(y(1, 2, 3), y(1, 4, 9), y(.5, 2, 4.5), y(1, 4, 9))...), evaluation.Partly, "the power is 1")
	forged := func(f *evaluation.Figure) { judgeForged(f, "Groups.") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(forged, evaluationtest.Line(draslArm, 5, 5), evaluationtest.Line(dppArm, 6, 7), evaluationtest.Line(draslInPaper, 3, 5)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(forged, evaluationtest.Line(draslArm, 50, 50), evaluationtest.Line(dppArm, 60, 70), evaluationtest.Line(draslInPaper, 3, 5)), evaluation.Partly, "1: 50 against 3")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(forged, evaluationtest.Line(draslArm, 80, 80), evaluationtest.Line(dppArm, 60, 70), evaluationtest.Line(draslInPaper, 3, 5)), evaluation.Disagrees, "Groups.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDisclosure, evaluationtest.Line(draslArm, 0, .01)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDisclosure, evaluationtest.Line(draslArm, .5, .9), evaluationtest.Line(draslSealed, 0, 0)), evaluation.Disagrees, "it is 0 percent in the place of 90")
	if f := evaluationtest.VerdictOf(judgeDisclosure, evaluationtest.Line(draslArm, .5, .9), evaluationtest.Line(draslSealed, .5, .9)); strings.Contains(f.Why, "in the place of") {
		t.Errorf("sealed updates disclose as many: %s", f.Why)
	}
}

// Taxonomies and orders fit the sample; other values make the attribute nominal, and
// a note says so.
func TestPatients(t *testing.T) {
	column := func(name string, values ...string) *anonymize.Column {
		var list []anonymize.Value
		for _, v := range values {
			list = append(list, anonymize.TextValue(v))
		}
		return anonymize.NewColumn(name, "", list)
	}
	for _, c := range []struct {
		column *anonymize.Column
		want   anonymize.Scale
	}{
		{column("education", "HS-grad", "9th"), anonymize.Ordinal}, {column("education", "Primary", "Vocational"), anonymize.Ordinal},
		{column("workclass", "Private", "Local-gov"), anonymize.Semantic}, {column("occupation", "Sales", "None"), anonymize.Semantic},
		{column("occupation", "Sales", "Pilot"), ""}, {column("race", "White"), ""},
	} {
		p := &patients{domains: map[string]*anonymize.Domain{}}
		p.know(c.column)
		got := anonymize.Scale("")
		if d := p.domains[c.column.Name]; d != nil {
			got = d.Scale
		}
		if got != c.want || (len(p.notes) > 0) != (c.want == "" && c.column.Name != "race") {
			t.Errorf("%s %v is %q, notes %v", c.column.Name, c.column.Dictionary, got, p.notes)
		}
	}
}

func TestDRASLQuick(t *testing.T) {
	f := quickly(t, DRASL())
	var want []string
	for _, n := range []string{"05", "06", "07", "08", "09", "10", "11", "12", "13"} {
		want = append(want, "drasl-fig"+n+"a", "drasl-fig"+n+"b")
	}
	want = append(want, "drasl-fig14", "drasl-fig15", "drasl-fig16", "drasl-table9a", "drasl-table9b", "drasl-table9c", "drasl-disclosure")
	for _, name := range want {
		if f[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	if len(f) != len(want) || t.Failed() {
		t.Fatalf("%d figures, not %d", len(f), len(want))
	}
	// Sealed updates: no counterfeit for an insertion, at most one for each of the others;
	// nobody is disclosed, most are by the printed ones.
	for name, most := range map[string]float64{"drasl-table9a": 0, "drasl-table9b": 1, "drasl-table9c": 1} {
		for _, p := range f[name].Label(draslSealed).Points {
			if p.Y > most*(p.X+1)*updateStep {
				t.Errorf("%s: %v counterfeits at %s", name, p.Y, f[name].Categories[int(p.X)])
			}
		}
	}
	for _, s := range f["drasl-disclosure"].Series {
		last := s.Points[len(s.Points)-1].Y
		if sealed := strings.Contains(s.Label, "sealed"); sealed && last != 0 || !sealed && last < 0.3 {
			t.Errorf("%s discloses %v", s.Label, last)
		}
	}
	for _, name := range []string{"drasl-fig05a", "drasl-fig06a"} {
		if labels := f[name].Labels(); !slices.Equal(labels[:4], []string{draslArm, dppArm, okaArm, ikaArm}) {
			t.Errorf("%s has %v", name, labels)
		}
	}
}

func TestDRASLNeedsColumns(t *testing.T) {
	refuses(t, DRASL(), "experiment drasl needs a column age: the table has none")
}
