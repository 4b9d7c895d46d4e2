package estimate

import (
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Residuals are those of the records of every completed table, added up one by one.
func TestScatter(t *testing.T) {
	numbers := []float64{1, 4, 6, 10}
	column := &anonymize.FragmentColumn{Name: "x", Type: "INT", Codes: []uint32{0, 1, 2, 3}}
	for _, x := range numbers {
		column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(x)))
	}
	keys := &anonymize.FragmentColumn{Name: "k", Type: "TEXT", Dictionary: []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b")}, Codes: []uint32{0, 1}}
	r := &anonymize.Release{Rows: 4, GroupSizes: []uint32{4}, Fragments: []*anonymize.Fragment{
		{Name: "q", GroupStart: []uint32{0, 4}, Count: []uint32{1, 1, 1, 1}, Columns: []*anonymize.FragmentColumn{column}},
		{Name: "s", GroupStart: []uint32{0, 2}, Count: []uint32{2, 2}, Columns: []*anonymize.FragmentColumn{keys}}}}
	// Of table 0 the records 1 and 4 have key a, of table 1 the records 1 and 10.
	completion := anonymize.NewCompletion(r, [][][]uint16{{{0, 1, 2, 3}}, {{0, 2, 3, 1}}})
	c, err := Prepare(r).WithTables(t.Context(), completion)
	if err != nil {
		t.Fatal(err)
	}
	x := &Expression{Leaves: []int{0}}
	q := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 0)}, Keys: []Expression{{Leaves: []int{1}}},
		Aggregates: []Aggregate{{Kind: Count}, {Kind: Sum, Argument: x}, {Kind: Average, Argument: x}}, Quotients: []Quotient{{Numerator: 1, Denominator: 0}, {Numerator: 0, Denominator: 1}}}
	answer, err := c.AskWithSpread(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	own := [][]float64{{1, 4}, {1, 10}} // of key a by table
	mean, inverse := 16./4, 4./16
	want := []Scatter{{Total: 1, Tables: 2}, {Total: 1, Tables: 2}, {Total: 2, Tables: 2}, {Total: 2, Tables: 2}, {Total: 8, Tables: 2}}
	for _, table := range own {
		for _, x := range table {
			for i, e := range []float64{1, x, x - mean, x - mean, 1 - inverse*x} {
				want[i].Absolute += math.Abs(e) / 2
				want[i].Squares += e * e / 2
			}
		}
	}
	got := append(append([]Scatter(nil), answer.Scatters[0]...), answer.Quotients[0][0].Scatter, answer.Quotients[0][1].Scatter)
	for i := range want {
		if math.Abs(got[i].Total-want[i].Total) > 1e-12 || math.Abs(got[i].Absolute-want[i].Absolute) > 1e-12 || math.Abs(got[i].Squares-want[i].Squares) > 1e-12 || got[i].Tables != want[i].Tables {
			t.Errorf("scatter %d is %+v, want %+v", i, got[i], want[i])
		}
	}
	// SUM(x) / COUNT(*) is AVG(x), with its deviation: tables have 2.5 and 5.5, around 4.
	asAverage, deviations := answer.Quotients[0][0], answer.Deviations[0][2]
	if asAverage.Figure.Float != 4 || math.Abs(asAverage.Deviation.Float-math.Sqrt(1.5*4.5)) > 1e-12 || math.Abs(deviations.Float-asAverage.Deviation.Float) > 1e-12 {
		t.Errorf("the quotient is %+v, AVG deviates by %v", asAverage, deviations)
	}
	// Of the keys (a, x), both tables have (a, 1) and one has (a, 4). COUNT and SUM are 0 in the other.
	q.Keys = append(q.Keys, *x)
	if answer, err = c.AskWithSpread(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if s := answer.Scatters[1]; s[0].Tables != 2 || s[1].Tables != 2 || s[2].Tables != 1 || answer.Quotients[1][0].Scatter.Tables != 1 {
		t.Errorf("COUNT, SUM, AVG: %+v, SUM / COUNT: %+v", s, answer.Quotients[1][0])
	}
	q.Quotients = []Quotient{{Numerator: 2, Denominator: 0}}
	if _, err := c.AskWithSpread(t.Context(), q); err == nil {
		t.Error("a quotient of an AVG is answered")
	}
}
