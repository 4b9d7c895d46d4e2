package experiments

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

// fourOf are the methods of Zhu et al. 2015: ARP, AIP, AT, NG.
func fourOf(arp, aip, at, ng []float64) []evaluation.Series {
	return []evaluation.Series{evaluationtest.Line(arpArm, arp...), evaluationtest.Line(aipArm, aip...), evaluationtest.Line(atArm, at...), evaluationtest.Line(ngArm, ng...)}
}

func TestARPJudges(t *testing.T) {
	type ys = []float64
	times := func(f *evaluation.Figure) { judgeARPTimes(f, "l", "A cause") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(times, fourOf(ys{3, 4}, ys{2, 3}, ys{1, 2}, ys{5, 6})...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(times, fourOf(ys{3, 4}, ys{2, 3}, ys{1, 2}, ys{2, 6})...), evaluation.Partly, "ARP is below NG", "A cause.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(times, fourOf(ys{3, 2}, ys{5, 4}, ys{5, 4}, ys{1, .5})...), evaluation.Disagrees)
	rising := func(f *evaluation.Figure) { judgeARPLosses(f, "l", true, "A cause") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(rising, fourOf(ys{.3, .4}, ys{.4, .5}, ys{.5, .6}, ys{.3, .4})...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(rising, fourOf(ys{.3, .4}, ys{.6, .7}, ys{.5, .6}, ys{.3, .4})...), evaluation.Partly, "AIP is below AT", "0.6 against 0.5", "A cause.")
	falling := func(f *evaluation.Figure) { judgeARPLosses(f, "n", false) }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(falling, fourOf(ys{.4, .3}, ys{.5, .4}, ys{.6, .5}, ys{.4, .3})...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(falling, fourOf(ys{.7, .8}, ys{.3, .4}, ys{.2, .3}, ys{.5, .6})...), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeARPTimesByAttributes, fourOf(ys{4, 3, 4}, ys{1, 1.5, 2}, ys{2.5, 2.5, 2.5}, ys{6, 5, 6})...), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeARPTimesByAttributes, fourOf(ys{3, 4, 5}, ys{1, 1.5, 2}, ys{2.5, 2.5, 2.5}, ys{6, 5, 6})...), evaluation.Partly, "ARP decreases with d at first", "the first is 3, the least 3")
}

// Where all is one block, and how large blocks are, is told in numbers.
func TestCollapse(t *testing.T) {
	m := measured{blocks: map[float64]int{2: 50, 3: 4, 4: 1, 5: 1}}
	causes := strings.Join(m.collapse("l", func(float64) int { return 1000 }), ". ")
	if want := "The initial partition as printed collapses into one block at l = 4, 5, where ARP groups as AT does. A block of AIP has 20 to 1,000 records"; !strings.HasPrefix(causes, want) {
		t.Errorf("%s", causes)
	}
	if note := m.partitionNote("l"); !strings.HasSuffix(note, "build: l = 2: 50, l = 3: 4, l = 4: 1, l = 5: 1.") {
		t.Errorf("%s", note)
	}
	byAttributes := func(f *evaluation.Figure) { judgeARPLosses(f, "d", true) }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(byAttributes, evaluationtest.Line(arpArm, 0, .1), evaluationtest.Line(ngArm, 0.01, .1)), evaluation.Partly, "NG is 0 at d = 1", "it is 0.01")
}

func TestARPQuick(t *testing.T) {
	f := quickly(t, ARP())
	for _, name := range strings.Fields("fig01 fig02 fig03 fig04 fig05 fig06") {
		if f["arp-"+name] == nil || len(f["arp-"+name].Series) != 6 {
			t.Fatalf("figure %s is missing, or a series of it", name)
		}
	}
	// A loss is a probability. With one attribute nothing is lost but by AT.
	for _, s := range f["arp-fig06"].Series {
		for _, p := range s.Points {
			if p.Low < 0 || p.Top > 1 {
				t.Errorf("%s has a GLP of %v to %v", s.Label, p.Low, p.Top)
			}
		}
	}
	if notes := strings.Join(f["arp-fig02"].Notes, " "); !strings.Contains(notes, "Sensitive is disease. phi^2") || !strings.Contains(notes, "Blocks of the initial partition") {
		t.Errorf("the notes are %s", notes)
	}
}

func TestARPNeedsColumns(t *testing.T) {
	refuses(t, ARP(), "experiment arp needs a column age: the table has none")
}
