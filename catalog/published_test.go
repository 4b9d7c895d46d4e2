package catalog_test

import (
	"context"
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// A killed statement cannot check access to the raw table, and reports the kill, not a denial.
func TestKilledBeforeAccessIsKnown(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")
	r, err := catalog.OpenReleases(b.Catalog, func(ctx *sql.Context, _, table string) bool { return ctx.Err() == nil && table == "t" })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Publish(r, catalogtest.Grouping(3), "p", nil); err != nil {
		t.Fatal(err)
	}
	view, err := r.View(c.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	if err := view.CheckSourceAccess(c.Context()); err != nil {
		t.Error(err)
	}
	killed, kill := context.WithCancel(context.Background())
	ctx := sql.NewContext(killed, sql.WithSession(c.Session))
	kill()
	if err := view.CheckSourceAccess(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("access: %v", err)
	}
	if _, err := view.SourceMicrodata(ctx, []string{"q"}); !errors.Is(err, context.Canceled) {
		t.Errorf("microdata: %v", err)
	}
}
