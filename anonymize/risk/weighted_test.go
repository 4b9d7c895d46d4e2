package risk

import (
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The mean of 1/F is the sum over the negative binomial distribution, and above the simple estimate.
func TestMeanInverseSumsTheDistribution(t *testing.T) {
	for _, f := range []uint64{1, 2, 3, 7, 40} {
		for _, p := range []float64{0.01, 0.1, 0.3, 0.49, 0.5, 0.51, 0.7, 0.95} {
			want, probability := 0.0, math.Pow(p, float64(f))
			for i := range 40_000 {
				n := float64(f) + float64(i)
				want += probability / n
				probability *= (1 - p) * n / float64(i+1)
			}
			persons := float64(f) / p
			if got := MeanInverse(f, persons); math.Abs(got-want) > 1e-6*want || got < 1/persons {
				t.Errorf("f %d, p %v: %v, want %v", f, p, got, want)
			}
		}
	}
	if got := MeanInverse(4, 3); got != 0.25 {
		t.Errorf("all persons are in the sample: %v", got)
	}
}

// A table's classes have the persons whom their records stand for; a unit counts once, by its least weight.
func TestWeigh(t *testing.T) {
	weights := anonymize.NewColumn("w", "double", []anonymize.Value{anonymize.RealValue(10), anonymize.RealValue(30), anonymize.RealValue(5), anonymize.RealValue(7)})
	sex := anonymize.NewColumn("sex", "text", []anonymize.Value{anonymize.TextValue("F"), anonymize.TextValue("F"), anonymize.TextValue("M"), anonymize.TextValue("M")})
	in := &anonymize.Input{QuasiIdentifiers: []*anonymize.Column{sex}, Rows: 4}
	w := OfTable(in).Weigh(weights)
	if w.Persons[0] != 40 || w.Persons[1] != 12 || w.Fewest != 1 || w.Uniques != 0 || w.Journalist.Highest != MeanInverse(2, 12) {
		t.Errorf("%+v", w)
	}
	in.Units = []uint32{0, 1, 2, 2}
	if w = OfTable(in).Weigh(weights); w.Persons[1] != 5 || w.Uniques != 0.2 {
		t.Errorf("of units: %+v", w)
	}
	in.Units = []uint32{0, 0, 1, 1}
	in.QuasiIdentifiers[0] = anonymize.NewColumn("age", "int", []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2), anonymize.IntegerValue(3), anonymize.IntegerValue(4)})
	if w = OfTable(in).Weigh(weights); math.Abs(w.Uniques-0.3) > 1e-12 {
		t.Errorf("of units in two classes of their own each: %+v", w)
	}
}

// A release tells the least weights that its cells can be of.
func TestWeighOfARelease(t *testing.T) {
	values := []anonymize.Value{anonymize.RealValue(10), anonymize.RealValue(30)}
	f := &anonymize.Fragment{Columns: []*anonymize.FragmentColumn{{Name: "w", Dictionary: values, Codes: []uint32{0, 1}}}}
	c := &Classes{Fragment: f, First: []uint32{0, 1}, Records: []uint64{1, 3}, Rows: 4}
	if w, ok := c.Weigh("w"); !ok || w.Persons[0] != 10 || w.Persons[1] != 90 || w.Fewest != 0 {
		t.Errorf("%+v, %v", w, ok)
	}
	f.Columns[0].Cells = []anonymize.Cell{{Members: []uint32{0, 1}}, {Members: []uint32{1}}}
	if w, _ := c.Weigh("w"); w.Persons[0] != 10 || w.Persons[1] != 90 {
		t.Errorf("in cells: %+v", w)
	}
	if _, ok := c.Weigh("none"); ok {
		t.Error("a column that is not there has weights")
	}
}
