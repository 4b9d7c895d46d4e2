package catalog

import (
	"database/sql/driver"
	"encoding/binary"
	"fmt"
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
	w, err := c.session.reader(noCancel)
	if err != nil {
		b.Fatal(err)
	}
	m := w.meta.table("d", "p")
	all := c.table("p").ordinals(m)
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
	forget := func() { bench.catalog.SetCacheLimit(0); bench.catalog.SetCacheLimit(defaultCacheLimit) }
	measure("sqlite-rows", nothing, func() { scanRows(b, w, m) })
	measure("scan-cold", forget, func() { drain(c) })
	measure("scan-warm", nothing, func() { drain(c) })
	measure("microdata-cold", forget, func() { c.readMicrodata() })
	measure("microdata-chunks-warm", func() { bench.forgetWhole() }, func() { c.readMicrodata() })
	measure("microdata-warm", nothing, func() { c.readMicrodata() })
	columns := make([][]*chunkColumn, benchRows/chunkRows+1)
	for chunk := range columns {
		if columns[chunk], err = w.columns(m, int64(chunk), all); err != nil {
			b.Fatal(err)
		}
	}
	measure("chunk-store-write", nothing, func() { writeChunks(b, bench.catalog, columns) })
	measure("chunk-store-read", nothing, func() { readChunks(b, bench.catalog, m) })
}

// forgetWhole leaves the chunks in the cache and forgets the merged columns.
func (b *bench) forgetWhole() {
	c := b.catalog.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, element := range c.entries {
		if key.chunk == wholeColumn {
			c.remove(element)
		}
	}
}

func (c *client) readMicrodata() {
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
func scanRows(b *testing.B, w *work, m *tableMeta) {
	err := query(w.conn, func(stored []driver.Value) error {
		row := make(sql.Row, len(stored))
		for i, v := range stored {
			var err error
			if row[i], err = m.codecs[i].decode(v); err != nil {
				return err
			}
		}
		return nil
	}, fmt.Sprintf("SELECT %s FROM t%d", m.columnList(), m.storage))
	if err != nil {
		b.Fatal(err)
	}
}

// writeChunks and readChunks are the alternative that was not taken: a column
// of a chunk as one blob, dictionary and codes.
func writeChunks(b *testing.B, c *Catalog, chunks [][]*chunkColumn) {
	err := c.write(noCancel, func(w *work) error {
		if _, err := execute(w.conn, "CREATE TABLE IF NOT EXISTS chunks (chunk, ordinal, data BLOB)"); err != nil {
			return err
		}
		if _, err := execute(w.conn, "DELETE FROM chunks"); err != nil {
			return err
		}
		for number, columns := range chunks {
			for ordinal, column := range columns {
				var data []byte
				data = binary.AppendUvarint(data, uint64(len(column.dictionary)))
				for _, v := range column.dictionary {
					text := fmt.Sprint(v)
					data = append(binary.AppendUvarint(data, uint64(len(text))), text...)
				}
				for _, code := range column.codes {
					data = binary.LittleEndian.AppendUint16(data, code)
				}
				if _, err := execute(w.conn, "INSERT INTO chunks VALUES (?, ?, ?)", int64(number), int64(ordinal), data); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

func readChunks(b *testing.B, c *Catalog, m *tableMeta) {
	err := c.read(noCancel, func(w *work) error {
		return query(w.conn, func(row []driver.Value) error {
			data := row[2].([]byte)
			typ := m.codecs[row[1].(int64)].typ
			n, used := binary.Uvarint(data)
			data = data[used:]
			dictionary := make([]any, n)
			for i := range dictionary {
				length, used := binary.Uvarint(data)
				v, _, err := typ.Convert(noCancel, string(data[used:used+int(length)]))
				if err != nil {
					return err
				}
				dictionary[i] = v
				data = data[used+int(length):]
			}
			codes := make([]uint16, len(data)/2)
			for i := range codes {
				codes[i] = binary.LittleEndian.Uint16(data[2*i:])
			}
			return nil
		}, "SELECT chunk, ordinal, data FROM chunks")
	})
	if err != nil {
		b.Fatal(err)
	}
}
