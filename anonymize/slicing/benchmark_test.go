package slicing

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/testsize"
)

// BenchmarkSlicing anonymizes generated tables of nine quasi-identifiers. Beside
// the time it reports what the time bought: buckets, and the relative error of
// 300 queries with one to three quasi-identifiers.
func BenchmarkSlicing(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		if !testsize.All() && n > 100_000 {
			return
		}
		for _, split := range []string{nearest, every, widest} {
			b.Run(fmt.Sprintf("split=%s/rows=%d", split, n), func(b *testing.B) {
				benchmark(b, anontest.People(n, 0), anonymize.Arguments{"l": "5", "tables": "3", "split": split})
			})
		}
	}
	// A quasi-identifier that the sensitive attribute determines joins it.
	b.Run("sa_column=grouped/rows=1000000", func(b *testing.B) {
		in := anontest.People(1_000_000, 0)
		odd := &anonymize.Column{Name: "odd", Type: "BIGINT", Codes: make([]uint32, in.Rows), Dictionary: in.Sensitive[0].Dictionary[:2]}
		for i, v := range in.Sensitive[0].Codes {
			odd.Codes[i] = v % 2
		}
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, odd)
		benchmark(b, in, anonymize.Arguments{"l": "3", "tables": "3", "sa_column": grouped})
	})
}

// BenchmarkAdult is the setting of Figs. 4 to 6 of Yao et al. 2021 with a
// sensitive attribute and an l that can be met.
func BenchmarkAdult(b *testing.B) {
	in := anontest.NewInput(b, anontest.AdultComplete(b), adultQI, "occupation", nil)
	for _, l := range []string{"2", "5"} {
		for _, split := range []string{nearest, every, widest} {
			b.Run("split="+split+"/l="+l, func(b *testing.B) {
				benchmark(b, in, anonymize.Arguments{"l": l, "tables": "3", "split": split})
			})
		}
	}
}

func benchmark(b *testing.B, in *anonymize.Input, arguments anonymize.Arguments) {
	var release *anonymize.Release
	b.ReportAllocs()
	for b.Loop() {
		in.Random = rand.NewPCG(1, 2)
		var err error
		if release, err = Method().Run(context.Background(), in, arguments); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(in.Rows), "ns/row")
	b.ReportMetric(float64(release.Groups()), "buckets")
	table, err := anonymize.NewMicrodata(append(in.QuasiIdentifiers[:len(in.QuasiIdentifiers):len(in.QuasiIdentifiers)], in.Sensitive...)...)
	if err != nil {
		b.Fatal(err)
	}
	if release.Fragments[len(release.Fragments)-1].Role == anonymize.Sensitive {
		b.ReportMetric(relativeError(b, release, table, 300), "relerr/query")
	}
}
