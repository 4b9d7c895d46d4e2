package tables_test

import (
	"context"
	dbsql "database/sql"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/tables"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// A front is a server that has an engine.
type front struct {
	*servertest.Server
	home  *tables.Home
	asked *counter
	owner *dbsql.DB // root
}

// A counter counts the rows that an engine sends.
type counter struct {
	tables.Asker
	rows atomic.Int64
}

// Query implements tables.Asker.
func (c *counter) Query(ctx context.Context, text string, row func([]any) error) error {
	return c.Asker.Query(ctx, text, func(v []any) error {
		c.rows.Add(1)
		return row(v)
	})
}

// serve starts a server that queries an engine.
func serve(t *testing.T, url string, limit int) *front {
	t.Helper()
	target, err := engine.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	client, err := engine.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	f := &front{asked: &counter{Asker: client}}
	f.Server = servertest.Start(t, server.Config{Extend: server.Product, Distributed: func(host server.DistributedHost) source.Beside {
		f.home = &tables.Home{Asker: f.asked, Address: client.Address(), Catalog: target.Catalog, Store: host.Store, Privileges: host.Privileges, Limit: limit}
		return f.home
	}})
	f.owner = f.Open(t, servertest.Root)
	return f
}

// schema creates an empty schema in a cluster, and tables and views in it by statements.
func schema(t *testing.T, c *enginetest.Cluster, statements ...string) string {
	t.Helper()
	name := strings.ToLower(t.Name())
	for _, text := range append([]string{"DROP SCHEMA IF EXISTS " + name + " CASCADE", "CREATE SCHEMA " + name}, statements...) {
		text = strings.ReplaceAll(text, "SCHEMA.", name+".")
		if _, err := c.Client.Exec(context.Background(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return name
}

var tries, query, refused = servertest.Tries, servertest.Query, servertest.Refused
