package interval

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// A skew is a table of a sensitive attribute, with values of some numbers of records, and the noise of its counts.
type skew struct {
	kinds [][2]int // how many values, of how many records each; first the frequent ones
	model anonymize.Model
}

// release is the model of the table, without noise.
func (s skew) release(t *testing.T) *anonymize.Release {
	t.Helper()
	q, of := &anonymize.Column{Name: "q", Type: "int"}, &anonymize.Column{Name: "s", Type: "int"}
	for _, kind := range s.kinds {
		for range kind[0] {
			code := uint32(len(of.Dictionary))
			of.Dictionary = append(of.Dictionary, anonymize.IntegerValue(int64(code)))
			of.Codes = append(of.Codes, slices.Repeat([]uint32{code}, kind[1])...)
		}
	}
	q.Dictionary, q.Codes = []anonymize.Value{anonymize.IntegerValue(1)}, make([]uint32, len(of.Codes))
	in := &anonymize.Input{Rows: len(of.Codes), Random: rand.NewPCG(1, 2), QuasiIdentifiers: []*anonymize.Column{q}, Sensitive: []*anonymize.Column{of}}
	r, err := modeled.Method().Run(context.Background(), in, anonymize.Arguments{"block": "2000"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// draw draws the noise of a count.
func (s skew) draw(t *testing.T, seed byte) func() (int64, error) {
	t.Helper()
	source := rand.NewChaCha8([32]byte{seed, 77})
	if s.model.Variance > 0 {
		gaussian, err := noise.NewGaussian(s.model.Variance, source)
		if err != nil {
			t.Fatal(err)
		}
		return gaussian.Draw
	}
	laplace, err := noise.NewLaplace(anonymize.NewRatio(uint64(s.model.Scale), 1), source)
	if err != nil {
		t.Fatal(err)
	}
	return laplace.Draw
}

// between asks COUNT(*) of the values from one to before another, and returns the spread of the answer beside its figure.
func between(t *testing.T, r *anonymize.Release, from, to int) (s *Spread, figure float64) {
	t.Helper()
	return countOf(t, r, func(v anonymize.Value) bool { return v.Int >= int64(from) && v.Int < int64(to) })
}

// countOf asks COUNT(*) of some values.
func countOf(t *testing.T, r *anonymize.Release, asked func(anonymize.Value) bool) (s *Spread, figure float64) {
	t.Helper()
	f, c, _ := r.Locate("s")
	q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}, Where: []estimate.Expression{{Leaves: []int{0}}}}
	q.Leaves = []estimate.Leaf{estimate.ValueLeaf(f, c, asked)}
	answer, err := estimate.Prepare(r).AskWithSpread(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	s = &Spread{question: q, answer: answer, imputed: &imputed{tables: 12}, Bounds: noBounds(answer), Deviations: [][]anonymize.Value{{anonymize.RealValue(0)}}}
	if err := s.addNoise(context.Background(), r, q); err != nil {
		t.Fatal(err)
	}
	return s, answer.Rows[0].Figures[0].Float
}

// Where many values are rare, noisy counts are cut at 0, and the others lose what these gain. Intervals hold the actual figure as often as they claim
// all the same: of the frequent values, half of them or one, of the others, and of some of both. Where none is cut, none is wider than the noise.
func TestIntervalsCoverWhereCountsWereCut(t *testing.T) {
	for name, s := range map[string]skew{
		"Laplace":  {[][2]int{{12, 500}, {70, 3}}, anonymize.Model{Scale: 12}},
		"Gaussian": {[][2]int{{8, 700}, {6, 70}, {90, 2}}, anonymize.Model{Variance: 625}},
		"uncut":    {[][2]int{{8, 900}}, anonymize.Model{Scale: 9}},
	} {
		t.Run(name, func(t *testing.T) {
			exact, frequent, values := s.release(t), s.kinds[0][0], 0
			for _, kind := range s.kinds {
				values += kind[0]
			}
			s.model.Sensitive, s.model.Epsilon, s.model.Alone = "s", anonymize.MustRatio("1"), true
			const rounds = 200
			asked := [][2]int{{0, frequent / 2}, {0, 1}, {values - 1, values}}
			if values > frequent {
				asked = append(asked, [2]int{0, frequent}, [2]int{frequent, values}, [2]int{frequent / 2, values - 20})
			}
			covered := make([][2]int, len(asked))
			for round := range rounds {
				noisy, err := modeled.Blur(exact, "s", s.draw(t, byte(round)), rand.New(rand.NewPCG(uint64(round), 3)))
				if err != nil {
					t.Fatal(err)
				}
				noisy.Model = &s.model
				for i, of := range asked {
					_, actual := between(t, exact, of[0], of[1])
					spread, figure := between(t, noisy, of[0], of[1])
					for j, level := range []float64{.5, .95} {
						low, high, ok := spread.Interval(nil, 0, 0, level)
						if !ok || name == "uncut" && high-figure > student(level, 11)*math.Sqrt(2*9*9*float64(of[1]-of[0])) {
							t.Fatalf("values %v: from %v to %v around %v", of, low, high, figure)
						}
						if low <= actual && actual <= high {
							covered[i][j]++
						}
					}
				}
			}
			for i, n := range covered { // two standard errors are 14 and 6
				if n[0] < rounds/2-14 || n[1] < rounds*95/100-6 {
					t.Errorf("values %v: %v of %d intervals of the levels .5 and .95 cover", asked[i], n, rounds)
				}
			}
		})
	}
}

// Noise shows some of the rare values, with too many records. Who asks for those that a release shows gets intervals that hold the actual figure as
// often as they claim: of all of them, of every other one, of a single one, and of all values that it shows.
func TestIntervalsCoverWhatNoiseShows(t *testing.T) {
	for name, s := range map[string]skew{
		"Laplace":       {[][2]int{{10, 2000}, {246, 1}}, anonymize.Model{Scale: 10}},
		"of some value": {[][2]int{{100, 100}, {120, 2}}, anonymize.Model{Scale: 10}},
		"few are cut":   {[][2]int{{4, 900}, {180, 20}}, anonymize.Model{Scale: 10}},
		"Gaussian":      {[][2]int{{8, 700}, {6, 70}, {190, 2}}, anonymize.Model{Variance: 625}},
	} {
		t.Run(name, func(t *testing.T) {
			exact, rare := s.release(t), int64(s.kinds[0][0])
			s.model.Sensitive, s.model.Epsilon, s.model.Alone = "s", anonymize.MustRatio("1"), true
			const rounds = 200
			covered := make(map[string][2]int)
			for round := range rounds {
				noisy, err := modeled.Blur(exact, "s", s.draw(t, byte(round)), rand.New(rand.NewPCG(uint64(round), 3)))
				if err != nil {
					t.Fatal(err)
				}
				noisy.Model = &s.model
				f, c, _ := noisy.Locate("s")
				records := noisy.Fragments[f].Weigh(noisy.Fragments[f].Columns[c])
				shown := func(v anonymize.Value) bool { return records[v.Int] > 0 }
				one := int64(slices.IndexFunc(records[rare:], func(n int) bool { return n > 0 })) + rare
				for what, asked := range map[string]func(anonymize.Value) bool{
					"all rare": func(v anonymize.Value) bool { return v.Int >= rare && shown(v) },
					"half":     func(v anonymize.Value) bool { return v.Int >= rare && v.Int%2 == 0 && shown(v) },
					"one":      func(v anonymize.Value) bool { return v.Int == one },
					"all":      shown,
				} {
					_, actual := countOf(t, exact, asked)
					spread, figure := countOf(t, noisy, asked)
					n := covered[what]
					for j, level := range []float64{.5, .95} {
						low, high, ok := spread.Interval(nil, 0, 0, level)
						if !ok || low > figure || high < figure {
							t.Fatalf("%s: from %v to %v around %v", what, low, high, figure)
						}
						if low <= actual && actual <= high {
							n[j]++
						}
					}
					covered[what] = n
				}
			}
			for what, n := range covered { // two standard errors are 14 and 6
				if n[0] < rounds/2-14 || n[1] < rounds*95/100-6 {
					t.Errorf("%s: %v of %d intervals of the levels .5 and .95 cover", what, n, rounds)
				}
			}
		})
	}
}

// besideQ asks for COUNT(*), SUM(s = 0), SUM(s = 0 AND q = 1), AVG(q), SUM(s = 1) and SUM(s < 2), or some of them, all or by s, with tables that all are the
// same.
func besideQ(t *testing.T, r *anonymize.Release, byS bool, quotients []estimate.Quotient, aggregates ...int) *Spread {
	t.Helper()
	f, c, _ := r.Locate("s")
	g, d, _ := r.Locate("q")
	is := func(n int64) func(anonymize.Value) bool { return func(v anonymize.Value) bool { return v.Int == n } }
	q := &estimate.Question{Quotients: quotients, Leaves: []estimate.Leaf{estimate.ValueLeaf(f, c, is(0)), estimate.ValueLeaf(g, d, is(1)), estimate.ValueOf(f, c),
		estimate.ValueOf(g, d), estimate.ValueLeaf(f, c, is(1)), estimate.ValueLeaf(f, c, func(v anonymize.Value) bool { return v.Int < 2 })}}
	of := func(leaves ...int) *estimate.Expression {
		e := &estimate.Expression{Leaves: leaves}
		if len(leaves) > 1 {
			e.Combine = func(v []anonymize.Value) (anonymize.Value, error) { return truthOf(isTrue(v[0]) && isTrue(v[1])) }
		}
		return e
	}
	q.Aggregates = []estimate.Aggregate{{Kind: estimate.Count}, {Kind: estimate.Sum, Truths: true, Argument: of(0)},
		{Kind: estimate.Sum, Truths: true, Argument: of(0, 1)}, {Kind: estimate.Average, Argument: of(3)},
		{Kind: estimate.Sum, Truths: true, Argument: of(4)}, {Kind: estimate.Sum, Truths: true, Argument: of(5)}}
	if byS {
		q.Keys = []estimate.Expression{*of(2)}
	}
	if len(aggregates) > 0 {
		q = q.RestrictedTo(aggregates)
	}
	table := [][]uint16{nil}
	for _, size := range r.GroupSizes {
		for place := range size {
			table[0] = append(table[0], uint16(place))
		}
	}
	completed, err := estimate.Prepare(r).WithTables(t.Context(), anonymize.NewCompletion(r, [][][]uint16{table, table, table}))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := completed.AskWithSpread(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OfCompleted(t.Context(), completed, q, answer, Parts{Deviations: true, Intervals: true}, Unmeasured(.1))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Counts of the noisy attribute have their noise whatever is asked beside them, and quotients of them have no interval. The share of their records
// that meet a condition has one, and the quotient of such records and those of another value has none.
func TestNoiseBesideOtherAttributes(t *testing.T) {
	s := skew{[][2]int{{4, 500}, {30, 2}}, anonymize.Model{Scale: 10}}
	s.model.Sensitive, s.model.Epsilon, s.model.Alone = "s", anonymize.MustRatio("1"), true
	noisy, err := modeled.Blur(s.release(t), "s", s.draw(t, 1), rand.New(rand.NewPCG(1, 3)))
	if err != nil {
		t.Fatal(err)
	}
	noisy.Model = &s.model
	quotients := []estimate.Quotient{{Numerator: 1}, {Numerator: 2}, {Numerator: 2, Denominator: 1}, {Numerator: 2, Denominator: 4}, {Numerator: 4, Denominator: 2},
		{Numerator: 2, Denominator: 5}}
	alone, beside := besideQ(t, noisy, true, nil, 0), besideQ(t, noisy, true, quotients)
	for row := range alone.answer.Rows {
		low, high, ok := alone.Interval(nil, row, 0, .95)
		l, h, k := beside.Interval(nil, row, 0, .95)
		if !ok || !k || l != low || h != high || high-low < 20 || alone.Deviations[row][0] != beside.Deviations[row][0] {
			t.Errorf("row %d: alone from %v to %v with %v, beside from %v to %v with %v", row, low, high, alone.Deviations[row][0], l, h, beside.Deviations[row][0])
		}
		if _, _, ok := beside.Interval(nil, row, 1, .95); ok || !beside.Deviations[row][1].IsNull() {
			t.Errorf("row %d: a sum of noise has an interval", row)
		}
	}
	together := besideQ(t, noisy, false, quotients)
	for quotient, want := range []bool{false, true, true, false, false, true} {
		if low, high, ok := together.QuotientInterval(0, quotient, .95); ok != want {
			t.Errorf("quotient %d: from %v to %v, %v", quotient, low, high, ok)
		}
		if low, high, ok := beside.QuotientInterval(0, quotient, .95); ok != want {
			t.Errorf("quotient %d where s is 0: from %v to %v, %v", quotient, low, high, ok)
		}
	}
}

// A sum of a constant has no attributes: SUM(1) / SUM(...) counts all records in the numerator.
func TestRecordsOfAConstant(t *testing.T) {
	one := estimate.Expression{Combine: func([]anonymize.Value) (anonymize.Value, error) { return anonymize.IntegerValue(1), nil }}
	counted := recordsOf(estimate.Aggregate{Kind: estimate.Sum, Argument: &one})
	if v, err := counted.Argument.Combine(nil); err != nil || v != anonymize.IntegerValue(1) || counted.Kind != estimate.Count {
		t.Errorf("%v, %v", v, err)
	}
}
