package asn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// BenchmarkASN reports, beside the time, the groups before and after merging:
// with alpha = 0.005, as in the paper's Table 7, and with one that needs merges.
func BenchmarkASN(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		in := anontest.People(n, 0)
		for _, alpha := range []string{"0.005", "0.0001"} {
			b.Run(fmt.Sprintf("alpha=%s/rows=%d", alpha, n), func(b *testing.B) {
				var release *anonymize.Release
				b.ReportAllocs()
				for b.Loop() {
					in.Random = rand.NewPCG(1, 2)
					var err error
					if release, err = Method().Run(context.Background(), in, anonymize.Arguments{"alpha": alpha, "beta": "0.2"}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				b.ReportMetric(float64(release.Groups()), "groups")
				b.ReportMetric(anontest.FactNumber(b, release, "repair: groups before"), "groups-before")
			})
		}
	}
}
