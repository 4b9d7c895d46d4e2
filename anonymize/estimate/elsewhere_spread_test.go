package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
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
			exact := kept(want).boxes != nil
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

// Standard errors and bounds of SUM and AVG, beside those of COUNT, are those of the release at hand to nine digits, where they are asked of
// conjunctions and arguments of one column; and of prices as of whole numbers.
func TestElsewhereSpreadsOfSums(t *testing.T) {
	random := rand.New(rand.NewPCG(83, 84))
	ran, negative, refused := 0, 0, 0
	for _, s := range sizings {
		for trial := range trials(40) {
			r := codedRelease(random, 100+random.IntN(150), 2+trial%2, s.draw)
			q := codedQuestion(random, r, true)
			least := int64(random.IntN(300))
			value := q.Leaves[q.Aggregates[1].Argument.Leaves[0]].Eval
			q.Leaves[q.Aggregates[1].Argument.Leaves[0]].Eval = func(v []anonymize.Value) (anonymize.Value, error) {
				if v[0].IsNull() {
					return v[0], nil
				}
				price, err := value(v)
				return anonymize.RealValue(float64(price.Int-least) / 4), err
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
			if _, err := away.StandardErrors(context.Background(), q, got); err != nil && strings.Contains(err.Error(), "more than 65536 combinations") {
				refused++
				continue
			}
			gotErrors, gotBounds := mustSpreads(t, away, q, got)
			wantErrors, wantBounds := mustSpreads(t, here, q, want)
			for i := range want.Rows {
				for a := range q.Aggregates {
					if diff := spreadsDiffer(gotErrors[i][a], wantErrors[i][a], gotBounds[i][a], wantBounds[i][a], false); diff != "" {
						t.Fatalf("%s, trial %d, key %v, aggregate %d: %s", s.name, trial, want.Rows[i].Keys, a, diff)
					}
				}
				if gotBounds[i][2].Low.Float < 0 {
					negative++
				}
			}
			if !want.Exact {
				ran++
			}
		}
	}
	if t.Logf("%d questions, %d figures with bounds below 0", ran, negative); ran < atLeast(150) || negative < atLeast(100) || refused > ran/50 {
		t.Errorf("only %d questions, %d figures with bounds below 0; %d were refused", ran, negative, refused)
	}
}

// Standard errors and bounds equal those of all tables of small releases.
func TestElsewhereSpreadsEqualEnumeration(t *testing.T) {
	random, looked := rand.New(rand.NewPCG(85, 86)), 0
	for trial := range trials(600) {
		r := randomRelease(random, false)
		q, plain := conjunction(random, r)
		p, _ := mustPrepareElsewhere(t, r)
		answer, err := p.AskWithSpread(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		deviations, bounds := mustSpreads(t, p, q, answer)
		tables := enumerateTables(r, plain)
		for i, row := range answer.Rows {
			e, ok := tables[fmt.Sprint(row.Keys)]
			if !ok {
				continue // no table has a record: the row of a question without keys
			}
			for a, m := range []moment{e.count, e.present, e.sum} {
				if row.Figures[a].IsNull() {
					continue
				}
				looked++
				if got := deviations[i][a].Float; math.Abs(got-math.Sqrt(max(0, m.variance))) > 1e-6 {
					t.Fatalf("trial %d key %v aggregate %d: standard error %v, enumerated %v", trial, row.Keys, a, got, math.Sqrt(m.variance))
				}
				if low, high := bounds[i][a].Low.Float, bounds[i][a].High.Float; math.Abs(low-m.low) > 1e-9 || math.Abs(high-m.high) > 1e-9 {
					t.Fatalf("trial %d key %v aggregate %d: bounds %v to %v, tables have %v to %v", trial, row.Keys, a, low, high, m.low, m.high)
				}
			}
			checkAverage(t, trial, row, deviations[i][3], bounds[i][3], e)
		}
	}
	if looked < atLeast(600) {
		t.Errorf("only %d figures were looked at", looked)
	}
}
