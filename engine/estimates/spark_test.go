package estimates

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/enginetest"
)

// TestSparkAnswersAsTheReleaseAtHand: in Spark, the same questions.
func TestSparkAnswersAsTheReleaseAtHand(t *testing.T) {
	spark := enginetest.NeedSpark(t)
	exec := func(text string) {
		t.Helper()
		if _, err := spark.Exec(t.Context(), text); err != nil {
			t.Fatalf("%.300s: %v", text, err)
		}
	}
	exec("CREATE SCHEMA spark_catalog.published")
	random := rand.New(rand.NewPCG(95, 96))
	r := randomRelease(random, 130, 2, kinds)
	relations := relationsOf(r, "spark_catalog", "published", "r")
	for _, text := range inserts(random, dialect.Spark, r, relations, false) {
		if strings.HasPrefix(text, "CREATE") {
			text = strings.ReplaceAll(text, " varchar", " string") + " USING parquet"
		}
		exec(text)
	}
	shape, sizes := shapeOf(r)
	there, err := estimate.PrepareElsewhere(shape, sizes, &Store{Query: spark.Query, Dialect: dialect.Spark, Relations: relations, Sizes: sizes})
	if err != nil {
		t.Fatal(err)
	}
	here := estimate.Prepare(r)
	ways := map[estimate.Path]int{}
	for range 6 {
		q := randomQuestion(random, r)
		ways[compare(t, here, there, q)]++
		compareSpreads(t, here, there, q, 4)
	}
	if ways[estimate.KernelPath] < 2 {
		t.Errorf("questions by the way that the release at hand takes: %v", ways)
	}
}
