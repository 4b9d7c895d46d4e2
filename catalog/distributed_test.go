package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/maintenance"
	"github.com/anonsql/anonsql/catalog/source"
)

// A memoryEngine keeps relations of releases by the names of their places.
type memoryEngine struct {
	name, identity string
	limit          int
	kept           map[string]*anonymize.Release
	reads          int
	down           error
}

func (m *memoryEngine) Engine() string            { return m.name }
func (m *memoryEngine) Limit() int                { return m.limit }
func (m *memoryEngine) Keeps(p source.Place) bool { return strings.HasPrefix(p.Name, m.identity) }

func (m *memoryEngine) Guarantees(context.Context, source.Place, []source.Fragment, source.Wanted) ([]anonymize.Guarantee, error) {
	return []anonymize.Guarantee{{Name: "l", Achieved: 3, Holds: true}}, m.down
}

func (m *memoryEngine) Counts(context.Context, source.Place, []source.Fragment) (*anonymize.Release, estimate.Elsewhere, error) {
	return nil, nil, m.down
}

func (m *memoryEngine) Read(_ context.Context, p source.Place, _ []source.Fragment, _ int64) (*anonymize.Release, error) {
	m.reads++
	if r := m.kept[p.Name]; r != nil && m.down == nil {
		return r, nil
	}
	return nil, errors.Join(m.down, fmt.Errorf("there are no relations of %s", p.Name))
}

func (m *memoryEngine) SubTuples(context.Context, source.Place, source.Fragment) (once, distinct int, err error) {
	return 1, 2, m.down
}

// Pages returns a group at a time.
func (m *memoryEngine) Pages(_ context.Context, p source.Place, f source.Fragment) (func() (*anonymize.Fragment, error), error) {
	group, of := uint32(0), m.kept[p.Name].Fragments[0]
	for _, kept := range m.kept[p.Name].Fragments {
		if kept.Name == f.Name {
			of = kept
		}
	}
	return func() (*anonymize.Fragment, error) {
		m.reads++
		if int(group) == of.Groups() || m.down != nil {
			return nil, m.down
		}
		from, to := of.GroupStart[group], of.GroupStart[group+1]
		group++
		page := &anonymize.Fragment{Name: of.Name, Role: of.Role, GroupStart: []uint32{0, to - from}, Count: of.Count[from:to]}
		for _, c := range of.Columns {
			page.Columns = append(page.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: c.Codes[from:to]})
		}
		return page, nil
	}, nil
}

func (m *memoryEngine) Drop(_ context.Context, p source.Place, _ []source.Fragment) error {
	if m.down == nil {
		delete(m.kept, p.Name)
	}
	return m.down
}

func (m *memoryEngine) Sweep(_ context.Context, kept func(string) bool) (dropped []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(m.kept)) {
		if strings.HasPrefix(name, m.identity) && !kept(name) && m.down == nil {
			delete(m.kept, name)
			dropped = append(dropped, name)
		}
	}
	return dropped, m.down
}

// A sharedEngine is swept while the test uses it.
type sharedEngine struct {
	*memoryEngine
	sync.Mutex
}

func (e *sharedEngine) Sweep(ctx context.Context, kept func(string) bool) ([]string, error) {
	e.Lock()
	defer e.Unlock()
	return e.memoryEngine.Sweep(ctx, kept)
}

// publishElsewhere publishes table d.t with relations in m, under a place's name.
func publishElsewhere(c *catalogtest.Client, r *catalog.Releases, m *memoryEngine, release, place string, change ...func(w *source.Written)) (*catalog.ReleaseRecord, error) {
	c.T.Helper()
	return c.Store(r, publicationElsewhere(c, m, release, place, change...))
}

func publicationElsewhere(c *catalogtest.Client, m *memoryEngine, release, place string, change ...func(w *source.Written)) *catalog.Publication {
	c.T.Helper()
	data, err := c.Table("t").Microdata(c.Context(), []string{"q", "s"}, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	c.Session.SessionEnd()
	g := catalogtest.Grouping(3)
	of := g.Release(g.Start(data.Columns, make([]int64, data.Rows)))
	m.kept[place] = of
	w := &source.Written{Place: source.Place{Engine: m.name, Name: place, Sizes: []estimate.GroupSize{{Size: 3, Groups: 2}}}, Rows: of.Rows, Groups: of.Groups()}
	for _, f := range of.Fragments {
		described := source.Fragment{Name: f.Name, Role: f.Role, Tuples: f.Tuples()}
		for _, column := range f.Columns {
			described.Columns = append(described.Columns, source.FragmentColumn{Name: column.Name, Type: column.Type})
		}
		w.Fragments = append(w.Fragments, described)
	}
	for _, change := range change {
		change(w)
	}
	p := &catalog.Publication{Replace: true}
	p.Record = catalog.ReleaseRecord{Name: release, SourceTable: c.Table("t").ID(), Database: "d", Table: "t", Method: "test", Columns: []string{"q", "s"}}
	p.Record.Write(w)
	return p
}

// elsewhere returns a bench whose releases may be in an engine with its own identity.
func elsewhere(t *testing.T) (*catalogtest.Bench, *catalogtest.Client, *catalog.Releases, *memoryEngine) {
	t.Helper()
	b := catalogtest.NewBench(t)
	r, c := b.Releases(), b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 1), (5, 2), (6, 4)")
	identity, err := b.Catalog.EngineIdentity(t.Context())
	if err != nil || len(identity) != 12 {
		t.Fatalf("the identity is %q, %v", identity, err)
	}
	m := &memoryEngine{name: "trino://here:1/lake/published", identity: identity, limit: 100, kept: make(map[string]*anonymize.Release)}
	if err := r.KeepIn(m); err != nil {
		t.Fatal(err)
	}
	return b, c, r, m
}

// TestRelationsMoveOnceAdmitted: relations move while nobody else publishes, and when no rule refuses the release any more: of two
// publications of a table that were both admitted at first, those of one move.
func TestRelationsMoveOnceAdmitted(t *testing.T) {
	_, c, r, m := elsewhere(t)
	full, moved := errors.New("the disk is full"), ""
	var admitted []*catalog.Admission
	for i, name := range []string{"failed", "p", "q"} {
		p := publicationElsewhere(c, m, name, m.identity+fmt.Sprint(i))
		p.Move = func(store func() error) error {
			moved += name + " "
			if !r.Publishing() {
				t.Errorf("%s moves while others may publish", name)
			}
			if name == "failed" {
				return full
			}
			return store()
		}
		a, err := r.Admit(c.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		admitted = append(admitted, a)
	}
	for i, want := range []string{full.Error(), "", `already has the public release "p"`} {
		_, err := r.Publish(c.Context(), admitted[i])
		c.Session.SessionEnd()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d: %v, want %q", i, err, want)
		}
	}
	if moved != "failed p " || r.HasPlace(m.identity+"0") || !r.HasPlace(m.identity+"1") {
		t.Errorf("moved are %q", moved)
	}
}

// TestReleasesElsewhere: a release whose relations an engine keeps is read from there, once, and dropping it drops them.
func TestReleasesElsewhere(t *testing.T) {
	b, c, r, m := elsewhere(t)
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"1"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := r.Find(c.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		release, err := p.Release(c.Context())
		if err != nil || release.Rows != 6 || release.Groups() != 2 {
			t.Fatalf("%+v, %v", release, err)
		}
	}
	if m.reads != 1 {
		t.Errorf("it was read %d times", m.reads)
	}
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"2"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(slices.Sorted(maps.Keys(m.kept))); got != "["+m.identity+"2]" {
		t.Errorf("after a publication in its place the engine has %s", got)
	}
	if !r.HasPlace(m.identity+"2") || r.HasPlace(m.identity+"1") {
		t.Error("the catalog names other places")
	}
	m.down = errors.New("the engine is down")
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
		t.Fatalf("DROP while the engine is down: %v", err)
	}
	m.down = nil
	ctx, cancel := context.WithCancel(t.Context())
	r.SweepWhenAsked(ctx, func(dropped []string, err error) {
		if len(dropped) != 1 || err != nil {
			t.Errorf("swept are %v, %v", dropped, err)
		}
		cancel()
	})
	c.Session.SessionEnd()
	b.Catalog.Close()
	if report := catalogtest.Checked(t, b.Dir); report.Err() != nil {
		t.Error(catalogtest.Findings(report))
	}
}

// TestLateTablesAreSwept: a statement whose connection was lost may create its table after the sweep.
func TestLateTablesAreSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &sharedEngine{memoryEngine: &memoryEngine{identity: "mine", kept: map[string]*anonymize.Release{}}}
		r := catalogtest.NewBench(t).Releases()
		if err := r.KeepIn(m); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go r.SweepWhenAsked(ctx, func([]string, error) {})
		for _, late := range []string{"mine1", "mine2"} {
			synctest.Wait()
			m.Lock()
			m.kept[late] = nil
			m.Unlock()
			time.Sleep(time.Hour)
			m.Lock()
			if len(m.kept) > 0 {
				t.Errorf("the engine still has %v", m.kept)
			}
			m.Unlock()
			r.AskSweep()
		}
		cancel()
	})
}

// TestReleasesOfAnotherEngine: unreadable releases are refused with the engine's name or the number of records, and stay listed.
func TestReleasesOfAnotherEngine(t *testing.T) {
	_, c, r, m := elsewhere(t)
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"1"); err != nil {
		t.Fatal(err)
	}
	other := &memoryEngine{name: "trino://there:1/lake/published", limit: 100}
	small, down := *m, *m
	small.limit, down.down = 5, errors.New("nobody listens")
	for want, store := range map[string]source.RelationStore{
		"in the engine trino://here:1/lake/published, and this server has trino://there:1": other,
		"and this server has none":           nil,
		"more than are read (--engine-rows)": &small,
		"nobody listens":                     &down,
	} {
		if err := r.KeepIn(store); err != nil {
			t.Fatal(err)
		}
		c.Session.ForgetOfStatement()
		p, err := r.Find(c.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Release(c.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
		if err := p.CheckCompletable(); (err != nil) != (store == source.RelationStore(&small)) { // for other releases the size is unknown
			t.Errorf("it cannot be completed: %v", err)
		}
	}
}

// TestTablesElsewhere: a release records how many completed tables its engine has. These are not in the file, and neither exists without the other.
func TestTablesElsewhere(t *testing.T) {
	_, c, r, m := elsewhere(t)
	drawn := func(w *source.Written) { w.Place.Tables = 12 }
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"1", drawn); err == nil || !strings.Contains(err.Error(), "both completed tables and their description") {
		t.Errorf("completed tables without a description: %v", err)
	}
}

// TestModelElsewhere: the model of a release in an engine is in the catalog, belongs to the release that is read, and spends its noise's epsilon.
func TestModelElsewhere(t *testing.T) {
	_, c, r, m := elsewhere(t)
	p := publicationElsewhere(c, m, "p", m.identity+"1")
	one := []anonymize.Category{{Low: anonymize.IntegerValue(1), High: anonymize.IntegerValue(6), Records: 6}}
	p.Record.Model = &anonymize.Model{Sensitive: "s", Categories: one, Tables: []anonymize.TwoWay{{Attribute: "q", Categories: one, Weight: anonymize.Weights{7}}},
		Epsilon: anonymize.MustRatio("1"), Scale: 2}
	if _, err := c.Store(r, p); err == nil || !strings.Contains(err.Error(), "spends its epsilon") {
		t.Errorf("noise that is in no ledger: %v", err)
	}
	p.Spends = &catalog.Spending{Sensitive: "s", Epsilon: anonymize.MustRatio("2")}
	if _, err := c.Store(r, p); err == nil || !strings.Contains(err.Error(), "its model 1 and 0 of s") {
		t.Errorf("another epsilon than the noise has: %v", err)
	}
	p.Spends.Epsilon = p.Record.Model.Epsilon
	if _, err := c.Store(r, p); err != nil {
		t.Fatal(err)
	}
	c.Serve(r)
	c.Want(shownEpsilon, "d|t|s|1|1|10")
	c.Want("SELECT * FROM published.p_model", "q|1 .. 6|1 .. 6|7")
	published, err := r.Named("p")
	if err != nil {
		t.Fatal(err)
	}
	if release, err := published.Release(c.Context()); err != nil || release.Model.Rows() != 6 {
		t.Errorf("the release that is read has the model %+v, %v", release.Model, err)
	}
}

// TestLimitThatBecomesSmaller: a release that was read and completed here answers from its completed tables, too, when the server starts with a smaller
// limit of what is read.
func TestLimitThatBecomesSmaller(t *testing.T) {
	_, c, r, m := elsewhere(t)
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"1"); err != nil {
		t.Fatal(err)
	}
	p, err := r.Named("p")
	if err != nil {
		t.Fatal(err)
	}
	drawn := anonymize.NewCompletion(m.kept[m.identity+"1"], [][][]uint16{{{0, 1, 2, 0, 1, 2}}, {{1, 0, 2, 2, 1, 0}}})
	if _, err := r.Complete(c.Context(), p, drawn, catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}); err != nil {
		t.Fatal(err)
	}
	c.Session.SessionEnd()
	c.Serve(r)
	const rows = "SELECT * FROM published.p_imputed"
	before, err := c.Try(rows)
	if err != nil {
		t.Fatal(err)
	}
	m.limit = 2
	if err := r.KeepIn(m); err != nil {
		t.Fatal(err)
	}
	if p, err = r.Named("p"); err != nil {
		t.Fatal(err)
	}
	tables, err := p.Completed(c.Context())
	if err != nil || tables == nil || p.IsLarge() || p.Record().Estimator() != catalog.Imputed {
		t.Errorf("with a smaller limit it has tables %v, %v; it is large: %v", tables, err, p.IsLarge())
	}
	c.Serve(r)
	if after, err := c.Try(rows); err != nil || len(before) != 12 || !slices.Equal(after, before) {
		t.Errorf("its completed tables were %q, are %q, %v", before, after, err)
	}
}

// TestRelationsInPages: the relations of a large release have the same rows as if read whole, and are read only as far as requested.
func TestRelationsInPages(t *testing.T) {
	_, c, r, m := elsewhere(t)
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"1"); err != nil {
		t.Fatal(err)
	}
	rows := func(name string, most int) string {
		t.Helper()
		table, ok, err := r.PublishedDatabase().GetTableInsensitive(c.Context(), name)
		if err != nil || !ok {
			t.Fatalf("%s: %v, %v", name, ok, err)
		}
		iter, err := table.PartitionRows(c.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer iter.Close(c.Context())
		text := ""
		for range most {
			row, err := iter.Next(c.Context())
			if errors.Is(err, io.EOF) {
				return text
			}
			if err != nil {
				return text + err.Error()
			}
			text += fmt.Sprintln(row...)
		}
		return text
	}
	const all = 100
	read := make(map[string]string)
	for _, name := range []string{"p_gid", "p_f0", "p_f1"} {
		read[name] = rows(name, all)
	}
	large := *m
	large.limit, large.reads = 5, 0
	if err := r.KeepIn(&large); err != nil {
		t.Fatal(err)
	}
	c.Session.ForgetOfStatement()
	for name, want := range read {
		if got := rows(name, all); got != want || strings.Count(got, "\n") < 2 {
			t.Errorf("%s has in pages\n%s, read at once\n%s", name, got, want)
		}
	}
	large.reads = 0
	if rows("p_f1", 1); large.reads != 1 {
		t.Errorf("one row took %d pages", large.reads)
	}
	record := large.kept[m.identity+"1"]
	record.Fragments[1] = &anonymize.Fragment{Name: record.Fragments[1].Name, GroupStart: []uint32{0}, Columns: record.Fragments[1].Columns}
	if got := rows("p_f1", all); !strings.Contains(got, "0 groups, published were 2") {
		t.Errorf("a relation that lost its groups: %s", got)
	}
}

// TestRangesElsewhere: a release with ranges is large if a relation has more rows than the limit, not if it has more records.
func TestRangesElsewhere(t *testing.T) {
	_, c, r, m := elsewhere(t)
	small := *m
	small.limit = 5
	if err := r.KeepIn(&small); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct {
		ranges bool
		rows   int // of the second relation
		large  bool
	}{"few": {true, 4, false}, "many": {true, 6, true}, "points": {false, 4, true}} {
		c.Session.ForgetOfStatement()
		record, err := publishElsewhere(c, r, m, "p", m.identity+name, func(w *source.Written) {
			w.Fragments[0].Columns[0].Ranges, w.Fragments[0].Tuples, w.Fragments[1].Tuples = of.ranges, 2, of.rows
		})
		if err != nil || record.Fragments[0].Columns[0].Point == of.ranges {
			t.Fatalf("%s: %+v, %v", name, record, err)
		}
		c.Session.ForgetOfStatement()
		p, err := r.Find(c.Context(), "p")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Release(c.Context()); p.IsLarge() != of.large || (err != nil) != of.large {
			t.Errorf("%s: large %v, read with %v", name, p.IsLarge(), err)
		}
	}
}

// TestCopiesDropNothing: a catalog restored from a backup, or from a copied file, reads the original's relations. It has another identity, so its
// sweeps and DROPs leave them.
func TestCopiesDropNothing(t *testing.T) {
	b, c, r, m := elsewhere(t)
	if _, err := publishElsewhere(c, r, m, "p", m.identity+"1"); err != nil {
		t.Fatal(err)
	}
	file, dir := filepath.Join(t.TempDir(), "backup"), t.TempDir()
	if _, err := maintenance.Backup(t.Context(), b.Dir, file, false, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := maintenance.Restore(t.Context(), file, dir, true, nil); err != nil {
		t.Fatal(err)
	}
	restored := &catalogtest.Bench{T: t, Dir: dir}
	restored.Open()
	defer func() { restored.Catalog.Close() }()
	identity, err := restored.Catalog.EngineIdentity(t.Context())
	if again, _ := restored.Catalog.EngineIdentity(t.Context()); err != nil || identity == m.identity || identity != again {
		t.Fatalf("the copy's identity is %q, then %q, the original's %q: %v", identity, again, m.identity, err)
	}
	beside := *m
	beside.identity = identity
	of, owner := restored.Releases(), restored.Client()
	if err := of.KeepIn(&beside); err != nil {
		t.Fatal(err)
	}
	p, err := of.Find(owner.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if release, err := p.Release(owner.Context()); err != nil || release.Rows != 6 {
		t.Errorf("the copy reads %v, %v", release, err)
	}
	ctx := owner.Context()
	if _, err := of.Drop(ctx, catalogtest.Named(t, of, "p")); err != nil {
		t.Fatal(err)
	}
	if _, err := beside.Sweep(t.Context(), of.HasPlace); err != nil || m.kept[m.identity+"1"] == nil {
		t.Errorf("the copy has dropped the original's relations: %v", err)
	}
	if warned := ctx.Session.Warnings(); len(warned) != 1 || !strings.Contains(warned[0].Message, "of which this one is a copy") {
		t.Errorf("the statement warns %v", warned)
	}
}

// A panickingEngine panics when it is swept first.
type panickingEngine struct {
	*memoryEngine
	sweeps int
}

func (e *panickingEngine) Sweep(ctx context.Context, kept func(string) bool) ([]string, error) {
	if e.sweeps++; e.sweeps == 1 {
		panic("out of cheese")
	}
	return e.memoryEngine.Sweep(ctx, kept)
}

// A panicking sweep is reported with its stack, and the next one is requested.
func TestSweepPanics(t *testing.T) {
	_, _, r, m := elsewhere(t)
	m.kept[m.identity+"1"] = nil
	if err := r.KeepIn(&panickingEngine{memoryEngine: m}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var told []string
	r.SweepWhenAsked(ctx, func(dropped []string, err error) {
		if err == nil {
			told = append(told, dropped...)
			cancel()
			return
		}
		told = append(told, strings.Split(err.Error(), "\n")[0])
		if !strings.Contains(err.Error(), "panickingEngine).Sweep") {
			t.Errorf("no stack: %v", err)
		}
		r.AskSweep()
	})
	if want := []string{"internal error: out of cheese", m.identity + "1"}; !slices.Equal(told, want) {
		t.Errorf("it told %q, want %q", told, want)
	}
}
