package slppa

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// nine quasi-identifiers about as wide as those of Adult (Table 5), and a
// sensitive attribute as skewed as its occupation: 13.4 % for the first of 14.
var nineWidths = []int{74, 8, 16, 7, 6, 5, 2, 96, 41}

// generated returns an Input of n records. Attributes follow a hidden variable,
// so that there is an association to find.
func generated(n int) *anonymize.Input {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	in := &anonymize.Input{Rows: n, Random: rand.NewPCG(1, 2)}
	hidden := make([]float64, n)
	for i := range hidden {
		hidden[i] = random.Float64()
	}
	draw := func(name string, width int, share float64) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "BIGINT", Codes: make([]uint32, n)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for i := range c.Codes {
			x := random.Float64()
			x = share*hidden[i] + (1-share)*x
			c.Codes[i] = uint32(x * x * float64(width)) // x^2: small codes are frequent
		}
		return c
	}
	for i, width := range nineWidths {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, draw("q"+strconv.Itoa(i+1), width, 0.3))
	}
	in.Sensitive = []*anonymize.Column{skewed(n, random)}
	return in
}

// skewed draws the 14 values with shares falling from 13.4 to 0.9 percent.
func skewed(n int, random *rand.Rand) *anonymize.Column {
	c := &anonymize.Column{Name: "sensitive", Type: "BIGINT", Codes: make([]uint32, n)}
	for v := range 14 {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
	}
	for i := range c.Codes {
		// The k-th of 14 has a share in proportion to 14-k+0.05.
		for {
			v := random.IntN(14)
			if random.Float64()*14.05 < float64(14-v)+0.05 {
				c.Codes[i] = uint32(v)
				break
			}
		}
	}
	return c
}

// BenchmarkSLPPA anonymizes generated tables of nine quasi-identifiers. Beside
// the time it reports what the time bought: groups, and the repair it took.
func BenchmarkSLPPA(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("order=balanced/rows=%d", n), func(b *testing.B) {
			benchmark(b, n, anonymize.Arguments{"order": balanced})
		})
	}
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("homogeneous/rows=%d", n), func(b *testing.B) {
			benchmark(b, n, anonymize.Arguments{"homogeneous": "true", "alpha": "1", "gamma": "1"})
		})
	}
	b.Run("homogeneous/alpha=0.5/rows=1000000", func(b *testing.B) {
		benchmark(b, 1_000_000, anonymize.Arguments{"homogeneous": "true"})
	})
	// A table an attribute and alpha a little above the smallest feasible one,
	// 0.7955: swaps at their most.
	b.Run("order=balanced/tables=9/rows=1000000", func(b *testing.B) {
		benchmark(b, 1_000_000, anonymize.Arguments{"tables": "9", "alpha": "0.82", "gamma": "1"})
	})
	// As printed it fails for N = 5 on this skew, as on Adult: both at N = 3.
	for _, order := range []string{balanced, paper} {
		b.Run("N=3/order="+order+"/rows=10000", func(b *testing.B) {
			benchmark(b, 10_000, anonymize.Arguments{"order": order, "beta": "1/3", "delta": "1/3"})
		})
	}
}

// BenchmarkVerify is what the server adds to a release before it publishes it.
func BenchmarkVerify(b *testing.B) {
	const n = 1_000_000
	in := generated(n)
	release, err := run(context.Background(), in, anonymize.Arguments{"alpha": "0.5", "beta": "0.2", "gamma": "0.05", "delta": "0.2", "tables": "3"})
	if err != nil {
		b.Fatal(err)
	}
	columns := append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)
	for name, step := range map[string]func() error{
		"guarantees": func() error { _, err := privacy.Verify(release); return err },
		"complete":   func() error { return privacy.Complete(release, columns) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := step(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}

func benchmark(b *testing.B, n int, more anonymize.Arguments) {
	arguments := anonymize.Arguments{"alpha": "0.5", "beta": "0.2", "gamma": "0.05", "delta": "0.2", "tables": "3"}
	for name, value := range more {
		arguments[name] = value
	}
	in := generated(n)
	var release *anonymize.Release
	b.ReportAllocs()
	for b.Loop() {
		in.Random = rand.NewPCG(1, 2)
		var err error
		if release, err = run(context.Background(), in, arguments); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
	b.ReportMetric(float64(release.Groups()), "groups")
	b.ReportMetric(factNumber(b, release, "repair: swaps"), "swaps")
	b.ReportMetric(factNumber(b, release, "repair: merges"), "merges")
}

func factNumber(tb testing.TB, r *anonymize.Release, name string) float64 {
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
