package experiments

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

// The judges of Subramanian et al..
func TestCDTJudges(t *testing.T) {
	in := evaluationtest.Line(inPaper, 42, 46, 50)
	with := func(judge func(*evaluation.Figure, ...string)) func(*evaluation.Figure) {
		return func(f *evaluation.Figure) { judge(f, "A cause") }
	}
	utility := with(judgeUtility)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(utility, in, evaluationtest.Line(cdtPrinted, 42, 40, 58), evaluationtest.Line(cdtRandom, 60, 60, 60), evaluationtest.Line(cdtBounded, 60, 60, 60)), evaluation.Agrees, "At 1 records, in the paper: 42; CDT as printed: 42")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(utility, in, evaluationtest.Line(cdtPrinted, 42, 40, 58), evaluationtest.Line(cdtRandom, 60, 60, 60), evaluationtest.Line(cdtBounded, 30, 30, 30)), evaluation.Partly, "the loss is minimal", "A cause.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(utility, in, evaluationtest.Line(cdtPrinted, 70, 70, 70), evaluationtest.Line(cdtRandom, 60, 60, 60), evaluationtest.Line(cdtBounded, 30, 30, 30)), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeQuasi), in, evaluationtest.Line(cdtPrinted, 42, 50, 58)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeQuasi), in, evaluationtest.Line(cdtPrinted, 42, 40, 38)), evaluation.Partly, "2 records: 40 after 42")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeSensitive), in, evaluationtest.Line(cdtPrinted, 42, 46, 50), evaluationtest.Line(cdtRandom, 40, 40, 40)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeSensitive), in, evaluationtest.Line(cdtPrinted, 42, 46, 50), evaluationtest.Line(cdtRandom, 45, 50, 60)), evaluation.Partly, "prevention is maximal, above that of random classes", "1 records: 45 against 42")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeGain), evaluationtest.Line(cdtPrinted, 42, 46, 50)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeGain), evaluationtest.Line(cdtPrinted, 62, 66, 50)), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(with(judgeLast), in, evaluationtest.Line(cdtPrinted, 42, 40, 80)), evaluation.Partly)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeTimes, evaluationtest.Line(cdtPrinted, 1, 2, 3)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeTimes, evaluationtest.Line(cdtPrinted, 3, 2, 1)), evaluation.Disagrees)
	attack := with(judgeHomogeneous)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(attack, evaluationtest.Line(cdtPrinted, 0, 0, 0), evaluationtest.Line(cdtRandom, 1, 1, 1)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(attack, evaluationtest.Line(cdtPrinted, 2, 1, 0), evaluationtest.Line(cdtRandom, 3, 3, 3)), evaluation.Partly, "no class has one value only")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(attack, evaluationtest.Line(cdtPrinted, 6, 4, 5), evaluationtest.Line(cdtRandom, 3, 3, 3)), evaluation.Disagrees)
}

// Of three classes, one has one disease and one is a single record: three of six
// records are open.
func TestHomogeneous(t *testing.T) {
	r := anontest.Release(t,
		anontest.Printed{Name: "qi", Role: anonymize.QuasiIdentifying, Text: "gid age count\n1 1 2\n2 2 3\n3 3 1"},
		anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: "gid disease job count\n1 flu cook 1\n1 flu nurse 1\n2 flu cook 1\n2 gout nurse 1\n2 flu nurse 1\n3 flu cook 1"})
	if share, least := homogeneous(r); share != 0.5 || least != 1 {
		t.Errorf("%v of the records are open, the least class has %d", share, least)
	}
}

func TestCDTQuick(t *testing.T) {
	f := quickly(t, CDT())
	for _, name := range []string{"cdt-fig07", "cdt-fig08a", "cdt-fig08b", "cdt-fig08c", "cdt-fig09", "cdt-fig10", "cdt-homogeneous"} {
		if f[name] == nil {
			t.Fatalf("there is no %s", name)
		}
	}
	// Bounded and merged classes are never homogeneous, whatever the data; bars are
	// those of the curves.
	for _, label := range []string{cdtMerged, cdtBounded} {
		for _, p := range f["cdt-homogeneous"].Label(label).Points {
			if p.Top != 0 {
				t.Errorf("%s has %v percent of open records at %v", label, p.Top, p.X)
			}
		}
	}
	loss := f["cdt-fig07"].Label(cdtPrinted)
	if bar, _ := f["cdt-fig09"].Label(cdtPrinted).PointAt(0); bar.Y != loss.Points[len(loss.Points)-1].Y {
		t.Errorf("the bar is %v, the curve ends at %v", bar.Y, loss.Points)
	}
	if p, ok := f["cdt-fig07"].Label(inPaper).PointAt(100); !ok || p.Y != 42.51 {
		t.Errorf("the paper's loss at 100 records is %v", p.Y)
	}
}

func TestCDTNeedsColumns(t *testing.T) {
	refuses(t, CDT(), "experiment cdt needs a column age: the table has none")
}
