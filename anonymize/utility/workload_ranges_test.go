package utility

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Every query over ranges keeps as many values of each attribute as its selectivity says,
// of numbers ones that follow each other, and none that are unknown; the sensitive
// attribute is one of them.
func TestRangeWorkload(t *testing.T) {
	table := peopleOfUnknownAges(400, 40)
	a, err := attributesOf(release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.5"}), table)
	if err != nil {
		t.Fatal(err)
	}
	const selectivity = 0.05
	random := rand.New(rand.NewPCG(6, 7))
	sizes, firsts := make(map[int]int), make(map[int]bool)
	for range 300 {
		q := a.ranges(random, 1, 3, selectivity)
		sizes[len(q.where)]++
		seen := make(map[*anonymize.Column]bool)
		for i, w := range q.where {
			first, last, kept := -1, -1, 0
			for code, keep := range w.keep {
				if !keep {
					continue
				}
				if kept++; first < 0 {
					first = code
				}
				last = code
				if w.column.Dictionary[code].IsNull() {
					t.Fatal("NULL satisfies a condition")
				}
			}
			if want := int(math.Ceil(math.Pow(selectivity, 1/float64(len(q.where))) * float64(len(a.domain(w.column))))); kept != want {
				t.Fatalf("%s keeps %d values in a query of %d, want %d", w.column.Name, kept, len(q.where), want)
			}
			if w.column.IsNumeric() {
				firsts[first] = true
				if last-first+1 != kept {
					t.Fatalf("the range from %d to %d keeps %d values", first, last, kept)
				}
			}
			if seen[w.column] || (w.column.Name == "disease") != (i == len(q.where)-1) {
				t.Fatalf("condition %d of %d is about %s", i, len(q.where), w.column.Name)
			}
			seen[w.column] = true
		}
	}
	if len(sizes) != 3 || sizes[2] < 50 || sizes[3] < 50 || sizes[4] < 50 || len(firsts) < 20 {
		t.Errorf("queries by their conditions: %v; ranges begin at %d places", sizes, len(firsts))
	}
}

// What a range query asks of a release is what it asks of the table: one fragment answers
// it exactly, with some queries that nobody satisfies. Few records fit few values.
func TestEvaluateRanges(t *testing.T) {
	table := people(300)
	r := estimate.OfTable(table)
	for _, selectivity := range []float64{0.0005, 0.5} {
		e, err := Evaluate(context.Background(), estimate.Prepare(r), table, Workload{Queries: 200, Low: 1, High: 4, Selectivity: selectivity, Seed: 3}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Estimate != (Distribution{}) || e.Held != 1 || e.Zero > 190 || (e.Zero > 0) != (selectivity < 0.1) {
			t.Errorf("selectivity %v: %+v", selectivity, e)
		}
	}
	for _, w := range []Workload{{Selectivity: 1}, {Selectivity: -0.1}, {Selectivity: math.NaN()}, {Selectivity: 0.1, Of: "age"}} {
		w.Queries, w.Low, w.High = 10, 1, 2
		var parameter *anonymize.ParameterError
		if _, err := Evaluate(context.Background(), estimate.Prepare(r), table, w, nil, nil); !errors.As(err, &parameter) || parameter.Parameter != "selectivity" {
			t.Errorf("%+v: %v", w, err)
		}
	}
}
