package evaluation_test

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/experiments/evaluation"
	"github.com/anonsql/anonsql/experiments/evaluation/evaluationtest"
)

func TestConclude(t *testing.T) {
	holds := evaluation.Claim{Says: "a", Places: 3}
	once := evaluation.Claim{Says: "b", Places: 3, Against: []string{"x = 1"}}
	mostly := evaluation.Claim{Says: "c", Places: 3, Against: []string{"x = 1", "x = 2"}}
	for _, c := range []struct {
		claims []evaluation.Claim
		want   evaluation.Verdict
	}{
		{[]evaluation.Claim{holds, holds}, evaluation.Agrees},
		{[]evaluation.Claim{holds, {Says: "nothing to compare"}}, evaluation.Agrees},
		{[]evaluation.Claim{holds, once}, evaluation.Partly},
		{[]evaluation.Claim{once}, evaluation.Partly},
		{[]evaluation.Claim{holds, mostly}, evaluation.Partly},
		{[]evaluation.Claim{once, mostly}, evaluation.Partly},
		{[]evaluation.Claim{mostly, mostly}, evaluation.Disagrees},
		{[]evaluation.Claim{{Says: "nothing to compare"}}, evaluation.Infeasible},
		{nil, evaluation.Infeasible},
	} {
		f := evaluationtest.VerdictOf(func(f *evaluation.Figure) { f.Conclude("Numbers.", c.claims, "A cause", "") })
		evaluationtest.Expect(t, f, c.want)
		if caused := strings.Contains(f.Why, "A cause."); caused != (c.want == evaluation.Partly || c.want == evaluation.Disagrees) {
			t.Errorf("%q: %q", f.Verdict, f.Why)
		}
	}
	five := evaluation.Claim{Says: "d", Places: 9, Against: []string{"1", "2", "3", "4", "5"}}
	if got, want := five.String(), `"d" does not hold at 5 of 9 places (1; 2; 3; and 2 more)`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// severalLines is a figure with lines of every shape.
func severalLines() evaluation.Figure {
	return evaluation.Figure{Series: []evaluation.Series{evaluationtest.Line("low", 1, 2, 3), evaluationtest.Line("high", 2, 3, 4), evaluationtest.Line("steep", 1, 10, 100), evaluationtest.Line("even", 5, 5.04, 5), evaluationtest.Line("none"), evaluationtest.Line("one", 2), evaluationtest.Line("square", 1, 4, 9),
		evaluationtest.Line("dip", 2, 1, 3), evaluationtest.Line("zero", 0, 1, 2), evaluationtest.Line("root", 1, 3, 4)}}
}

// Every kind of claim against a series that keeps it and one that does not.
func TestComparisons(t *testing.T) {
	f := severalLines()
	r := f.Read("x")
	for _, c := range []struct {
		claim           evaluation.Claim
		places, against int
	}{
		{r.ClaimBelow("low", "high", 0), 3, 0}, {r.ClaimBelow("high", "low", 0), 3, 3}, {r.ClaimBelow("high", "low", 0.5), 3, 1}, {r.ClaimBelow("low", "low", 0), 3, 0},
		{r.ClaimBelow("one", "high", 0), 1, 0}, {r.ClaimBelow("none", "high", 0), 0, 0}, {r.ClaimBelow("missing", "high", 0), 0, 0}, {r.ClaimBelow("high", "missing", 0), 0, 0},
		{r.ClaimNear("low", "high", 0.5), 3, 0}, {r.ClaimNear("low", "high", 0.3), 3, 2}, {r.ClaimNear("high", "low", 0.4), 3, 2},
		{r.ClaimWithin("low", 1, 3), 3, 0}, {r.ClaimWithin("low", 2, 3), 3, 1}, {r.ClaimWithin("low", 1, 2.5), 3, 1}, {r.ClaimWithin("none", 0, 1), 0, 0},
		{r.Rises("low", 0), 2, 0}, {r.Rises("even", 0), 2, 1}, {r.Rises("even", 0.01), 2, 0}, {r.Rises("one", 0), 0, 0},
		{r.Falls("low", 0), 2, 2}, {r.Falls("even", 0.01), 2, 0}, {r.Falls("even", 0), 2, 1},
		{r.Flat("even", 0.01), 1, 0}, {r.Flat("low", 0.01), 1, 1}, {r.Flat("none", 0), 0, 0},
		{r.Steadier("low", "steep"), 1, 0}, {r.Steadier("steep", "low"), 1, 1}, {r.Steadier("low", "none"), 0, 0},
		{r.ClaimAbove("high", "low", 1), 3, 0}, {r.ClaimAbove("high", "low", 1.5), 3, 2}, {r.ClaimAbove("low", "low", 1), 3, 3}, {r.ClaimAbove("low", "none", 1), 0, 0},
		{r.Close("low", "high", 1), 3, 0}, {r.Close("high", "low", 0.5), 3, 3}, {r.Close("steep", "low", 10), 3, 1}, {r.Close("none", "low", 1), 0, 0},
		{r.Evener("even", "low"), 1, 0}, {r.Evener("low", "even"), 1, 1}, {r.Evener("low", "none"), 0, 0},
		{r.Regular("low", "steep"), 1, 0}, {r.Regular("steep", "low"), 1, 1}, {r.Regular("none", "low"), 0, 0},
		{r.Grows("low"), 1, 0}, {r.Grows("even"), 1, 1}, {r.Grows("one"), 0, 0},
		{r.Dips("dip"), 1, 0}, {r.Dips("low"), 1, 1}, {r.Dips("one"), 0, 0},
		{r.ClaimValues("low", 1, 2, 3), 1, 0}, {r.ClaimValues("low", 1, 2, 4), 1, 1}, {r.ClaimValues("low", 1, 2), 0, 0}, {r.ClaimValues("missing", 1), 0, 0},
		{r.NothingAt(1, "zero"), 1, 0}, {r.NothingAt(2, "zero"), 1, 1}, {r.NothingAt(9, "zero"), 0, 0}, {r.NothingAt(1, "missing"), 0, 0},
		{r.AtMost(2, "low", 2), 1, 0}, {r.AtMost(3, "low", 2.9), 1, 1}, {r.AtMost(9, "low", 2), 0, 0}, {r.AtMost(1, "missing", 2), 0, 0},
		{r.Steeper("square"), 1, 0}, {r.Steeper("dip"), 1, 0}, {r.Steeper("root"), 1, 1}, {r.Steeper("one"), 0, 0}, {r.Steeper("missing"), 0, 0},
		{r.Order("square", 1.5, 2.5), 1, 0}, {r.Order("low", 1.5, 2.5), 1, 1}, {r.Order("none", 1, 2), 0, 0}, {r.Order("one", 1, 2), 0, 0},
	} {
		if c.claim.Places != c.places || len(c.claim.Against) != c.against {
			t.Errorf("%q: %d of %d places against it, not %d of %d: %v", c.claim.Says, len(c.claim.Against), c.claim.Places, c.against, c.places, c.claim.Against)
		}
	}
}

// The sentences about figures, word by word.
func TestSentences(t *testing.T) {
	f := severalLines()
	r := f.Read("x")
	if got, want := r.ClaimBelow("high", "low", 0).Against[1], "x = 2: 3 against 2"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := r.Ends("low", "one"), "At x = 1, low: 1; one: 2. At x = 3, low: 3."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := r.Beats("low", "high", "square"), "low is at or below high, square at 3 of 3 places"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := r.Ratio("high", "low"), "At x = 3 high is 1.33 times low."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := r.Ratio("high", "none"); got != "" {
		t.Errorf("a ratio to nothing: %q", got)
	}
	f.Y = "time (ms)"
	if got, want := r.Summary("low"), "Measured: time (ms). At x = 1, low: 1. At x = 3, low: 3."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	f.Categories = []string{"-", "a", "b", "c"}
	if got, want := f.Read("measure").Ends("low"), "At a, low: 1. At b, low: 2. At c, low: 3."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := f.Read("records").Place(2), "b records"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := f.Read("x").Ends("none"); got != "Nothing was measured." {
		t.Error(got)
	}
}

// A claim holds where it was checked, and nowhere else.
func TestHolds(t *testing.T) {
	for want, c := range map[bool]evaluation.Claim{true: {Places: 1}, false: {}} {
		if c.Holds() != want {
			t.Errorf("a claim with %d places holds: %v", c.Places, c.Holds())
		}
	}
	if broken := (evaluation.Claim{Places: 2, Against: []string{"x = 1"}}); broken.Holds() {
		t.Error("a claim with a place against it holds")
	}
}

func TestList(t *testing.T) {
	for want, values := range map[string][]float64{"": nil, "2": {2}, "2 and 3.5": {2, 3.5}, "1, 2 and 1,000": {1, 2, 1000}} {
		if got := evaluation.List(values); got != want {
			t.Errorf("%v is %q, not %q", values, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.000266: "0.000266", 0.12345: "0.123", 12.345: "12.3", 999: "999", 1000: "1,000", 45222.4: "45,222", 436_000_000: "436,000,000", -1234: "-1,234"} {
		if got := evaluation.Number(x); got != want {
			t.Errorf("%v is written %s, not %s", x, got, want)
		}
	}
}

func TestTally(t *testing.T) {
	var y evaluation.Tally
	for _, v := range []float64{3, 1, 2, 10} {
		y.Add("b", 20, v)
	}
	y.Add("b", 10, 7)
	y.Add("a", 10, 8)
	s := y.Series()
	if len(s) != 2 || s[0].Label != "b" || s[0].Points[0].X != 10 || s[0].Points[1] != (evaluation.Point{X: 20, Y: 2.5, Low: 1, Top: 10, Repetitions: 4}) || s[1].Points[0].Y != 8 {
		t.Errorf("%+v", s)
	}
}
