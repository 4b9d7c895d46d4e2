package estimates

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
)

// In Trino: columns of all types that releases have, and the same questions.
func TestTrinoAnswersAsTheReleaseAtHand(t *testing.T) {
	c := enginetest.Need(t)
	schema := fmt.Sprintf("estimates%d", rand.Int32())
	exec := func(text string) {
		t.Helper()
		if _, err := c.Client.Exec(t.Context(), text); err != nil {
			t.Fatalf("%.300s: %v", text, err)
		}
	}
	exec("CREATE SCHEMA iceberg." + schema)
	random := rand.New(rand.NewPCG(95, 96))
	ways, spreads := map[estimate.Path]int{}, map[int]int{}
	for trial := range 2 {
		r := randomRelease(random, 130, 2+trial%2, allKinds)
		relations := relationsOf(r, "iceberg", schema, fmt.Sprintf("r%d", trial))
		for _, text := range inserts(random, dialect.Trino, r, relations, true) {
			exec(text)
		}
		shape, sizes := shapeOf(r)
		there, err := estimate.PrepareElsewhere(shape, sizes, &Store{Query: c.Client.Query, Dialect: dialect.Trino, Relations: relations, Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		here := estimate.Prepare(r)
		for range 8 {
			q := randomQuestion(random, r)
			ways[compare(t, here, there, q)]++
			spreads[compareSpreads(t, here, there, q, 4)]++
		}
		for _, relation := range relations {
			exec("DROP TABLE " + dialect.Trino.Name(relation.Path...))
		}
	}
	r, q := manyValues(random, allKinds[3], 2)
	relations := relationsOf(r, "iceberg", schema, "many")
	for _, text := range inserts(random, dialect.Trino, r, relations, true) {
		exec(text)
	}
	shape, sizes := shapeOf(r)
	there, err := estimate.PrepareElsewhere(shape, sizes, &Store{Query: c.Client.Query, Dialect: dialect.Trino, Relations: relations, Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	compareNear(t, estimate.Prepare(r), there, q)
	exec("DROP SCHEMA iceberg." + schema + " CASCADE")
	if t.Logf("questions by the way that the release at hand takes: %v; with spreads of none, of COUNTs and of all aggregates %v", ways, spreads); ways[estimate.KernelPath] < 5 || spreads[3] < 3 {
		t.Errorf("questions by the way that the release at hand takes: %v; with spreads of none, of COUNTs and of all aggregates %v", ways, spreads)
	}
}
