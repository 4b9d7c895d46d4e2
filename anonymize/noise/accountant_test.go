package noise_test

import (
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/noise"
)

func TestScales(t *testing.T) {
	for _, test := range []struct {
		tables, records int
		epsilon, scale  string
	}{
		{1, 1, "1", "2"},
		{8, 1, "1", "16"},
		{9, 1, "0.3", "60"},
		{9, 4, "3", "24"},
		{5, 2, "1/3", "60"},
		{3, 1, "7", "6/7"},
	} {
		counts := noise.Counts{Tables: test.tables, Records: test.records}
		scale, err := counts.Scale(anonymize.MustRatio(test.epsilon))
		if err != nil || scale != anonymize.MustRatio(test.scale) {
			t.Errorf("%+v at epsilon %s: the scale is %s, must be %s (%v)", counts, test.epsilon, scale, test.scale, err)
		}
		if loss, err := counts.Loss(scale); err != nil || loss != anonymize.MustRatio(test.epsilon) {
			t.Errorf("%+v at scale %s: the loss is %s, must be %s (%v)", counts, scale, loss, test.epsilon, err)
		}
	}
}

func TestScalesThatAreNone(t *testing.T) {
	for _, counts := range []noise.Counts{{}, {Tables: 1}, {Records: 1}, {Tables: -1, Records: 1}, {Tables: 1<<20 + 1, Records: 1}} {
		if scale, err := counts.Scale(anonymize.MustRatio("1")); err == nil {
			t.Errorf("%+v has the scale %s", counts, scale)
		}
	}
	counts := noise.Counts{Tables: 3, Records: 1}
	for _, epsilon := range []anonymize.Ratio{{}, {Num: 0, Den: 1}, {Num: 1, Den: math.MaxUint64}} {
		if scale, err := counts.Scale(epsilon); err == nil {
			t.Errorf("epsilon %d/%d gives the scale %s", epsilon.Num, epsilon.Den, scale)
		}
	}
}

// Two tables of counts of two records that differ in one label: whatever is told, the odds are at most e^epsilon. The worst of all tellings
// is found by enumeration, since the likelihood ratio of independent cells is the product of theirs.
func TestLossOfAReplacedLabel(t *testing.T) {
	counts := noise.Counts{Tables: 2, Records: 1}
	epsilon := anonymize.MustRatio("0.8")
	scale, err := counts.Scale(epsilon)
	if err != nil {
		t.Fatal(err)
	}
	// By label: the cells of both tables, of a record in row 0 of the first and row 1 of the second, and of another whose label stays.
	cells := [][]int64{{1, 1, 0, 0 /**/, 1, 0, 1, 0}, {1, 1, 0, 0 /**/, 1, 0, 1, 0}}
	cells[1][0], cells[1][1] = 0, 2
	cells[1][6], cells[1][7] = 0, 1
	worst := 0.0
	for cell := range cells[0] {
		most := 0.0
		for told := int64(-20); told <= 20; told++ {
			most = max(most, math.Log(probability(told-cells[0][cell], scale.Float())/probability(told-cells[1][cell], scale.Float())))
		}
		worst += most
	}
	if math.Abs(worst-epsilon.Float()) > 1e-9 {
		t.Errorf("the worst telling changes the odds by e^%.6f, must be e^%s", worst, epsilon)
	}
}
