package estimate

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Deviation 133: AVG is the mean SUM by the mean COUNT, MIN the figure of the median table,
// and a table without the key counts 0.
func TestDeviation133_FiguresOfTables(t *testing.T) {
	b := newReleaseBuilder([]string{"sex"}, []string{"age"})
	b.group([]string{"F", "F", "M", "M"}, []string{"10", "20", "30", "90"})
	r := b.release() // the women are 10 and 20 in the first table, 30 and 90 in the second
	c := mustComplete(t, r, anonymize.NewCompletion(r, [][][]uint16{{{0, 1, 2, 3}}, {{2, 3, 0, 1}}}))
	women := func(least, most float64) *Question {
		age := &Expression{Leaves: []int{2}}
		return &Question{
			Leaves: []Leaf{
				ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Text == "F" }),
				ValueLeaf(1, 0, func(v anonymize.Value) bool { x, _ := v.Number(); return x >= least && x <= most }),
				ValueOf(1, 0)},
			Where:      []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
			Aggregates: []Aggregate{{Kind: Count}, {Kind: Sum, Argument: age}, {Kind: Average, Argument: age}, {Kind: Least, Argument: age}},
		}
	}
	for _, q := range []struct {
		least, most float64
		want        [4]float64
	}{
		{0, 30, [4]float64{1.5, 30, 20, 10}},         // the mean of the tables' 15 and 30 would be 22.5, of their minima 20
		{90, 90, [4]float64{.5, 45, 90, 90}},         // nobody in the first table
		{0, 100, [4]float64{2, 75, 37.5, 10}},        // as many in both
		{25, 50, [4]float64{.5, 15, 30, 30}},         // nobody in the first one again
		{15, 100, [4]float64{1.5, 70, 140. / 3, 20}}, // one and two
	} {
		answer, _ := mustAskTables(t, c, women(q.least, q.most))
		for i, want := range q.want {
			if got, _ := answer.Rows[0].Figures[i].Number(); got < want-1e-9 || got > want+1e-9 {
				t.Errorf("women of %v to %v: figure %d is %v, want %v", q.least, q.most, i, got, want)
			}
		}
	}
}
