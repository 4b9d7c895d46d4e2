package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// splitRelease is a release of a table in two fragments, in groups of two records.
func splitRelease() *anonymize.Release {
	fragment := func(name string, role anonymize.FragmentRole, values ...int64) *anonymize.Fragment {
		f := &anonymize.Fragment{Name: name, Role: role, GroupStart: []uint32{0, 2, 4}, Count: []uint32{1, 1, 1, 1}}
		c := &anonymize.FragmentColumn{Name: strings.TrimSuffix(name, "i"), Type: "INT"}
		for i, v := range values {
			c.Dictionary, c.Codes = append(c.Dictionary, anonymize.IntegerValue(v)), append(c.Codes, uint32(i))
		}
		f.Columns = []*anonymize.FragmentColumn{c}
		return f
	}
	return &anonymize.Release{Method: "test", Rows: 4, GroupSizes: []uint32{2, 2},
		Fragments: []*anonymize.Fragment{fragment("qi", anonymize.QuasiIdentifying, 1, 2, 3, 4), fragment("s", anonymize.Sensitive, 10, 20, 30, 40)}}
}

// completions of it: as they are, and with the second group exchanged.
func splitCompletion(r *anonymize.Release) *anonymize.Completion {
	return anonymize.NewCompletion(r, [][][]uint16{{{0, 1, 0, 1}}, {{0, 1, 1, 0}}})
}

const storedRows = "SELECT draw, q, s FROM published.p_imputed ORDER BY draw, q"

// splitPublication is a release of table t of a bench.
func splitPublication(c *catalogtest.Client, release *anonymize.Release) *catalog.Publication {
	table := c.Table("t")
	return &catalog.Publication{Release: release, Record: catalog.ReleaseRecord{Name: "p", Method: "test", Columns: []string{"q", "s"},
		SourceTable: table.ID(), Database: table.Database(), Table: "t"}}
}

// Completed tables are stored with a release, or added to an existing one. They survive a restart, are checked, and
// are dropped with the release.
func TestCompletedTablesAreStored(t *testing.T) {
	for name, later := range map[string]bool{"with the release": false, "later": true} {
		t.Run(name, func(t *testing.T) {
			b := catalogtest.NewBench(t)
			c := b.Owner()
			c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
			r, release := b.Releases(), splitRelease()
			described := catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}
			p := splitPublication(c, release)
			if !later {
				p.Completion, p.Record.Completion = splitCompletion(release), &described
			}
			if _, err := c.Store(r, p); err != nil {
				t.Fatal(err)
			}
			c.Serve(r)
			if later {
				completeLater(t, c, r, release, described)
			}
			const want, first = "1|1|10 1|2|20 1|3|30 1|4|40 2|1|10 2|2|20 2|3|40 2|4|30", "1|10 2|20 3|30 4|40"
			c.Want(storedRows, want)
			c.Want("SELECT q, s FROM published.p ORDER BY q", first)
			b.ReopenWith(c)
			r = b.Releases()
			c.Serve(r)
			c.Want(storedRows, want)
			c.Want("SELECT q, s FROM published.p ORDER BY q", first)
			b.Store("UPDATE release_parts SET data = CAST(data || x'00' AS BLOB) WHERE kind = 'places' AND position = 1")
			b.ReopenWith(c)
			r = b.Releases()
			c.Serve(r)
			c.Fails(storedRows, "completed tables of release p")
			if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
				t.Fatal(err)
			}
			parts := -1
			if b.Stored("SELECT count(*) FROM release_parts", &parts); parts != 0 {
				t.Errorf("%d parts stay", parts)
			}
		})
	}
}

func completeLater(t *testing.T, c *catalogtest.Client, r *catalog.Releases, release *anonymize.Release, described catalog.CompletionRecord) {
	t.Helper()
	c.Fails(storedRows, "p_imputed")
	if _, err := c.Try("SELECT q, s FROM published.p"); err != nil { // another preview is in memory now
		t.Fatal(err)
	}
	published, err := r.Find(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(c.Context(), published, splitCompletion(release), described); err != nil {
		t.Fatal(err)
	}
	kept, err := published.Release(c.Context()) // of a statement that began before
	if err != nil || kept.Rows != release.Rows {
		t.Errorf("who had the release has %v, %v", kept, err)
	}
	last := catalog.CompletionRecord{Tables: 2, Estimator: catalog.Independent}
	if _, err := r.Complete(c.Context(), published, nil, last); err == nil || !strings.Contains(err.Error(), "another statement gave release p completed tables") {
		t.Errorf("a second statement, which had read the release without tables: %v", err)
	}
	if _, err := r.Complete(c.Context(), catalogtest.Named(t, r, "p"), nil, last); err != nil {
		t.Fatal(err)
	}
	c.Want("SELECT estimator, completed_tables FROM anonsql.releases", "independent|2")
}

// A check of the file reports completed tables that do not match the release.
func TestCompletedTablesAreInspected(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
	release := splitRelease()
	p := splitPublication(c, release)
	p.Completion, p.Record.Completion = splitCompletion(release), &catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}
	if _, err := c.Store(b.Releases(), p); err != nil {
		t.Fatal(err)
	}
	b.Store("DELETE FROM release_parts WHERE kind = 'places' AND position = 1")
	c.Session.SessionEnd()
	if err := b.Catalog.Close(); err != nil {
		t.Fatal(err)
	}
	if text := catalogtest.Findings(catalogtest.Checked(t, b.Dir)); !strings.Contains(text, "its completed tables") {
		t.Errorf("the check finds %q", text)
	}
}

// A statement that began before a release got completed tables has the view as it was, also where another one has read the new view meanwhile.
func TestViewBeforeCompletedTables(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
	r, release := b.Releases(), splitRelease()
	if _, err := c.Store(r, splitPublication(c, release)); err != nil {
		t.Fatal(err)
	}
	c.Serve(r)
	ctx := c.Context()
	view, _, err := r.PublishedDatabase().GetTableInsensitive(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		rows, err := view.PartitionRows(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		list, err := sql.RowIterToRows(ctx, rows)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(list)
	}
	before := read()
	places := [][][]uint16{{{0, 1, 0, 1}}, {{0, 1, 0, 1}}}
	if strings.Contains(before, "[1 10]") {
		places[0], places[1] = [][]uint16{{1, 0, 0, 1}}, [][]uint16{{1, 0, 0, 1}}
	}
	described := catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}
	if _, err := r.Complete(other.Context(), catalogtest.Named(t, r, "p"), anonymize.NewCompletion(release, places), described); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Try("SELECT * FROM published.p"); err != nil {
		t.Fatal(err)
	}
	if after := read(); after != before {
		t.Errorf("the view was %s, is %s", before, after)
	}
}
