package publication

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/enginetest"
)

// One block, and many; the guarantee holds, in the engine's eyes and in ours over all groups, and the relations are the table.
func TestDeviation143_RanksModuloGroups(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "people", 20_003) // not a multiple of 5
	pools := map[string]int64{"one": 64, "many": 1}
	for name, block := range map[string]int64{"one": 0, "many": 150} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, e, request(table, block))
			if p.Records != 20_003 || block > 0 && (p.Blocks < 20 || p.Blocks > 20_003/150) || block == 0 && p.Blocks != 1 {
				t.Fatalf("%d records in %d blocks", p.Records, p.Blocks)
			}
			a := assign(t, e, p, name)
			defer a.Discard(context.WithoutCancel(t.Context()))
			found, err := a.Verify(t.Context(), 500)
			if err != nil {
				t.Fatal(err)
			}
			if found[0].Name != "l" || found[0].Achieved < 5 || !found[0].Holds {
				t.Errorf("%+v", found)
			}
			all, err := a.Sample(t.Context(), int(a.Groups))
			if err != nil {
				t.Fatal(err)
			}
			if all.Rows != 20_003 || int64(all.Groups()) != a.Groups || a.Groups > 20_003/5 || a.Groups < 20_003/5-int64(p.Blocks)*p.pools || p.pools != pools[name] {
				t.Errorf("%d records in %d groups, planned %d", all.Rows, all.Groups(), a.Groups)
			}
			ours, err := privacy.Verify(all)
			if err == nil {
				err = privacy.FirstBroken(ours)
			}
			if err != nil {
				t.Error(err)
			}
			near(t, all, block > 0)
		})
	}
}

// near compares the distance of the ages in a group with that of random pairs: of 64 even ages, two are 21 apart on average.
func near(t *testing.T, r *anonymize.Release, alike bool) {
	t.Helper()
	f := r.Fragments[0]
	ages, pairs, apart := f.Columns[f.Column("age")], 0, 0.0
	for g := range r.Groups() {
		tuples := ages.Codes[f.GroupStart[g]:f.GroupStart[g+1]]
		for i, one := range tuples {
			for _, other := range tuples[:i] {
				x, _ := ages.Dictionary[one].Number()
				y, _ := ages.Dictionary[other].Number()
				apart += max(x-y, y-x)
				pairs++
			}
		}
	}
	if mean := apart / float64(pairs); alike != (mean < 14) {
		t.Errorf("in blocks of neighbours: %v, and the ages of a group are %.1f apart", alike, mean)
	}
}

// TestBrokenReleasesAreRefused changes one relation in each way that verification must notice.
func TestBrokenReleasesAreRefused(t *testing.T) {
	e, _, _ := open(t)
	a := assign(t, e, plan(t, e, request(people(t, e, "broken", 3000), 0)), "broken")
	defer a.Discard(context.WithoutCancel(t.Context()))
	sa, qi, table := a.relation(a.Fragments[1]), a.relation(a.Fragments[0]), raw("broken")
	if _, err := a.Verify(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	value := rows(t, e, "SELECT coalesce(disease, 'none') FROM "+table+" WHERE id = 17")[0]
	if value == "none" || value == "d1" {
		t.Fatalf("record 17 has disease %s: the test needs another one", value)
	}
	for _, c := range []struct{ breaks, mends, want string }{
		{"UPDATE " + sa + ` SET "count" = 2 WHERE disease = 'd3'`, "UPDATE " + sa + ` SET "count" = 1`, "group"},
		{"UPDATE " + table + " SET disease = 'd1' WHERE id = 17", "UPDATE " + table + " SET disease = '" + value + "' WHERE id = 17", "It has changed meanwhile"},
		{"UPDATE " + table + " SET age = age + 100 WHERE id = 17", "UPDATE " + table + " SET age = age - 100 WHERE id = 17", "It has changed meanwhile"},
		{"UPDATE " + qi + " SET gid = gid + 1000000 WHERE mod(gid, 7) = 0", "UPDATE " + qi + " SET gid = gid - 1000000 WHERE gid >= 1000000", "are not those of"},
	} {
		run(t, e, c.breaks)
		if _, err := a.Verify(t.Context(), 100); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.breaks, err, c.want)
		}
		run(t, e, c.mends)
	}
}

// TestTheKeyIsInNoStatement: a reader of all the engine's statements does not learn the key. When the attempt is closed, neither key nor
// assignment remains in tables or files, and the rows of relations are sorted by their contents.
func TestTheKeyIsInNoStatement(t *testing.T) {
	e, _, c := open(t)
	a := assign(t, e, plan(t, e, request(people(t, e, "secret", 5000), 150)), "secret")
	defer a.Discard(context.WithoutCancel(t.Context()))
	var key []byte
	if err := e.Conn.Query(t.Context(), "SELECT key FROM "+a.table(keyTable), func(row []any) error {
		key = bytes.Clone(row[0].([]byte))
		return nil
	}); err != nil || len(key) != 32 {
		t.Fatalf("a key of %d bytes: %v", len(key), err)
	}
	if _, err := a.Verify(t.Context(), 100); err != nil {
		t.Fatal(err)
	}
	written := strings.Join(rows(t, e, "SELECT query FROM system.runtime.queries"), "\n")
	if !strings.Contains(written, prefix+"secret_key") {
		t.Fatal("the engine does not list our statements")
	}
	if strings.Contains(strings.ToLower(written), hex.EncodeToString(key)) || strings.Contains(written, string(key)) {
		t.Error("the key is in a statement")
	}
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := rows(t, e, "SHOW TABLES FROM iceberg."+e.Private); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	files := filesOf(t, enginetest.Files(t, c))
	looked := 0
	for _, f := range files {
		switch {
		case !strings.Contains(f, prefix+"secret_"):
		case !strings.Contains(f, "secret_qi1") && !strings.Contains(f, "secret_sa"):
			t.Errorf("left is the file %s", f)
		case strings.HasSuffix(f, ".parquet"):
			inOrder(t, f)
			looked++
		}
	}
	if looked < 2 {
		t.Errorf("%d files of relations of %v", looked, files)
	}
}

// filesOf are the files below a directory.
func filesOf(t *testing.T, directory string) (files []string) {
	t.Helper()
	if err := filepath.WalkDir(directory, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// inOrder wants that the rows of a file ascend, column by column.
func inOrder(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader := parquet.NewReader(f)
	defer reader.Close()
	kinds := reader.Schema().Columns()
	var last parquet.Row
	for n := 0; ; n++ {
		buffer := make([]parquet.Row, 1)
		read, err := reader.ReadRows(buffer)
		if read == 1 {
			row := buffer[0].Clone()
			for c := range len(kinds) - 1 {
				if n == 0 || last[c].IsNull() || row[c].IsNull() {
					break
				}
				order := reader.Schema().Fields()[c].Type().Compare(last[c], row[c])
				if order > 0 {
					t.Fatalf("%s: row %d is %v behind %v", filepath.Base(name), n, row, last)
				}
				if order < 0 {
					break
				}
			}
			last = row
		}
		if err != nil {
			if n < 100 {
				t.Errorf("%s has %d rows", filepath.Base(name), n)
			}
			return
		}
	}
}

// TestEndsInTheMiddle: the context ends, or a worker disappears, at every statement; nothing of the attempt is left.
func TestEndsInTheMiddle(t *testing.T) {
	e, g, _ := open(t)
	table := people(t, e, "ends", 2000)
	p := plan(t, e, request(table, 150))
	before := g.statements.Load()
	a := assign(t, e, p, "whole")
	statements := g.statements.Load() - before
	if err := a.Discard(t.Context()); err != nil || statements < 7 {
		t.Fatalf("%d statements: %v", statements, err)
	}
	for at := range statements {
		ctx, cancel := context.WithCancel(t.Context())
		left := at
		g.before = func(string) {
			if left == 0 {
				cancel()
			}
			left--
		}
		_, err := e.Assign(ctx, p, "cut", nil)
		g.before = nil
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended before statement %d: %v", at, err)
		}
		if left := ours(t, e); len(left) > 0 {
			t.Fatalf("ended before statement %d: left are %v", at, left)
		}
	}
}

// TestSweep: remains of an attempt that was ended from outside are swept; kept relations and others' tables stay.
func TestSweep(t *testing.T) {
	e, _, _ := open(t)
	p := plan(t, e, request(people(t, e, "swept", 1000), 0))
	kept, private, lost := assign(t, e, p, "kept"), assign(t, e, p, "private"), assign(t, e, p, "lost")
	defer kept.Discard(context.WithoutCancel(t.Context()))
	defer private.Discard(context.WithoutCancel(t.Context()))
	for _, a := range []*Attempt{kept, lost} {
		if err := a.Publish(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run(t, e, "CREATE TABLE iceberg."+e.Published+".anonsqlish AS SELECT 1 AS x")
	other := assign(t, e, p, "other")
	defer other.Discard(context.WithoutCancel(t.Context()))
	dropped, err := e.Sweep(t.Context(), func(name string) bool { return name != "other" }, func(name string) bool { return name == "kept" || name == "private" })
	if err != nil {
		t.Fatal(err)
	}
	if len(dropped) != 3*4+2 { // four tables each that lead to groups, without blocks, and two relations
		t.Errorf("dropped are %v", dropped)
	}
	var want []string
	for _, of := range []string{"assigned", "key", "offsets", "qi1", "sa", "sizes"} {
		want = append(want, e.Private+".anonsql_other_"+of)
	}
	want = append(want, e.Private+".anonsql_private_qi1", e.Private+".anonsql_private_sa", e.Published+".anonsql_kept_qi1", e.Published+".anonsql_kept_sa", e.Published+".anonsqlish")
	if left := ours(t, e); !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	nobody := &Engine{Conn: e.Conn, Dialect: e.Dialect, Catalog: e.Catalog, Private: "nothing_private", Published: "nothing_published"}
	if dropped, err := nobody.Sweep(t.Context(), func(string) bool { return true }, func(string) bool { return false }); err != nil || len(dropped) > 0 {
		t.Errorf("where there are no schemas, dropped are %v, %v", dropped, err)
	}
	if _, err := lost.Verify(t.Context(), 10); err == nil {
		t.Error("a release whose relations are gone was verified")
	}
	run(t, e, "DROP TABLE iceberg."+e.Published+".anonsqlish")
}

// TestRefusals: infeasible requests are refused before anything is written.
func TestRefusals(t *testing.T) {
	e, _, _ := open(t)
	table := people(t, e, "refused", 1000)
	for _, c := range []struct {
		change func(r *Request)
		want   string
	}{
		{func(r *Request) { r.L = 12 }, "the largest feasible l is 11"},
		{func(r *Request) { r.L = 1 }, "must be 2 or more"},
		{func(r *Request) { r.Sensitive = "illness" }, `no column "illness"`},
		{func(r *Request) { r.QuasiIdentifiers = []string{"height"} }, `no column "height"`},
		{func(r *Request) { r.Table = &Table{table.Schema, "nothing", table.Columns} }, "nothing"},
	} {
		r := request(table, 0)
		c.change(&r)
		if _, err := e.NewPlan(t.Context(), r); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want an error with %q", err, c.want)
		}
	}
	p := plan(t, e, request(table, 0))
	for _, name := range []string{"", "two_parts", "Große", `x"; DROP TABLE y`} {
		if _, err := e.Assign(t.Context(), p, name, nil); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("an attempt is called %q: %v", name, err)
		}
	}
	if left := ours(t, e); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}
