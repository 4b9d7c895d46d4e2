package tables_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
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

// serve starts a server that asks an engine.
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

// schema makes an empty schema in a cluster, with tables and views by statements.
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

// tries returns rows, values joined by |.
func tries(db *dbsql.DB, statement string) (found []string, err error) {
	rows, err := db.Query(statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values := make([]dbsql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		texts := make([]string, len(columns))
		for i, v := range values {
			if texts[i] = v.String; !v.Valid {
				texts[i] = "NULL"
			}
		}
		found = append(found, strings.Join(texts, "|"))
	}
	return found, rows.Err()
}

// query is tries that must succeed.
func query(t *testing.T, db *dbsql.DB, format string, arguments ...any) []string {
	t.Helper()
	statement := fmt.Sprintf(format, arguments...)
	found, err := tries(db, statement)
	if err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
	return found
}

// refused wants an error of this number that has this text.
func refused(t *testing.T, db *dbsql.DB, number int, says, format string, arguments ...any) {
	t.Helper()
	statement := fmt.Sprintf(format, arguments...)
	if _, err := tries(db, statement); servertest.Number(err) != number || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want error %d with %q", statement, err, number, says)
	}
}
