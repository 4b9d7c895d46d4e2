package raw_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/testsize"
)

// microdata returns the rows of Microdata as text.
func microdata(c *catalogtest.Client, table string, columns ...string) []string {
	c.T.Helper()
	ctx := c.Context()
	t, err := c.Catalog.Table(ctx, "d", table)
	if err != nil {
		c.T.Fatal(err)
	}
	m, err := t.Microdata(ctx, columns, nil)
	if err != nil {
		c.T.Fatal(err)
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

func sameAsScan(c *catalogtest.Client, table string) {
	c.T.Helper()
	scanned, err := c.Try("SELECT age, occupation, salary FROM " + table)
	if err != nil {
		c.T.Fatal(err)
	}
	got := microdata(c, table, "Age", "occupation", "salary")
	if strings.Join(got, " ") != strings.Join(scanned, " ") {
		c.T.Fatalf("microdata has %d rows, the scan %d, or they differ", len(got), len(scanned))
	}
}

// Three chunks; changes in one of them, committed and not; a small cache.
func TestMicrodataIsWhatTheSessionSees(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	row := c.People("p")
	n := testsize.Of(raw.ChunkRows+8000, 2*raw.ChunkRows+1000)
	c.Run("START TRANSACTION")
	c.Load("p", row, 0, n)
	sameAsScan(c, "p") // uncommitted
	other.Want("SELECT COUNT(*) FROM d.p", "0")
	c.Run("COMMIT")
	sameAsScan(c, "p")
	other.Want("SELECT COUNT(*), SUM(id >= 0) FROM d.p", fmt.Sprintf("%d|%d", n, n))
	for round, limit := range []int64{1 << 30, 200_000, 0} {
		b.Catalog.SetCacheLimit(limit)
		before := c.Table("p").Version()
		c.Session.SessionEnd()
		c.Run(fmt.Sprintf("UPDATE p SET salary = -1 WHERE id = %d", 70000+round), "START TRANSACTION",
			"UPDATE p SET occupation = 'none' WHERE id = 70001", "DELETE FROM p WHERE id = 5", "INSERT INTO p (id, age) VALUES (5, 99)")
		sameAsScan(c, "p")
		if got := microdata(c, "p", "occupation")[70001-1]; got != "none" && round == 0 {
			t.Errorf("the session does not see its own change: %s", got)
		}
		other.Want("SELECT COUNT(*) FROM d.p WHERE occupation = 'none'", "0")
		c.Run("ROLLBACK")
		sameAsScan(c, "p")
		c.Session.SessionEnd()
		if after := c.Table("p").Version(); after <= before {
			t.Errorf("version %d after a change of %d", after, before)
		}
		c.Session.SessionEnd()
	}
	version := c.Table("p").Version()
	c.Session.SessionEnd()
	b.Reopen()
	c = b.Client()
	c.Session.SetCurrentDatabase("d")
	if again := c.Table("p").Version(); again != version {
		t.Errorf("version %d after a reopen, was %d", again, version)
	}
	sameAsScan(c, "p")
}

func TestMicrodataStopsAndReports(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	row := c.People("p")
	c.Load("p", row, 0, raw.ChunkRows+10)
	c.Commit()
	table := c.Table("p")
	ctx, cancel := context.WithCancel(context.Background())
	var calls []string
	_, err := table.Microdata(sql.NewContext(ctx, sql.WithSession(c.Session)), nil, func(done, total int) {
		calls = append(calls, fmt.Sprintf("%d/%d", done, total))
		cancel()
	})
	if !errors.Is(err, context.Canceled) || strings.Join(calls, " ") != "1/2" {
		t.Errorf("progress %v, error %v", calls, err)
	}
	if _, err := table.Microdata(c.Context(), []string{"nobody"}, nil); !sql.ErrTableColumnNotFound.Is(err) {
		t.Errorf("got %v for an unknown column", err)
	}
	m, err := c.Table("p").Microdata(sql.NewContext(context.Background()), nil, nil)
	if err != nil || m.Rows != raw.ChunkRows+10 || len(m.Columns) != 10 || m.Columns[7].Type != "char(6)" {
		t.Errorf("microdata without a session: %v", err)
	}
}
