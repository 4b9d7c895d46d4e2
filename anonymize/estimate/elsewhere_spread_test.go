package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Standard errors and bounds of COUNTs are those of the kernels, to the last bit, and of the general path where groups are too large for them.
func TestElsewhereSpreadsOfCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(75, 76))
	ran, keyed := 0, 0
	for _, s := range sizings {
		for trial := range trials(40) {
			r := codedRelease(random, 150+random.IntN(150), 2+trial%2, s.draw)
			q := codedQuestion(random, r, false)
			if trial%2 == 0 {
				q.Leaves = append(q.Leaves, ValueOf(0, 0), ValueOf(1, 0))
				q.Keys = append(q.Keys, Expression{Leaves: []int{len(q.Leaves) - 2}})
				q.Aggregates = append(q.Aggregates, Aggregate{Kind: Count, Argument: &Expression{Leaves: []int{len(q.Leaves) - 1}}})
			}
			here := Prepare(r)
			away, _ := mustPrepareElsewhere(t, r)
			want, err := here.AskWithSpread(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := away.AskWithSpread(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			gotErrors, gotBounds := mustSpreads(t, away, q, got)
			wantErrors, wantBounds := mustSpreads(t, here, q, want)
			exact := want.scan != nil && want.scan.kernel != nil
			for i := range want.Rows {
				for a := range q.Aggregates {
					if diff := spreadsDiffer(gotErrors[i][a], wantErrors[i][a], gotBounds[i][a], wantBounds[i][a], exact); diff != "" {
						t.Fatalf("%s, trial %d, key %v, aggregate %d: %s", s.name, trial, want.Rows[i].Keys, a, diff)
					}
				}
			}
			if exact {
				ran++
				keyed += len(q.Keys)
			}
		}
	}
	if t.Logf("%d questions, %d with keys", ran, keyed); ran < atLeast(100) || keyed < atLeast(40) {
		t.Errorf("only %d questions were answered by a kernel, %d with keys", ran, keyed)
	}
}

func mustSpreads(t *testing.T, p *Prepared, q *Question, a *Answer) ([][]anonymize.Value, [][]Bound) {
	t.Helper()
	deviations, err := p.StandardErrors(context.Background(), q, a)
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := p.Bounds(context.Background(), q, a)
	if err != nil {
		t.Fatal(err)
	}
	return deviations, bounds
}

// spreadsDiffer compares a standard error and bounds, to the last bit or to nine digits of the variance.
func spreadsDiffer(got, want anonymize.Value, gotBound, wantBound Bound, exact bool) string {
	near := func(x, y anonymize.Value, power float64) bool {
		if exact || x.IsNull() || y.IsNull() {
			return x == y
		}
		a, b := math.Pow(x.Float, power), math.Pow(y.Float, power)
		return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b))
	}
	if !near(got, want, 2) || !near(gotBound.Low, wantBound.Low, 1) || !near(gotBound.High, wantBound.High, 1) {
		return fmt.Sprintf("standard error %v, bounds %v; want %v, %v", got, gotBound, want, wantBound)
	}
	return ""
}
