package dynamic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/drasl"
)

// A refresh of 500 changes on all complete records of Adult beside a whole release
// of them.
func BenchmarkAdult(b *testing.B) {
	columns := patients(b, 0, false, 1)
	c := newClinic(b, columns, columns[0].Rows()-1000, 0, 1)
	c.options.Before = c.release
	b.Run("release", func(b *testing.B) {
		for b.Loop() {
			records := &state{Options: c.options, pool: c.live.Columns}
			if err := records.load(c.live); err != nil {
				b.Fatal(err)
			}
			in := records.input(records.recordsWhere((*record).published))
			if _, err := drasl.Method().Run(b.Context(), in, c.options.Arguments); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, kind := range []string{"insertions", "deletions", "modifications"} {
		b.Run("500 "+kind, func(b *testing.B) {
			c.random = rand.New(rand.NewPCG(1, 9))
			c.next = columns[0].Rows() - 1000
			changed := c.changes(kind, 500)
			for b.Loop() {
				if _, err := sealed(b.Context(), c.live, changed, c.options); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The costs of a refresh of nothing, by the number of groups.
func BenchmarkNothing(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		w := newWorld(b, n, 8, "dpp", 1)
		w.options.Before = w.release
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := sealed(b.Context(), w.live, &anonymize.Changed{Columns: columnsOf(nil)}, w.options); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
		})
	}
}
