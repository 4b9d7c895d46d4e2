package drasl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/testsize"
)

// people is a table of any size with diseases drawn at random.
func people(n int) *anonymize.Input { return peopleOf(n, 0) }

func peopleOf(n int, seed uint64) *anonymize.Input {
	in := anontest.People(n, seed)
	random, diseases := rand.New(rand.NewPCG(1+seed, 3)), make([]anonymize.Value, n)
	leaves := clustering.Diseases().Leaves()
	for i := range diseases {
		diseases[i] = leaves[random.IntN(len(leaves))]
	}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("disease", "TEXT", diseases)}
	return in
}

// Each method with its quality: Total_Pr and loss of a record.
func BenchmarkMethods(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if !testsize.All() && n > 50_000 {
			break
		}
		in := people(n)
		for _, method := range order {
			b.Run(fmt.Sprintf("%s/%d", method, n), func(b *testing.B) {
				var m clustering.Measures
				for b.Loop() {
					m = measure(b, in, method, 8, false, 1)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				b.ReportMetric(m.MeanPr, "Pr/record")
				b.ReportMetric(m.MeanIL, "IL/record")
			})
		}
	}
}

func BenchmarkAdult(b *testing.B) {
	in := patients(b, 0, false, 1)
	for _, arguments := range []anonymize.Arguments{{"k": "8", "improve": "false"}, {"k": "8", "improve": "true"}} {
		b.Run("improve="+arguments["improve"], func(b *testing.B) {
			for b.Loop() {
				in.Random = rand.NewPCG(1, 2)
				if _, err := Method().Run(context.Background(), in, arguments); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
