package cdt

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

const table3 = `
Age Sex Place      Race Disease   Salary
12  m   Chennai    OC   HIV       100200
45  f   Salem      BC   cancer    13000
36  m   Coimbatore OC   fever     56000
23  m   Salem      BC   cold      44500
57  m   Chennai    MBC  HIV       76000
24  f   Coimbatore OBC  fever     10000
64  f   Madurai    SC   pneumonia 23000
42  m   Madurai    ST   cancer    43000
64  f   Madurai    SC   cold      100200
34  f   Chennai    MBC  pneumonia 13000`

// medical is Table 3.
func medical(t *testing.T) *anonymize.Input {
	t.Helper()
	in, err := anonymize.NewInput(anontest.Parse(t, table3), anonymize.Roles{QuasiIdentifiers: []string{"Age", "Sex", "Place"},
		Sensitive: []string{"Race", "Disease", "Salary"}}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func attributes(t testing.TB, in *anonymize.Input, columns ...*anonymize.Column) []*generalization.Attribute {
	t.Helper()
	var list []*generalization.Attribute
	for _, c := range columns {
		a, err := generalization.NewAttribute(c, in.Domain(c))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// wholeTable is Gower's distance over all attributes of Table 3.
func wholeTable(t *testing.T) *space {
	t.Helper()
	in := medical(t)
	return newSpace(attributes(t, in, slices.Concat(in.QuasiIdentifiers, in.Sensitive)...), compress(anonymize.Indices(10), anonymize.Indices(10), 10))
}

// Sections 3.1.1 and 3.1.2: entropies and weights of Age, Sex, Place, Race,
// Disease and Salary.
func TestEntropiesAndWeights(t *testing.T) {
	s := wholeTable(t)
	if got, want := sevenDigits(s.entropies), "3.121928, 1.000000, 1.970951, 2.521928, 2.321928, 2.921928"; got != want {
		t.Errorf("entropies are %s, not %s", got, want)
	}
	for i, want := range []float64{0.7747309, 0.9278430, 0.8577821, 0.8180252, 0.8324566, 0.7891623} {
		if math.Abs(s.weights[i]-want) > 0.5e-7 {
			t.Errorf("weight %d is %.7f, not %.7f", i, s.weights[i], want)
		}
	}
}

func sevenDigits(x []float64) string {
	var parts []string
	for _, x := range x {
		parts = append(parts, fmt.Sprintf("%.6f", x))
	}
	return strings.Join(parts, ", ")
}

const table4 = `
      1    2    3    4    5    6    7    8    9
2  0.94
3  0.49 0.79
4  0.63 0.47 0.56
5  0.34 0.83  0.6 0.66
6  0.88 0.57 0.47 0.75  0.9
7  0.98 0.58 0.83 0.85  0.8 0.64
8  0.69 0.58 0.54 0.56  0.6  0.8 0.62
9  0.84 0.71 0.85 0.74 0.75 0.78  0.3 0.68
10 0.73 0.53 0.77 0.78 0.53 0.54 0.44 0.76 0.74`

const table5 = `
      1    2    3    4    5    6    7    8    9
2  0.12
3  0.76 0.38
4   0.6 0.78 0.69
5  0.88 0.31 0.64 0.57
6  0.22 0.68 0.78 0.44 0.19
7  0.04 0.67 0.31 0.28 0.36 0.59
8  0.52 0.66 0.71 0.69 0.64 0.36 0.62
9  0.29 0.49 0.28 0.45 0.44 0.39 0.91 0.54
10 0.46 0.71 0.41  0.4 0.72 0.71  0.8 0.42 0.45`

// triangle lays a matrix out as Tables 4 and 5 do.
func triangle(figure func(i, j int) float64) string {
	text := "\n      1    2    3    4    5    6    7    8    9"
	for i := 1; i < 10; i++ {
		text += fmt.Sprintf("\n%-2d", i+1)
		for j := range i {
			text += fmt.Sprintf("%5s", strconv.FormatFloat(math.Round(100*figure(i, j))/100, 'f', -1, 64))
		}
	}
	return text
}

func TestTable4(t *testing.T) {
	s := wholeTable(t)
	if got := triangle(s.distance); got != table4 {
		t.Errorf("the dissimilarity matrix is%s", got)
	}
}

func TestTable5(t *testing.T) {
	s := wholeTable(t)
	similarity := measure{s, true}
	if got := triangle(func(i, j int) float64 { return float64(similarity.tupleDistance(i, j)) / unit }); got != table5 {
		t.Errorf("the similarity matrix is%s", got)
	}
}

// numbers writes clusters by the paper's tuple numbers.
func numbers(classes [][]uint32) string {
	text := ""
	for _, class := range classes {
		plusOne := make([]uint32, len(class))
		for i, r := range class {
			plusOne[i] = r + 1
		}
		text += fmt.Sprint(plusOne)
	}
	return text
}

// Section 3.2 with Figures 1 to 6: C1 and C2 of the sensitive tuples, and their
// splits, each at the greatest average silhouette width.
func TestClusters(t *testing.T) {
	in, ctx := medical(t), context.Background()
	first, err := newStage(ctx, in.Sensitive, attributes(t, in, in.Sensitive...), 0, 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	first.similarity = true
	second, err := newStage(ctx, in.QuasiIdentifiers, attributes(t, in, in.QuasiIdentifiers...), 0, 9, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := first.divide(ctx, anonymize.Indices(10))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := numbers(c.classes), "[1 4 6 7 8 10][2 3 5 9]"; got != want || math.Abs(c.width-0.2786) > 5e-5 {
		t.Fatalf("C1 and C2 are %s, width %.4f", got, c.width)
	}
	for i, want := range []struct {
		split string
		width float64
	}{{"[6 7 10][1 4 8]", 0.4192}, {"[2 9][3 5]", 0.3934}} {
		split, err := second.divide(ctx, c.classes[i])
		if err != nil {
			t.Fatal(err)
		}
		if got := numbers(split.classes); got != want.split || math.Abs(split.width-want.width) > 5e-5 {
			t.Errorf("C%d is split into %s, width %.4f", i+1, got, split.width)
		}
	}
}

const table9 = `
Tuple Age     Sex Place                        Race Disease   Salary
1     [12-42] m   {Chennai,Madurai,Salem}      OC   HIV       100200
4     [12-42] m   {Chennai,Madurai,Salem}      BC   cold      44500
8     [12-42] m   {Chennai,Madurai,Salem}      ST   cancer    43000
6     [24-64] f   {Chennai,Coimbatore,Madurai} OBC  fever     10000
7     [24-64] f   {Chennai,Coimbatore,Madurai} SC   pneumonia 23000
10    [24-64] f   {Chennai,Coimbatore,Madurai} MBC  pneumonia 13000
2     [45-64] f   {Madurai,Salem}              BC   cancer    13000
9     [45-64] f   {Madurai,Salem}              SC   cold      100200
3     [36-57] m   {Chennai,Coimbatore}         OC   fever     56000
5     [36-57] m   {Chennai,Coimbatore}         MBC  HIV       76000`

// example is the release of Table 9.
func example(t *testing.T) (*anonymize.Input, *anonymize.Release, []uint32) {
	t.Helper()
	in := medical(t)
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"variant": printed, "l": "1"})
	if err != nil {
		t.Fatal(err)
	}
	return in, r, gidOf
}

func TestTable9(t *testing.T) {
	in, r, gidOf := example(t)
	if len(r.Fragments) != 2 || len(r.Fragments[1].Columns) != 3 {
		t.Fatalf("there are %d fragments", len(r.Fragments))
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Error(err)
	}
	if err := anontest.Linked(r, in, gidOf); err != nil {
		t.Error(err)
	}
	text := "\nTuple Age     Sex Place                        Race Disease   Salary"
	for _, tuple := range []int{1, 4, 8, 6, 7, 10, 2, 9, 3, 5} {
		f := r.Fragments[0]
		var cells [3]string
		for i, c := range f.Columns {
			cells[i] = c.Cells[c.Codes[f.GroupStart[gidOf[tuple-1]]]].Label
		}
		text += fmt.Sprintf("\n%-5d %-7s %-3s %-28s %-4s %-9s %s", tuple, cells[0], cells[1], cells[2],
			in.Sensitive[0].Value(tuple-1), in.Sensitive[1].Value(tuple-1), in.Sensitive[2].Value(tuple-1))
	}
	if text != table9 {
		t.Errorf("the release is%s", text)
	}
}

// The measures of Table 9, computed by hand from Eq. (9) to (16).
func TestMeasuresOfTable9(t *testing.T) {
	in, r, _ := example(t)
	m, err := Measure(context.Background(), r, func(column string) bool { return column == "Age" })
	if err != nil {
		t.Fatal(err)
	}
	// Four classes: the part of the span of 52 years, and one less than the
	// places, of four.
	ul := func(years, places float64) float64 {
		return math.Sqrt((years*years/52/52 + (places-1)*(places-1)/16) / 3)
	}
	// P(Q): classes of 3, 3, 2 and 2 of 10 records.
	quasi := -(0.6*math.Log2(0.3) + 0.4*math.Log2(0.2))
	// P(S): all values differ but the disease of the second class, 1 and 2 of 3.
	disease := (math.Log2(3) - 2.0/3) / math.Log2(3)
	want := Measures{UL: 0.3*ul(30, 3) + 0.3*ul(40, 3) + 0.2*ul(19, 2) + 0.2*ul(21, 2), PQ: 1 - quasi/math.Log2(10),
		PS: math.Sqrt((11 + disease*disease) / 12)}
	want.PD = math.Sqrt((want.PQ*want.PQ + want.PS*want.PS) / 2)
	for _, pair := range [][3]float64{{m.UL, want.UL, 0.3971}, {m.PQ, want.PQ, 0.4067}, {m.PS, want.PS, 0.9719}, {m.PD, want.PD, 0.7450}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 || math.Abs(pair[0]-pair[2]) > 5e-5 {
			t.Errorf("%.6f instead of %.6f, %.4f", pair[0], pair[1], pair[2])
		}
	}
	// Before, tuples 7 and 9 have the same quasi-identifiers.
	before, err := MeasureTable(context.Background(), in)
	if err != nil || math.Abs(before.PQ-0.2/math.Log2(10)) > 1e-12 || before.UL != 0 || before.PS != 0 {
		t.Errorf("Table 3 has %v, %v", before, err)
	}
}
