package demand_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/demand"
)

// Uniting groups of three, by what is asked: s has 4 values, many about as many as there
// are records.
func BenchmarkKeep(b *testing.B) {
	for _, rows := range []int{20_000, 200_000} {
		for _, asked := range []anonymize.Promise{
			{Guarantee: "entropy(s)", Bound: anonymize.MustRatio("3")},
			{Guarantee: "t_equal(s)", Bound: anonymize.MustRatio("0.1")},
			{Guarantee: "beta_likeness(s)", Bound: anonymize.MustRatio("0.2")},
			{Guarantee: "t_equal(many)", Bound: anonymize.MustRatio("0.9")},
			{Guarantee: "distinct(many)", Bound: anonymize.MustRatio("2000")},
		} {
			b.Run(fmt.Sprintf("rows=%d/%s=%s", rows, asked.Guarantee, asked.Bound), func(b *testing.B) {
				in, groups := people(rand.New(rand.NewPCG(3, 3)), nil, rows)
				in.Asked = []anonymize.Promise{asked}
				for b.Loop() {
					united, _, err := demand.KeepNear(context.Background(), in, groups, rand.New(rand.NewPCG(4, 4)))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(united.Groups()), "groups")
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
			})
		}
	}
}
