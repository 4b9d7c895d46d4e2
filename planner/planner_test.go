package planner_test

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/anonsql/anonsql/planner"
	"github.com/anonsql/anonsql/planner/plannertest"
	"github.com/anonsql/anonsql/tree"
)

// Bound plans in, plans with estimates out: every file of testdata.
func TestScripts(t *testing.T) { plannertest.Run(t, "testdata") }

// The engine calls the rule again, for a whole plan and for parts of one: what is
// recognised stays as it is.
func TestRuleIsIdempotent(t *testing.T) {
	s := plannertest.Hospital(t)
	ctx, recognised, err := s.Plan("SELECT disease, COUNT(*) AS n FROM patients GROUP BY disease HAVING n > (SELECT COUNT(*) / 9 FROM patients)")
	if err != nil {
		t.Fatal(err)
	}
	tree.Inspect(recognised, func(n sql.Node) bool {
		again, same, err := planner.Rule(ctx, nil, n, nil, nil, nil)
		if err != nil || same != transform.SameTree || again.String() != n.String() {
			t.Errorf("%s\nbecomes\n%s, %v", n, again, err)
		}
		return true
	})
	if !strings.Contains(recognised.String(), "Estimate") {
		t.Errorf("no estimate in\n%s", recognised)
	}
}

// An aggregation without the projection that the binder puts above it: its columns are
// those of the aggregation, and one that is no key is refused.
func TestAggregationWithoutProjection(t *testing.T) {
	s := plannertest.Hospital(t)
	for query, refusal := range map[string]string{
		"SELECT disease, COUNT(*) FROM patients GROUP BY disease": "",
		"SELECT sex, COUNT(*) FROM patients GROUP BY disease":     "sex is neither aggregated nor in GROUP BY",
	} {
		ctx, bound, err := s.Bind(query)
		if err != nil {
			t.Fatal(err)
		}
		aggregation, ok := bound.Children()[0].(*plan.GroupBy)
		if !ok {
			t.Fatalf("%s is bound as\n%s", query, bound)
		}
		recognised, _, err := planner.Rule(ctx, nil, aggregation, nil, nil, nil)
		switch {
		case refusal != "":
			if err == nil || !strings.Contains(err.Error(), refusal) {
				t.Errorf("%s: %v, not an error that says %q", query, err, refusal)
			}
		case err != nil:
			t.Errorf("%s: %v", query, err)
		case len(recognised.Schema()) != len(aggregation.Schema()):
			t.Errorf("%s has the columns %v", query, recognised.Schema())
		}
	}
}

func TestIgnoresCase(t *testing.T) {
	for collation, want := range map[sql.CollationID]bool{
		sql.Collation_utf8mb4_0900_ai_ci: true, sql.Collation_utf8mb4_0900_as_cs: true, sql.Collation_utf8mb4_0900_bin: false,
		sql.Collation_binary: false, sql.Collation_Unspecified: false,
	} {
		if got := planner.IgnoresCase(collation); got != want {
			t.Errorf("IgnoresCase(%s) = %v", collation, got)
		}
	}
}
