package experiments

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// The judges of Subramanian et al..
func TestCDTJudges(t *testing.T) {
	in := line(inPaper, 42, 46, 50)
	with := func(judge func(*Figure, ...string)) func(*Figure) { return func(f *Figure) { judge(f, "A cause") } }
	utility := with(judgeUtility)
	expect(t, verdictOf(utility, in, line(cdtPrinted, 42, 40, 58), line(cdtRandom, 60, 60, 60), line(cdtBounded, 60, 60, 60)), Agrees, "At 1 records, in the paper: 42; CDT as printed: 42")
	expect(t, verdictOf(utility, in, line(cdtPrinted, 42, 40, 58), line(cdtRandom, 60, 60, 60), line(cdtBounded, 30, 30, 30)), Partly, "the loss is minimal", "A cause.")
	expect(t, verdictOf(utility, in, line(cdtPrinted, 70, 70, 70), line(cdtRandom, 60, 60, 60), line(cdtBounded, 30, 30, 30)), Disagrees)
	expect(t, verdictOf(with(judgeQuasi), in, line(cdtPrinted, 42, 50, 58)), Agrees)
	expect(t, verdictOf(with(judgeQuasi), in, line(cdtPrinted, 42, 40, 38)), Partly, "2 records: 40 after 42")
	expect(t, verdictOf(with(judgeSensitive), in, line(cdtPrinted, 42, 46, 50), line(cdtRandom, 40, 40, 40)), Agrees)
	expect(t, verdictOf(with(judgeSensitive), in, line(cdtPrinted, 42, 46, 50), line(cdtRandom, 45, 50, 60)), Partly, "prevention is maximal, above that of random classes", "1 records: 45 against 42")
	expect(t, verdictOf(with(judgeGain), line(cdtPrinted, 42, 46, 50)), Agrees)
	expect(t, verdictOf(with(judgeGain), line(cdtPrinted, 62, 66, 50)), Disagrees)
	expect(t, verdictOf(with(judgeLast), in, line(cdtPrinted, 42, 40, 80)), Partly)
	expect(t, verdictOf(judgeTimes, line(cdtPrinted, 1, 2, 3)), Agrees)
	expect(t, verdictOf(judgeTimes, line(cdtPrinted, 3, 2, 1)), Disagrees)
	attack := with(judgeHomogeneous)
	expect(t, verdictOf(attack, line(cdtPrinted, 0, 0, 0), line(cdtRandom, 1, 1, 1)), Agrees)
	expect(t, verdictOf(attack, line(cdtPrinted, 2, 1, 0), line(cdtRandom, 3, 3, 3)), Partly, "no class has one value only")
	expect(t, verdictOf(attack, line(cdtPrinted, 6, 4, 5), line(cdtRandom, 3, 3, 3)), Disagrees)
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
	if bar, _ := f["cdt-fig09"].Label(cdtPrinted).At(0); bar.Y != loss.Points[len(loss.Points)-1].Y {
		t.Errorf("the bar is %v, the curve ends at %v", bar.Y, loss.Points)
	}
	if p, ok := f["cdt-fig07"].Label(inPaper).At(100); !ok || p.Y != 42.51 {
		t.Errorf("the paper's loss at 100 records is %v", p.Y)
	}
}

func TestCDTNeedsColumns(t *testing.T) {
	refuses(t, CDT(), "experiment cdt needs a column age: the table has none")
}
