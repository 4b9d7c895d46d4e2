package utility

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
	"github.com/anonsql/anonsql/testsize"
)

// Every query of the SUM workload has the actual sum that a walk over the rows
// gives, reads as many quasi-identifiers as asked, none of them the one that is
// added up, and is of the paper's form: a set of values, or one side of a value,
// or the value, or all but it.
func TestSumWorkload(t *testing.T) {
	table := peopleOfUnknownAges(400, 40)
	r := estimate.OfTable(table)
	a, err := attributesOf(r, table)
	if err != nil {
		t.Fatal(err)
	}
	a.quasi, a.sensitive = a.allColumns(), nil // OfTable has one role
	random := rand.New(rand.NewPCG(6, 7))
	forms := map[string]int{}
	for i := range 600 {
		of := table.Columns[0]
		if i%2 == 1 {
			of = nil // a query on age itself: only its form is looked at
		}
		q := a.predicates(random, 1, 3, of)
		want := 0.0
		for row := range table.Rows {
			all := true
			for _, w := range q.where {
				v := w.column.Value(row)
				all = all && w.keep[w.column.Codes[row]] && !v.IsNull()
			}
			if number, ok := table.Columns[0].Value(row).Number(); all && ok {
				want += number
			}
		}
		if of != nil {
			if got := q.actual(table.Rows)[1]; got != want {
				t.Fatalf("actual sum %v, row by row %v", got, want)
			}
		}
		seen := map[*anonymize.Column]bool{}
		for _, w := range q.where {
			if w.column == of || seen[w.column] {
				t.Fatalf("a query has two conditions on %s, or one on what is added up", w.column.Name)
			}
			seen[w.column] = true
			forms[formOf(t, w)]++
		}
	}
	for _, form := range []string{"set", "<", ">", "=", "<>", "<=", ">="} {
		if forms[form] < 10 {
			t.Errorf("%d predicates of the form %s: %v", forms[form], form, forms)
		}
	}
}

// formOf finds the operator of a predicate by what it keeps of the ascending
// numbers: "<" and "<=" differ by whether the first that is not kept is drawn,
// which cannot be seen, so they are told apart by being one of the two.
func formOf(t *testing.T, s selection) string {
	t.Helper()
	if !s.column.IsNumeric() {
		return "set"
	}
	kept, least, greatest := 0, math.Inf(1), math.Inf(-1)
	low, high, n := math.Inf(1), math.Inf(-1), 0
	for code, v := range s.column.Dictionary {
		x, ok := v.Number()
		if !ok {
			if s.keep[code] {
				t.Fatal("NULL is kept")
			}
			continue
		}
		n++
		low, high = min(low, x), max(high, x)
		if s.keep[code] {
			kept++
			least, greatest = min(least, x), max(greatest, x)
		}
	}
	switch {
	case kept == 1:
		return "="
	case kept == n-1:
		return "<>"
	case kept == 0:
		return "none"
	case least == low && kept%2 == 0:
		return "<"
	case least == low:
		return "<="
	case greatest == high && kept%2 == 0:
		return ">"
	case greatest == high:
		return ">="
	}
	t.Fatalf("%d of %d numbers from %v to %v are kept: no operator does that", kept, n, least, greatest)
	return ""
}

// A release that is the table has neither an error nor width; another one has
// both, and its bounds hold for every query.
func TestSumEvaluation(t *testing.T) {
	table := people(400)
	w := Workload{Queries: 200, Low: 2, High: 2, Of: "age", Seed: 4}
	e, err := Evaluate(context.Background(), estimate.Prepare(estimate.OfTable(table)), table, w, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e.Estimate.Mean > 1e-12 || e.Bounds.Mean > 1e-12 || e.Held != 1 || e.Zero == e.Queries {
		t.Errorf("the table itself: %+v", e)
	}
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	var last *Evaluation
	for range 2 {
		e, err = Evaluate(context.Background(), estimate.Prepare(r), table, w, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Held != 1 || e.Bounds.Median <= e.Estimate.Median || e.Estimate.Mean == 0 {
			t.Errorf("%+v", e)
		}
		if last != nil && fmt.Sprint(*last) != fmt.Sprint(*e) { // Coverage is NaN
			t.Errorf("the same seed gave %+v and %+v", last, e)
		}
		last = e
	}
	table.Columns[0].Codes[0] = (table.Columns[0].Codes[0] + 20) % uint32(len(table.Columns[0].Dictionary))
	e, err = Evaluate(context.Background(), estimate.Prepare(estimate.OfTable(people(400))), table, w, nil, nil)
	if err != nil || e.Held == 1 || e.Estimate.Mean == 0 {
		t.Errorf("a table that changed since: %+v, %v", e, err)
	}
}

func TestBadSumWorkloads(t *testing.T) {
	table := people(50)
	r := estimate.Prepare(release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.5", "tables": "2"}))
	for _, w := range []Workload{
		{Queries: 1, Low: 1, High: 1, Of: "sex"}, {Queries: 1, Low: 1, High: 1, Of: "nothing"},
		{Queries: 1, Low: 3, High: 3, Of: "age"}, // two are left
	} {
		if _, err := Evaluate(context.Background(), r, table, w, nil, nil); err == nil {
			t.Errorf("workload %+v was run", w)
		}
	}
	if e, err := Evaluate(context.Background(), r, table, Workload{Queries: 1, Low: 1, High: 9, Of: "AGE"}, nil, nil); err != nil || e.High != 2 {
		t.Errorf("%+v, %v", e, err)
	}
}

// SLPPA on Adult, three tables: SUM of two attributes over three random
// predicates. The bounds hold in every query, and the interval covers what a
// calibration on another workload promises.
func TestAdultSumWorkload(t *testing.T) {
	table := anontest.AdultComplete(t)
	r := three(t, table, append([]string{"race", "native_country"}, realQuasi...), "occupation")
	c, err := Calibrate(context.Background(), r, table, CalibrationOptions{Queries: testsize.Of(200, 0), Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	prepared := estimate.Prepare(r)
	for _, of := range []string{"age", "hours_per_week"} {
		e, err := Evaluate(context.Background(), prepared, table, Workload{Queries: testsize.Of(150, 1000), Low: 3, High: 3, Of: of, Seed: 3}, c.Widths, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("SUM(%s): estimate %+v, bounds %+v, held %v, %d of %d zero, coverage %.3f", of, e.Estimate, e.Bounds, e.Held, e.Zero, e.Queries, e.Coverage)
		if e.Held != 1 || e.Coverage < 0.90 || e.Estimate.Median > e.Bounds.Median {
			t.Errorf("SUM(%s): %+v", of, e)
		}
	}
}

// A SUM of a quasi-identifier that asks for no sensitive attribute is exact where the
// quasi-identifiers are together: with AndSensitive the error is one of estimates, and
// the intervals have a coverage.
func TestSumOfAQuasiIdentifierIsEstimated(t *testing.T) {
	table := people(600)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.34", "tables": "1"})
	widths := &interval.Widths{Count: 2, Sum: 2, Average: 2}
	of := func(w Workload) *Evaluation {
		t.Helper()
		e, err := Evaluate(context.Background(), estimate.Prepare(r), table, w, widths, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	w := Workload{Queries: 200, Low: 1, High: 2, Of: "age", Seed: 3}
	if e := of(w); e.Estimate.Mean > 1e-9 || !math.IsNaN(e.Coverage) {
		t.Errorf("without a sensitive attribute: %+v", e)
	}
	w.AndSensitive = true
	if e := of(w); e.Estimate.Mean == 0 || !(e.Coverage >= 0.8) || e.Held != 1 {
		t.Errorf("with one: %+v", e)
	}
	if _, err := (&Workload{Queries: 1, Low: 1, High: 1, Of: "age", AndSensitive: true}).check(&attributes{quasi: table.Columns[:2]}, table); err == nil || !strings.Contains(err.Error(), "sensitive attribute") {
		t.Errorf("a release without a sensitive attribute: %v", err)
	}
}
