package privacy_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// A diverseGroup is what the definitions of diversity and closeness see of one group.
type diverseGroup struct {
	here, all  [4]float64 // records by sensitive value, of the group and of the release
	sorted     [4]float64 // here, the largest first
	size, rows float64
}

// slowDefinitions are the figures of one group by their definitions.
var slowDefinitions = map[string]func(g diverseGroup) float64{
	"l": func(g diverseGroup) float64 {
		l := 1.0
		for g.sorted[int(min(l, 3))] > 0 && g.sorted[0] <= math.Floor(g.size/(l+1)) {
			l++
		}
		return l
	},
	"distinct": func(g diverseGroup) (figure float64) {
		for _, n := range g.here {
			if n > 0 {
				figure++
			}
		}
		return figure
	},
	"entropy": func(g diverseGroup) float64 {
		entropy := 0.0
		for _, n := range g.here {
			if n > 0 {
				entropy -= n / g.size * math.Log(n/g.size)
			}
		}
		return math.Exp(entropy)
	},
	"recursive": func(g diverseGroup) float64 {
		return g.sorted[0] / (g.sorted[1] + g.sorted[2] + g.sorted[3])
	},
	"t_equal": func(g diverseGroup) (figure float64) {
		for v := range g.here {
			figure += math.Abs(g.here[v]/g.size-g.all[v]/g.rows) / 2
		}
		return figure
	},
	"t_ordered": slowOrderedDistance,
	"background": func(g diverseGroup) float64 {
		return g.sorted[0] / (g.size - min(1, g.size-g.sorted[0]))
	},
}

func slowOrderedDistance(g diverseGroup) (figure float64) {
	sum, values := 0.0, 0
	for v := range g.here {
		if g.all[v] > 0 {
			values++
		}
		sum += g.here[v]/g.size - g.all[v]/g.rows
		figure += math.Abs(sum)
	}
	// A value that nobody has repeats the difference of the one before.
	sum = 0
	for v := range g.here {
		sum += g.here[v]/g.size - g.all[v]/g.rows
		if g.all[v] == 0 {
			figure -= math.Abs(sum)
		}
	}
	return figure / float64(max(values-1, 1))
}

// slowDiversity is the figure of one group by its definition, over the sensitive
// fragment of a random release; ok is false for other names. A group without the
// figure has NaN.
func slowDiversity(r *anonymize.Release, name string, g int) (figure float64, ok bool) {
	definition, ok := slowDefinitions[name]
	if !ok {
		return 0, false
	}
	return definition(groupOf(r, g)), true
}

func groupOf(r *anonymize.Release, g int) diverseGroup {
	f := r.Fragments[len(r.Fragments)-1]
	group := diverseGroup{size: float64(r.GroupSizes[g]), rows: float64(r.Rows)}
	for t, n := range f.Count {
		group.all[f.Columns[0].Codes[t]] += float64(n)
		if uint32(t) >= f.GroupStart[g] && uint32(t) < f.GroupStart[g+1] {
			group.here[f.Columns[0].Codes[t]] += float64(n)
		}
	}
	group.sorted = group.here
	slices.Sort(group.sorted[:])
	slices.Reverse(group.sorted[:])
	return group
}

// Every figure of diversity and closeness against its definition, in floats,
// group by group.
func TestDiversityOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	seen := make(map[string]int)
	for range 500 {
		r := randomRelease(random)
		for _, g := range anontest.Guarantees(t, r) {
			if _, ok := slowDiversity(r, g.Name, 0); !ok {
				continue
			}
			seen[g.Name]++
			least, most := math.Inf(1), math.Inf(-1)
			for group := range r.GroupSizes {
				x, _ := slowDiversity(r, g.Name, group)
				least, most = min(least, x), max(most, x)
			}
			want := most
			if g.Name == "l" || g.Name == "distinct" || g.Name == "entropy" {
				want = least
			}
			if math.Abs(g.Achieved-want) > 1e-9*max(1, want) {
				t.Fatalf("%s is %v, by its definition %v", g.Name, g.Achieved, want)
			}
			if there, _ := slowDiversity(r, g.Name, g.WorstGroup); math.Abs(there-want) > 1e-9*max(1, want) {
				t.Fatalf("%s is %v in group %d, not %v", g.Name, there, g.WorstGroup, want)
			}
		}
	}
	for _, name := range []string{"l", "distinct", "entropy", "recursive", "t_equal", "t_ordered", "background"} {
		if seen[name] < 100 {
			t.Errorf("%s was looked at %d times", name, seen[name])
		}
	}
}

// salaries are the 3-diverse Table 3 of Li, Li and Venkatasubramanian,
// "t-Closeness" (ICDE 2007), by its classes: their {3k,4k,5k} is at 0.375 from the
// whole and {6k,8k,11k} at 0.167.
func salaries(t *testing.T) *anonymize.Release {
	return anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Salary  Count
1    3       1
1    4       1
1    5       1
2    6       1
2    8       1
2    11      1
3    7       1
3    9       1
3    10      1`})
}

func TestOrderedDistanceOfThePaper(t *testing.T) {
	r := salaries(t)
	got := anontest.Guarantees(t, r)
	if g := got["t_ordered"]; g.Achieved != 0.375 || g.WorstGroup != 0 {
		t.Errorf("%+v, printed is 0.375", g)
	}
	r.Promises = []anonymize.Promise{{Guarantee: "t_ordered", Bound: anonymize.MustRatio("3/8")}}
	if !anontest.Guarantees(t, r)["t_ordered"].Holds {
		t.Error("3/8 does not hold at 3/8")
	}
	if g := got["t_equal"]; math.Abs(g.Achieved-2./3) > 1e-15 {
		t.Errorf("%+v, want 1 - 1/3", g)
	}
	if g := got["l"]; g.Achieved != 3 {
		t.Errorf("%+v", g)
	}
}

// NULL ranks below the numbers, as ORDER BY has it.
func TestOrderedDistanceOfNull(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  Salary  Count
1    NULL    1
1    10      1
2    20      2`})
	// Shares 1/4, 1/4, 1/2. Group 1 is off by 1/4, then 1/2, of two steps.
	if g := anontest.Guarantees(t, r)["t_ordered"]; g.Achieved != 0.375 {
		t.Errorf("%+v", g)
	}
}

// Lower bounds hold when reached and their errors say so.
func TestLowerBounds(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  2
1    b  2
1    c  2
1    d  1
2    a  1
2    b  1
2    c  1`})
	for _, c := range []struct {
		name, bound string
		want        string
	}{
		{"l", "3", ""},
		{"l", "5/2", ""},
		{"l", "4", "l is 3 in group 1, promised was at least 4: in sa, s = 'a' is 2 of 7 records"},
		{"size", "3", ""},
		{"size", "4", "size is 3 in group 2, promised was at least 4: the group has 3 records"},
		{"distinct", "3", ""},
		{"distinct", "4", "distinct is 3 in group 2, promised was at least 4: in sa, s has 3 values in 3 records"},
		{"entropy", "3", ""},
		{"entropy", "300000000001/100000000000", "entropy is 3 in group 2, promised was at least 3.0000 (300000000001/100000000000): in sa, s has 3 values in 3 records, s = 'a' is 1 of 3 records"},
		{"recursive", "51/100", ""},
		{"recursive", "1/2", "recursive is 0.5 in group 2, promised was below 0.5: l = 2: in sa, s = 'a' is 1 of 3 records, the values from number 2 on are 2 of 3 records"},
		{"background", "1/2", ""},
		{"background", "1/3", "background is 0.5 in group 2, promised was at most 0.3333 (1/3): in sa, s = 'a' is 1 of 3 records, one other known; with 2, 3, 4 known at most 1, 1, 1"},
	} {
		r.Promises = []anonymize.Promise{{Guarantee: c.name, Bound: anonymize.MustRatio(c.bound)}}
		got, err := privacy.Verify(r)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		if err := privacy.FirstBroken(got); err != nil {
			text = err.Error()
		}
		if !strings.HasPrefix(text, c.want) || c.want == "" && text != "" {
			t.Errorf("%s %s: got  %s\nwant %s", c.name, c.bound, text, c.want)
		}
	}
}

// The l of recursive is the promised one.
func TestRecursiveTakesThePromisedL(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  4
1    b  3
1    c  2
1    d  1`})
	for l, want := range map[string]float64{"1": 4. / 6, "2": 4. / 6, "5/2": 4. / 3, "3": 4. / 3, "4": 4} {
		r.Promises = []anonymize.Promise{{Guarantee: "l", Bound: anonymize.MustRatio(l)}}
		if g := anontest.Guarantees(t, r)["recursive"]; g.Achieved != want {
			t.Errorf("l = %s: %v, want %v", l, g.Achieved, want)
		}
	}
	r.Promises = append(r.Promises, anonymize.Promise{Guarantee: "recursive", Bound: anonymize.MustRatio("2")})
	r.Promises[0].Bound = anonymize.MustRatio("5")
	var cannot *privacy.CannotCheckError
	if _, err := privacy.Verify(r); !errors.As(err, &cannot) || cannot.Reason != "no c makes group 1 (c, 5)-diverse: in sa, s has 4 values in 10 records" {
		t.Error(err)
	}
}

// Entropy is decided where float64 is blind: counts 2, 1, 1 have exp(H) =
// 2 sqrt 2; fractions of 18 digits on either side of it round to one float64.
func TestEntropyIsDecidedExactly(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: `
GID  s  Count
1    a  20
1    b  10
1    c  10`})
	below := anonymize.NewRatio(2828427124746190097, 1000000000000000000) // 2.8284271247461900976...
	above := anonymize.NewRatio(2828427124746190098, 1000000000000000000)
	if below.Float() != above.Float() {
		t.Fatal("the bounds differ as floats: the test shows nothing")
	}
	for bound, holds := range map[anonymize.Ratio]bool{below: true, above: false} {
		r.Promises = []anonymize.Promise{{Guarantee: "entropy", Bound: bound}}
		if g := anontest.Guarantees(t, r)["entropy"]; g.Holds != holds {
			t.Errorf("%v: %+v", bound, g)
		}
	}
}

// Deviation 23: a class of a mixed fragment is what is linked. In group 1, the
// two women have one disease, though it is one of three in the group.
func TestDeviation23_LinkedCellsCount(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "qi1", Role: anonymize.QuasiIdentifying, Text: `
GID  Age  Count
1    30   4
2    30   2`}, anontest.Printed{Name: "rest", Role: anonymize.Mixed, Text: `
GID  Sex  Disease  Count
1    F    flu      2
1    M    cold     1
1    M    cough    1
2    F    cold     1
2    F    flu      1`})
	r.Promises = []anonymize.Promise{{Guarantee: "l", Bound: anonymize.MustRatio("2")}}
	got := anontest.Guarantees(t, r)
	for name, want := range map[string]string{
		"beta":       "1 in 0: Disease = 'flu' is 2 of 2 records with Sex = 'F'",
		"l":          "1 in 0: in rest, Disease = 'flu' is 2 of 2 records with Sex = 'F'",
		"distinct":   "1 in 0: in rest, Disease has 1 value in 2 records with Sex = 'F'",
		"t_equal":    "0.5 in 0: in rest, Disease = 'flu' is 2 of 2 records with Sex = 'F', 3 of 6 in the release",
		"background": "1 in 0: in rest, Disease = 'flu' is 2 of 2 records with Sex = 'F', one other known; with 2, 3, 4 known at most 1, 1, 1",
	} {
		g := got[name]
		if line := fmt.Sprintf("%g in %d: %s", g.Achieved, g.WorstGroup, g.Detail); line != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
	}
	if got["l"].Holds {
		t.Error("l = 2 holds")
	}
	if _, ok := got["alpha"]; ok {
		t.Error("alpha of a mixed fragment")
	}
}

// Cells of candidates: l by record, also where weights are floats. With p = 0.1
// and nine values the greatest weight is 0.1 + 0.9/9 = 1/5, which float64 has as
// a little more.
func TestWeightedCells(t *testing.T) {
	const values = 9
	var cells []anonymize.Cell
	for v := range values {
		c := anonymize.Cell{Label: fmt.Sprint(v)}
		for m := range uint32(values) {
			c.Members, c.Weights = append(c.Members, m), append(c.Weights, .9/9)
		}
		c.Weights[v] += .1
		cells = append(cells, c)
	}
	if w := new(big.Rat).SetFloat64(cells[0].Weights[0]); w.Cmp(big.NewRat(1, 5)) <= 0 {
		t.Fatal("the weight is not above 1/5: the test shows nothing")
	}
	text := "GID s Count"
	for v := range values {
		text += fmt.Sprintf("\n1 %c 1", 'a'+v)
	}
	r := anontest.Release(t, anontest.Printed{Name: "sa", Role: anonymize.Sensitive, Text: text})
	r.Fragments[0].Columns[0].Cells = cells
	r.Promises = []anonymize.Promise{{Guarantee: "l", Bound: anonymize.MustRatio("5")}}
	got := anontest.Guarantees(t, r)
	if g := got["l"]; !g.Holds || g.Achieved != 5 || g.Detail != "in sa, s = 'a' is 1/5 of the cell 0" {
		t.Errorf("%+v", g)
	}
	if g := got["beta"]; math.Abs(g.Achieved-1./9) > 1e-15 {
		t.Errorf("%+v", g)
	}
	if g := got["recursive"]; g.Achieved != 0.4 {
		t.Errorf("%+v", g)
	}
	// Weights without a small denominator: l is still there, decided upwards.
	for i := range cells {
		cells[i].Members, cells[i].Weights = []uint32{0, 1}, []float64{math.Pi - 3, 4 - math.Pi}
	}
	if g := anontest.Guarantees(t, r)["l"]; g.Achieved != 1 {
		t.Errorf("%+v", g)
	}
}

// Non-homogeneous: every record has its own generalized cells and its own set of
// candidates, in one fragment.
func TestSetsBesideQuasiIdentifiers(t *testing.T) {
	r := anontest.Release(t, anontest.Printed{Name: "ring", Role: anonymize.Mixed, Text: `
GID  Age  s  Count
1    30   a  1
1    40   b  1
1    50   c  1`})
	r.Fragments[0].Columns[1].Cells = []anonymize.Cell{
		{Label: "{a,b}", Members: []uint32{0, 1}}, {Label: "{b,c}", Members: []uint32{1, 2}}, {Label: "{a,c}", Members: []uint32{0, 2}}}
	got := anontest.Guarantees(t, r)
	if g := got["l"]; g.Achieved != 2 || g.Detail != "in ring, s = 'a' is 1/2 of the cell {a,b}" {
		t.Errorf("%+v", g)
	}
	if g := got["beta"]; g.Achieved != 0.5 {
		t.Errorf("%+v", g)
	}
	if g := got["entropy"]; g.Achieved != 2 {
		t.Errorf("%+v", g)
	}
}
