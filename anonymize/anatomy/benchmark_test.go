package anatomy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// nine quasi-identifiers about as wide as those of Adult, and a sensitive
// attribute of 14 values, 13.4 to 0.9 percent of the records each.
var nineWidths = []int{74, 8, 16, 7, 6, 5, 2, 96, 41}

// generated returns an Input of n records. Attributes follow a hidden variable,
// so that there are records alike.
func generated(n int) *anonymize.Input {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	in := &anonymize.Input{Rows: n}
	hidden := make([]float64, n)
	for i := range hidden {
		hidden[i] = random.Float64()
	}
	draw := func(name string, width int, code func(record int) int) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "BIGINT", Codes: make([]uint32, n)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for i := range c.Codes {
			c.Codes[i] = uint32(code(i))
		}
		return c
	}
	for i, width := range nineWidths {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, draw("q"+strconv.Itoa(i+1), width, func(record int) int {
			x := 0.3*hidden[record] + 0.7*random.Float64()
			return int(x * x * float64(width))
		}))
	}
	in.Sensitive = []*anonymize.Column{draw("s", 14, func(int) int {
		for { // the k-th of 14 has a share in proportion to 14-k+0.05
			if v := random.IntN(14); random.Float64()*14.05 < float64(14-v)+0.05 {
				return v
			}
		}
	})}
	return in
}

// BenchmarkAnatomy has, beside the time, the groups and what they are worth: in
// how many of the nine quasi-identifiers two records of a group differ, in the
// mean.
func BenchmarkAnatomy(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		in := generated(n)
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
		if release, err = run(context.Background(), in, arguments); err != nil {
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
