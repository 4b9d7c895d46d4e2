package catalog_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/raw"
)

// Receive keeps what is loaded of releases that remain, and what a statement reads. Other releases disappear; a private one never comes.
func TestReceivedReleases(t *testing.T) {
	c, r := threePublicReleases(t)
	hand := func() []catalog.Handed { return r.Hand(c.Context(), func(string) bool { return true }) }
	parts := 0
	received, ctx := receive(t, c, r, func(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
		parts++
		return r.HandPart(sql.NewContext(ctx), part, pass)
	})
	names := func() (list string) {
		ctx.Session.(*raw.Session).ForgetOfStatement()
		for _, p := range received.All(ctx) {
			list += p.Record().Name
		}
		return list
	}
	if got := names(); len(got) != 3 || strings.Contains(got, "v") {
		t.Fatalf("received %q, want t, u and w", got)
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
	running, asked := load("u"), parts
	unread, err := received.Find(ctx, "w")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"u", "w"} {
		if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, name)); err != nil {
			t.Fatal(err)
		}
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
	if release, err := running.Release(ctx); err != nil || release.Rows != 3 || parts != asked {
		t.Errorf("a dropped release that a statement reads: %v, %v", release, err)
	}
	if _, err := unread.Release(ctx); !errors.Is(err, catalog.ErrHandedGone) {
		t.Errorf("a dropped release that nobody has read: %v", err)
	}
}

// threePublicReleases are t, u and w, and v is a private one. Nobody may read their tables.
func threePublicReleases(t *testing.T) (*catalogtest.Client, *catalog.Releases) {
	t.Helper()
	c := catalogtest.NewBench(t).Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)", "CREATE TABLE u (q INT, s INT)", "INSERT INTO u VALUES (1, 1), (2, 2), (3, 7)",
		"CREATE TABLE v (q INT, s INT)", "INSERT INTO v VALUES (4, 1), (2, 2), (3, 7)", "CREATE TABLE w (q INT, s INT)", "INSERT INTO w VALUES (5, 1), (2, 9), (3, 7)")
	reads := true
	r, err := catalog.OpenReleases(c.Catalog, func(*sql.Context, string, string) bool { return reads })
	if err != nil {
		t.Fatal(err)
	}
	for table, private := range map[string]bool{"t": false, "u": false, "v": true, "w": false} {
		if _, err := publishRecords(c, r, table, table, func(p *catalog.Publication) { p.Record.Private = private }); err != nil {
			t.Fatal(err)
		}
	}
	reads = false
	return c, r
}
