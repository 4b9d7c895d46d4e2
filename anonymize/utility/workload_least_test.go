package utility

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Errors count of those queries alone whose actual answer is large enough, and are what
// they are without the bound.
func TestLeastAnswers(t *testing.T) {
	ctx, table := context.Background(), people(400)
	prepared := estimate.Prepare(release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.5"}))
	w := Workload{Queries: 300, Low: 1, High: 3, Seed: 1}
	a, err := attributesOf(prepared.Release(), table)
	if err != nil {
		t.Fatal(err)
	}
	queries, err := w.queries(ctx, a, nil, table.Rows)
	if err != nil {
		t.Fatal(err)
	}
	e := &evaluator{prepared: prepared, asker: newAsker(prepared.Release(), a), rows: table.Rows, kind: estimate.Count, uncorrected: 1}
	sum, large := 0.0, 0
	for _, q := range queries {
		o, err := e.ask(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		if q.actual(table.Rows)[estimate.Count] >= .02*float64(table.Rows) {
			sum += o.estimate
			large++
		}
	}
	w.Least = .02
	got, err := Evaluate(ctx, prepared, table, w, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if large < 20 || large > 280 || got.Zero != 300-large || math.Abs(got.Estimate.Mean-sum/float64(large)) > 1e-9 {
		t.Errorf("mean %g without %d queries, want %g of %d", got.Estimate.Mean, got.Zero, sum/float64(large), large)
	}
	for _, wrong := range []Workload{{Queries: 1, Low: 1, High: 1, Least: 1}, {Queries: 1, Low: 1, High: 1, Least: -.1}, {Queries: 1, Low: 1, High: 1, Least: .1, Of: "age"}} {
		var refused *anonymize.ParameterError
		if _, err := Evaluate(ctx, prepared, table, wrong, nil, nil); !errors.As(err, &refused) || refused.Parameter != "least" {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
