package anontest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Bell numbers, and every record once in each partition.
func TestPartitions(t *testing.T) {
	for n, want := range []int{1, 1, 2, 5, 15, 52, 203, 877} {
		got, seen := 0, map[string]bool{}
		for groups := range Partitions(n) {
			got++
			seen[fmt.Sprint(groups)] = true
			records := 0
			for _, g := range groups {
				records += len(g)
			}
			if records != n {
				t.Fatalf("%v does not have %d records", groups, n)
			}
		}
		if got != want || len(seen) != want {
			t.Errorf("n = %d: %d partitions, %d different, want %d", n, got, len(seen), want)
		}
	}
	for range Partitions(7) {
		break // stops early without trouble
	}
}

func TestParse(t *testing.T) {
	table := Parse(t, "a b\n1,000 x\nNULL -2")
	if table.Rows != 2 || table.Columns[0].Value(0).Int != 1000 || !table.Columns[0].Value(1).IsNull() ||
		table.Columns[1].Value(0).Text != "x" || table.Columns[1].Value(1).Int != -2 {
		t.Errorf("%+v", table)
	}
}

// The rows that the papers count: 48,842 in all, 45,222 without a '?', 30,162 of
// them in adult.data.
func TestAdult(t *testing.T) {
	if n := Adult(t).Rows; n != 48842 {
		t.Errorf("Adult has %d records", n)
	}
	if n := AdultComplete(t).Rows; n != 45222 {
		t.Errorf("AdultComplete has %d records", n)
	}
	training := AdultTraining(t)
	if training.Rows != 30162 {
		t.Errorf("AdultTraining has %d records", training.Rows)
	}
	for name, distinct := range map[string]int{"age": 72, "workclass": 7, "education": 16, "marital_status": 7,
		"occupation": 14, "relationship": 6, "race": 5, "sex": 2, "hours_per_week": 94, "native_country": 41} {
		if got := training.Column(name).Distinct(); got != distinct {
			t.Errorf("%s has %d values, Table 5 of Yao et al. 2021 says %d", name, got, distinct)
		}
	}
}

// The sensitive column is where package privacy looks for it, or the release is
// not publishable.
func TestSensitiveLast(t *testing.T) {
	table := Parse(t, "sex s\nF u\nM v")
	in := NewInput(t, table, "sex", "s", nil)
	for header, want := range map[string]bool{"sex s": true, "s sex": false} {
		first, second := "F u", "M v"
		if !want {
			first, second = "u F", "v M"
		}
		r := Release(t, Printed{Name: "rest", Role: anonymize.Mixed, Text: "GID " + header + " Count\n1 " + first + " 1\n1 " + second + " 1"})
		if err := sensitiveLast(r, in); (err == nil) != want {
			t.Errorf("%s: %v", header, err)
		}
	}
}

// sexes has two records with one value each, and a record whose value is u or v with probabilities of 1/4 and 3/4.
func sexes(t *testing.T) *anonymize.Release {
	r := Release(t, Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: "GID sex Count\n1 F 1\n1 M 1\n2 F 1"},
		Printed{Name: "sa", Role: anonymize.Sensitive, Text: "GID s Count\n1 10 1\n1 20 1\n2 10 1"})
	s := r.Fragments[1].Columns[0]
	s.Cells = []anonymize.Cell{{Members: []uint32{0}}, {Members: []uint32{1}}, {Members: []uint32{0, 1}, Weights: []float64{0.25, 0.75}}}
	s.Codes[2] = 2
	return r
}

// By hand: of the women the one of the pair has 20 with 1/2, the other with 3/4.
func TestEnumerate(t *testing.T) {
	r := sexes(t)
	sex, s := place{0, 0}, place{1, 0}
	women := atom{place: sex, among: map[anonymize.Value]bool{anonymize.TextValue("F"): true}}
	twenty := atom{place: s, among: map[anonymize.Value]bool{anonymize.IntegerValue(20): true}}
	for _, c := range []struct {
		shape      string
		count, sum spread
	}{
		{both, spread{1.25, 0.25 + 0.1875, 0, 2}, spread{25, 175, 0, 40}},
		{either, spread{2.5, 0.25, 2, 3}, spread{42.5, 100*0.25 + 18.75, 30, 50}},
		{single, spread{2, 0, 2, 2}, spread{32.5, 25 + 18.75, 20, 40}},
	} {
		q := &question{shape: c.shape, atoms: []atom{women, twenty}, argument: &s}
		e, ok := enumerate(r, q, anonymize.NullValue)
		if !ok {
			t.Fatal("too many worlds")
		}
		count, sum := e.sumOverGroups(func(t tally) float64 { return t.records }), e.sumOverGroups(func(t tally) float64 { return t.sum })
		if !near(count, c.count) || !near(sum, c.sum) {
			t.Errorf("%s: COUNT %v, want %v; SUM %v, want %v", c.shape, count, c.count, sum, c.sum)
		}
	}
}

func near(a, b spread) bool {
	return math.Abs(a.mean-b.mean)+math.Abs(a.variance-b.variance)+math.Abs(a.low-b.low)+math.Abs(a.high-b.high) < 1e-9
}

// A figure that is off, a bound that excludes a table or is not attained, and a
// row too few are found.
func TestCompare(t *testing.T) {
	r := sexes(t)
	s := place{1, 0}
	for name, spoil := range map[string]func(f *figures){
		"":               func(*figures) {},
		"estimate":       func(f *figures) { f.answer.Rows[0].Figures[2].Float += 0.1 },
		"standard error": func(f *figures) { f.errors[0][2].Float *= 1.01 },
		"bounds":         func(f *figures) { f.bounds[0][1].High.Float -= 0.5 },
		"missing":        func(f *figures) { f.answer.Rows = f.answer.Rows[:1] },
		"rows": func(f *figures) {
			f.answer.Rows = append(f.answer.Rows, estimate.AnswerRow{Keys: []anonymize.Value{anonymize.TextValue("x")}})
		},
	} {
		q := &question{shape: everybody, key: &place{0, 0}, argument: &s}
		f, err := ask(r, q.estimator(), false)
		if err != nil {
			t.Fatal(err)
		}
		spoil(&f)
		compared, _, err := compare(r, q, f)
		if (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), name) || name == "" && compared != 2 {
			t.Errorf("%s: %d compared, %v", name, compared, err)
		}
	}
	if err := (spread{1, 0, 1, 1}).differs(anonymize.RealValue(1), anonymize.RealValue(0),
		estimate.Bound{Low: anonymize.RealValue(0), High: anonymize.RealValue(1)}, true, true); err == nil {
		t.Error("a bound that no table attains is not found")
	}
}

// The battery's own steps notice a standard error that is wrong by a fifth, and
// an estimate that is wrong by half a standard error.
func TestMomentsOff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var numbers sample
	for range 2000 {
		numbers = append(numbers, 100+3*random.NormFloat64())
	}
	for _, c := range []struct {
		estimated, deviation float64
		off                  bool
	}{{100, 3, false}, {100, 3.6, true}, {100, 2.4, true}, {101.5, 3, true}, {100, 0, true}} {
		if numbers.moments().deviates(c.estimated, c.deviation) != c.off {
			t.Errorf("estimate %v with standard error %v: off is %v", c.estimated, c.deviation, !c.off)
		}
	}
}

func TestLinked(t *testing.T) {
	table := Parse(t, "sex s\nF 20\nM 10\nF 10")
	in, r := NewInput(t, table, "sex", "s", nil), sexes(t)
	for text, gidOf := range map[string][]uint32{
		"": {0, 0, 1},
		"2 records were told their group, the table has 3": {0, 0},
		"record 2 is in group 2 of 2":                      {0, 0, 2},
		"group 0 has 1 records, its size is 2":             {0, 1, 1},
		"group 0, fragment qi1: the tuple":                 {0, 1, 0},
		"group 0, fragment sa: s =  is no record's":        nil,
	} {
		if gidOf == nil { // the other woman is in the pair: both have 10
			gidOf = []uint32{1, 0, 0}
		}
		err := Linked(r, in, gidOf)
		if err == nil && text == "" {
			continue
		}
		if err == nil || text == "" || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("%v: %v, want %q", gidOf, err, text)
		}
	}
}
