package enginetest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/engine/completion"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/estimates"
)

// twoRelations makes relations x0 and x1 of groups of five records, of one column of five values each, and returns what completes them in 8 draws.
func twoRelations(t *testing.T, c *Cluster, groups int) completion.Request {
	t.Helper()
	const values, draws = 5, 8
	fitted := &impute.Fitted{Sample: &anonymize.Release{}, Categories: 2 * values}
	r := completion.Request{Dialect: dialect.Trino, Largest: values, Fitted: fitted, Seed: "seed", Result: dialect.Trino.Name("iceberg", "completed", "result"),
		Table: func(name string) string { return dialect.Trino.Name("iceberg", "completed", "way_"+name) }}
	if _, err := c.Client.Exec(t.Context(), "CREATE SCHEMA completed"); err != nil {
		t.Fatal(err)
	}
	for f := range 2 {
		text := fmt.Sprintf("CREATE TABLE completed.x%d AS SELECT a * 10000 + b AS gid, x, BIGINT '1' AS count FROM UNNEST(sequence(0, %d)) AS p(a) "+
			"CROSS JOIN UNNEST(sequence(0, 9999)) AS q(b) CROSS JOIN UNNEST(sequence(0, %d)) AS v(x)", f, groups/10_000-1, values-1)
		if _, err := c.Client.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		column, category := &anonymize.FragmentColumn{Name: "x"}, make([]uint16, values)
		for v := range values {
			column.Dictionary, category[v] = append(column.Dictionary, anonymize.IntegerValue(int64(v))), uint16(f*values+v)
		}
		fitted.Category = append(fitted.Category, [][]uint16{category})
		fitted.Sample.Fragments = append(fitted.Sample.Fragments, &anonymize.Fragment{Columns: []*anonymize.FragmentColumn{column}})
		r.Relations = append(r.Relations, estimates.Relation{Path: []string{"iceberg", "completed", fmt.Sprintf("x%d", f)}, Columns: []estimates.Column{{Name: "x", Type: "bigint"}}})
	}
	for range draws {
		fitted.Theta = append(fitted.Theta, make([]float32, 4*values*values))
	}
	return r
}

// tablesLeft returns the tables of the schema besides the relations.
func tablesLeft(t *testing.T, c *Cluster) (names []string) {
	t.Helper()
	if err := c.Client.Query(t.Context(), "SHOW TABLES FROM completed", func(row []any) error {
		if name := fmt.Sprint(row[0]); !strings.HasPrefix(name, "x") {
			names = append(names, name)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

// TestWorkerKilledWhileCompleting: a worker dies while the engine draws completed tables. Either the statement fails and leaves no table, or the
// table is complete. The other worker can draw it again.
func TestWorkerKilledWhileCompleting(t *testing.T) {
	c := needOwn(t)
	const groups = 100_000
	r, gone := twoRelations(t, c, groups), make(chan struct{})
	g := &gate{Conn: c.Client}
	g.before = func(text string) {
		if strings.HasPrefix(text, "CREATE TABLE "+r.Result) {
			time.AfterFunc(2*time.Second, func() {
				c.KillWorker()
				close(gone)
			})
			g.before = nil
		}
	}
	r.Conn = g
	err := completion.Draw(t.Context(), r)
	t.Logf("while a worker goes: %v", err)
	<-gone
	if awaited := c.Await(); awaited != nil { // until then the coordinator gives the worker that went tasks
		t.Fatal(awaited)
	}
	if err != nil {
		if !strings.Contains(err.Error(), "the engine at") {
			t.Errorf("the error is %v", err)
		}
		if left := tablesLeft(t, c); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
		if err := completion.Draw(context.WithoutCancel(t.Context()), r); err != nil {
			t.Fatal(err)
		}
	}
	if left := tablesLeft(t, c); len(left) != 1 || left[0] != "result" {
		t.Errorf("left are %v", left)
	}
	var records, distinct any
	if err := c.Client.Query(t.Context(), "SELECT count(*), count(DISTINCT gid * 5 + f1c0d8) FROM "+r.Result, func(v []any) error {
		records, distinct = v[0], v[1]
		return nil
	}); err != nil || records != int64(5*groups) || distinct != int64(5*groups) {
		t.Errorf("the result has %v records with %v tuples, %v", records, distinct, err)
	}
	if err := c.Restore(); err != nil {
		t.Fatal(err)
	}
}
