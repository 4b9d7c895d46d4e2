package slicing

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// nine quasi-identifiers about as wide as those of Adult (Table 5 of the SLPPA
// paper), and a sensitive attribute as skewed as its occupation: 13.4 % for the
// first of 14.
var nineWidths = []int{74, 8, 16, 7, 6, 5, 2, 96, 41}

// generated returns an Input of n records. Attributes follow a hidden variable,
// so that there is an association to find, and the sensitive one does a little.
func generated(n int) *anonymize.Input {
	random := rand.New(rand.NewPCG(7, uint64(n)))
	in := &anonymize.Input{Rows: n, Random: rand.NewPCG(1, 2)}
	hidden := make([]float64, n)
	for i := range hidden {
		hidden[i] = random.Float64()
	}
	draw := func(name string, width int) *anonymize.Column {
		c := &anonymize.Column{Name: name, Type: "BIGINT", Codes: make([]uint32, n)}
		for v := range width {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		for i := range c.Codes {
			x := 0.3*hidden[i] + 0.7*random.Float64()
			c.Codes[i] = uint32(x * x * float64(width)) // x^2: small codes are frequent
		}
		return c
	}
	for i, width := range nineWidths {
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, draw("q"+strconv.Itoa(i+1), width))
	}
	in.Sensitive = []*anonymize.Column{skewed(hidden, random)}
	return in
}

// skewed draws the 14 values with shares falling from 13.4 to 0.9 percent.
func skewed(hidden []float64, random *rand.Rand) *anonymize.Column {
	c := &anonymize.Column{Name: "sensitive", Type: "BIGINT", Codes: make([]uint32, len(hidden))}
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
		if random.Float64() < 0.3*hidden[i] {
			c.Codes[i] = uint32(random.IntN(14))
		}
	}
	return c
}

// BenchmarkSlicing anonymizes generated tables of nine quasi-identifiers. Beside
// the time it reports what the time bought: buckets, and the relative error of
// 300 queries with one to three quasi-identifiers.
func BenchmarkSlicing(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, split := range []string{nearest, every, widest} {
			b.Run(fmt.Sprintf("split=%s/rows=%d", split, n), func(b *testing.B) {
				benchmark(b, generated(n), anonymize.Arguments{"l": "5", "tables": "3", "split": split})
			})
		}
	}
	// A quasi-identifier that the sensitive attribute determines joins it.
	b.Run("sa_column=grouped/rows=1000000", func(b *testing.B) {
		in := generated(1_000_000)
		odd := &anonymize.Column{Name: "odd", Type: "BIGINT", Codes: make([]uint32, in.Rows), Dictionary: in.Sensitive[0].Dictionary[:2]}
		for i, v := range in.Sensitive[0].Codes {
			odd.Codes[i] = v % 2
		}
		in.QuasiIdentifiers = append(in.QuasiIdentifiers, odd)
		benchmark(b, in, anonymize.Arguments{"l": "3", "tables": "3", "sa_column": grouped})
	})
}

// BenchmarkAdult is the setting of Figs. 4 to 6 of the SLPPA paper with a
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
		if release, err = run(context.Background(), in, arguments); err != nil {
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
