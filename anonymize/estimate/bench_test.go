package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// BenchmarkAsk shows the cost of common questions per published record, on
// releases of three fragments and groups of five.
func BenchmarkAsk(b *testing.B) {
	small := func(v anonymize.Value) bool { return v.Int < 3 }
	count := []Aggregate{{Kind: Count}}
	questions := []struct {
		name string
		q    *Question
	}{
		{"COUNT/conditions=1", &Question{Leaves: []Leaf{Where(0, 1, small)}, Where: []Expression{{Leaves: []int{0}}}, Aggregates: count}},
		{"COUNT/conditions=3", &Question{
			Leaves: []Leaf{Where(0, 1, small), Where(1, 1, small), Where(2, 1, small)},
			Where:  []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}, {Leaves: []int{2}}}, Aggregates: count}},
		{"SUM/conditions=1", &Question{
			Leaves: []Leaf{Where(0, 1, small), ValueOf(2, 0)},
			Where:  []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{1}}}}}},
		{"GROUP_BY/keys=2", &Question{
			Leaves: []Leaf{ValueOf(0, 1), ValueOf(2, 1)},
			Keys:   []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: count}},
	}
	for _, rows := range []int{50_000, 100_000, 1_000_000} {
		r := generated(rand.New(rand.NewPCG(1, 1)), rows, 100, 5)
		for _, question := range questions {
			b.Run(fmt.Sprintf("%s/rows=%d", question.name, rows), func(b *testing.B) {
				for b.Loop() {
					if _, err := Ask(context.Background(), r, question.q); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/record")
			})
		}
	}
}
