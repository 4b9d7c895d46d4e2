package publication

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// A gate is a Conn that counts statements, and does something before one.
type gate struct {
	engine.Conn
	statements atomic.Int64
	before     func(text string)
}

func (g *gate) Exec(ctx context.Context, text string) (int64, error) {
	g.statements.Add(1)
	if g.before != nil {
		g.before(text)
	}
	return g.Conn.Exec(ctx, text)
}

// made is true once the schemas exist.
var made atomic.Bool

// schemas begin the names of this test binary's: others use the cluster too.
var schemas = sync.OnceValue(func() string { return fmt.Sprintf("p%d", os.Getpid()) })

// open is the shared cluster, with schemas of tables, and a gate before it.
func open(t *testing.T) (*Engine, *gate, *enginetest.Cluster) {
	t.Helper()
	c := enginetest.Need(t)
	g := &gate{Conn: c.Client}
	return engineOf(t, g), g, c
}

// engineOf creates the schemas.
func engineOf(t testing.TB, conn engine.Conn) *Engine {
	t.Helper()
	e := &Engine{Conn: conn, Dialect: dialect.Trino, Catalog: "iceberg", Private: schemas() + "_private", Published: schemas() + "_published"}
	if !made.Swap(true) {
		for _, schema := range []string{schemas() + "_raw", e.Private, e.Published} {
			run(t, e, "CREATE SCHEMA iceberg."+schema)
		}
	}
	return e
}

// raw is the name of a raw table.
func raw(name string) string { return "iceberg." + schemas() + "_raw." + name }

func run(t testing.TB, e *Engine, text string) {
	t.Helper()
	if _, err := e.Conn.Exec(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// rows returns the rows of a query as text.
func rows(t *testing.T, e *Engine, text string) (list []string) {
	t.Helper()
	if err := e.Conn.Query(t.Context(), text, func(row []any) error {
		var values []string
		for _, v := range row {
			values = append(values, fmt.Sprint(v))
		}
		list = append(list, strings.Join(values, " "))
		return nil
	}); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return list
}

// people creates a table of n records with columns of many types, NULLs, and values that need quotes. The disease depends on the age.
func people(t testing.TB, e *Engine, name string, n int) *Table {
	t.Helper()
	run(t, e, "DROP TABLE IF EXISTS "+raw(name))
	run(t, e, fmt.Sprintf(`CREATE TABLE %s AS
WITH numbers AS (SELECT a * 1000 + b AS id FROM UNNEST(sequence(0, %d)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)),
hashed AS (SELECT id, from_big_endian_64(concat(X'00', substr(md5(to_big_endian_64(id)), 1, 7))) AS h, from_big_endian_64(concat(X'00', substr(md5(to_big_endian_64(id)), 8, 7))) AS g FROM numbers WHERE id < %d)
SELECT id, CAST(17 + mod(h, 64) AS integer) AS age, if(mod(h / 64, 50) = 0, NULL, concat('it''s "', CAST(mod(h / 64, 50) AS varchar), '"')) AS "the place",
  CAST(mod(h / 4096, 1000) AS decimal(10,2)) / 4 AS pay, mod(h / 8192, 2) = 0 AS married, date_add('day', CAST(mod(h / 65536, 365) AS integer), DATE '2020-01-01') AS since,
  if(mod(g, 100) = 0, NULL, concat('d', CAST(if(mod(g, 3) = 0, mod(mod(h, 64) / 6, 14), mod(g / 100, 14)) AS varchar))) AS disease FROM hashed`, raw(name), (n+999)/1000-1, n))
	return &Table{Schema: schemas() + "_raw", Name: name, Columns: []Column{{"id", "bigint"}, {"age", "integer"}, {"the place", "varchar"}, {"pay", "decimal(13,2)"}, {"married", "boolean"}, {"since", "date"}, {"disease", "varchar"}}}
}

// request requires five different diseases in each group.
func request(of *Table, block int64) Request {
	return Request{Table: of, QuasiIdentifiers: []string{"age", "the place", "pay", "married", "since"}, Sensitive: "disease", Identifiers: []string{"id"}, L: 5, Block: block}
}

func plan(t *testing.T, e *Engine, r Request) *Plan {
	t.Helper()
	p, err := e.NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func assign(t *testing.T, e *Engine, p *Plan, name string) *Attempt {
	t.Helper()
	a, err := e.Assign(t.Context(), p, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// ours are the tables of ours that the engine has.
func ours(t *testing.T, e *Engine) (names []string) {
	t.Helper()
	for _, schema := range []string{e.Private, e.Published} {
		for _, name := range rows(t, e, "SHOW TABLES FROM iceberg."+schema) {
			names = append(names, schema+"."+name)
		}
	}
	return names
}
