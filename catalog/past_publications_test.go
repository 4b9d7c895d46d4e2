package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// A publicationStep is one step of TestPastPublications: an action, and whether table may be published afterwards.
type publicationStep struct {
	name       string
	statements []string // before
	drop       string   // the release, before
	reopen     bool     // the catalog, before
	table, as  string
	how        func(*catalog.Publication)
	wants      string // stored, composed, or a part of the refusal
}

const stored, composed = "", "composed"

// take takes the step and returns the releases, which are new ones after a restart.
func (step publicationStep) take(t *testing.T, b *catalogtest.Bench, c *catalogtest.Client, r *catalog.Releases) *catalog.Releases {
	c.Run(step.statements...)
	if step.drop != "" {
		if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, step.drop)); err != nil {
			t.Fatal(err)
		}
	}
	if step.reopen {
		b.ReopenWith(c)
		r = b.Releases()
	}
	record, err := publishRecords(c, r, step.table, step.as, step.how)
	switch {
	case step.wants != stored && step.wants != composed:
		if err == nil || !strings.Contains(err.Error(), step.wants) {
			t.Errorf("got %v, want %q", err, step.wants)
		}
	case err != nil || record.Composed != (step.wants == composed):
		t.Errorf("%+v, %v", record, err)
	}
	return r
}

// fillTable inserts 200 rows whose q begins at shift.
func fillTable(table string, shift int) string {
	var rows []string
	for i := range 200 {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i*i+shift, i%7))
	}
	return "INSERT INTO " + table + " (q, s) VALUES " + strings.Join(rows, ", ")
}

// The rule of one public grouping holds through dropping, renaming and copying: one
// story, a publication a step.
func TestPastPublications(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	plain := func(*catalog.Publication) {}
	allow := func(p *catalog.Publication) { p.AllowComposition = true }
	risked := func(p *catalog.Publication) { p.Replace, p.AllowComposition = true, true }
	for _, step := range []publicationStep{
		{name: "the first one", statements: []string{"CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", fillTable("t", 0)},
			table: "t", as: "p", how: plain, wants: stored},
		{name: "in its place", table: "t", as: "p", how: inPlace, wants: stored},
		{name: "a copy", statements: []string{"CREATE TABLE copied AS SELECT * FROM t"}, table: "copied", as: "q", how: plain,
			wants: `about 100 % of the records of d.copied are records of table d.t. Table d.t has the public release "p" (test)`},
		{name: "half of it", statements: []string{"CREATE TABLE half AS SELECT s AS s, q AS q FROM t WHERE id <= 100"}, table: "half", as: "q", how: plain,
			wants: "records of d.half are records of table d.t"},
		{name: "another table", statements: []string{"CREATE TABLE other (q INT, s INT)", fillTable("other", 40001)}, table: "other", as: "o", how: plain, wants: stored},
		{name: "a copy in private", table: "copied", as: "mine", how: inPrivate, wants: stored},
		{name: "again after DROP", drop: "p", table: "t", as: "p", how: plain, wants: "table d.t had a public release until 20"},
		{name: "replacing what was dropped", table: "t", as: "p", how: inPlace, wants: `"p" (test), and two independent releases`},
		{name: "a copy after DROP", table: "copied", as: "q", how: plain, wants: "Table d.t had a public release until"},
		{name: "in private after DROP", table: "t", as: "mine2", how: inPrivate, wants: stored},
		{name: "from private to public", table: "t", as: "mine2", how: inPlace, wants: "had a public release until"},
		{name: "renamed, dropped, loaded again", statements: []string{"ALTER TABLE t RENAME TO people", "DROP TABLE people", "CREATE TABLE people AS SELECT q + 7 AS q, s FROM copied"},
			table: "people", as: "x", how: plain, wants: "able d.t had a public release until"},
		{name: "after a start", reopen: true, table: "people", as: "x", how: plain, wants: "able d.t had a public release until"},
		{name: "the owner accepts the risk", table: "people", as: "x", how: allow, wants: composed},
		{name: "in place of a composed one", table: "people", as: "x", how: inPlace, wants: "able d.t had a public release until"},
		{name: "in its place, at the owner's risk", table: "people", as: "x", how: risked, wants: composed},
		{name: "beside another one", table: "other", as: "beside", how: allow, wants: composed},
		{name: "in place of the first, whose neighbour is dropped", drop: "beside", table: "other", as: "o", how: inPlace, wants: "table d.other had a public release until"},
		{name: "a copy, at the owner's risk", table: "copied", as: "q", how: allow, wants: composed},
		{name: "of other records, in its place", statements: []string{"DROP TABLE copied", "CREATE TABLE copied (q INT, s INT)", fillTable("copied", 90001)}, table: "copied", as: "q", how: inPlace, wants: composed},
	} {
		t.Run(step.name, func(t *testing.T) { r = step.take(t, b, c, r) })
	}
	c.Session.SessionEnd()
	b.Catalog.Close()
	if report := catalogtest.Checked(t, b.Dir); report.Err() != nil {
		t.Error(catalogtest.Findings(report))
	}
}

// publishRecords publishes the columns q and s of a table, with its records.
func publishRecords(c *catalogtest.Client, r *catalog.Releases, table, name string, change func(*catalog.Publication)) (*catalog.ReleaseRecord, error) {
	c.T.Helper()
	return c.Store(r, publicationOf(c, table, name, change))
}

// publicationOf has the columns q and s of a table, and its records.
func publicationOf(c *catalogtest.Client, table, name string, change func(*catalog.Publication)) *catalog.Publication {
	c.T.Helper()
	data, err := c.Table(table).Microdata(c.Context(), []string{"q", "s"}, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	c.Session.SessionEnd()
	g := catalogtest.Grouping(3)
	p := &catalog.Publication{Release: g.Release(g.Start(data.Columns, make([]int64, data.Rows))), Records: data.Columns}
	p.Record = catalog.ReleaseRecord{Name: name, SourceTable: c.Table(table).ID(), Database: "d", Table: table, Method: "test", Columns: []string{"q", "s"}}
	change(p)
	return p
}

// Several publications are admitted before one of them is stored. The first one stored decides about the others: an
// admission is not final.
func TestAdmissionIsCheckedWhenStored(t *testing.T) {
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", fillTable("t", 0), "CREATE TABLE copied AS SELECT * FROM t")
	allow := func(p *catalog.Publication) { p.AllowComposition = true }
	plain := func(*catalog.Publication) {}
	steps := []struct {
		table, name string
		how         func(*catalog.Publication)
		wants       string // stored, composed, or a part of the refusal
		admission   *catalog.Admission
	}{
		{table: "t", name: "p", how: plain, wants: stored},
		{table: "t", name: "q", how: plain, wants: `already has the public release "p"`},
		{table: "copied", name: "c", how: plain, wants: "records of d.copied are records of table d.t"},
		{table: "copied", name: "p", how: plain, wants: `the name "p" belongs to the release of another table`},
		{table: "t", name: "p", how: inPlace, wants: stored},
		{table: "t", name: "a", how: allow, wants: composed},
	}
	for i, step := range steps {
		var err error
		steps[i].admission, err = r.Admit(c.Context(), publicationOf(c, step.table, step.name, step.how))
		if err == nil {
			err = steps[i].admission.CompareRecords(c.Context())
		}
		if err != nil || len(steps[i].admission.Beside) > 0 {
			t.Fatalf("%s of %s before anything is public: %v", step.name, step.table, err)
		}
	}
	for _, step := range steps {
		record, err := r.Publish(c.Context(), step.admission)
		switch {
		case step.wants != stored && step.wants != composed:
			wantRefusal(t, err, step.wants)
		case err != nil || record.Composed != (step.wants == composed):
			t.Errorf("%s of %s: %+v, %v", step.name, step.table, record, err)
		}
	}
	if replaced := steps[4].admission.Replaced; len(replaced) != 1 || replaced[0].Record().Version != 1 {
		t.Errorf("the second release p replaced %v", replaced)
	}
}

// An account that may not read a table cannot find out by publications who is in it.
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
		_, err := publishRecords(c, r, step.table, step.table, func(*catalog.Publication) {})
		if (err != nil) != step.told || err != nil && strings.Contains(err.Error(), "theirs") {
			t.Errorf("%s: %v", step.table, err)
		}
	}
}
