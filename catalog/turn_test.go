package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/source"
)

// A statement that waits until others have published ends when it is killed.
func TestWaitingToPublishEnds(t *testing.T) {
	_, r, c, g := fourRows(t)
	mustPublish(c, r, g, "p", nil)
	c.Run("DELETE FROM t WHERE q = 1")
	p, err := r.Find(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	pending, err := r.Changes(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	defer r.TakeTurn()()
	killed := errors.New("killed")
	ended, kill := context.WithCancelCause(t.Context())
	kill(killed)
	ctx := c.Context().WithContext(ended)
	for name, change := range map[string]func() error{
		"Drop":             func() error { _, err := r.Drop(ctx, catalogtest.Named(t, r, "p")); return err },
		"Refresh":          func() error { _, err := r.Refresh(ctx, pending, &catalog.Publication{}); return err },
		"Forget":           func() error { return r.Forget(ctx, pending) },
		"Complete":         func() error { _, err := r.Complete(ctx, p, nil, catalog.CompletionRecord{}); return err },
		"StoreEvaluations": func() error { return r.StoreEvaluations(ctx, p, nil) },
		"Import": func() error {
			_, err := r.Import(ctx, catalog.ReleaseRecord{}, &anonymize.Release{}, nil, false)
			return err
		},
	} {
		if err := change(); !errors.Is(err, killed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An askedEngine records whether relations are dropped while somebody holds the turn.
type askedEngine struct {
	*memoryEngine
	r          *catalog.Releases
	drops, bad int
}

func (a *askedEngine) Drop(ctx context.Context, p source.Place, f []source.Fragment) error {
	a.drops++
	if a.r.Publishing() {
		a.bad++
	}
	return a.memoryEngine.Drop(ctx, p, f)
}

// Nobody waits to publish while an engine drops relations.
func TestRelationsGoAfterTheTurn(t *testing.T) {
	_, c, r, m := elsewhere(t)
	asked := &askedEngine{memoryEngine: m, r: r}
	if err := r.KeepIn(asked); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"1", "2"} {
		if _, err := publishElsewhere(c, r, m, "p", m.identity+place); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil || len(m.kept) > 0 || asked.drops != 2 || asked.bad != 0 {
		t.Errorf("%v; %d of %d were dropped in the turn, the engine has %v", err, asked.bad, asked.drops, m.kept)
	}
}

// While an owner's server is asked about privileges, others can publish. A copy published meanwhile is recognised.
func TestPrivilegesAreAskedBeforeTheTurn(t *testing.T) {
	b := catalogtest.NewBench(t)
	c, other := b.Owner(), b.Client()
	other.Session.SetCurrentDatabase("d")
	var r *catalog.Releases
	asked, bad, meanwhile := 0, 0, func() {}
	r, err := catalog.OpenReleases(b.Catalog, func(_ *sql.Context, _, table string) bool {
		if asked++; r.Publishing() && table == "t" {
			bad++
		}
		meanwhile()
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	plain := func(*catalog.Publication) {}
	c.Run("CREATE TABLE t (q INT, s INT)", fillTable("t", 0), "CREATE TABLE u (q INT, s INT)", fillTable("u", 40001), "CREATE TABLE v (q INT, s INT)", fillTable("v", 90001),
		"CREATE TABLE copied AS SELECT * FROM v")
	for _, table := range []string{"t", "u"} {
		if _, err := publishRecords(c, r, table, table, plain); err != nil {
			t.Fatal(err)
		}
	}
	meanwhile = func() {
		meanwhile = func() {}
		if _, err := publishRecords(other, r, "copied", "copied", plain); err != nil {
			t.Error(err)
		}
	}
	_, err = publishRecords(c, r, "v", "v", plain)
	wantRefusal(t, err, "records of d.v are records of table d.copied")
	if asked == 0 || bad > 0 {
		t.Errorf("%d of %d questions were asked in the turn", bad, asked)
	}
}
