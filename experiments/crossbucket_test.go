package experiments

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The judges of Li et al. 2018, on series as the paper has them and on others.
func TestCrossBucketJudges(t *testing.T) {
	bound := line(oneOverL, .25, .2, .1)
	expect(t, verdictOf(judgeMean, line(cbgPrinted, .04, .04, .03), line(mondrianArm, .15, .1, .06), line(anatomyArm, .25, .2, .1), bound), Agrees, "At l = 1, CBG (Algorithm 3): 0.04")
	expect(t, verdictOf(judgeMean, line(cbgPrinted, .04, .04, .07), line(mondrianArm, .15, .1, .06), line(anatomyArm, .25, .2, .1), bound), Partly, "l = 3: 0.07 against 0.06")
	expect(t, verdictOf(judgeMean, line(cbgPrinted, .2, .2, .2), line(mondrianArm, .1, .1, .1), line(anatomyArm, .05, .05, .05)), Disagrees)
	expect(t, verdictOf(judgeGreatest, line(cbgPrinted, .25, .2, .1), line(mondrianArm, .2, .2, .1), bound), Agrees)
	expect(t, verdictOf(judgeGreatest, line(cbgPrinted, .26, .2, .1), line(mondrianArm, .2, .2, .1), bound), Partly, "CBG (Algorithm 3) is at most 1/l", "l = 1: 0.26 against 0.25")
	expect(t, verdictOf(judgeCurve, line(cbgPrinted, 1, .2, 0), line(mondrianArm, 1, .5, .1), line(anatomyArm, 1, 1, 1)), Agrees, "p(t,s) of 2 and more. CBG (Algorithm 3): 20 percent; Mondrian: 50 percent")
	expect(t, verdictOf(judgeCurve, line(cbgPrinted, 1, .6, 0), line(mondrianArm, 1, .5, .1), line(anatomyArm, 1, 1, 1)), Partly)
	expect(t, verdictOf(judgeDiscernibility, line(cbgPrinted, 3, 3, 3), line(mondrianArm, 10, 20, 30)), Agrees)
	expect(t, verdictOf(judgeDiscernibility, line(cbgPrinted, 3, 3, 4), line(mondrianArm, 10, 20, 30)), Partly, "from 3 to 4")
	expect(t, verdictOf(judgeDiscernibility, line(cbgPrinted, 10, 20, 40), line(mondrianArm, 3, 2, 1)), Disagrees)
	sum := func(f *Figure) { judgeSum(f, "Cells span 0.2.") }
	expect(t, verdictOf(sum, line(cbgPrinted, 5, 5, 5), line(mondrianArm, 6, 8, 16)), Agrees)
	expect(t, verdictOf(sum, line(cbgPrinted, 5, 5, 5), line(mondrianArm, 4, 8, 16)), Partly, "l = 1: 5 against 4", "Cells span 0.2.")
	expect(t, verdictOf(sum, line(cbgPrinted, 5, 50, 500), line(mondrianArm, 4, 8, 16)), Disagrees)
	expect(t, verdictOf(judgeMeanBySize, line("l = 4", .02, .01, .01), line("l = 8", .001, .002, .003)), Agrees)
	expect(t, verdictOf(judgeMeanBySize, line("l = 8", .001, .002, .003)), Agrees)
	expect(t, verdictOf(judgeMeanBySize, line("l = 4", .02, .03, .04)), Disagrees, "k = 2: 0.03 after 0.02")
	expect(t, verdictOf(judgeCoincide, line("l = 4", 5, 10, 20), line("l = 8", 5, 10, 20)), Agrees)
	expect(t, verdictOf(judgeCoincide, line("l = 4", 5, 10, 20), line("l = 8", 6, 12, 24)), Partly)
	expect(t, verdictOf(judgeSumBySize, line("l = 4", 5, 6, 10)), Agrees)
	expect(t, verdictOf(judgeSumBySize, line("l = 4", 5, 9, 10)), Partly, "4 a step of k at first, 1 at last")
	expect(t, verdictOf(judgeMean), Infeasible)
}

// One value with a third of the records allows k and l of 3 at most: the run says so
// and takes 3.
func TestCrossBucketInfeasible(t *testing.T) {
	values := make([]anonymize.Value, 30)
	for i := range values {
		values[i] = anonymize.IntegerValue(int64(max(0, i-9)))
	}
	table := &anonymize.Microdata{Rows: 30, Columns: []*anonymize.Column{anonymize.NewColumn("age", "", values)}}
	c := &census{Run: &Run{}, samples: []*anonymize.Microdata{table}, roles: anonymize.Roles{Sensitive: []string{"age"}}}
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
	if f["crossbucket-fig05b"].Verdict != Agrees {
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
