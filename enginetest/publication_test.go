package enginetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/testsize"
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

// killed is a table in a cluster of tests' own, with the schemas that a publication needs.
func killed(t *testing.T, c *Cluster) *publication.Table {
	t.Helper()
	for _, text := range []string{"CREATE SCHEMA raw", "CREATE SCHEMA private", "CREATE SCHEMA published",
		"CREATE TABLE raw.killed AS SELECT a * 1000 + b AS id, mod(b, 97) AS age, mod(a * 7 + b, 14) AS disease FROM UNNEST(sequence(0, 199)) AS x(a) CROSS JOIN UNNEST(sequence(0, 999)) AS y(b)"} {
		if _, err := c.Client.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return &publication.Table{Schema: "raw", Name: "killed", Columns: []publication.Column{{Name: "id", Type: "bigint"}, {Name: "age", Type: "bigint"}, {Name: "disease", Type: "bigint"}}}
}

// TestWorkerKilled: a worker goes while the engine gives records their groups. The attempt fails and leaves nothing, or it is whole; the next one
// is made by the worker that is left, when the coordinator knows. Another takes the place of the one that went, and the cluster has all its tables. In full sessions ask the
// engine to repeat tasks, too: the attempt is whole then.
func TestWorkerKilled(t *testing.T) {
	c := needOwn(t)
	table := killed(t, c)
	policies := []string{"NONE"}
	if testsize.All() {
		policies = append(policies, "TASK")
	}
	for _, policy := range policies {
		t.Run(policy, func(t *testing.T) { workerKilled(t, c, table, policy) })
		if err := c.Restore(); err != nil {
			t.Fatal(err)
		}
	}
	var records any
	err := c.Client.Query(t.Context(), "SELECT count(*) FROM raw.killed", func(v []any) error {
		records = v[0]
		return nil
	})
	if err != nil || records != int64(200_000) {
		t.Errorf("the table has %v records, %v, want 200000", records, err)
	}
}

// workerKilled is one of a session's retry policy.
func workerKilled(t *testing.T, c *Cluster, table *publication.Table, policy string) {
	target, err := engine.ParseURL(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	target.Session = map[string]string{"retry_policy": policy}
	client, err := engine.Open(target)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	g, gone := &gate{Conn: client}, make(chan struct{})
	g.before = func(text string) {
		if strings.Contains(text, "killed1_assigned") && strings.HasPrefix(text, "CREATE") {
			time.AfterFunc(300*time.Millisecond, func() {
				c.KillWorker()
				close(gone)
			})
			g.before = nil
		}
	}
	e := &publication.Engine{Conn: g, Dialect: dialect.Trino, Catalog: "iceberg", Private: "private", Published: "published"}
	publishKilled(t, e, table, policy == "TASK", func() {
		<-gone
		if err := c.Await(); err != nil { // until then the coordinator gives the worker that went tasks
			t.Fatal(err)
		}
	})
}

// publishKilled publishes while a worker dies, and once more when the coordinator has noticed.
func publishKilled(t *testing.T, e *publication.Engine, table *publication.Table, repeated bool, known func()) {
	t.Helper()
	p, err := e.NewPlan(t.Context(), publication.Request{Table: table, QuasiIdentifiers: []string{"age"}, Sensitive: "disease", Identifiers: []string{"id"}, L: 5})
	if err != nil {
		t.Fatal(err)
	}
	var whole []string
	for i, name := range []string{"killed1", "killed2"} {
		if i > 0 {
			known()
		}
		a, err := e.Assign(t.Context(), p, name, nil)
		t.Logf("attempt %s: %v", name, err)
		if err == nil {
			whole = append(whole, name)
			if _, err := a.Verify(t.Context(), 100); err != nil {
				t.Error(err)
			}
			defer a.Discard(context.WithoutCancel(t.Context()))
			continue
		}
		if repeated || name == "killed2" || !strings.Contains(err.Error(), "the engine at") {
			t.Errorf("attempt %s: %v", name, err)
		}
	}
	left, err := e.Sweep(t.Context(), func(name string) bool { return !slices.Contains(whole, name) }, func(string) bool { return false })
	if err != nil || len(left) > 0 {
		t.Errorf("the attempt that failed left %v, %v", left, err)
	}
}
