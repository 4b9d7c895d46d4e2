package raw_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/cache"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// benchRows is the size of the benchmarks' table: ten columns, see people.
const benchRows = 1_000_000

func BenchmarkBulkLoad(b *testing.B) {
	for b.Loop() {
		bench := catalogtest.NewBench(b)
		c := bench.Owner()
		row := c.People("p")
		rows := make([]sql.Row, benchRows)
		for i := range rows {
			rows[i] = row(i)
		}
		begin := time.Now()
		c.Load("p", func(i int) sql.Row { return rows[i] }, 0, benchRows)
		c.Commit()
		b.ReportMetric(benchRows/time.Since(begin).Seconds(), "rows/s")
		bench.Catalog.Close()
	}
}

// BenchmarkBulkLoadIndexed has three keys besides the primary one, one of them
// under a collation that calls back into Go.
func BenchmarkBulkLoadIndexed(b *testing.B) {
	for b.Loop() {
		bench := catalogtest.NewBench(b)
		c := bench.Owner()
		row := c.People("p")
		c.Run("ALTER TABLE p MODIFY COLUMN race VARCHAR(20) COLLATE utf8mb4_0900_ai_ci", "CREATE INDEX r ON p (race)",
			"CREATE INDEX o ON p (occupation, age)", "CREATE UNIQUE INDEX s ON p (salary, id)")
		begin := time.Now()
		c.Load("p", row, 0, benchRows)
		c.Commit()
		b.ReportMetric(benchRows/time.Since(begin).Seconds(), "rows/s")
		bench.Catalog.Close()
	}
}

// BenchmarkRead reads a million rows of ten columns in the ways that the
// storage was chosen among.
func BenchmarkRead(b *testing.B) {
	bench := catalogtest.NewBench(b)
	c := bench.Owner()
	c.Load("p", c.People("p"), 0, benchRows)
	c.Commit()
	measure := func(name string, prepare, f func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				prepare()
				begin := time.Now()
				f()
				b.ReportMetric(benchRows/time.Since(begin).Seconds(), "rows/s")
			}
		})
	}
	nothing := func() {}
	forget := func() { bench.Catalog.DropCache() }
	measure("sqlite-rows", nothing, func() { scanRows(b, bench) })
	measure("scan-cold", forget, func() { drain(c) })
	measure("scan-warm", nothing, func() { drain(c) })
	measure("microdata-cold", forget, func() { readMicrodata(c) })
	measure("microdata-chunks-warm", func() { forgetWhole(bench) }, func() { readMicrodata(c) })
	measure("microdata-warm", nothing, func() { readMicrodata(c) })
}

// forgetWhole leaves the chunks in the cache and forgets the merged columns of the
// one table.
func forgetWhole(b *catalogtest.Bench) {
	for column := range int64(10) {
		b.Catalog.Cache().Drop(cache.Key{Storage: 1, Column: column + 1, Chunk: cache.WholeColumn})
	}
}

func readMicrodata(c *catalogtest.Client) {
	if _, err := c.Table("p").Microdata(c.Context(), nil, nil); err != nil {
		c.T.Fatal(err)
	}
}

// drain reads all rows the way the engine does.
func drain(c *catalogtest.Client) {
	ctx := c.Context()
	rows := mustRows(c, ctx, c.Table("p"))
	n := 0
	for {
		if _, err := rows.Next(ctx); err != nil {
			break
		}
		n++
	}
	if n != benchRows {
		c.T.Fatalf("%d rows", n)
	}
}

// scanRows is what a scan without columnar copies would do.
func scanRows(b *testing.B, bench *catalogtest.Bench) {
	err := bench.Catalog.Read(context.Background(), func(w *raw.Work) error {
		t, err := w.Table("d", "p")
		if err != nil {
			return err
		}
		var columns []raw.Column
		var names []string
		for id := range int64(10) {
			c, _ := t.ColumnByID(id + 1)
			columns, names = append(columns, c), append(names, fmt.Sprintf("c%d", c.ID))
		}
		return sqlite.Query(w.Conn(), func(stored []driver.Value) error {
			row := make(sql.Row, len(stored))
			for i, v := range stored {
				var err error
				if row[i], err = columns[i].Codec.Decode(v); err != nil {
					return err
				}
			}
			return nil
		}, fmt.Sprintf("SELECT %s FROM t1", strings.Join(names, ", ")))
	})
	if err != nil {
		b.Fatal(err)
	}
}
