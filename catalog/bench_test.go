package catalog

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
)

// benchRows is the size of the benchmarks' table: ten columns, see people.
const benchRows = 1_000_000

func BenchmarkBulkLoad(b *testing.B) {
	for b.Loop() {
		bench := newBench(b)
		c := bench.owner()
		row := c.people("p")
		rows := make([]sql.Row, benchRows)
		for i := range rows {
			rows[i] = row(i)
		}
		begin := time.Now()
		c.load("p", func(i int) sql.Row { return rows[i] }, 0, benchRows)
		c.commit()
		b.ReportMetric(benchRows/time.Since(begin).Seconds(), "rows/s")
		bench.catalog.Close()
	}
}

// BenchmarkBulkLoadIndexed has three keys besides the primary one, one of them
// under a collation that calls back into Go.
func BenchmarkBulkLoadIndexed(b *testing.B) {
	for b.Loop() {
		bench := newBench(b)
		c := bench.owner()
		row := c.people("p")
		c.run("ALTER TABLE p MODIFY COLUMN race VARCHAR(20) COLLATE utf8mb4_0900_ai_ci", "CREATE INDEX r ON p (race)",
			"CREATE INDEX o ON p (occupation, age)", "CREATE UNIQUE INDEX s ON p (salary, id)")
		begin := time.Now()
		c.load("p", row, 0, benchRows)
		c.commit()
		b.ReportMetric(benchRows/time.Since(begin).Seconds(), "rows/s")
		bench.catalog.Close()
	}
}

// BenchmarkRead reads a million rows of ten columns in the ways that the
// storage was chosen among.
func BenchmarkRead(b *testing.B) {
	bench := newBench(b)
	c := bench.owner()
	c.load("p", c.people("p"), 0, benchRows)
	c.commit()
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
	forget := func() { bench.catalog.DropCache() }
	measure("sqlite-rows", nothing, func() { scanRows(b, bench) })
	measure("scan-cold", forget, func() { drain(c) })
	measure("scan-warm", nothing, func() { drain(c) })
	measure("microdata-cold", forget, func() { readMicrodata(c) })
	measure("microdata-chunks-warm", func() { forgetWhole(bench) }, func() { readMicrodata(c) })
	measure("microdata-warm", nothing, func() { readMicrodata(c) })
}

// forgetWhole leaves the chunks in the cache and forgets the merged columns of the
// one table.
func forgetWhole(b *bench) {
	for column := range int64(10) {
		b.catalog.Cache().drop(chunkKey{storage: 1, column: column + 1, chunk: wholeColumn})
	}
}

func readMicrodata(c *client) {
	if _, err := c.table("p").Microdata(c.context(), nil, nil); err != nil {
		c.t.Fatal(err)
	}
}

// drain reads all rows the way the engine does.
func drain(c *client) {
	ctx := c.context()
	rows := mustRows(c, ctx, c.table("p"))
	n := 0
	for {
		if _, err := rows.Next(ctx); err != nil {
			break
		}
		n++
	}
	if n != benchRows {
		c.t.Fatalf("%d rows", n)
	}
}

// scanRows is what a scan without columnar copies would do.
func scanRows(b *testing.B, bench *bench) {
	err := bench.catalog.Read(context.Background(), func(w *Work) error {
		t, err := w.Table("d", "p")
		if err != nil {
			return err
		}
		var columns []Column
		var names []string
		for id := range int64(10) {
			c, _ := t.ColumnByID(id + 1)
			columns, names = append(columns, c), append(names, fmt.Sprintf("c%d", c.ID))
		}
		return query(w.Conn(), func(stored []driver.Value) error {
			row := make(sql.Row, len(stored))
			for i, v := range stored {
				var err error
				if row[i], err = columns[i].Codec.decode(v); err != nil {
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
