package planes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// randomRows is a release of groups of some sizes, whose fragments have a column of so many values each and a tuple a record.
func randomRows(random *rand.Rand, groups, most int, values []int) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for range groups {
		r.GroupSizes = append(r.GroupSizes, uint32(random.IntN(most+1)))
		r.Rows += int(r.GroupSizes[len(r.GroupSizes)-1])
	}
	for i, n := range values {
		column := &anonymize.FragmentColumn{Name: fmt.Sprint("c", i)}
		for v := range n {
			column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		f := &anonymize.Fragment{Name: fmt.Sprint("f", i), GroupStart: []uint32{0}, Columns: []*anonymize.FragmentColumn{column}}
		for _, m := range r.GroupSizes {
			for range m {
				column.Codes, f.Count = append(column.Codes, uint32(min(random.IntN(n), random.IntN(n)))), append(f.Count, 1)
			}
			f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// countRangesByGroup is the obvious way.
func countRangesByGroup(r *anonymize.Release, values []int) (low, high []int64) {
	low, high = make([]int64, values[0]*values[1]), make([]int64, values[0]*values[1])
	for g, m := range r.GroupSizes {
		counts := make([][]int, 2)
		for i, f := range r.Fragments {
			counts[i] = make([]int, values[i])
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				counts[i][f.Columns[0].Codes[t]]++
			}
		}
		for a, x := range counts[0] {
			for b, y := range counts[1] {
				low[a+b*values[0]] += int64(max(0, x+y-int(m)))
				high[a+b*values[0]] += int64(min(x, y))
			}
		}
	}
	return low, high
}

func TestCountRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for trial := range 60 {
		values := []int{1 + random.IntN(12), 1 + random.IntN(12)}
		r := randomRows(random, 1+random.IntN(400), 1+random.IntN(12), values)
		q := &question.Question{Aggregates: []question.Aggregate{{Kind: question.Count}},
			Leaves: []question.Leaf{question.ValueOf(0, 0), question.ValueOf(1, 0)}, Keys: []question.Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}}
		sides, err := question.SidesOf(t.Context(), r, q)
		if err != nil {
			t.Fatal(err)
		}
		low, high, err := NewStore(r, NewLayout(r)).countRanges(t.Context(), sides)
		if err != nil {
			t.Fatal(err)
		}
		wantLow, wantHigh := countRangesByGroup(r, values)
		if !slices.Equal(low, wantLow) || !slices.Equal(high, wantHigh) {
			t.Fatalf("trial %d: %v to %v, want %v to %v", trial, low, high, wantLow, wantHigh)
		}
	}
}
