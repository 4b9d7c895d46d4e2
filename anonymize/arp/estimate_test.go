package arp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/nonhomogeneous"
)

// What these methods publish, points, intervals, sets and weighted sets, is
// answered as the model says: COUNT(*) WHERE age > 30 AND s <= 'c' is the sum
// over groups of m times the mean share of each condition, and what Draw draws
// has that mean (4,000 draws; six standard errors are a false alarm once in
// 5 10^8).
func TestEstimates(t *testing.T) {
	text := "age town s"
	for i := range 60 {
		text += fmt.Sprintf("\n%d %c %c", 20+i%25, 'A'+rune(i%3), 'a'+rune(i*i%7))
	}
	table := anontest.Parse(t, text)
	old := func(v anonymize.Value) bool { return v.Int > 30 }
	early := func(v anonymize.Value) bool { return v.Text <= "c" }
	for _, c := range []struct {
		m         anonymize.Method
		arguments anonymize.Arguments
	}{
		{Method(), anonymize.Arguments{"l": "2"}},
		{Method(), anonymize.Arguments{"l": "2", "over": slicing}},
		{Method(), anonymize.Arguments{"l": "2", "over": ranges}},
		{Method(), anonymize.Arguments{"l": "2", "over": randomization, "p": "0.1"}},
		{InitialMethod(), anonymize.Arguments{"l": "2"}},
		{nonhomogeneous.Method(), anonymize.Arguments{"l": "2"}},
	} {
		in := anontest.NewInput(t, table, "age town", "s", rand.NewPCG(1, 2))
		r := anontest.MustRun(t, c.m, in, c.arguments)
		sa := len(r.Fragments) - 1
		want := 0.0
		for g, m := range r.GroupSizes {
			want += float64(m) * share(r, 0, 0, g, old) * share(r, sa, 0, g, early)
		}
		answer, err := estimate.PrepareTuples(r).Ask(context.Background(), &estimate.Question{
			Leaves:     []estimate.Leaf{estimate.ValueLeaf(0, 0, old), estimate.ValueLeaf(sa, 0, early)},
			Where:      []estimate.Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
			Aggregates: []estimate.Aggregate{{Kind: estimate.Count}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Rows[0].Figures[0].Float; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s %v: %v, want %v", c.m.Name, c.arguments, got, want)
		}
		const draws = 4000
		source, sum, squares := rand.NewPCG(5, 6), 0.0, 0.0
		for range draws {
			drawn, n := estimate.Draw(r, source), 0.0
			age, s := drawn.Column("age"), drawn.Column("s")
			for row := range drawn.Rows {
				if old(age.Value(row)) && early(s.Value(row)) {
					n++
				}
			}
			sum, squares = sum+n, squares+n*n
		}
		mean := sum / draws
		if sd := math.Sqrt((squares/draws - mean*mean) / draws); math.Abs(mean-want) > 6*sd {
			t.Errorf("%s %v: draws have a mean of %.3f +- %.3f, want %.3f", c.m.Name, c.arguments, mean, sd, want)
		}
	}
}

// share is the mean probability of the condition over the records of a group.
func share(r *anonymize.Release, fragment, column, g int, keep func(anonymize.Value) bool) float64 {
	f := r.Fragments[fragment]
	c, sum := f.Columns[column], 0.0
	for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
		members, weight := []uint32{c.Codes[tuple]}, func(int) float64 { return 1 }
		if !c.IsPoint() {
			cell := &c.Cells[c.Codes[tuple]]
			members, weight = cell.Members, cell.Weight
		}
		for i, v := range members {
			if keep(c.Dictionary[v]) {
				sum += weight(i) * float64(f.Count[tuple])
			}
		}
	}
	return sum / float64(r.GroupSizes[g])
}
