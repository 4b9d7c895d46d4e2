package releases_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/releases"
	"github.com/anonsql/anonsql/engine/tables"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// A gate is a Conn that notes statements, and does something before one.
type gate struct {
	engine.Conn
	mu         sync.Mutex
	statements []string
	before     func(text string) error
	asks       func(ctx context.Context, text string) // before every query; nil for nothing
}

func (g *gate) note(text string) error {
	g.mu.Lock()
	g.statements = append(g.statements, text)
	before := g.before
	g.mu.Unlock()
	if before != nil {
		return before(text)
	}
	return nil
}

// Query implements engine.Conn.
func (g *gate) Query(ctx context.Context, text string, row func([]any) error) error {
	if err := g.note(text); err != nil {
		return err
	}
	g.mu.Lock()
	asks := g.asks
	g.mu.Unlock()
	if asks != nil {
		asks(ctx, text)
	}
	return g.Conn.Query(ctx, text, row)
}

// Exec implements engine.Conn.
func (g *gate) Exec(ctx context.Context, text string) (int64, error) {
	if err := g.note(text); err != nil {
		return 0, err
	}
	return g.Conn.Exec(ctx, text)
}

// heard are the statements since the last call.
func (g *gate) heard() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	heard := g.statements
	g.statements = nil
	return heard
}

// set has something done before every statement; an error of it is the statement's.
func (g *gate) set(before func(text string) error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.before = before
}

// A front is a server whose tables and releases are in an engine.
type front struct {
	*servertest.Server
	gate  *gate
	owner *dbsql.DB // root
}

// configured is a server's configuration with an engine at url. The schemas begin with a name.
func configured(t testing.TB, url, name string, limit int) (server.Config, *gate) {
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
	g := &gate{Conn: client}
	return server.Config{Extend: server.Product, MetricsListen: ":0", Distributed: func(host server.DistributedHost) source.Beside {
		return &releases.Home{
			Home: &tables.Home{Asker: g, Address: client.Address(), Catalog: target.Catalog, Store: host.Store, Privileges: host.Privileges, Limit: limit},
			Kept: releases.NewStore(releases.Options{Conn: g, Address: client.Address(), Catalog: target.Catalog, Private: name + "_private", Published: name + "_published",
				Identity: host.Identity, Limit: limit}),
			Trouble: client.Trouble,
		}
	}}, g
}

// serve starts a server.
func serve(t testing.TB, url, name string, limit int) *front {
	t.Helper()
	config, g := configured(t, url, name, limit)
	f := &front{Server: servertest.Start(t, config), gate: g}
	f.owner = f.Open(t, servertest.Root)
	return f
}

// schemas creates empty schemas in a cluster, for raw tables and for releases, and returns the name of the first.
func schemas(t testing.TB, c *enginetest.Cluster) string {
	t.Helper()
	name := fmt.Sprintf("%s%d", strings.ToLower(t.Name()), os.Getpid()) // others use the cluster too
	for _, schema := range []string{name, name + "_private", name + "_published"} {
		run(t, c, "CREATE SCHEMA "+schema)
		t.Cleanup(func() { run(t, c, "DROP SCHEMA "+schema+" CASCADE") })
	}
	return name
}

func run(t testing.TB, c *enginetest.Cluster, text string) {
	t.Helper()
	if _, err := c.Client.Exec(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// people makes a table of n records.
func people(t *testing.T, c *enginetest.Cluster, schema string, n int) {
	t.Helper()
	run(t, c, fmt.Sprintf(`CREATE TABLE %s.people AS
WITH numbers AS (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, %d)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)),
hashed AS (SELECT id, from_big_endian_64(concat(X'00', substr(md5(to_big_endian_64(id)), 1, 7))) AS h FROM numbers WHERE id < %d)
SELECT id, CAST(17 + mod(h, 64) AS integer) AS age, if(mod(h / 64, 50) = 0, NULL, concat('it''s "', CAST(mod(h / 64, 9) AS varchar), '"')) AS town,
  CAST(mod(h / 4096, 40) AS decimal(10,2)) / 4 AS pay, mod(h / 8192, 2) = 0 AS married, date_add('day', CAST(mod(h / 65536, 65) AS integer), DATE '2020-01-01') AS since,
  if(mod(h / 11, 100) = 0, NULL, concat('d', CAST(mod(h / 1100, 14) AS varchar))) AS disease FROM hashed`, schema, (n+999)/1000-1, n))
}

// left are the tables of ours that the engine has.
func left(t *testing.T, c *enginetest.Cluster, schema string) (names []string) {
	t.Helper()
	for _, part := range []string{"_private", "_published"} {
		if err := c.Client.Query(context.Background(), "SHOW TABLES FROM "+schema+part, func(row []any) error {
			names = append(names, fmt.Sprint(row[0]))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

var tries, query, refused = servertest.Tries, servertest.Query, servertest.Refused
