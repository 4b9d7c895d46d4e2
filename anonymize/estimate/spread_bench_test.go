package estimate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// BenchmarkSpread shows the cost of standard errors and bounds beside that of
// the estimate.
func BenchmarkSpread(b *testing.B) {
	small := func(v anonymize.Value) bool { return v.Int < 3 }
	count := []Aggregate{{Kind: Count}}
	for name, q := range map[string]*Question{
		"COUNT/conditions=3": {
			Leaves: []Leaf{Where(0, 1, small), Where(1, 1, small), Where(2, 1, small)},
			Where:  []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}, {Leaves: []int{2}}}, Aggregates: count},
		"SUM/conditions=1": {
			Leaves: []Leaf{Where(0, 1, small), ValueOf(2, 0)},
			Where:  []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{1}}}}},
		"GROUP_BY/conditions=1": {
			Leaves: []Leaf{Where(0, 1, small), ValueOf(2, 1)},
			Where:  []Expression{{Leaves: []int{0}}}, Keys: []Expression{{Leaves: []int{1}}}, Aggregates: count},
	} {
		r := generated(rand.New(rand.NewPCG(1, 1)), 100_000, 100, 5)
		answer := mustAsk(b, r, q)
		measure := func(what string, run func() error) {
			b.Run(fmt.Sprintf("%s/%s", name, what), func(b *testing.B) {
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(r.Rows), "ns/record")
			})
		}
		measure("estimate", func() error { _, err := Ask(context.Background(), r, q); return err })
		measure("standard_errors", func() error { _, err := StandardErrors(context.Background(), r, q, answer); return err })
		measure("bounds", func() error { _, err := Bounds(context.Background(), r, q, answer); return err })
	}
}
