package experiments

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

// The judges of Li et al. 2018, on series as the paper has them and on others.
func TestCrossBucketJudges(t *testing.T) {
	bound := evaluationtest.Line(oneOverL, .25, .2, .1)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMean, evaluationtest.Line(cbgPrinted, .04, .04, .03), evaluationtest.Line(mondrianArm, .15, .1, .06), evaluationtest.Line(anatomyArm, .25, .2, .1), bound), evaluation.Agrees, "At l = 1, CBG (Algorithm 3): 0.04")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMean, evaluationtest.Line(cbgPrinted, .04, .04, .07), evaluationtest.Line(mondrianArm, .15, .1, .06), evaluationtest.Line(anatomyArm, .25, .2, .1), bound), evaluation.Partly, "l = 3: 0.07 against 0.06")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMean, evaluationtest.Line(cbgPrinted, .2, .2, .2), evaluationtest.Line(mondrianArm, .1, .1, .1), evaluationtest.Line(anatomyArm, .05, .05, .05)), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGreatest, evaluationtest.Line(cbgPrinted, .25, .2, .1), evaluationtest.Line(mondrianArm, .2, .2, .1), bound), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeGreatest, evaluationtest.Line(cbgPrinted, .26, .2, .1), evaluationtest.Line(mondrianArm, .2, .2, .1), bound), evaluation.Partly, "CBG (Algorithm 3) is at most 1/l", "l = 1: 0.26 against 0.25")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCurve, evaluationtest.Line(cbgPrinted, 1, .2, 0), evaluationtest.Line(mondrianArm, 1, .5, .1), evaluationtest.Line(anatomyArm, 1, 1, 1)), evaluation.Agrees, "p(t,s) of 2 and more. CBG (Algorithm 3): 20 percent; Mondrian: 50 percent")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCurve, evaluationtest.Line(cbgPrinted, 1, .6, 0), evaluationtest.Line(mondrianArm, 1, .5, .1), evaluationtest.Line(anatomyArm, 1, 1, 1)), evaluation.Partly)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDiscernibility, evaluationtest.Line(cbgPrinted, 3, 3, 3), evaluationtest.Line(mondrianArm, 10, 20, 30)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDiscernibility, evaluationtest.Line(cbgPrinted, 3, 3, 4), evaluationtest.Line(mondrianArm, 10, 20, 30)), evaluation.Partly, "from 3 to 4")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeDiscernibility, evaluationtest.Line(cbgPrinted, 10, 20, 40), evaluationtest.Line(mondrianArm, 3, 2, 1)), evaluation.Disagrees)
	sum := func(f *evaluation.Figure) { judgeSum(f, "Cells span 0.2.") }
	evaluationtest.Expect(t, evaluationtest.VerdictOf(sum, evaluationtest.Line(cbgPrinted, 5, 5, 5), evaluationtest.Line(mondrianArm, 6, 8, 16)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(sum, evaluationtest.Line(cbgPrinted, 5, 5, 5), evaluationtest.Line(mondrianArm, 4, 8, 16)), evaluation.Partly, "l = 1: 5 against 4", "Cells span 0.2.")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(sum, evaluationtest.Line(cbgPrinted, 5, 50, 500), evaluationtest.Line(mondrianArm, 4, 8, 16)), evaluation.Disagrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMeanBySize, evaluationtest.Line("l = 4", .02, .01, .01), evaluationtest.Line("l = 8", .001, .002, .003)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMeanBySize, evaluationtest.Line("l = 8", .001, .002, .003)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMeanBySize, evaluationtest.Line("l = 4", .02, .03, .04)), evaluation.Disagrees, "k = 2: 0.03 after 0.02")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCoincide, evaluationtest.Line("l = 4", 5, 10, 20), evaluationtest.Line("l = 8", 5, 10, 20)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeCoincide, evaluationtest.Line("l = 4", 5, 10, 20), evaluationtest.Line("l = 8", 6, 12, 24)), evaluation.Partly)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeSumBySize, evaluationtest.Line("l = 4", 5, 6, 10)), evaluation.Agrees)
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeSumBySize, evaluationtest.Line("l = 4", 5, 9, 10)), evaluation.Partly, "4 a step of k at first, 1 at last")
	evaluationtest.Expect(t, evaluationtest.VerdictOf(judgeMean), evaluation.Infeasible)
}

// One value with a third of the records allows k and l of 3 at most: the run says so
// and takes 3.
func TestCrossBucketInfeasible(t *testing.T) {
	values := make([]anonymize.Value, 30)
	for i := range values {
		values[i] = anonymize.IntegerValue(int64(max(0, i-9)))
	}
	table := &anonymize.Microdata{Rows: 30, Columns: []*anonymize.Column{anonymize.NewColumn("age", "", values)}}
	c := &census{Run: &evaluation.Run{}, samples: []*anonymize.Microdata{table}, roles: anonymize.Roles{Sensitive: []string{"age"}}}
	c.feasible()
	if len(c.l) != 1 || c.l[0] != 3 || len(c.ks) != 1 || c.ks[0] != 3 || c.frequency != 10 {
		t.Errorf("l = %v, k = %v, frequency %d", c.l, c.ks, c.frequency)
	}
	if text := strings.Join(c.notes, " "); !strings.Contains(text, "10 of 30 records have, so l and k are at most 3") {
		t.Errorf("the notes are %q", text)
	}
}

func TestCrossBucketQuick(t *testing.T) {
	f := quickly(t, CrossBucket())
	for _, name := range []string{"crossbucket-fig05a", "crossbucket-fig05b", "crossbucket-fig05c", "crossbucket-fig06", "crossbucket-fig07a", "crossbucket-fig07b", "crossbucket-fig08a", "crossbucket-fig08b", "crossbucket-fig08c"} {
		if f[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	if t.Failed() {
		return
	}
	// What is promised, and what follows from the sizes, whatever the data.
	if f["crossbucket-fig05b"].Verdict != evaluation.Agrees {
		t.Errorf("the greatest probability: %s", f["crossbucket-fig05b"].Why)
	}
	for _, label := range []string{cbgPrinted, cbgTree, cbgUpwards} {
		for _, p := range f["crossbucket-fig06"].Label(label).Points {
			if p.Y < 3*2000 || p.Y > 3*2000+100 {
				t.Errorf("C_DM of %s is %v at l = %v: 2,000 records in classes of 3", label, p.Y, p.X)
			}
		}
	}
	if anatomy := f["crossbucket-fig05a"].Label(anatomyArm); f["crossbucket-fig06"].Label(anatomyArm) != nil || len(anatomy.Points) != 3 {
		t.Error("Anatomy has a C_DM, or no mean")
	}
	if text := strings.Join(f["crossbucket-fig05a"].Notes, " "); !strings.Contains(text, "those of income") || !strings.Contains(text, "Samples of 2,000 records: 1 (") {
		t.Errorf("the notes are %q", text)
	}
}

func TestCrossBucketNeedsColumns(t *testing.T) {
	refuses(t, CrossBucket(), "experiment crossbucket needs a column salary or income or age: the table has none")
}
