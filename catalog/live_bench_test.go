package catalog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/testsize"
)

// BenchmarkCapture compares writing into a table that no release follows with
// one that a release follows by six of its ten columns: a bulk load, a statement
// that updates a released column or another one in every row, and one that
// deletes all rows.
func BenchmarkCapture(b *testing.B) {
	const rows = 100_000
	for _, followed := range []bool{false, true} {
		measure := func(name string, f func(c *catalogtest.Client)) {
			b.Run(fmt.Sprintf("%s/followed=%v", name, followed), func(b *testing.B) {
				for b.Loop() {
					bench := catalogtest.NewBench(b)
					c := bench.Owner()
					row := c.People("p")
					if followed {
						c.Follow(bench.Releases(), "p", "age", "workclass", "education", "marital", "race", "occupation")
					}
					begin := testsize.ProcessorTime()
					c.Load("p", row, 0, rows)
					c.Commit()
					if f != nil {
						begin = testsize.ProcessorTime()
						f(c)
					}
					b.ReportMetric(float64((testsize.ProcessorTime()-begin).Nanoseconds())/1000/rows, "cpu-us/row")
					bench.Catalog.Close()
				}
			})
		}
		measure("load", nil)
		measure("update-released", func(c *catalogtest.Client) { c.Run("UPDATE p SET age = age + 1") })
		measure("update-other", func(c *catalogtest.Client) { c.Run("UPDATE p SET salary = salary + 1") })
		measure("delete", func(c *catalogtest.Client) { c.Run("DELETE FROM p WHERE id >= 0") })
		measure("truncate", func(c *catalogtest.Client) { c.Run("TRUNCATE TABLE p") })
	}
}

// BenchmarkRefresh reads and stores a refresh of 500 changes of 48,842 records;
// the method in between is none.
func BenchmarkRefresh(b *testing.B) {
	bench := catalogtest.NewBench(b)
	r, c, g := bench.Releases(), bench.Owner(), catalogtest.Grouping(10)
	c.Run("CREATE TABLE t (id INT PRIMARY KEY, q VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, s VARCHAR(20) COLLATE utf8mb4_0900_ai_ci)")
	c.Load("t", func(i int) sql.Row {
		return sql.Row{int32(i), fmt.Sprint("value ", i%3000), fmt.Sprint("disease ", i%32)}
	}, 0, 48_842)
	c.Commit()
	if _, err := c.Publish(r, g, "p", nil); err != nil {
		b.Fatal(err)
	}
	n := 0
	var read, store time.Duration
	for b.Loop() {
		n++
		c.Run(fmt.Sprintf("UPDATE t SET s = 'disease %d' WHERE id >= %d AND id < %d", n%2, n%90*500, n%90*500+500))
		begin := time.Now()
		pending, err := r.Changes(c.Context(), "p")
		if err != nil {
			b.Fatal(err)
		}
		read += time.Since(begin)
		p := &catalog.Publication{Record: *pending.Record, Release: pending.Release, Live: pending.Live}
		p.Live = &anonymize.Live{Columns: pending.Live.Columns, Key: pending.Live.Key, Group: pending.Live.Group, Kind: pending.Live.Kind}
		begin = time.Now()
		if _, err := r.Refresh(c.Context(), pending, p); err != nil {
			b.Fatal(err)
		}
		store += time.Since(begin)
	}
	b.ReportMetric(float64(read.Microseconds())/1000/float64(n), "ms/read")
	b.ReportMetric(float64(store.Microseconds())/1000/float64(n), "ms/store")
}
