package interval

import (
	"context"
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Quantiles of Student's t as tables have them (Abramowitz and Stegun 1964, table 26.10).
func TestStudent(t *testing.T) {
	for _, c := range []struct {
		level    float64
		freedom  int
		quantile float64
	}{{.5, 1, 1}, {.95, 1, 12.706}, {.95, 2, 4.303}, {.9, 3, 2.353}, {.95, 7, 2.365}, {.8, 8, 1.397}, {.95, 11, 2.201}, {.99, 11, 3.106}, {.99, 19, 2.861}, {.95, 120, 1.980}} {
		if got := student(c.level, c.freedom); math.Abs(got-c.quantile) > 6e-4*c.quantile {
			t.Errorf("level %v, %d degrees of freedom: %v, want %v", c.level, c.freedom, got, c.quantile)
		}
	}
}

// two is a release of two groups of two records: x is a or b, y is a or b, in each.
func two(t *testing.T, places ...uint16) *estimate.Completed {
	t.Helper()
	fragment := func(name string) *anonymize.Fragment {
		return &anonymize.Fragment{Name: name, GroupStart: []uint32{0, 2, 4}, Count: []uint32{1, 1, 1, 1},
			Columns: []*anonymize.FragmentColumn{{Name: name, Type: "TEXT", Dictionary: []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b")}, Codes: []uint32{0, 1, 0, 1}}}}
	}
	r := &anonymize.Release{Rows: 4, GroupSizes: []uint32{2, 2}, Fragments: []*anonymize.Fragment{fragment("x"), fragment("y")}}
	var tables [][][]uint16
	for _, p := range places { // 0: as they are in both groups, 1: exchanged in the second, 2: in both
		row := []uint16{0, 1, 0, 1}
		if p > 0 {
			row[2], row[3] = 1, 0
		}
		if p > 1 {
			row[0], row[1] = 1, 0
		}
		tables = append(tables, [][]uint16{row})
	}
	c, err := estimate.Prepare(r).WithTables(t.Context(), anonymize.NewCompletion(r, tables))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// countAA asks for the records with x = a and y = a.
func countAA() *estimate.Question {
	isA := func(values []anonymize.Value) (anonymize.Value, error) {
		if values[0].Text == "a" {
			return estimate.True, nil
		}
		return estimate.False, nil
	}
	return &estimate.Question{Leaves: []estimate.Leaf{{Fragment: 0, Columns: []int{0}, Eval: isA}, {Fragment: 1, Columns: []int{0}, Eval: isA}},
		Where: []estimate.Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
}

// Numbers that are off by a deviation of themselves: what one fragment tells of them has an interval, of sqrt(sum w^2) deviations for SUM, by N for AVG, and of the
// residuals for a quotient; counts stay exact.
func TestIntervalsOfCoarseNumbers(t *testing.T) {
	tables := two(t, 0, 1, 1, 2)
	number := func(a, b float64) func(values []anonymize.Value) (anonymize.Value, error) {
		return func(values []anonymize.Value) (anonymize.Value, error) {
			if values[0].Text == "a" {
				return anonymize.RealValue(a), nil
			}
			return anonymize.RealValue(b), nil
		}
	}
	w, wx := &estimate.Expression{Leaves: []int{0}}, &estimate.Expression{Leaves: []int{1}} // 10 and 30, twice each; w x with x = 2 and 6
	q := &estimate.Question{Leaves: []estimate.Leaf{{Fragment: 0, Columns: []int{0}, Eval: number(10, 30)}, {Fragment: 0, Columns: []int{0}, Eval: number(20, 180)}},
		Aggregates: []estimate.Aggregate{{Kind: estimate.Count}, {Kind: estimate.Sum, Argument: w}, {Kind: estimate.Average, Argument: w}, {Kind: estimate.Sum, Argument: wx}},
		Quotients:  []estimate.Quotient{{Numerator: 3, Denominator: 1}}, Coarse: true}
	answer, err := tables.AskWithSpread(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	spread, err := OfCompleted(t.Context(), tables, q, answer, Parts{Intervals: true}, Coarse{Unmeasured(0), "x", 0.1, 0})
	if err != nil {
		t.Fatal(err)
	}
	const level, quantile = 0.9, 2.353
	for aggregate, want := range [][2]float64{{4, 0}, {80, math.Sqrt(2000)}, {20, math.Sqrt(2000) / 4}, {400, math.Sqrt(2*20*20 + 2*180*180)}} {
		low, high, ok := spread.Interval(nil, 0, aggregate, level)
		if half := .1 * quantile * want[1]; !ok || math.Abs(low-want[0]+half) > 1e-3*(half+1e-9) || math.Abs(high-want[0]-half) > 1e-3*(half+1e-9) {
			t.Errorf("aggregate %d: [%v, %v], want %v and %v on both sides", aggregate, low, high, want[0], half)
		}
	}
	low, high, ok := spread.QuotientInterval(0, 0, level) // 400/80 = 5; residuals 10 (2 - 5) and 30 (6 - 5)
	if half := .1 * quantile * math.Sqrt(4*30*30) / 80; !ok || math.Abs(low-5+half) > 1e-3*half || math.Abs(high-5-half) > 1e-3*half {
		t.Errorf("quotient: [%v, %v], want 5 and %v on both sides", low, high, half)
	}
}

// A share stays between 0 and 1.
func TestIntervalsOfShares(t *testing.T) {
	tables, q := two(t, 0, 1, 1, 2), countAA()
	isA := q.Where[1]
	q.Where = q.Where[:1] // of two records with x = a have 2, 1, 1 and 0 y = a
	q.Aggregates = append(q.Aggregates, estimate.Aggregate{Kind: estimate.Sum, Argument: &isA, Truths: true})
	q.Quotients = []estimate.Quotient{{Numerator: 1, Denominator: 0}}
	answer, err := tables.AskWithSpread(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	spread, err := OfCompleted(t.Context(), tables, q, answer, Parts{Intervals: true}, Unmeasured(0))
	if err != nil {
		t.Fatal(err)
	}
	half := .7649 * math.Sqrt(5./6) / 2
	for _, c := range []struct{ level, low, high float64 }{{.5, .5 - half, .5 + half}, {.95, 0, 1}} {
		low, high, ok := spread.QuotientInterval(0, 0, c.level)
		if !ok || math.Abs(low-c.low) > 1e-3 || math.Abs(high-c.high) > 1e-3 {
			t.Errorf("at %v: [%v, %v] %v, want [%v, %v]", c.level, low, high, ok, c.low, c.high)
		}
	}
}

// What is shared adds to the misfit.
func TestSharedDeviationOfASum(t *testing.T) {
	w := func([]anonymize.Value) (anonymize.Value, error) { return anonymize.RealValue(25), nil }
	q := &estimate.Question{Leaves: []estimate.Leaf{{Fragment: 0, Columns: []int{0}, Eval: w}}, Coarse: true,
		Aggregates: []estimate.Aggregate{{Kind: estimate.Sum, Argument: &estimate.Expression{Leaves: []int{0}}}, {Kind: estimate.Average, Argument: &estimate.Expression{Leaves: []int{0}}}}}
	tables := two(t, 0, 1, 1, 2)
	answer, err := tables.AskWithSpread(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	spread, err := OfCompleted(t.Context(), tables, q, answer, Parts{Intervals: true}, Coarse{Unmeasured(0), "x", 0, 0.02})
	if err != nil {
		t.Fatal(err)
	}
	for aggregate, figure := range []float64{100, 25} {
		low, high, ok := spread.Interval(nil, 0, aggregate, .9)
		if half := 2.353 * .02 * figure; !ok || math.Abs(low-figure+half) > 1e-3*half || math.Abs(high-figure-half) > 1e-3*half {
			t.Errorf("aggregate %d: [%v, %v], want %v and %v on both sides", aggregate, low, high, figure, half)
		}
	}
}

func TestIntervalsOfCompletedTables(t *testing.T) {
	for _, c := range []struct {
		name      string
		tables    []uint16
		misfit    float64
		level     float64
		low, high float64
	}{
		// Q_d are 2, 1, 1, 0: the mean is 1, B = 2/3, T = 5/6.
		{"half", []uint16{0, 1, 1, 2}, 0, .5, 1 - .7649*math.Sqrt(5./6), 1 + .7649*math.Sqrt(5./6)},
		{"cut by the bounds", []uint16{0, 1, 1, 2}, 0, .95, 0, 2},
		{"misfit", []uint16{1, 1, 1, 1}, .4, .5, 1 - .7649*.2, 1 + .7649*.2},
		{"all the same", []uint16{1, 1, 1, 1}, 0, .8, 1, 1},
		{"all the same, at a level that the next table may break", []uint16{1, 1, 1, 1}, 0, .95, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables, q := two(t, c.tables...), countAA()
			answer, err := tables.Ask(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			s, err := OfCompleted(context.Background(), tables, q, answer, Parts{Intervals: true}, Unmeasured(c.misfit))
			if err != nil {
				t.Fatal(err)
			}
			low, high, ok := s.Interval(nil, 0, 0, c.level)
			if !ok || math.Abs(low-c.low) > 1e-3 || math.Abs(high-c.high) > 1e-3 {
				t.Errorf("[%v, %v] %v, want [%v, %v]", low, high, ok, c.low, c.high)
			}
			if _, _, ok := s.Interval(nil, 0, 0, .2); ok {
				t.Error("a level that is refused has an interval")
			}
		})
	}
}

// A sum of numbers of both signs is as wrong as its parts are: 2n - COUNT(*) is no surer than n. A sum of one sign has the interval of its figure.
func TestIntervalsOfBothSigns(t *testing.T) {
	tables, q := two(t, 0, 1, 1, 2), countAA()
	y := q.Where[1]
	number := func(a, b float64) estimate.Expression {
		q.Leaves = append(q.Leaves, estimate.Leaf{Fragment: 1, Columns: []int{0}, Eval: func(values []anonymize.Value) (anonymize.Value, error) {
			if values[0].Text == "a" {
				return anonymize.RealValue(a), nil
			}
			return anonymize.RealValue(b), nil
		}})
		return estimate.Expression{Leaves: []int{len(q.Leaves) - 1}}
	}
	q.Where = q.Where[:1] // two records with x = a, of which have 2, 1, 1 and 0 y = a
	signs, positive := number(1, -1), number(10, 30)
	q.Aggregates = []estimate.Aggregate{{Kind: estimate.Sum, Argument: &y}, {Kind: estimate.Sum, Argument: &signs}, {Kind: estimate.Sum, Argument: &positive}}
	answer, err := tables.AskWithSpread(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	const level, ratio = .5, .4
	spread, err := OfCompleted(t.Context(), tables, q, answer, Parts{Intervals: true}, Unmeasured(ratio))
	if err != nil {
		t.Fatal(err)
	}
	squares := func(aggregate int) float64 { // of the half width, without what the tables differ by
		low, high, _ := spread.Interval(nil, 0, aggregate, level)
		half, deviation := (high-low)/2/student(level, 3), answer.Deviations[0][aggregate].Float
		return half*half - deviation*deviation
	}
	for aggregate, want := range []float64{1, 2, 40 * 40} { // n is 1 of 2 records; 1 and -1; 10 and 30
		if got := squares(aggregate); math.Abs(got-ratio*ratio/4*want) > 1e-6*want {
			t.Errorf("aggregate %d has the misfit^2 %v, want %v", aggregate, got, ratio*ratio/4*want)
		}
	}
}
