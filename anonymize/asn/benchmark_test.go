package asn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// nine quasi-identifiers about as wide as those of Adult, and a sensitive
// attribute of 14 values, 13.4 to 0.9 percent of the records each.
var nineWidths = []int{74, 8, 16, 7, 6, 5, 2, 96, 41}

func generated(n int) *anonymize.Input {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	draw := func(name string, width int, code func() int) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "BIGINT", Codes: make([]uint32, n)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for i := range c.Codes {
			c.Codes[i] = uint32(code())
		}
		return c
	}
	in := &anonymize.Input{Rows: n}
	for i, width := range nineWidths {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, draw("q"+strconv.Itoa(i+1), width, func() int {
			x := random.Float64()
			return int(x * x * float64(width))
		}))
	}
	in.Sensitive = []*anonymize.Column{draw("s", 14, func() int {
		for { // the k-th of 14 has a share in proportion to 14-k+0.05
			if v := random.IntN(14); random.Float64()*14.05 < float64(14-v)+0.05 {
				return v
			}
		}
	})}
	return in
}

// BenchmarkASN reports, beside the time, the groups before and after merging:
// with alpha = 0.005, as in the paper's Table 7, and with one that needs merges.
func BenchmarkASN(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		in := generated(n)
		for _, alpha := range []string{"0.005", "0.0001"} {
			b.Run(fmt.Sprintf("alpha=%s/rows=%d", alpha, n), func(b *testing.B) {
				var release *anonymize.Release
				b.ReportAllocs()
				for b.Loop() {
					in.Random = rand.NewPCG(1, 2)
					var err error
					if release, err = run(context.Background(), in, anonymize.Arguments{"alpha": alpha, "beta": "0.2"}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				b.ReportMetric(float64(release.Groups()), "groups")
				b.ReportMetric(factNumber(b, release, "repair: groups before"), "groups-before")
			})
		}
	}
}

func factNumber(tb testing.TB, r *anonymize.Release, name string) float64 {
	tb.Helper()
	for _, f := range r.Facts {
		if f.Name == name {
			x, err := strconv.ParseFloat(strings.Fields(f.Value)[0], 64)
			if err != nil {
				tb.Fatal(err)
			}
			return x
		}
	}
	tb.Fatalf("there is no fact %q", name)
	return 0
}
