package anatomy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// BenchmarkAnatomy has, beside the time, the groups and what they are worth: in
// how many of the nine quasi-identifiers two records of a group differ, in the
// mean.
func BenchmarkAnatomy(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		in := anontest.People(n, 0)
		for _, homogeneous := range []string{"false", "true"} {
			b.Run(fmt.Sprintf("homogeneous=%s/rows=%d", homogeneous, n), func(b *testing.B) {
				benchmark(b, in, anonymize.Arguments{"l": "5", "homogeneous": homogeneous})
			})
		}
	}
}

func benchmark(b *testing.B, in *anonymize.Input, arguments anonymize.Arguments) {
	var group []uint32
	in.Assigned = func(gidOf []uint32) { group = gidOf }
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
	b.ReportMetric(float64(release.Groups()), "groups")
	b.ReportMetric(unlike(in, group, release.Groups()), "differing/pair")
}

// unlike compares every record with the one before it in its group.
func unlike(in *anonymize.Input, group []uint32, groups int) float64 {
	last := make([]int, groups)
	for g := range last {
		last[g] = -1
	}
	differing, pairs := 0, 0
	for record, g := range group {
		if other := last[g]; other >= 0 {
			pairs++
			for _, c := range in.QuasiIdentifiers {
				if c.Codes[record] != c.Codes[other] {
					differing++
				}
			}
		}
		last[g] = record
	}
	return float64(differing) / float64(pairs)
}
