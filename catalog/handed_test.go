package catalog_test

import (
	"context"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// What was handed over and is still there stays loaded; what is not handed over again is gone, and so is a private release from the first.
func TestReceivedReleases(t *testing.T) {
	c, r := twoPublicReleases(t)
	hand := func() []catalog.Handed { return r.Hand(c.Context(), func(string) bool { return true }) }
	store, err := catalog.InMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	parts := 0
	received := catalog.ReceivedReleases(store, func(*sql.Context, string, string) bool { return true }, func(ctx context.Context, part catalog.Part, visit func([]byte) error) error {
		parts++
		return r.HandPart(sql.NewContext(ctx), part, visit)
	})
	if err := received.Receive(hand()); err != nil {
		t.Fatal(err)
	}
	ctx := sql.NewContext(context.Background(), sql.WithSession(store.NewSession(sql.NewBaseSession())))
	names := func() (list string) {
		store.SessionOf(ctx).ForgetOfStatement()
		for _, p := range received.All(ctx) {
			list += p.Record().Name
		}
		return list
	}
	if got := names(); len(got) != 2 || got == "tv" || got == "uv" {
		t.Fatalf("received %q, want t and u", got)
	}
	load := func(name string) *catalog.Published {
		p, err := received.Find(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		release, err := p.Release(ctx)
		if err != nil || release.Rows != 3 {
			t.Fatalf("%s: %v, %v", name, release, err)
		}
		return p
	}
	load("t")
	running := load("u")
	asked := parts
	if _, err := r.Drop(c.Context(), "u"); err != nil {
		t.Fatal(err)
	}
	if err := received.Receive(hand()); err != nil {
		t.Fatal(err)
	}
	if got := names(); got != "t" {
		t.Errorf("after a drop: %q", got)
	}
	if load("t"); parts != asked {
		t.Errorf("what was loaded was asked for again, %d parts", parts-asked)
	}
	if _, err := running.Release(ctx); err == nil {
		t.Error("a dropped release is still in memory")
	}
}

// twoPublicReleases are t and u, and v is a private one. Nobody may read their tables.
func twoPublicReleases(t *testing.T) (*catalogtest.Client, *catalog.Releases) {
	t.Helper()
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)", "CREATE TABLE u (q INT, s INT)", "INSERT INTO u VALUES (1, 1), (2, 2), (3, 7)",
		"CREATE TABLE v (q INT, s INT)", "INSERT INTO v VALUES (4, 1), (2, 2), (3, 7)")
	reads := true
	r, err := catalog.OpenReleases(c.Catalog, func(*sql.Context, string, string) bool { return reads })
	if err != nil {
		t.Fatal(err)
	}
	for table, private := range map[string]bool{"t": false, "u": false, "v": true} {
		if _, err := publishRecords(c, r, table, table, func(p *catalog.Publication) { p.Record.Private = private }); err != nil {
			t.Fatal(err)
		}
	}
	reads = false
	return c, r
}
