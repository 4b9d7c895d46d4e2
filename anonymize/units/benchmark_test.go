package units_test

import (
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// BenchmarkIntersection publishes tables of the shapes that people bring, by rows and by units, and counts the units that who
// intersects the groups of their records leaves with one value, and with fewer than three.
func BenchmarkIntersection(b *testing.B) {
	for _, shape := range []struct {
		name string
		anontest.VisitShape
	}{
		{"chronic", anontest.VisitShape{Units: 400, Records: 10, Values: 12, Chronic: 1, Moving: true}},
		{"mixed", anontest.VisitShape{Units: 400, Records: 4, Values: 60, Chronic: 0.5, Moving: true}},
		{"households", anontest.VisitShape{Units: 600, Records: 6, Values: 12, Chronic: 1}},
	} {
		in := anontest.VisitTable(shape.VisitShape, 1)
		for _, m := range methods.All() {
			for _, by := range []string{"rows", "units"} {
				b.Run(shape.name+"/"+m.Name+"/"+by, func(b *testing.B) {
					of := *in
					if by == "rows" {
						of.Units = nil
					}
					o, err := run(b, m.Name, &of, promised[m.Name].arguments)
					if err != nil {
						b.Skip(err)
					}
					with := in
					if by == "units" {
						with = o.in
					}
					one, few := leftByIntersection(b, o, with, 3)
					b.ReportMetric(float64(one), "one_value")
					b.ReportMetric(float64(few), "fewer_than_3")
					b.ReportMetric(float64(in.Rows-o.Release.Rows), "left_out")
					b.ReportMetric(0, "ns/op")
				})
			}
		}
	}
}
