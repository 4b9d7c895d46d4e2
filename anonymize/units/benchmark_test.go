package units_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/units"
)

var unitsFlag = flag.Int("units", 3_000, "units of BenchmarkUnits, of 1 to 6 records each")

// BenchmarkUnits publishes a table of visits by rows and by units, one after the other in one run.
func BenchmarkUnits(b *testing.B) {
	in := anontest.VisitTable(anontest.VisitShape{Units: *unitsFlag, Records: 6, Values: 60, Chronic: 0.5, Moving: true}, 1)
	for _, method := range []string{"anatomy", "slppa", "mondrian"} {
		m, err := methods.ByName(method)
		if err != nil {
			b.Fatal(err)
		}
		for _, by := range []string{"rows", "units"} {
			b.Run(method+"/"+by, func(b *testing.B) {
				for b.Loop() {
					of := *in
					of.Random = rand.NewPCG(1, 2)
					if by == "rows" {
						of.Units = nil
					}
					if _, err := units.Run(context.Background(), m, &of, promised[method].arguments, anonymize.MustRatio("0.5")); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(in.Rows)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}
