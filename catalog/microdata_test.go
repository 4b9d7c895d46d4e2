package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// microdata returns the rows of Microdata as text.
func microdata(c *client, table string, columns ...string) []string {
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

func sameAsScan(c *client, table string) {
	c.t.Helper()
	scanned, err := c.try("SELECT age, occupation, salary FROM " + table)
	if err != nil {
		c.t.Fatal(err)
	}
	got := microdata(c, table, "Age", "occupation", "salary")
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
	sameAsScan(c, "p") // uncommitted
	other.want("SELECT COUNT(*) FROM d.p", "0")
	c.run("COMMIT")
	sameAsScan(c, "p")
	other.want("SELECT COUNT(*), SUM(id >= 0) FROM d.p", fmt.Sprintf("%d|%d", n, n))
	for round, limit := range []int64{1 << 30, 200_000, 0} {
		b.catalog.SetCacheLimit(limit)
		before := c.table("p").Version()
		c.session.SessionEnd()
		c.run(fmt.Sprintf("UPDATE p SET salary = -1 WHERE id = %d", 70000+round), "START TRANSACTION",
			"UPDATE p SET occupation = 'none' WHERE id = 70001", "DELETE FROM p WHERE id = 5", "INSERT INTO p (id, age) VALUES (5, 99)")
		sameAsScan(c, "p")
		if got := microdata(c, "p", "occupation")[70001-1]; got != "none" && round == 0 {
			t.Errorf("the session does not see its own change: %s", got)
		}
		other.want("SELECT COUNT(*) FROM d.p WHERE occupation = 'none'", "0")
		c.run("ROLLBACK")
		sameAsScan(c, "p")
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
	sameAsScan(c, "p")
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
