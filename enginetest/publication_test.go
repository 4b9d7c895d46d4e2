package enginetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
)

// A gate is a Conn that does something before a statement.
type gate struct {
	engine.Conn
	before func(text string)
}

func (g *gate) Exec(ctx context.Context, text string) (int64, error) {
	if g.before != nil {
		g.before(text)
	}
	return g.Conn.Exec(ctx, text)
}

// TestWorkerKilled: a worker goes while the engine gives records their groups. The attempt fails and leaves nothing, or it is whole; the next one
// is made by the worker that is left.
func TestWorkerKilled(t *testing.T) {
	c := needOwn(t)
	g := &gate{Conn: c.Client}
	e := &publication.Engine{Conn: g, Dialect: dialect.Trino, Catalog: "iceberg", Private: "private", Published: "published"}
	for _, text := range []string{"CREATE SCHEMA raw", "CREATE SCHEMA private", "CREATE SCHEMA published",
		"CREATE TABLE raw.killed AS SELECT a * 1000 + b AS id, mod(b, 97) AS age, mod(a * 7 + b, 14) AS disease FROM UNNEST(sequence(0, 199)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)"} {
		if _, err := c.Client.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	table := &publication.Table{Schema: "raw", Name: "killed", Columns: []publication.Column{{Name: "id", Type: "bigint"}, {Name: "age", Type: "bigint"}, {Name: "disease", Type: "bigint"}}}
	p, err := e.NewPlan(t.Context(), publication.Request{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "disease", Identifiers: []string{"id"}, L: 5})
	if err != nil {
		t.Fatal(err)
	}
	g.before = func(text string) {
		if strings.Contains(text, "killed1_assigned") && strings.HasPrefix(text, "CREATE") {
			time.AfterFunc(300*time.Millisecond, c.KillWorker)
		}
	}
	_, err = e.Assign(t.Context(), p, "killed1", nil)
	g.before = nil
	defer func() {
		if err := c.Restore(); err != nil {
			t.Error(err)
		}
	}()
	t.Logf("the first attempt: %v", err)
	if err != nil && !strings.Contains(err.Error(), "the engine at") {
		t.Errorf("%v does not name the engine", err)
	}
	whole := err == nil
	again, err := e.Assign(t.Context(), p, "killed2", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Verify(t.Context(), 100); err != nil {
		t.Error(err)
	}
	all := func(string) bool { return true }
	swept, err := e.Sweep(t.Context(), all, func(name string) bool { return whole && name == "killed1" || name == "killed2" })
	if err != nil {
		t.Error(err)
	}
	for _, name := range swept {
		if !whole && strings.Contains(name, "killed1") {
			t.Errorf("the attempt that failed left %s", name)
		}
	}
}
