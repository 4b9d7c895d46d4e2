package releases_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// TestModelInTheEngine: a release in the engine has the same model and precision as one that is read; the ledger has its noise.
func TestModelInTheEngine(t *testing.T) {
	c := enginetest.Need(t)
	schema := schemas(t, c)
	people(t, c, schema, 6003)
	f := serve(t, c.URL, schema, 0)
	const call = "CALL anonymize('trino.%s.people', %s, 'qi=age,town,pay,married,since', 'sa=disease', 'private=true', 'publish=%s'%s)"
	query(t, f.owner, call, schema, "'anatomy', 'l=5'", "here", ", 'model=counts'")
	told := query(t, f.owner, "SELECT * FROM published.here_model ORDER BY attribute, value, sensitive_value")
	least := query(t, f.owner, "SELECT guarantee, achieved, detail FROM ANON_PRIVACY(here) WHERE guarantee = 'least_cell'")
	f.restart(t, c.URL, schema, 5000)
	methods := []string{"'slicing', 'l=3', 'fit=false'", "'slppa', 'beta=0.25', 'tables=2', 'fit=false'", "'anatomy', 'l=5'"}
	for _, method := range methods[testsize.Of(2, 0):] {
		query(t, f.owner, call, schema, method, "there", ", 'replace=true', 'model=counts'")
		if again := query(t, f.owner, "SELECT * FROM published.there_model ORDER BY attribute, value, sensitive_value"); !slices.Equal(again, told) || len(told) < 100 {
			t.Errorf("by %s the model has %d cells, read here %d, or others", method, len(again), len(told))
		}
		if again := query(t, f.owner, "SELECT guarantee, achieved, detail FROM ANON_PRIVACY(there) WHERE guarantee = 'least_cell'"); !slices.Equal(again, least) || len(least) != 1 {
			t.Errorf("the least cell is %q, read here %q", again, least)
		}
	}
	f.answersAlike(t, "here", "there", "age < 30 AND disease = 'd3'", "married AND disease = 'd5'", "pay < 4 AND disease = 'd8'")
	for i, release := range []string{"recipe_here", "recipe"} { // as published in README
		f.restart(t, c.URL, schema, []int{0, 5000}[i])
		query(t, f.owner, call, schema, "'anatomy', 'l=5', 'size=50'", release, ", 'model=counts'")
	}
	if promised := query(t, f.owner, "SELECT guarantee, required, holds FROM ANON_PRIVACY(recipe) WHERE holds IS NOT NULL"); len(promised) != 2 || promised[0] != "l|5|1" || promised[1] != "size|50|1" {
		t.Errorf("the engine recomputes %q", promised)
	}
	f.answersAlike(t, "recipe_here", "recipe", "age < 30 AND disease = 'd3'", "married AND disease = 'd5'", "pay < 4 AND disease = 'd8'")
	servertest.Exec(t, f.owner, "CALL set_attributes('trino."+schema+".people', 'epsilon_limit=1.5')")
	query(t, f.owner, call, schema, "'anatomy', 'l=5'", "noisy", ", 'model_epsilon=1', 'fit=false'")
	if spent := query(t, f.owner, "SELECT sa, releases, spent, epsilon_limit FROM anonsql.epsilon"); len(spent) != 1 || spent[0] != "disease|1|1|1.5" {
		t.Errorf("spent are %q", spent)
	}
	if noisy := query(t, f.owner, "SELECT COUNT(*), SUM(MOD(weight, 5) <> 0) > 0 FROM published.noisy_model"); noisy[0] != fmt.Sprintf("%d|1", len(told)) {
		t.Errorf("with noise there are %q cells, without %d", noisy, len(told))
	}
	refused(t, f.owner, 1210, "must be at most 0.5: ", call, schema, "'anatomy', 'l=5'", "noisier", ", 'model_epsilon=1', 'fit=false'")
	refused(t, f.owner, 30001, "no answer would read a model", call, schema, "'mondrian', 'k=5'", "ranges", ", 'model=counts'")
}

// answersAlike counts records of two releases, whose intervals must meet.
func (f *front) answersAlike(t *testing.T, here, there string, conditions ...string) {
	t.Helper()
	for _, where := range conditions {
		var estimate, half [2]float64
		for i, release := range []string{here, there} {
			row := query(t, f.owner, "SELECT COUNT(*), (ANON_INTERVAL_HIGH(COUNT(*)) - ANON_INTERVAL_LOW(COUNT(*))) / 2 FROM published.%s WHERE %s", release, where)[0]
			if _, err := fmt.Sscan(strings.ReplaceAll(row, "|", " "), &estimate[i], &half[i]); err != nil {
				t.Fatalf("%q: %v", row, err)
			}
		}
		if math.Abs(estimate[0]-estimate[1]) > half[0]+half[1] || estimate[1] <= 0 || half[1] > estimate[1] {
			t.Errorf("%s: %v here and %v in the engine, give or take %v", where, estimate[0], estimate[1], half)
		}
	}
}
