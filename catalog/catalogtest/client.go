package catalogtest

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// People creates a table with the ten columns of the benchmarks, and returns a generator of its rows.
func (c *Client) People(name string) func(i int) sql.Row {
	c.T.Helper()
	c.Run("CREATE TABLE " + name + ` (id INT PRIMARY KEY, age TINYINT UNSIGNED, workclass VARCHAR(20), education VARCHAR(20),
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

// Load bulk-loads rows first..end-1 and leaves the transaction open.
func (c *Client) Load(table string, row func(i int) sql.Row, first, end int) {
	c.T.Helper()
	ctx := c.Context()
	t, err := c.Catalog.Table(ctx, "d", table)
	if err != nil {
		c.T.Fatal(err)
	}
	loader, err := t.BulkLoad(ctx)
	if err != nil {
		c.T.Fatal(err)
	}
	for i := first; i < end; i++ {
		if err := loader.Append(ctx, row(i)); err != nil {
			c.T.Fatal(err)
		}
	}
	if err := loader.Close(ctx); err != nil {
		c.T.Fatal(err)
	}
}

// Commit commits the session's open transaction.
func (c *Client) Commit() {
	c.T.Helper()
	if err := c.Session.CommitTransaction(c.Context(), nil); err != nil {
		c.T.Fatal(err)
	}
}

// Table returns a table of database d.
func (c *Client) Table(name string) *raw.Table {
	c.T.Helper()
	t, err := c.Catalog.Table(c.Context(), "d", name)
	if err != nil {
		c.T.Fatal(err)
	}
	return t
}

// Releases opens the releases of the bench's catalog; every account may read tables.
func (b *Bench) Releases() *catalog.Releases {
	b.T.Helper()
	r, err := catalog.OpenReleases(b.Catalog, func(*sql.Context, string, string) bool { return true })
	if err != nil {
		b.T.Fatal(err)
	}
	return r
}

// Follow starts to follow columns of a table.
func (c *Client) Follow(r *catalog.Releases, table string, columns ...string) int64 {
	c.T.Helper()
	id, err := r.Follow(c.Context(), c.Table(table), columns)
	if err != nil {
		c.T.Fatal(err)
	}
	return id
}

// ReopenWith reopens the catalog and gives the client a new session.
func (b *Bench) ReopenWith(c *Client) {
	b.T.Helper()
	b.Reopen()
	*c = *b.Client()
	c.Session.SetCurrentDatabase("d")
}

// Triggers counts the SQLite triggers that record changes.
func (b *Bench) Triggers() (n int) {
	b.T.Helper()
	b.Stored("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", &n)
	return n
}

// Checked returns the findings of a check of a data directory.
func Checked(t testing.TB, dir string) *fault.Report {
	t.Helper()
	report, err := maintenance.CheckDirectory(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Findings lists the lines of a report.
func Findings(r *fault.Report) string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, f.What+" -> "+f.Do)
	}
	return strings.Join(append(lines, r.Notes...), "\n")
}

// Stored reads one row of the committed file.
func (b *Bench) Stored(query string, to ...any) {
	b.T.Helper()
	ctx := context.Background()
	err := b.Catalog.View(ctx, func(tx *dbsql.Conn) error { return tx.QueryRowContext(ctx, query).Scan(to...) })
	if err != nil {
		b.T.Fatal(err)
	}
}

// Store runs SQLite statements that bypass the catalog.
func (b *Bench) Store(statements ...string) {
	b.T.Helper()
	err := b.Catalog.Update(context.Background(), func(tx *dbsql.Conn) error {
		for _, statement := range statements {
			if _, err := sqlite.Execute(tx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.T.Fatal(err)
	}
}
