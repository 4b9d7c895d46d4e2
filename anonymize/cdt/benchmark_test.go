package cdt

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// people is a table of any size with three sensitive attributes, the third of
// nearly as many values as records, as fnlwgt is.
func people(n int) *anonymize.Input {
	in := anontest.People(n, 0)
	random := rand.New(rand.NewPCG(1, 3))
	values := make([]anonymize.Value, n)
	for i := range values {
		values[i] = anonymize.IntegerValue(random.Int64N(int64(n)))
	}
	in.Sensitive = append(in.Sensitive, in.QuasiIdentifiers[2], anonymize.NewColumn("wage", "BIGINT", values))
	in.QuasiIdentifiers = []*anonymize.Column{in.QuasiIdentifiers[0], in.QuasiIdentifiers[6], in.QuasiIdentifiers[8]}
	in.Domains = map[string]*anonymize.Domain{"q3": {Scale: anonymize.Nominal}, "q7": {Scale: anonymize.Nominal}, "q9": {Scale: anonymize.Nominal}}
	return in
}

// Both variants with their quality: loss, P(S) and P(D').
func BenchmarkVariants(b *testing.B) {
	for _, variant := range []string{bounded, printed} {
		for _, rows := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/rows=%d", variant, rows), func(b *testing.B) {
				if !testsize.All() && rows > 10_000 {
					b.Skip("short")
				}
				in := people(rows)
				var r *anonymize.Release
				b.ResetTimer()
				for i := range b.N {
					in.Random = rand.NewPCG(uint64(i), 1)
					var err error
					if r, err = Method().Run(context.Background(), in, anonymize.Arguments{"k": "5", "variant": variant}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
				m, err := Measure(context.Background(), r, func(column string) bool { return column == "q1" })
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(m.UL, "UL")
				b.ReportMetric(m.PS, "P(S)")
				b.ReportMetric(m.PD, "P(D')")
			})
		}
	}
}

// Adult whole, 45,222 records.
func BenchmarkAdult(b *testing.B) {
	in := adult(b, 0, 1)
	for _, variant := range []string{bounded, printed} {
		b.Run(variant, func(b *testing.B) {
			for i := range b.N {
				in.Random = rand.NewPCG(uint64(i), 1)
				if _, err := Method().Run(context.Background(), in, anonymize.Arguments{"variant": variant}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
