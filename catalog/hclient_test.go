package catalog

import (
	"context"
	dbsql "database/sql"
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

func (c *client) table(name string) *Table {
	c.t.Helper()
	t, err := c.catalog.Table(c.context(), "d", name)
	if err != nil {
		c.t.Fatal(err)
	}
	return t
}

// releases opens the releases of the bench's catalog; everybody may read.
func (b *bench) releases() *Releases {
	b.t.Helper()
	r, err := OpenReleases(b.catalog, func(*sql.Context, string, string) bool { return true })
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (c *client) follow(r *Releases, table string, columns ...string) int64 {
	c.t.Helper()
	id, err := r.Follow(c.context(), c.table(table), columns)
	if err != nil {
		c.t.Fatal(err)
	}
	return id
}

// reopenWith opens the catalog again and gives the client a new session.
func (b *bench) reopenWith(c *client) {
	b.t.Helper()
	b.reopen()
	*c = *b.client()
	c.session.SetCurrentDatabase("d")
}

func (b *bench) triggers() (n int) {
	b.t.Helper()
	b.stored("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", &n)
	return n
}

func checked(t *testing.T, dir string) *CheckReport {
	t.Helper()
	report, err := CheckDirectory(context.Background(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func findings(r *CheckReport) string {
	var lines []string
	for _, f := range r.Findings {
		lines = append(lines, f.What+" -> "+f.Do)
	}
	return strings.Join(append(lines, r.Notes...), "\n")
}

// stored reads one row of the file, as it is committed.
func (b *bench) stored(query string, to ...any) {
	b.t.Helper()
	ctx := context.Background()
	err := b.catalog.View(ctx, func(tx *dbsql.Conn) error { return tx.QueryRowContext(ctx, query).Scan(to...) })
	if err != nil {
		b.t.Fatal(err)
	}
}

// store runs statements of SQLite's behind the catalog's back.
func (b *bench) store(statements ...string) {
	b.t.Helper()
	err := b.catalog.Update(context.Background(), func(tx *dbsql.Conn) error {
		for _, statement := range statements {
			if _, err := execute(tx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
