package experiments

import (
	"strings"
	"testing"
)

// line is a series at x = 1, 2, 3, ...
func line(label string, ys ...float64) Series {
	s := Series{Label: label}
	for i, y := range ys {
		s.Points = append(s.Points, Point{X: float64(i + 1), Y: y, Low: y, Top: y, Repetitions: 1})
	}
	return s
}

// verdictOf judges a figure of these series.
func verdictOf(judge func(*Figure), series ...Series) Figure {
	f := Figure{Name: "slppa-test", X: "x", Series: series}
	judge(&f)
	return f
}

// expect checks a verdict, and that a reason is there exactly where one is due and
// has the words.
func expect(t *testing.T, f Figure, want Verdict, words ...string) {
	t.Helper()
	if f.Verdict != want {
		t.Errorf("the verdict is %q, not %q: %s", f.Verdict, want, f.Why)
	}
	if (f.Why == "") != (want == Agrees) || f.RunShows == "" && want != Infeasible {
		t.Errorf("%q: shows %q, why %q", f.Verdict, f.RunShows, f.Why)
	}
	for _, w := range words {
		if !strings.Contains(f.RunShows+" "+f.Why, w) {
			t.Errorf("%q and %q do not say %q", f.RunShows, f.Why, w)
		}
	}
}

func TestConclude(t *testing.T) {
	holds := claim{says: "a", places: 3}
	once := claim{says: "b", places: 3, against: []string{"x = 1"}}
	mostly := claim{says: "c", places: 3, against: []string{"x = 1", "x = 2"}}
	for _, c := range []struct {
		claims []claim
		want   Verdict
	}{
		{[]claim{holds, holds}, Agrees},
		{[]claim{holds, {says: "nothing to compare"}}, Agrees},
		{[]claim{holds, once}, Partly},
		{[]claim{once}, Partly},
		{[]claim{holds, mostly}, Partly},
		{[]claim{once, mostly}, Partly},
		{[]claim{mostly, mostly}, Disagrees},
		{[]claim{{says: "nothing to compare"}}, Infeasible},
		{nil, Infeasible},
	} {
		f := verdictOf(func(f *Figure) { f.conclude("Numbers.", c.claims, "A cause", "") })
		expect(t, f, c.want)
		if caused := strings.Contains(f.Why, "A cause."); caused != (c.want == Partly || c.want == Disagrees) {
			t.Errorf("%q: %q", f.Verdict, f.Why)
		}
	}
	five := claim{says: "d", places: 9, against: []string{"1", "2", "3", "4", "5"}}
	if got, want := five.String(), `"d" does not hold at 5 of 9 places (1; 2; 3; and 2 more)`; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// Every kind of claim against a series that keeps it and one that does not.
func TestComparisons(t *testing.T) {
	f := Figure{Series: []Series{line("low", 1, 2, 3), line("high", 2, 3, 4), line("steep", 1, 10, 100), line("even", 5, 5.04, 5), line("none"), line("one", 2), line("square", 1, 4, 9)}}
	r := reading{&f, "x"}
	for _, c := range []struct {
		claim           claim
		places, against int
	}{
		{r.below("low", "high", 0), 3, 0}, {r.below("high", "low", 0), 3, 3}, {r.below("high", "low", 0.5), 3, 1}, {r.below("low", "low", 0), 3, 0},
		{r.below("one", "high", 0), 1, 0}, {r.below("none", "high", 0), 0, 0}, {r.below("missing", "high", 0), 0, 0}, {r.below("high", "missing", 0), 0, 0},
		{r.near("low", "high", 0.5), 3, 0}, {r.near("low", "high", 0.3), 3, 2}, {r.near("high", "low", 0.4), 3, 2},
		{r.within("low", 1, 3), 3, 0}, {r.within("low", 2, 3), 3, 1}, {r.within("low", 1, 2.5), 3, 1}, {r.within("none", 0, 1), 0, 0},
		{r.rises("low", 0), 2, 0}, {r.rises("even", 0), 2, 1}, {r.rises("even", 0.01), 2, 0}, {r.rises("one", 0), 0, 0},
		{r.falls("low", 0), 2, 2}, {r.falls("even", 0.01), 2, 0}, {r.falls("even", 0), 2, 1},
		{r.flat("even", 0.01), 1, 0}, {r.flat("low", 0.01), 1, 1}, {r.flat("none", 0), 0, 0},
		{r.steadier("low", "steep"), 1, 0}, {r.steadier("steep", "low"), 1, 1}, {r.steadier("low", "none"), 0, 0},
		{order(f.Label("square"), "square", 1.5, 2.5), 1, 0}, {order(f.Label("low"), "low", 1.5, 2.5), 1, 1}, {order(nil, "none", 1, 2), 0, 0}, {order(f.Label("one"), "one", 1, 2), 0, 0},
	} {
		if c.claim.places != c.places || len(c.claim.against) != c.against {
			t.Errorf("%q: %d of %d places against it, not %d of %d: %v", c.claim.says, len(c.claim.against), c.claim.places, c.against, c.places, c.claim.against)
		}
	}
	if got, want := r.below("high", "low", 0).against[1], "x = 2: 3 against 2"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := r.ends("low", "one"), "At x = 1, low: 1; one: 2. At x = 3, low: 3."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := r.beats("low", "high", "square"), "low is at or below high, square at 3 of 3 places"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	f.Categories = []string{"-", "a", "b", "c"}
	if got, want := (reading{&f, "measure"}).ends("low"), "At a, low: 1. At b, low: 2. At c, low: 3."; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got, want := (reading{&f, "records"}).place(2), "b records"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := (reading{&f, "x"}).ends("none"); got != "Nothing was measured." {
		t.Error(got)
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.000266: "0.000266", 0.12345: "0.123", 12.345: "12.3", 999: "999", 1000: "1,000", 45222.4: "45,222", 436_000_000: "436,000,000", -1234: "-1,234"} {
		if got := number(x); got != want {
			t.Errorf("%v is written %s, not %s", x, got, want)
		}
	}
}

func TestTally(t *testing.T) {
	var y tally
	for _, v := range []float64{3, 1, 2, 10} {
		y.add("b", 20, v)
	}
	y.add("b", 10, 7)
	y.add("a", 10, 8)
	s := y.series()
	if len(s) != 2 || s[0].Label != "b" || s[0].Points[0].X != 10 || s[0].Points[1] != (Point{X: 20, Y: 2.5, Low: 1, Top: 10, Repetitions: 4}) || s[1].Points[0].Y != 8 {
		t.Errorf("%+v", s)
	}
}
