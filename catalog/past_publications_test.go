package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// The rule of one public grouping holds through dropping, renaming and copying.
func TestPastPublications(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c, g := b.Releases(), b.Owner(), catalogtest.Grouping(3)
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)")
	fill := func(table string, shift int) {
		var rows []string
		for i := range 200 {
			rows = append(rows, fmt.Sprintf("(%d, %d)", i*i+shift, i%7))
		}
		c.Run("INSERT INTO " + table + " (q, s) VALUES " + strings.Join(rows, ", "))
	}
	fill("t", 0)
	publish := func(table, name string, change func(p *catalog.Publication)) (*catalog.ReleaseRecord, error) {
		data, err := c.Table(table).Microdata(c.Context(), []string{"q", "s"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Session.SessionEnd()
		l := g.Start(data.Columns, make([]int64, data.Rows))
		p := &catalog.Publication{Release: g.Release(l), Records: data.Columns}
		p.Record = catalog.ReleaseRecord{Name: name, SourceTable: c.Table(table).ID(), Database: "d", Table: table, Method: "test", Columns: []string{"q", "s"}}
		if change != nil {
			change(p)
		}
		return r.Publish(c.Context(), p)
	}
	refused := func(table, name, want string, change func(p *catalog.Publication)) {
		t.Helper()
		if _, err := publish(table, name, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s as %s: got %v, want %q", table, name, err, want)
		}
	}
	stored := func(table, name string, composed bool, change func(p *catalog.Publication)) {
		t.Helper()
		if record, err := publish(table, name, change); err != nil || record.Composed != composed {
			t.Errorf("%s as %s: %+v, %v", table, name, record, err)
		}
	}
	replace := func(p *catalog.Publication) { p.Replace = true }
	private := func(p *catalog.Publication) { p.Record.Private = true }
	allow := func(p *catalog.Publication) { p.AllowComposition = true }
	stored("t", "p", false, nil)
	stored("t", "p", false, replace)
	c.Run("CREATE TABLE copied AS SELECT * FROM t", "CREATE TABLE half AS SELECT s AS s, q AS q FROM t WHERE id <= 100", "CREATE TABLE other (q INT, s INT)")
	fill("other", 40001)
	refused("copied", "q", `about 100 % of the records of d.copied are records of table d.t. Table d.t has the public release "p" (test)`, nil)
	refused("half", "q", "records of d.half are records of table d.t", nil)
	stored("other", "o", false, nil)
	stored("copied", "mine", false, private)
	if _, err := r.Drop(c.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	refused("t", "p", `table d.t had a public release until 20`, nil)
	refused("t", "p", `"p" (test), and two independent releases`, replace)
	refused("copied", "q", "Table d.t had a public release until", nil)
	stored("t", "mine2", false, private)
	refused("t", "mine2", "had a public release until", func(p *catalog.Publication) { p.Replace = true })
	c.Run("ALTER TABLE t RENAME TO people", "DROP TABLE people", "CREATE TABLE people AS SELECT q + 7 AS q, s FROM copied")
	refused("people", "x", "able d.t had a public release until", nil)
	b.ReopenWith(c)
	r = b.Releases()
	refused("people", "x", "able d.t had a public release until", nil)
	stored("people", "x", true, allow)
	stored("people", "x", false, replace)
	c.Session.SessionEnd()
	b.Catalog.Close()
	if report := catalogtest.Checked(t, b.Dir); report.Whole() != nil {
		t.Error(catalogtest.Findings(report))
	}
}

// Who may not read a table cannot find out by publishing who is in it.
func TestCopiesOfOthersAreNotTold(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	r, err := catalog.OpenReleases(b.Catalog, func(ctx *sql.Context, _, table string) bool { return table != "theirs" })
	if err != nil {
		t.Fatal(err)
	}
	c.Run("CREATE TABLE theirs (q INT, s INT)", "INSERT INTO theirs VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6)", "CREATE TABLE ours AS SELECT * FROM theirs", "CREATE TABLE again AS SELECT * FROM ours")
	for _, step := range []struct {
		table string
		told  bool
	}{{"theirs", false}, {"ours", false}, {"again", true}} {
		data, err := c.Table(step.table).Microdata(c.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Session.SessionEnd()
		p := &catalog.Publication{Release: catalogtest.Grouping(3).Release(catalogtest.Grouping(3).Start(data.Columns, make([]int64, data.Rows))), Records: data.Columns}
		p.Record = catalog.ReleaseRecord{Name: step.table, SourceTable: c.Table(step.table).ID(), Database: "d", Table: step.table, Columns: []string{"q", "s"}}
		_, err = r.Publish(c.Context(), p)
		if (err != nil) != step.told || err != nil && strings.Contains(err.Error(), "theirs") {
			t.Errorf("%s: %v", step.table, err)
		}
	}
}
