package catalog_test

import (
	"context"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// visits publishes a small release with units.
func visits(t *testing.T) (*catalogtest.Bench, *catalogtest.Client, *anonymize.Release) {
	t.Helper()
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (patient INT, sex VARCHAR(9), ward INT, illness VARCHAR(9))")
	r, release, table := b.Releases(), anontest.Visits(t), c.Table("t")
	if _, err := c.Store(r, visitsPublication(table.ID(), table.Database(), release, "patient")); err != nil {
		t.Fatal(err)
	}
	return b, c, release
}

func visitsPublication(table int64, database string, release *anonymize.Release, unit ...string) *catalog.Publication {
	return &catalog.Publication{Release: release, Record: catalog.ReleaseRecord{Name: "p", Method: "test", Columns: []string{"sex", "ward", "illness"},
		Unit: unit, SourceTable: table, Database: database, Table: "t"}}
}

// Numbers of units are stored, read again after a restart, handed to another process, and appear next to counts in the relations.
func TestUnitsAreStored(t *testing.T) {
	b, c, release := visits(t)
	b.ReopenWith(c)
	r := b.Releases()
	c.Serve(r)
	p := find(t, r, c.Context())
	if read, err := p.Release(c.Context()); err != nil || !reflect.DeepEqual(read, withoutMethod(release)) {
		t.Errorf("%+v, %v, stored was %+v", read, err, release)
	}
	if unit := p.Record().Unit; !slices.Equal(unit, []string{"patient"}) {
		t.Errorf("readers see the unit %q", unit)
	}
	c.Want("SELECT * FROM published.p_gid ORDER BY gid", "1|6|3 2|3|1")
	c.Want("SELECT * FROM published.p_sa ORDER BY gid, illness", "1|asthma|3|2 1|cold|2|2 1|flu|1|1 2|cold|1|1 2|flu|2|1")
	c.Want("SELECT gid, ward, units FROM published.p_qi1 WHERE sex = 'm' ORDER BY ward", "1|1|1 1|2|2")

	received, ctx := receive(t, c, r, func(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
		return r.HandPart(sql.NewContext(ctx), part, pass)
	})
	there := find(t, received, ctx)
	if read, err := there.Release(ctx); err != nil || !reflect.DeepEqual(read, withoutMethod(release)) {
		t.Errorf("handed over is %+v, %v, stored was %+v", read, err, release)
	}
	runtime.KeepAlive(there)
}

// withoutMethod is a release as it is stored: under the record's method.
func withoutMethod(r *anonymize.Release) *anonymize.Release {
	stored := *r
	stored.Method = "test"
	return &stored
}

// A check of the file finds numbers of units that are lost.
func TestUnitsAreInspected(t *testing.T) {
	b, c, _ := visits(t)
	b.Store("DELETE FROM release_parts WHERE kind = 'units'")
	c.Session.SessionEnd()
	if err := b.Catalog.Close(); err != nil {
		t.Fatal(err)
	}
	if text := catalogtest.Findings(catalogtest.Checked(t, b.Dir)); !strings.Contains(text, "release p") || !strings.Contains(text, "numbers of units") {
		t.Errorf("the check finds %q", text)
	}
}

// A release with units names their columns, and no other release does.
func TestUnitsAreNamed(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (patient INT, sex VARCHAR(9), ward INT, illness VARCHAR(9))")
	r, table := b.Releases(), c.Table("t")
	without := splitRelease()
	if _, err := c.Store(r, visitsPublication(table.ID(), table.Database(), without, "patient")); err == nil {
		t.Error("a release without units was stored with a unit")
	}
	if _, err := c.Store(r, visitsPublication(table.ID(), table.Database(), anontest.Visits(t))); err == nil {
		t.Error("a release with units was stored without a unit")
	}
}
