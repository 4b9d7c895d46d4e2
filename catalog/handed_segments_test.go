package catalog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/segment"
)

// completedRelease is a server with the release p of table t and its completed tables.
func completedRelease(t *testing.T) (*catalogtest.Client, *catalog.Releases) {
	t.Helper()
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
	r, release := b.Releases(), splitRelease()
	p := splitPublication(c, release)
	p.Completion, p.Record.Completion = splitCompletion(release), &catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}
	if _, err := c.Store(r, p); err != nil {
		t.Fatal(err)
	}
	c.Serve(r)
	return c, r
}

// receive hands over all releases; supply passes their parts.
func receive(t *testing.T, c *catalogtest.Client, r *catalog.Releases, supply catalog.Supply) (*catalog.Releases, *sql.Context) {
	t.Helper()
	store, err := catalog.InMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	received := catalog.ReceivedReleases(store, func(*sql.Context, string, string) bool { return true }, supply)
	if err := received.Receive(r.Hand(c.Context(), func(string) bool { return true })); err != nil {
		t.Fatal(err)
	}
	return received, sql.NewContext(context.Background(), sql.WithSession(store.NewSession(sql.NewBaseSession())))
}

func find(t *testing.T, r *catalog.Releases, ctx *sql.Context) *catalog.Published {
	t.Helper()
	p, err := r.Find(ctx, "p")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Two processes map the same segment. It is counted once, and has the published data.
func TestSegments(t *testing.T) {
	c, r := completedRelease(t)
	var files []os.FileInfo
	supply := func(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
		return r.HandPart(sql.NewContext(ctx), part, func(f *os.File) error {
			info, err := f.Stat()
			files = append(files, info)
			return errors.Join(err, pass(f))
		})
	}
	here := find(t, r, c.Context())
	want, err := here.Completed(c.Context())
	if err != nil {
		t.Fatal(err)
	}
	published, err := here.Release(c.Context())
	if err != nil {
		t.Fatal(err)
	}
	load := func() {
		received, ctx := receive(t, c, r, supply)
		p := find(t, received, ctx)
		release, err := p.Release(ctx)
		if err != nil || !reflect.DeepEqual(release, published) {
			t.Errorf("%+v, %v", release, err)
		}
		tables, err := p.Completed(ctx)
		if err != nil || !reflect.DeepEqual(tables.Completion(), want.Completion()) {
			t.Errorf("%+v, %v", tables, err)
		}
		runtime.KeepAlive(p)
	}
	load()
	counted, _ := c.Catalog.Cache().Bytes()
	load()
	if again, _ := c.Catalog.Cache().Bytes(); again != counted || len(files) != 4 || !os.SameFile(files[0], files[2]) || !os.SameFile(files[1], files[3]) {
		t.Errorf("%d segments, %d and %d bytes", len(files), counted, again)
	}
	c.Catalog.DropCache()
	load()
	if os.SameFile(files[0], files[4]) {
		t.Error("a segment that was dropped is passed on")
	}
}

// A segment of other tables than were handed over, and one of another part, are refused.
func TestSegmentsOfOthers(t *testing.T) {
	c, r := completedRelease(t)
	pass := func(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
		return r.HandPart(sql.NewContext(ctx), part, pass)
	}
	received, ctx := receive(t, c, r, pass)
	p := find(t, received, ctx)
	if _, err := p.Release(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Complete(c.Context(), find(t, r, c.Context()), splitCompletion(splitRelease()), catalog.CompletionRecord{Tables: 2, Estimator: catalog.Imputed}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Completed(ctx); !errors.Is(err, catalog.ErrHandedGone) {
		t.Errorf("tables that were drawn since: %v", err)
	}
	received, ctx = receive(t, c, r, func(ctx context.Context, part catalog.Part, use func(*os.File) error) error {
		part.Kind = (part.Kind + 1) % 3
		return pass(ctx, part, use)
	})
	if release, err := find(t, received, ctx).Release(ctx); !errors.Is(err, segment.ErrNoSegment) {
		t.Errorf("a segment of another part is %v, %v", release, err)
	}
}

// A segment stays mapped while a statement reads it, and disappears when its release is no longer handed over.
func TestSegmentsGo(t *testing.T) {
	c, r := completedRelease(t)
	var inode string
	received, ctx := receive(t, c, r, func(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
		return r.HandPart(sql.NewContext(ctx), part, func(f *os.File) error {
			info, err := f.Stat()
			inode = fmt.Sprintf(" %d ", info.Sys().(*syscall.Stat_t).Ino)
			return errors.Join(err, pass(f))
		})
	})
	mapped := func() bool {
		runtime.GC()
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(maps), inode)
	}
	release, err := find(t, received, ctx).Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "p")); err != nil {
		t.Fatal(err)
	}
	if err := received.Receive(nil); err != nil {
		t.Fatal(err)
	}
	if !mapped() || release.GroupSizes[1] != 2 {
		t.Error("what a statement reads is not mapped any more")
	}
	ctx.Session.(*raw.Session).ForgetOfStatement()
	for mapped() {
		runtime.Gosched()
	}
}
