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
		{"COUNT/conditions=1", &Question{Leaves: []Leaf{ValueLeaf(0, 1, small)}, Where: []Expression{{Leaves: []int{0}}}, Aggregates: count}},
		{"COUNT/conditions=3", &Question{
			Leaves: []Leaf{ValueLeaf(0, 1, small), ValueLeaf(1, 1, small), ValueLeaf(2, 1, small)},
			Where:  []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}, {Leaves: []int{2}}}, Aggregates: count}},
		{"SUM/conditions=1", &Question{
			Leaves: []Leaf{ValueLeaf(0, 1, small), ValueOf(2, 0)},
			Where:  []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{1}}}}}},
		{"SUM/conditions=2/values=10", &Question{
			Leaves:     []Leaf{ValueLeaf(0, 1, small), ValueLeaf(1, 1, small), ValueOf(2, 1)},
			Where:      []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
			Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{2}}}}}},
		{"GROUP_BY/keys=1/conditions=2", &Question{
			Leaves: []Leaf{ValueLeaf(0, 1, small), ValueLeaf(1, 1, small), ValueOf(2, 1)},
			Where:  []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
			Keys:   []Expression{{Leaves: []int{2}}}, Aggregates: count}},
		{"GROUP_BY/keys=2", &Question{
			Leaves: []Leaf{ValueOf(0, 1), ValueOf(2, 1)},
			Keys:   []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: count}},
	}
	for _, rows := range []int{50_000, 100_000, 1_000_000} {
		r := generated(rand.New(rand.NewPCG(1, 1)), rows, 100, 5)
		p := Prepare(r)
		for _, question := range questions {
			for way, ask := range map[string]func() (*Answer, error){
				"join":     func() (*Answer, error) { return askByGroups(context.Background(), r, question.q) },
				"prepared": func() (*Answer, error) { return p.Ask(context.Background(), question.q) },
			} {
				b.Run(fmt.Sprintf("%s/rows=%d/%s", question.name, rows, way), func(b *testing.B) {
					for b.Loop() {
						if _, err := ask(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/record")
				})
			}
		}
	}
}
