package publication

import (
	"context"
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
)

// TestSparkPublishes: Spark's dialect forms anatomy's groups there, in one block and in several, and slppa's, and verifies them. The test provides
// the key, because Spark cannot make an unpredictable one.
func TestSparkPublishes(t *testing.T) {
	e := &Engine{Conn: enginetest.NeedSpark(t), Dialect: dialect.Spark, Catalog: "spark_catalog", Private: "private", Published: "published"}
	for _, schema := range []string{"raw", e.Private, e.Published} {
		run(t, e, "CREATE SCHEMA spark_catalog."+schema)
	}
	run(t, e, `CREATE TABLE spark_catalog.raw.people USING parquet AS SELECT id, CAST(17 + mod(id * 7, 40) AS INT) AS age, if(mod(id, 11) = 0, NULL, concat('it\'s "', mod(id, 9), '"')) AS `+"`the place`"+`,
CAST(mod(id, 50) AS DECIMAL(10,2)) / 4 AS pay, mod(id, 2) = 0 AS married, date_add(DATE'2020-01-01', CAST(mod(id, 90) AS INT)) AS since,
if(mod(id, 100) = 0, NULL, concat('d', mod(id * 31 + id DIV 7, 14))) AS disease FROM range(1, 2001)`)
	table := &Table{Schema: "raw", Name: "people", Columns: []Column{{"id", "bigint"}, {"age", "integer"}, {"the place", "varchar"}, {"pay", "decimal(13,2)"}, {"married", "boolean"},
		{"since", "date"}, {"disease", "varchar"}}}
	slppa := slppaRequest(table)
	slppa.Identifiers = []string{"id"}
	for name, r := range map[string]Request{"anatomy": request(table, 0), "blocks": request(table, 200), "slppa": slppa} {
		t.Run(name, func(t *testing.T) {
			if _, err := e.Assign(t.Context(), plan(t, e, r), name+"1", nil); err == nil {
				t.Error("Spark is said to have made a key")
			}
			a := assignWithKey(t, e, plan(t, e, r), name+"2")
			guarantees, err := a.Verify(t.Context(), 50)
			if err != nil || len(guarantees) == 0 {
				t.Errorf("%v, %v", guarantees, err)
			}
			if err := a.Discard(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// assignWithKey is Assign with a key of the test's.
func assignWithKey(t *testing.T, e *Engine, p *Plan, name string) *Attempt {
	t.Helper()
	a := &Attempt{engine: e, plan: p, name: name, schema: e.Published, source: assignedTable, rounds: -1}
	a.Fragments = a.planned()
	steps := []func(context.Context) error{func(ctx context.Context) error {
		return a.create(ctx, a.table(keyTable), nil, "SELECT unhex('00112233445566778899AABBCCDDEEFF00112233445566778899AABBCCDDEEFF') AS "+e.Dialect.Name("key"))
	}, a.uploadBlocks, a.makeOffsets, a.makeSizes, a.readSizes, a.assign}
	if p.merges() {
		steps = append(steps, a.merge)
	}
	for _, f := range a.Fragments {
		steps = append(steps, func(ctx context.Context) error { return a.write(ctx, f) })
	}
	for i, step := range steps {
		if err := step(t.Context()); err != nil {
			t.Fatal(fmt.Errorf("step %d: %w", i, err))
		}
	}
	return a
}
