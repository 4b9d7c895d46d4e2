package utility

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/interval"
)

// shuffled completes a release by matchings without any model.
func shuffled(r *anonymize.Release, tables int) *anonymize.Completion {
	random := rand.New(rand.NewPCG(9, 9))
	places := make([][][]uint16, tables)
	for d := range places {
		places[d] = make([][]uint16, len(r.Fragments)-1)
		for j := range places[d] {
			for _, size := range r.GroupSizes {
				for _, place := range random.Perm(int(size)) {
					places[d][j] = append(places[d][j], uint16(place))
				}
			}
		}
	}
	return anonymize.NewCompletion(r, places)
}

// rowsOf is completed table d as an ordinary table.
func rowsOf(t *testing.T, r *anonymize.Release, c *anonymize.Completion, d int) *anonymize.Microdata {
	t.Helper()
	var columns []*anonymize.Column
	for j, f := range r.Fragments {
		var tuples []uint32 // by record in the order of publication
		for tuple, n := range f.Count {
			for range n {
				tuples = append(tuples, uint32(tuple))
			}
		}
		first := 0
		rows := make([]uint32, 0, r.Rows)
		for _, size := range r.GroupSizes {
			for i := range int(size) {
				place := i
				if j > 0 {
					place = int(c.Narrow[d][j-1][first+i])
				}
				rows = append(rows, tuples[first+place])
			}
			first += int(size)
		}
		for _, column := range f.Columns {
			values := make([]anonymize.Value, r.Rows)
			for row, tuple := range rows {
				values[row] = column.Dictionary[column.Codes[tuple]]
			}
			columns = append(columns, anonymize.NewColumn(column.Name, column.Type, values))
		}
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The evaluation of completed tables is that of their figures one by one, asked of each
// as a plain table, with Rubin's rules by hand.
func TestEvaluateCompletedByHand(t *testing.T) {
	const tables, quantile = 4, 3.18245 // of Student's t with 3 degrees of freedom at .975
	table := people(400)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	completion := shuffled(r, tables)
	prepared := estimate.Prepare(r)
	c, err := prepared.WithTables(t.Context(), completion)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []Workload{{Queries: 150, Low: 1, High: 3, Seed: 4}, {Queries: 80, Low: 1, High: 2, Of: "age", AndSensitive: true, Seed: 5}} {
		got, err := EvaluateCompleted(context.Background(), c, table, w, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var plain []*estimate.Prepared
		for d := range tables {
			plain = append(plain, estimate.Prepare(estimate.OfTable(rowsOf(t, r, completion, d))))
		}
		want := byHand(t, w, table, prepared, plain, quantile)
		if far(got.Estimate.Mean, want.Estimate.Mean) || far(got.Estimate.Median, want.Estimate.Median) || far(got.Estimate.P95, want.Estimate.P95) ||
			far(got.Coverage, want.Coverage) || far(got.Width, want.Width) || got.Zero != want.Zero || got.Held != 1 || got.Uncorrected != nil {
			t.Errorf("%+v: got %+v, by hand %+v", w, got, want)
		}
		// The other estimator is asked the same questions.
		other, err := Evaluate(context.Background(), prepared, table, w, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if other.Bounds != got.Bounds || other.Zero != got.Zero || other.Of != got.Of || other.Estimate == got.Estimate || !math.IsNaN(other.Width) {
			t.Errorf("the estimators were not compared on the same questions: %+v and %+v", other, got)
		}
	}
}

func far(x, y float64) bool { return math.Abs(x-y) > 1e-4*max(1, math.Abs(y)) }

// figureOf asks a plain table, or a release.
func figureOf(t *testing.T, p *estimate.Prepared, a *attributes, q query, kind estimate.Kind) (float64, *estimate.Question, *estimate.Answer) {
	t.Helper()
	question := newAsker(p.Release(), a).question(q, kind)
	answer, err := p.Ask(context.Background(), question)
	if err != nil {
		t.Fatal(err)
	}
	figure, _ := answer.Rows[0].Figures[0].Number()
	return figure, question, answer
}

func byHand(t *testing.T, w Workload, table *anonymize.Microdata, release *estimate.Prepared, plain []*estimate.Prepared, quantile float64) *Evaluation {
	t.Helper()
	ctx := context.Background()
	a, err := attributesOf(release.Release(), table)
	if err != nil {
		t.Fatal(err)
	}
	of, err := w.check(a, table)
	if err != nil {
		t.Fatal(err)
	}
	kind := estimate.Count
	if of != nil {
		kind = estimate.Sum
	}
	queries, err := w.queries(ctx, a, of, table.Rows)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []queryOutcome
	for _, q := range queries {
		var figures []float64
		mean, between := 0.0, 0.0
		for _, p := range plain {
			figure, _, _ := figureOf(t, p, a, q, kind)
			figures = append(figures, figure)
			mean += figure / float64(len(plain))
		}
		for _, figure := range figures {
			between += (figure - mean) * (figure - mean) / float64(len(plain)-1)
		}
		_, question, answer := figureOf(t, release, a, q, kind)
		bounds, err := release.Bounds(ctx, question, answer)
		if err != nil {
			t.Fatal(err)
		}
		half := quantile * math.Sqrt((1+1/float64(len(plain)))*between)
		if kind == estimate.Count && between == 0 {
			half = 1
		}
		least, _ := bounds[0][0].Low.Number()
		greatest, _ := bounds[0][0].High.Number()
		low, high := max(mean-half, least), min(mean+half, greatest)
		actual := q.actual(table.Rows)[kind]
		o := queryOutcome{estimate: -1, bounds: -1, half: -1, held: true, measured: !answer.Exact, inside: low <= actual+1e-6 && actual <= high+1e-6}
		if actual != 0 {
			o.estimate, o.bounds = math.Abs(actual-mean)/math.Abs(actual), (greatest-least)/math.Abs(actual)
			if o.measured {
				o.half = (high - low) / 2 / math.Abs(actual)
			}
		}
		outcomes = append(outcomes, o)
	}
	return summarize(w, outcomes, false)
}

// Answers that are exact have no error, and no interval whose coverage would count.
func TestEvaluateCompletedExactly(t *testing.T) {
	table := people(200)
	r := estimate.OfTable(table) // one fragment: its table is the release
	c, err := estimate.Prepare(r).WithTables(t.Context(), shuffled(r, 3))
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []Workload{{Queries: 50, Low: 1, High: 3, Seed: 1}, {Queries: 50, Low: 1, High: 2, Seed: 1, Of: "age", Average: true}} {
		e, err := EvaluateCompleted(context.Background(), c, table, w, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e.Estimate.P95 > 1e-12 || !math.IsNaN(e.Coverage) || !math.IsNaN(e.Width) || e.Average != w.Average {
			t.Errorf("exact answers were evaluated as %+v", e)
		}
	}
}

// The queries of AVG are those of SUM; errors are relative to the average of the records, one by one.
func TestEvaluateAverages(t *testing.T) {
	table, w := people(400), Workload{Queries: 60, Low: 1, High: 2, Of: "age", Average: true, AndSensitive: true, Seed: 5}
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	c, err := estimate.Prepare(r).WithTables(t.Context(), shuffled(r, 4))
	if err != nil {
		t.Fatal(err)
	}
	got, err := EvaluateCompleted(t.Context(), c, table, w, interval.Unmeasured(.3), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := EvaluateCompleted(t.Context(), c, table, w, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	errors, _ := averagesByHand(t, c, table, w)
	want := distribution(errors)
	if far(got.Estimate.Mean, want.Mean) || far(got.Estimate.Median, want.Median) || got.Zero != w.Queries-len(errors) || got.Of != "age" || !got.Average {
		t.Errorf("averages were evaluated as %+v, by hand %+v of %d", got, want, len(errors))
	}
	if !(got.Width > narrow.Width) || got.Coverage < narrow.Coverage {
		t.Errorf("with a misfit %v of averages are inside %v, without %v inside %v", got.Coverage, got.Width, narrow.Coverage, narrow.Width)
	}
}

// averagesByHand are the relative errors of completed tables' averages, and how many of these are NULL where the table has one.
func averagesByHand(t *testing.T, c *estimate.Completed, table *anonymize.Microdata, w Workload) (errors []float64, nulls int) {
	t.Helper()
	r := c.Prepared().Release()
	a, err := attributesOf(r, table)
	if err != nil {
		t.Fatal(err)
	}
	of, err := w.check(a, table)
	if err != nil {
		t.Fatal(err)
	}
	queries, err := w.queries(t.Context(), a, of, table.Rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range queries {
		sum, n := 0.0, 0.0
		for record := range table.Rows {
			kept := true
			for _, s := range q.where {
				kept = kept && s.keep[s.column.Codes[record]]
			}
			if age, ok := of.Dictionary[of.Codes[record]].Number(); kept && ok {
				sum, n = sum+age, n+1
			}
		}
		if n == 0 {
			continue
		}
		answer, err := c.Ask(t.Context(), newAsker(r, a).question(q, estimate.Average))
		if err != nil {
			t.Fatal(err)
		}
		figure, ok := answer.Rows[0].Figures[0].Number()
		if !ok {
			nulls++
			continue
		}
		errors = append(errors, math.Abs(figure-sum/n)/(sum/n))
	}
	return errors, nulls
}

// An AVG of which no completed table has a record is NULL: no answer, and no error of 100 percent.
func TestAveragesThatAreNull(t *testing.T) {
	table, w := people(16), Workload{Queries: 600, Low: 2, High: 2, Of: "age", Average: true, AndSensitive: true, Seed: 5}
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.5", "tables": "2"})
	c, err := estimate.Prepare(r).WithTables(t.Context(), shuffled(r, 2))
	if err != nil {
		t.Fatal(err)
	}
	got, err := EvaluateCompleted(t.Context(), c, table, w, interval.Unmeasured(.3), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	errors, nulls := averagesByHand(t, c, table, w)
	if want := distribution(errors); nulls == 0 || far(got.Estimate.Mean, want.Mean) || far(got.Estimate.P95, want.P95) || got.Zero != w.Queries-len(errors) {
		t.Errorf("averages were evaluated as %+v, by hand %+v of %d, and %d are NULL", got, want, len(errors), nulls)
	}
	if got.Estimates == 0 || got.Estimates > len(errors) {
		t.Errorf("the coverage is of %d answers, there are %d", got.Estimates, len(errors))
	}
}

// A measured misfit of a test: r of a question's attributes, and whether it is invented.
type measured func(columns []string) (ratio float64, invented bool)

func (m measured) Ratio(columns []string) float64 { r, _ := m(columns); return r }

func (m measured) Luck([]string, func(string) interval.Selection) float64 { return 0 }

func (m measured) Average(_, columns []string) (ratio, unseen float64) { return m.Ratio(columns), 0 }

func (m measured) Independent(columns []string) bool { _, invented := m(columns); return invented }

// The misfit widens intervals, and hands over what is invented to the fragments, as long
// as they have intervals.
func TestEvaluateCompletedWithMisfit(t *testing.T) {
	ctx, table := context.Background(), people(400)
	r := release(t, table, quasi, "disease", anonymize.Arguments{"beta": "0.25", "tables": "2"})
	c, err := estimate.Prepare(r).WithTables(t.Context(), shuffled(r, 4))
	if err != nil {
		t.Fatal(err)
	}
	widths, w := &interval.Widths{Count: 2, Sum: 2, Average: 2}, Workload{Queries: 100, Low: 1, High: 2, Seed: 4}
	evaluated := func(widths *interval.Widths, misfit Misfit) *Evaluation {
		e, err := EvaluateCompleted(ctx, c, table, w, misfit, widths, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	plain := evaluated(widths, nil)
	var asked atomic.Int64
	wide := evaluated(widths, measured(func(columns []string) (float64, bool) {
		if slices.Contains(columns, "disease") && len(columns) >= 2 && len(columns) <= 3 {
			asked.Add(1)
		}
		return 0.5, false
	}))
	// Of every question: whether its answer was invented, and r.
	if asked.Load() != 200 || wide.Estimate != plain.Estimate || !(wide.Width > plain.Width) || wide.Coverage < plain.Coverage {
		t.Errorf("asked for %d, %+v, without misfit %+v", asked.Load(), wide, plain)
	}
	invented := measured(func([]string) (float64, bool) { return 0, true })
	other, err := Evaluate(ctx, c.Prepared(), table, w, widths, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluated(widths, invented); *got != *other {
		t.Errorf("what is invented was answered as %+v, want %+v", got, other)
	}
	if got := evaluated(nil, invented); *got != *plain {
		t.Errorf("without intervals of fragments the answers are %+v, want %+v", got, plain)
	}
}
