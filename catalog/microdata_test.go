package catalog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// people creates a table of the ten columns of the benchmarks and returns a
// generator of its rows.
func (c *client) people(name string) func(i int) sql.Row {
	c.t.Helper()
	c.run("CREATE TABLE " + name + ` (id INT PRIMARY KEY, age TINYINT UNSIGNED, workclass VARCHAR(20), education VARCHAR(20),
		marital VARCHAR(30), occupation VARCHAR(30), race VARCHAR(20), sex CHAR(6), hours SMALLINT, salary INT)`)
	random := rand.New(rand.NewPCG(3, 4))
	words := func(prefix string, n int) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = fmt.Sprintf("%s-%02d", prefix, i)
		}
		return list
	}
	columns := [][]any{words("work", 8), words("education", 16), words("marital-status", 7), words("occupation", 14), words("race", 5), {"Male", "Female"}}
	return func(i int) sql.Row {
		row := sql.Row{int32(i), uint8(17 + random.IntN(74))}
		for _, values := range columns {
			row = append(row, values[random.IntN(len(values))])
		}
		return append(row, int16(random.IntN(99)), int32(random.IntN(50000)))
	}
}

// load bulk-loads rows first..end-1 and leaves the transaction open.
func (c *client) load(table string, row func(i int) sql.Row, first, end int) {
	c.t.Helper()
	ctx := c.context()
	t, err := c.catalog.Table(ctx, "d", table)
	if err != nil {
		c.t.Fatal(err)
	}
	loader, err := t.BulkLoad(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	for i := first; i < end; i++ {
		if err := loader.Append(ctx, row(i)); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := loader.Close(ctx); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) commit() {
	c.t.Helper()
	if err := c.session.CommitTransaction(c.context(), nil); err != nil {
		c.t.Fatal(err)
	}
}

// microdata returns the rows of Microdata as text.
func (c *client) microdata(table string, columns ...string) []string {
	c.t.Helper()
	ctx := c.context()
	t, err := c.catalog.Table(ctx, "d", table)
	if err != nil {
		c.t.Fatal(err)
	}
	m, err := t.Microdata(ctx, columns, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	rows := make([]string, m.Rows)
	for i := range rows {
		var values []string
		for _, column := range m.Columns {
			values = append(values, column.Value(i).String())
		}
		rows[i] = strings.Join(values, "|")
	}
	return rows
}

func (c *client) sameAsScan(table string) {
	c.t.Helper()
	scanned, err := c.try("SELECT age, occupation, salary FROM " + table)
	if err != nil {
		c.t.Fatal(err)
	}
	got := c.microdata(table, "Age", "occupation", "salary")
	if strings.Join(got, " ") != strings.Join(scanned, " ") {
		c.t.Fatalf("microdata has %d rows, the scan %d, or they differ", len(got), len(scanned))
	}
}

// Three chunks; changes in one of them, committed and not; a small cache.
func TestMicrodataIsWhatTheSessionSees(t *testing.T) {
	if testing.Short() {
		t.Skip("132,072 rows, one session after the other: run without -short")
	}
	b := newBench(t)
	c, other := b.owner(), b.client()
	row := c.people("p")
	const n = 2*chunkRows + 1000
	c.run("START TRANSACTION")
	c.load("p", row, 0, n)
	c.sameAsScan("p") // uncommitted
	if rows := other.session.metadata().table("d", "p").rows; rows != 0 {
		t.Errorf("another session sees %d rows", rows)
	}
	c.run("COMMIT")
	c.sameAsScan("p")
	other.want("SELECT COUNT(*), SUM(id >= 0) FROM d.p", fmt.Sprintf("%d|%d", n, n))
	for round, limit := range []int64{1 << 30, 200_000, 0} {
		b.catalog.SetCacheLimit(limit)
		before := c.table("p").Version()
		c.session.SessionEnd()
		c.run(fmt.Sprintf("UPDATE p SET salary = -1 WHERE id = %d", 70000+round), "START TRANSACTION",
			"UPDATE p SET occupation = 'none' WHERE id = 70001", "DELETE FROM p WHERE id = 5", "INSERT INTO p (id, age) VALUES (5, 99)")
		c.sameAsScan("p")
		if got := c.microdata("p", "occupation")[70001-1]; got != "none" && round == 0 {
			t.Errorf("the session does not see its own change: %s", got)
		}
		other.want("SELECT COUNT(*) FROM d.p WHERE occupation = 'none'", "0")
		c.run("ROLLBACK")
		c.sameAsScan("p")
		c.session.SessionEnd()
		if after := c.table("p").Version(); after <= before {
			t.Errorf("version %d after a change of %d", after, before)
		}
		c.session.SessionEnd()
	}
	version := c.table("p").Version()
	c.session.SessionEnd()
	b.reopen()
	c = b.client()
	c.session.SetCurrentDatabase("d")
	if again := c.table("p").Version(); again != version {
		t.Errorf("version %d after a reopen, was %d", again, version)
	}
	c.sameAsScan("p")
}

func (c *client) table(name string) *Table {
	c.t.Helper()
	t, err := c.catalog.Table(c.context(), "d", name)
	if err != nil {
		c.t.Fatal(err)
	}
	return t
}

func TestMicrodataStopsAndReports(t *testing.T) {
	b := newBench(t)
	c := b.owner()
	row := c.people("p")
	c.load("p", row, 0, chunkRows+10)
	c.commit()
	table := c.table("p")
	ctx, cancel := context.WithCancel(context.Background())
	var calls []string
	_, err := table.Microdata(sql.NewContext(ctx, sql.WithSession(c.session)), nil, func(done, total int) {
		calls = append(calls, fmt.Sprintf("%d/%d", done, total))
		cancel()
	})
	if !errors.Is(err, context.Canceled) || strings.Join(calls, " ") != "1/2" {
		t.Errorf("progress %v, error %v", calls, err)
	}
	if _, err := table.Microdata(c.context(), []string{"nobody"}, nil); !sql.ErrTableColumnNotFound.Is(err) {
		t.Errorf("got %v for an unknown column", err)
	}
	m, err := c.table("p").Microdata(sql.NewContext(context.Background()), nil, nil)
	if err != nil || m.Rows != chunkRows+10 || len(m.Columns) != 10 || m.Columns[7].Type != "char(6)" {
		t.Errorf("microdata without a session: %v", err)
	}
}
