package catalog_test

import (
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// No error can follow the commit of a release, because the next snapshot is prepared before. Here the list of releases cannot be read again.
func TestNothingFailsBehindTheCommit(t *testing.T) {
	b, r, c, g := fourRows(t)
	plain := func(*catalog.Publication) {}
	mustPublish(c, r, g, "p", nil)
	c.Run("CREATE TABLE other (q INT, s INT)", "INSERT INTO other VALUES (11, 1), (12, 2), (13, 1)", "DELETE FROM t WHERE q = 1")
	if _, err := publishRecords(c, r, "other", "damaged", plain); err != nil {
		t.Fatal(err)
	}
	b.Store(`UPDATE releases SET record = json_set(record, '$.Rows', 'many') WHERE name = 'damaged'`)
	if record, err := publishRecords(c, r, "other", "damaged", inPlace); err != nil || record.Version != 2 {
		t.Errorf("in the place of the damaged one: %+v, %v", record, err)
	}
	b.Store(`UPDATE releases SET record = json_set(record, '$.Rows', 'many') WHERE name = 'damaged'`)
	c.Refresh(r, g, "p")
	wantReleases(t, c, r, "p_v1 damaged p ")
	if _, err := r.Drop(c.Context(), catalogtest.Named(t, r, "damaged")); err != nil {
		t.Error(err)
	}
	b.ReopenWith(c)
	wantReleases(t, c, b.Releases(), "p_v1 p ")
}

// wantReleases wants releases of these names, oldest first.
func wantReleases(t *testing.T, c *catalogtest.Client, r *catalog.Releases, want string) {
	t.Helper()
	names := ""
	for _, p := range r.All(c.Context()) {
		names += p.Record().Name + " "
	}
	if names != want {
		t.Errorf("the releases are %s, want %s", names, want)
	}
}
