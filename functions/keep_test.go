package functions

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/leftovers"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
)

// A keeper is an owner's server whose tables are the catalog's.
type keeper struct {
	catalog *catalog.Catalog
	opened  func()          // before a table is opened
	kept    map[string]bool // marks of the tables of releases
	down    error
}

func (k *keeper) Table(ctx *sql.Context, database, table string) (source.Table, error) {
	k.opened()
	return k.catalog.Table(ctx, database, table)
}
func (k *keeper) TableByID(ctx *sql.Context, id int64) (source.Table, error) {
	return k.catalog.TableByID(ctx, id)
}
func (k *keeper) Holds(*sql.Context, string, string, ...sql.PrivilegeType) bool { return true }
func (k *keeper) Admit(*sql.Context, source.Kept, []string) error               { return k.down }
func (k *keeper) Keep(_ *sql.Context, of source.Kept, _ source.Table, _ []source.Relation) error {
	k.kept[of.Mark] = true
	return k.down
}
func (k *keeper) Rename(*sql.Context, source.Kept, []source.Relation, []source.Kept, func([]source.Move) error) (func(*sql.Context) error, error) {
	return func(*sql.Context) error { return k.down }, k.down
}
func (k *keeper) Discard(_ *sql.Context, of source.Kept, _ []string) error {
	if k.down == nil {
		delete(k.kept, of.Mark)
	}
	return k.down
}
func (k *keeper) Recover(ctx *sql.Context, of source.Kept, names []string, _ []source.Move) ([]string, error) {
	return names, k.Discard(ctx, of, names)
}
func (k *keeper) Upstream() string { return "there" }

// A keeperSession is one through the port for owners.
type keeperSession struct {
	*raw.Session
	home source.Source
}

func (s keeperSession) Source() source.Source { return s.home }

// through is the context of a statement of root's to an owner's server.
func (b *bench) through(of context.Context, k *keeper) *sql.Context {
	return sql.NewContext(of, sql.WithSession(keeperSession{b.session("root"), k}), sql.WithProcessList(b.engine.ProcessList))
}

func (b *bench) keeper() *keeper {
	b.environment.Leftovers = leftovers.ListIn(b.catalog)
	return &keeper{catalog: b.catalog, opened: func() {}, kept: make(map[string]bool)}
}

// A release is dropped before its tables on the owner's server: a published release has its tables, and tables that stay become leftovers.
func TestReleaseGoesBeforeItsTables(t *testing.T) {
	b := newBench(t)
	k := b.keeper()
	ctx := b.through(t.Context(), k)
	rows, err := b.environment.anonymize(ctx, "hospital.patients", "in_order", "qi=age,sex", "sa=disease", "publish=people", "store=upstream:shown")
	if err == nil {
		err = drained(ctx, rows)
	}
	if err != nil || len(k.kept) != 1 {
		t.Fatalf("%v; tables of %v", err, k.kept)
	}
	refused := errors.New("the writer's turn is another session's")
	settled := catalog.WithSettler(t.Context(), catalog.Settler{Settle: func(context.Context) error { return refused }})
	if _, err := b.environment.dropRelease(b.through(settled, k), "people"); !errors.Is(err, refused) || len(k.kept) != 1 {
		t.Errorf("a release that stays: %v; tables of %v", err, k.kept)
	}
	k.down = errors.New("the owner's server is down")
	if _, err := b.environment.dropRelease(ctx, "people"); err != nil {
		t.Fatal(err)
	}
	if warned := ctx.Session.Warnings(); len(warned) == 0 || !strings.Contains(warned[0].Message, "is down") {
		t.Errorf("it warns %v", warned)
	}
	if left, err := b.environment.Leftovers.ForServer("there"); len(left) != 1 || err != nil {
		t.Errorf("left are %v, %v", left, err)
	}
	k.down = nil
	if b.environment.dropLeftovers(ctx, k); len(k.kept) != 0 {
		t.Errorf("the next publication leaves tables of %v", k.kept)
	}
}

// A release does not follow a different table that takes the name of its own while following begins.
func TestFollowedTableIsExchanged(t *testing.T) {
	b := newBench(t)
	b.run("root", "CREATE TABLE hospital.others AS SELECT * FROM hospital.patients")
	k, exchanged := b.keeper(), false
	k.opened = func() {
		if b.triggers() > 0 && !exchanged {
			exchanged = true
			b.run("steward", "USE hospital; ALTER TABLE patients RENAME TO earlier; ALTER TABLE others RENAME TO patients")
		}
	}
	ctx := b.through(t.Context(), k)
	rows, err := b.environment.anonymize(ctx, "hospital.patients", "drasl", "k=4", "qi=age,sex", "sa=disease")
	if err == nil {
		err = drained(ctx, rows)
	}
	if told := (*mysql.SQLError)(nil); !errors.As(err, &told) || told.Num != raw.TableChanged || !exchanged {
		t.Errorf("got %v", err)
	}
	if rows := b.run("root", "SELECT name FROM anonsql.releases").lines(); len(rows) > 0 || b.triggers() > 0 {
		t.Errorf("there are %q, and %d triggers", rows, b.triggers())
	}
}
