package catalog_test

import (
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// Measurements from before the second estimator belong to the first one, and have no width; current ones have both.
func TestEvaluationsOfEarlierVersions(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (q INT, s INT)", "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)")
	r := b.Releases()
	published, err := c.Store(r, splitPublication(c, splitRelease()))
	if err != nil {
		t.Fatal(err)
	}
	b.Store(`INSERT INTO evaluations (release_id, record) SELECT id, '{"Low":1,"High":2,"Queries":4,"Mean":0.5,"Zero":1,"Coverage":0.75}' FROM releases`)
	width := 0.25
	found, err := r.Find(c.Context(), published.Name)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.StoreEvaluations(c.Context(), found, []catalog.EvaluationRecord{{Estimator: catalog.Imputed, Low: 1, High: 2, Queries: 4, Mean: 0.125, Width: &width}}); err != nil {
		t.Fatal(err)
	}
	c.Serve(r)
	c.Want("SELECT qi, mean, zero_share, coverage, estimator, width FROM anonsql.evaluations", "1-2|0.5|0.25|0.75|independent|NULL 1-2|0.125|0|NULL|imputed|0.25")
}
