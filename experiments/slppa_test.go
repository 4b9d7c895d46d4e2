package experiments

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

// The judges of Yao et al. 2021, on series that agree and on series that do not.
func TestSLPPAJudges(t *testing.T) {
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionByRecords, evaluationtest.Line(byFirst, 1, 2, 3), evaluationtest.Line(byMean, 1, 2, 3), evaluationtest.Line(slicingArm, 2, 3, 4)), evaluation.Agrees, "At n = 1, SLPPA")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionByRecords, evaluationtest.Line(byFirst, 2, 3, 4), evaluationtest.Line(slicingArm, 1, 2, 3)), evaluation.Partly, "is below Slicing", "1.33 times Slicing")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionByRecords, evaluationtest.Line(byFirst, 9, 6, 4), evaluationtest.Line(slicingArm, 3, 2, 1)), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionByTables, evaluationtest.Line(byFirst, 3, 2, 1), evaluationtest.Line(slicingArm, 4, 4, 4)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionByTables, evaluationtest.Line(byFirst, 1, 2, 3), evaluationtest.Line(slicingArm, 4, 4, 8)), evaluation.Disagrees, "phi^2 of all pairs")

	plainly := func(f *evaluation.Figure) { judgeDistribution(f, false) }
	asPrinted := func(f *evaluation.Figure) { judgeDistribution(f, true) }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(plainly, evaluationtest.Line(byFirst, 2, 3, 4), evaluationtest.Line(slicingArm, 1, 2, 6)), evaluation.Agrees, "2, 3 and 4 attributes")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(plainly, evaluationtest.Line(byFirst, 1, 2, 6), evaluationtest.Line(slicingArm, 1, 2, 6)), evaluation.Disagrees, "Slicing does leave a table with one attribute")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(asPrinted, evaluationtest.Line(byFirst, 2, 3, 4), evaluationtest.Line(slicingArm, 1, 2, 6)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(asPrinted, evaluationtest.Line(byFirst, 3, 3, 3), evaluationtest.Line(slicingArm, 1, 2, 6)), evaluation.Partly, "it has 3, 3 and 3")

	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionTime, evaluationtest.Line(slppaArm, 2, 3), evaluationtest.Line(slicingArm, 300, 900), evaluationtest.Line(asnArm, 1, 2)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionTime, evaluationtest.Line(slppaArm, 2, 3), evaluationtest.Line(slicingArm, 150, 900), evaluationtest.Line(slicingLocal, 1, 2), evaluationtest.Line(asnArm, 1, 2)), evaluation.Partly,
		"Slicing is more than 100 times SLPPA", "150 against 2", "the local check is faster")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionTime, evaluationtest.Line(slppaArm, 2, 3), evaluationtest.Line(slicingArm, 1, 1), evaluationtest.Line(asnArm, 4, 5)), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionTimeCloser, evaluationtest.Line(slppaArm, 2, 3), evaluationtest.Line(asnArm, 1, 2)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDivisionTimeCloser, evaluationtest.Line(slppaArm, 3, 2), evaluationtest.Line(asnArm, 5, 4)), evaluation.Disagrees)

	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGroups, evaluationtest.Line(slppaArm, 2, 3), evaluationtest.Line(slicingArm, 1, 1), evaluationtest.Line(asnArm, 3, 4)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGroups, evaluationtest.Line(slppaArm, 3, 4), evaluationtest.Line(slicingArm, 1, 1), evaluationtest.Line(asnArm, 3, 4)), evaluation.Partly, "ASN is above SLPPA", "the same number of groups, within 0.1 percent")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGroupsCloser, evaluationtest.Line(slppaArm, 2, 4, 6), evaluationtest.Line(slicingArm, 1, 1, 4)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGroupsCloser, evaluationtest.Line(slppaArm, 2, 1, 0.5), evaluationtest.Line(slicingArm, 2, 4, 6)), evaluation.Disagrees, "grows more regularly")
}

func TestSLPPAErrorJudges(t *testing.T) {
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeErrors, evaluationtest.Line(slppaArm, .3, .4, .5), evaluationtest.Line(slicingArm, .28, .35, .45), evaluationtest.Line(asnArm, .4, .5, .6)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeErrors, evaluationtest.Line(slppaArm, .3, .4, .5), evaluationtest.Line(slicingArm, .1, .2, .3), evaluationtest.Line(asnArm, .4, .5, .6)), evaluation.Partly, "within 20 percent", "0.3 against 0.1")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeErrors, evaluationtest.Line(slppaArm, .5, .4, .3), evaluationtest.Line(slicingArm, .9, .8, .7), evaluationtest.Line(asnArm, .4, .3, .2)), evaluation.Disagrees)
	parameter := func(f *evaluation.Figure) { judgeParameter(f, [][2]string{{"changed", "as before"}}) }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(parameter, evaluationtest.Line("changed", .3, .5), evaluationtest.Line("as before", .31, .5)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(parameter, evaluationtest.Line("changed", .3, .5), evaluationtest.Line("as before", .4, .6)), evaluation.Disagrees, "0.3 against 0.4")
	rising := func(f *evaluation.Figure) { judgeRising(f, "k") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(rising, evaluationtest.Line("a", 1, 2, 3), evaluationtest.Line("b", 1, 1, 1.5)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(rising, evaluationtest.Line("a", 1, 2, 3), evaluationtest.Line("b", 1, 3, 2)), evaluation.Partly, "b rises with k")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(rising, evaluationtest.Line("a", 3, 2, 1)), evaluation.Disagrees, "a is higher at the last k than at the first")
}

func TestSpans(t *testing.T) {
	for attributes, want := range map[int]string{1: "1", 3: "1 to 3", 8: "1 to 3, 4 to 6, 7 to 8", 9: "1 to 3, 4 to 6, 7 to 9", 10: "1 to 3, 4 to 6, 7 to 9, 10", 13: "1 to 3, 4 to 6, 7 to 9, 10 to 13"} {
		var texts []string
		for _, s := range spansOf(attributes) {
			texts = append(texts, s.String())
		}
		if got := strings.Join(texts, ", "); got != want {
			t.Errorf("%d attributes: %s", attributes, got)
		}
	}
}

// The next attempt uses the value that an error reports as possible.
func TestNearer(t *testing.T) {
	for _, c := range []struct {
		err         error
		name, value string
	}{
		{&anonymize.InfeasibleError{Parameter: "beta", Smallest: anonymize.NewRatio(41292, 45222)}, "beta", "0.914"},
		{&anonymize.InfeasibleError{Parameter: "beta", Smallest: anonymize.NewRatio(1, 2)}, "beta", "0.5"},
		{&anonymize.InfeasibleError{Parameter: "l", Largest: anonymize.NewRatio(7, 1)}, "l", "7"},
		{&anonymize.InfeasibleError{Parameter: "l", Largest: anonymize.NewRatio(1, 1)}, "", ""},
		{&anonymize.ParameterError{Parameter: "gamma"}, "gamma", "0.01"},
		{&anonymize.ParameterError{Parameter: "alpha"}, "alpha", "1"},
		{&anonymize.ParameterError{Parameter: "order"}, "", ""},
		{&anonymize.DataError{}, "", ""},
	} {
		name, value, ok := nearer(c.err, anonymize.Arguments{"gamma": "0.005", "alpha": "0.6"})
		if name != c.name || value != c.value || ok != (c.name != "") {
			t.Errorf("%v: %s = %s, %v", c.err, name, value, ok)
		}
	}
	if _, _, ok := nearer(&anonymize.ParameterError{Parameter: "alpha"}, anonymize.Arguments{"alpha": "1"}); ok {
		t.Error("alpha above 1 is proposed")
	}
}

func TestSLPPAQuick(t *testing.T) {
	f := quickly(t, SLPPA())
	for _, name := range strings.Fields("fig02a fig02c fig03a fig03c fig03e fig04a fig04c fig05a fig05c fig06a fig06-by-number fig07a fig08a fig08c fig08e fig08g fig09a fig10a") {
		if f["slppa-"+name] == nil {
			t.Errorf("there is no figure %s", name)
		}
	}
	// Tables have all attributes between them.
	for _, s := range f["slppa-fig03a"].Series {
		sum := 0.0
		for _, p := range s.Points {
			sum += p.Y
		}
		if sum != 9 {
			t.Errorf("%s has %v attributes", s.Label, sum)
		}
	}
	// Both checks of Slicing were measured, and SLPPA is under both.
	times := f["slppa-fig04a"].Read("n")
	if c := times.ClaimBelow(slppaArm, slicingArm, 0); c.Places != 4 {
		t.Errorf("Slicing has %d places", c.Places)
	}
	// The sample has a disease that is above 1 in 20: beta is the nearest.
	if notes := strings.Join(f["slppa-fig06a"].Notes, " "); !strings.Contains(notes, "beta = 0.05 cannot be met: disease = ") || !strings.Contains(notes, "region stands for relationship") {
		t.Errorf("the notes are %s", notes)
	}
}

func TestSLPPANeedsColumns(t *testing.T) {
	refuses(t, SLPPA(), "experiment slppa needs a column age: the table has none")
}

// On Adult's country Slicing has no release: age is sensitive in its place, at
// Table 7's parameters as printed. On country SLPPA and ASN have the nearest.
func TestSLPPASettingsOfAdult(t *testing.T) {
	p, err := newPublisher(&evaluation.Run{Table: anontest.AdultComplete(t), Quick: true, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.roles.Sensitive[0] != "age" || !slices.Contains(p.roles.QuasiIdentifiers, "native_country") || slices.Contains(p.roles.QuasiIdentifiers, "age") {
		t.Errorf("the roles are %+v", p.roles)
	}
	for _, label := range []string{slppaArm, slicingArm, asnArm} {
		a, ok := armOf(p.setting, label)
		if !ok {
			t.Errorf("%s is left out: %v", label, p.notes)
		}
		for name, value := range table7[a.method.Name] {
			if a.arguments[name] != value {
				t.Errorf("%s: %s = %s", label, name, a.arguments[name])
			}
		}
	}
	// Settling does not change the checks: the errors are of the local one.
	for label, check := range map[string]string{slicingArm: "global", slicingLocal: "local"} {
		if a, _ := armOf(p.setting, label); a.arguments["check"] != check {
			t.Errorf("%s has check=%s", label, a.arguments["check"])
		}
	}
	for _, a := range p.errorArms(p.setting) {
		if a.label == slicingArm && a.arguments["check"] != "local" {
			t.Errorf("the errors have check=%s", a.arguments["check"])
		}
	}
	arms, notes, err := p.feasible(t.Context(), divisionArms(), p.printed, p.samples...)
	if err != nil {
		t.Fatal(err)
	}
	has := func(label string) bool { _, kept := armOf(arms, label); return kept }
	if has(slicingArm) || !has(slppaArm) || !has(asnArm) {
		t.Errorf("on country there are %s", settings(arms))
	}
	for _, a := range arms {
		if beta := a.arguments["beta"]; beta < "0.89" || beta > "0.93" {
			t.Errorf("%s: beta = %s", a.label, beta)
		}
	}
	if text := strings.Join(notes, " "); !strings.Contains(text, "native_country = 'United-States'") || !strings.Contains(text, "Slicing is left out: l = 20 cannot be met") {
		t.Errorf("the notes are %s", text)
	}
}
