package crossbucket

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// Fig. 7 with SA = age: the median of (upper - lower)/actual over SUM queries with
// three predicates. As printed it hardly moves with l, but at l = 4 Mondrian's is
// smaller; the search upwards is below both at every l.
func TestAdultSum(t *testing.T) {
	table := anontest.AdultComplete(t)
	in := adultInput(t, "age", 1)
	median := map[string]float64{}
	for _, l := range []int{4, 30} {
		for _, c := range []struct {
			name      string
			m         anonymize.Method
			arguments anonymize.Arguments
		}{
			{"bottomup", Method(), anonymize.Arguments{"k": "3"}},
			{"kd", Method(), anonymize.Arguments{"k": "3", "search": kd}},
			{"mondrian", mondrian.Method(), anonymize.Arguments{"k": "3", "mode": "strict"}},
		} {
			c.arguments["l"] = fmt.Sprint(l)
			in.Random = rand.NewPCG(uint64(l), 1)
			r, err := c.m.Run(context.Background(), in, c.arguments)
			if err != nil {
				t.Fatal(err)
			}
			e, err := utility.Evaluate(context.Background(), estimate.Prepare(r), table, utility.Workload{Queries: testsize.Of(60, 200), Low: 3, High: 3, Of: "age", Seed: 1}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			median[fmt.Sprint(c.name, l)] = e.Bounds.Median
			t.Logf("l = %2d %-8s bounds: median %6.2f, mean %7.1f; estimate: median %.3f; %d queries of sum 0", l, c.name, e.Bounds.Median, e.Bounds.Mean, e.Estimate.Median, e.Zero)
			if e.Held < 1 {
				t.Errorf("l = %d, %s: %.3f of the sums are within the bounds", l, c.name, e.Held)
			}
		}
	}
	if median["kd30"] > 1.2*median["kd4"] || median["bottomup30"] > 2*median["bottomup4"] || median["mondrian30"] < 5*median["mondrian4"] {
		t.Errorf("medians %v", median)
	}
	if median["mondrian4"] > median["kd4"] {
		t.Errorf("l = 4: medians %v", median)
	}
	for _, l := range []string{"4", "30"} {
		if median["bottomup"+l] > min(median["mondrian"+l], median["kd"+l]) {
			t.Errorf("l = %s: medians %v", l, median)
		}
	}
}
