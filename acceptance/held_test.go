package acceptance

import (
	"runtime"
	"testing"
	"weak"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// A client that sent one query and is idle keeps no replaced version of a release in memory, and dropped tables leave
// nothing in the cache.
func TestSilentClientHoldsNothing(t *testing.T) {
	t.Parallel()
	var store *catalog.Catalog
	var published sql.Database
	s := servertest.Start(t, server.Config{Extend: func(host server.Host) (server.Extensions, error) {
		extensions, err := server.Product(host)
		store, published = host.Catalog, extensions.SystemDatabases[0]
		return extensions, err
	}})
	root := s.Open(t, servertest.Root)
	servertest.PublishVisits(t, root)
	silent := s.Connect(t, servertest.Root)
	one[float64](t, silent, "SELECT COUNT(*) FROM published.p WHERE disease = 'asthma'")
	table, ok, err := published.GetTableInsensitive(sql.NewEmptyContext(), "p")
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	version := weak.Make(table.(*catalog.PublishedView).Published())
	table = nil
	for _, statement := range []string{"SELECT COUNT(*) FROM clinic.visits", "CREATE TABLE clinic.other AS SELECT * FROM clinic.visits", "SELECT * FROM clinic.other WHERE disease = 'x'",
		"ALTER TABLE clinic.other ADD COLUMN more INT FIRST", "SELECT * FROM clinic.other WHERE more = 1", "CALL drop_release('p')", "DROP TABLE clinic.other", "DROP DATABASE clinic"} {
		run(t, root, statement)
	}
	if used, _ := store.CacheBytes(); used != 0 {
		t.Errorf("the cache holds %d bytes of what was dropped", used)
	}
	runtime.GC()
	runtime.GC()
	if version.Value() != nil {
		t.Error("a release that was dropped is in memory")
	}
	if n := one[int](t, silent, "SELECT 1"); n != 1 {
		t.Error(n)
	}
}
