package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// The oracle of releases with counterfeits: every table of N records that agrees
// with the release, and of every table every choice of F counterfeits.
type realRecords struct {
	records, present, sum moment // of COUNT(*), COUNT(x), SUM(x)
	product, squares      float64
	distinct              float64
	lowMean, highMean     float64 // over the choices with a value
	least, most           float64
}

// note takes in one choice.
func (e *realRecords) note(rows []plainRow, q *plainQuestion, key string, p float64) {
	var all expected
	values := map[float64]bool{}
	for _, row := range rows {
		one := map[string]expected{}
		q.tally(row, 1, one)
		x := one[key]
		for i := range all {
			all[i] += x[i]
		}
		if x[1] > 0 {
			e.squares += p * x[2] * x[2]
			values[x[2]] = true
			e.least, e.most = min(e.least, x[2]), max(e.most, x[2])
		}
	}
	for i, m := range []*moment{&e.records, &e.present, &e.sum} {
		m.mean += p * all[i]
		m.variance += p * all[i] * all[i]
		m.low, m.high = min(m.low, all[i]), max(m.high, all[i])
	}
	e.product += p * all[1] * all[2]
	e.distinct += p * float64(len(values))
	if all[1] > 0 {
		e.lowMean, e.highMean = min(e.lowMean, all[2]/all[1]), max(e.highMean, all[2]/all[1])
	}
}

// enumerateReal returns what is of one key.
func enumerateReal(r *anonymize.Release, q *plainQuestion, key string) *realRecords {
	none := moment{low: math.Inf(1), high: math.Inf(-1)}
	e := &realRecords{none, none, none, 0, 0, 0, math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	choices := choicesOf(r.Rows, r.Rows-r.Forged)
	eachTable(r, 0, nil, 1, func(rows []plainRow, p float64) {
		for _, kept := range choices {
			var left []plainRow
			for _, row := range kept {
				left = append(left, rows[row])
			}
			e.note(left, q, key, p/float64(len(choices)))
		}
	})
	for _, m := range []*moment{&e.records, &e.present, &e.sum} {
		m.variance -= m.mean * m.mean
	}
	return e
}

// eachTable visits the tables of the groups from g on.
func eachTable(r *anonymize.Release, g int, before []plainRow, p float64, visit func([]plainRow, float64)) {
	if g == r.Groups() {
		visit(before, p)
		return
	}
	records := recordsOf(r, g)
	matchings := allMatchings(len(r.Fragments), int(r.GroupSizes[g]))
	for _, matching := range matchings {
		rows := make([][]uint32, r.GroupSizes[g])
		for record := range rows {
			for f := range r.Fragments {
				rows[record] = append(rows[record], records[f][matching[f][record]])
			}
		}
		visitTables(r, rows, 0, nil, 1/float64(len(matchings)), func(drawn []plainRow, share float64) {
			eachTable(r, g+1, append(before[:len(before):len(before)], drawn...), p*share, visit)
		})
	}
}

// choicesOf lists the subsets of k of n.
func choicesOf(n, k int) [][]int {
	var all [][]int
	for bits := range 1 << n {
		var chosen []int
		for i := range n {
			if bits>>i&1 == 1 {
				chosen = append(chosen, i)
			}
		}
		if len(chosen) == k {
			all = append(all, chosen)
		}
	}
	return all
}

// forge makes some records of a small release counterfeits; false where there
// would be too many tables with choices to visit.
func forge(random *rand.Rand, r *anonymize.Release) bool {
	r.Forged = random.IntN(r.Rows + 1)
	cost := float64(len(choicesOf(r.Rows, r.Forged)))
	for g, size := range r.GroupSizes {
		cost *= float64(len(allMatchings(len(r.Fragments), int(size))))
		for _, f := range r.Fragments {
			for _, c := range f.Columns {
				for t := f.GroupStart[g]; t < f.GroupStart[g+1] && !c.IsPoint(); t++ {
					cost *= math.Pow(float64(len(c.Cells[c.Codes[t]].Members)), float64(f.Count[t]))
				}
			}
		}
	}
	return cost < 20000
}

// Answers about releases with counterfeits equal the enumeration of all tables and
// choices: expectations, standard errors, numbers of values; bounds contain them,
// and those of conjunctions over points are attained, of sums and means too.
func TestForgedEqualsEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(107, 1))
	counts := map[string]int{}
	for trial := 0; counts["releases"] < trials(900); trial++ {
		r := randomRelease(random, trial%4 == 0)
		if !forge(random, r) {
			continue
		}
		q, plain := randomQuestion(random, r)
		if trial%2 == 0 {
			q, plain = conjunction(random, r)
		}
		counts["releases"]++
		answer, deviations, bounds := mustAskSpread(t, r, q, trial%3 > 0)
		kinds := askKinds(t, r, q, trial%3 > 0)
		met := map[string]bool{}
		for i, row := range answer.Rows {
			e := enumerateReal(r, plain, fmt.Sprint(row.Keys))
			met[fmt.Sprint(row.Keys)] = true
			where := fmt.Sprintf("trial %d, %d of %d forged, key %v", trial, r.Forged, r.Rows, row.Keys)
			e.checkFigures(t, where, row, deviations[i])
			counts[e.checkBounds(t, where, row, bounds[i], trial%4 == 2)]++
			for a, kind := range allKinds[:len(kinds[i].Figures)] {
				e.checkKind(t, trial, row.Keys, kind, kinds[i].Figures[a])
				counts["kinds"]++
			}
		}
		for key := range enumerate(r, plain) {
			if !met[key] && r.Forged < r.Rows {
				t.Fatalf("trial %d: key %s has no row", trial, key)
			}
		}
		if kept(answer).boxes != nil || kept(answer).cells != nil {
			counts["kernels"]++
		}
	}
	t.Log(counts)
	if counts["attained"] < atLeast(1000) || counts["contained"] == 0 && testsize.All() || counts["kernels"] < atLeast(150) || counts["kinds"] < atLeast(5000) {
		t.Errorf("too little was tested: %v", counts)
	}
}

// askKinds asks the other kinds of the same question; without Distinct where it
// has no answer.
func askKinds(t *testing.T, r *anonymize.Release, q *Question, prepared bool) []AnswerRow {
	t.Helper()
	other := *q
	other.Aggregates = nil
	for _, kind := range allKinds {
		other.Aggregates = append(other.Aggregates, Aggregate{Kind: kind, Argument: q.Aggregates[1].Argument})
	}
	for {
		ask := func() (*Answer, error) { return askByGroups(context.Background(), r, &other) }
		if prepared {
			ask = func() (*Answer, error) { return Prepare(r).Ask(context.Background(), &other) }
		}
		answer, err := ask()
		switch {
		case errors.Is(err, ErrNotAConjunction):
			other.Aggregates = other.Aggregates[:len(allKinds)-1]
			continue
		case err != nil:
			t.Fatal(err)
		}
		return answer.Rows
	}
}

func (e *realRecords) checkFigures(t *testing.T, where string, row AnswerRow, deviations []anonymize.Value) {
	t.Helper()
	ratio := e.sum.mean / e.present.mean
	covariance := e.product - e.present.mean*e.sum.mean
	want := []struct{ mean, variance float64 }{
		{e.records.mean, e.records.variance}, {e.present.mean, e.present.variance}, {e.sum.mean, e.sum.variance},
		{ratio, (e.sum.variance - 2*ratio*covariance + ratio*ratio*e.present.variance) / (e.present.mean * e.present.mean)},
	}
	for a, w := range want {
		if null := a > 1 && e.present.mean < 1e-12; null || row.Figures[a].IsNull() {
			if null != row.Figures[a].IsNull() || !deviations[a].IsNull() {
				t.Fatalf("%s aggregate %d: %v with standard error %v, expected %v", where, a, row.Figures[a], deviations[a], w)
			}
			continue
		}
		if got := row.Figures[a].Float; math.Abs(got-w.mean) > 1e-9 {
			t.Fatalf("%s aggregate %d: %v, enumerated %v", where, a, got, w.mean)
		}
		if got := deviations[a].Float; math.Abs(got*got-w.variance) > 1e-9 {
			t.Fatalf("%s aggregate %d: standard error %v, its square enumerated %v", where, a, got, w.variance)
		}
	}
}

// checkBounds compares the bounds; must: they must be attained.
func (e *realRecords) checkBounds(t *testing.T, where string, row AnswerRow, bounds []Bound, must bool) string {
	t.Helper()
	result := "attained"
	for a, m := range []moment{e.records, e.present, e.sum, {low: e.lowMean, high: e.highMean}} {
		if row.Figures[a].IsNull() {
			continue
		}
		low, high := bounds[a].Low.Float, bounds[a].High.Float
		if low > m.low+1e-9 || high < m.high-1e-9 {
			t.Fatalf("%s aggregate %d: bounds %v to %v, enumerated %v to %v", where, a, low, high, m.low, m.high)
		}
		if math.Abs(low-m.low) > 1e-9 || math.Abs(high-m.high) > 1e-9 {
			if result = "contained"; must {
				t.Fatalf("%s aggregate %d: bounds %v to %v are not attained, enumerated %v to %v", where, a, low, high, m.low, m.high)
			}
		}
	}
	return result
}

func (e *realRecords) checkKind(t *testing.T, trial int, keys []anonymize.Value, kind Kind, got anonymize.Value) {
	t.Helper()
	if kind == DeviationPopulation || kind == DeviationSample { // the root of a rounding error is large
		kind -= DeviationPopulation - VariancePopulation
		if !got.IsNull() {
			got = anonymize.RealValue(got.Float * got.Float)
		}
	}
	checkKind(t, trial, keys, kind, got, &enumeratedKind{n: roundedTo0(e.present.mean), s: e.sum.mean, squares: e.squares,
		least: e.least, most: e.most, distinct: e.distinct})
}

func roundedTo0(x float64) float64 {
	if x < 1e-12 {
		return 0
	}
	return x
}

// The number of all records is known, and nothing else is that reads a column.
func TestForgedNumberOfRecords(t *testing.T) {
	r := generated(rand.New(rand.NewPCG(1, 2)), 1001, 10, 7)
	r.Forged = 333
	for _, path := range []func(*Question) (*Answer, error){
		func(q *Question) (*Answer, error) { return askByGroups(context.Background(), r, q) },
		func(q *Question) (*Answer, error) { return Prepare(r).AskWithSpread(context.Background(), q) },
	} {
		all, err := path(&Question{Aggregates: []Aggregate{{Kind: Count}}})
		if err != nil || !all.Exact || all.Rows[0].Figures[0].Float != 668 {
			t.Errorf("COUNT(*) is %+v, %v, not exactly 668", all, err)
		}
		some, err := path(&Question{Leaves: []Leaf{ValueOf(0, 0)}, Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{0}}}}})
		if err != nil || some.Exact {
			t.Errorf("a sum of %d records with counterfeits is exact", r.Rows)
		}
	}
	if path, reason, err := Prepare(r).Path(context.Background(), &Question{Leaves: []Leaf{ValueOf(0, 0)}, Keys: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Count}}}); path != KernelPath {
		t.Errorf("path %s (%s), %v", path, reason, err)
	}
}

// Without counterfeits nothing is drawn and nothing changes; with them tables have
// the records that are left, each as often as any other.
func TestDrawLeavesOutCounterfeits(t *testing.T) {
	r := generated(rand.New(rand.NewPCG(3, 4)), 20, 1000, 5)
	whole := Draw(r, rand.NewPCG(5, 6))
	r.Forged = 8
	const draws = 6000
	seen := make([]int, len(r.Fragments[0].Columns[0].Dictionary))
	source := rand.NewPCG(7, 8)
	for range draws {
		table := Draw(r, source)
		if table.Rows != 12 || len(table.Columns) != len(whole.Columns) || len(table.Columns[0].Codes) != 12 {
			t.Fatalf("a table of %d rows was drawn, not 12", table.Rows)
		}
		for _, code := range table.Columns[0].Codes {
			seen[code]++
		}
	}
	all := r.Fragments[0].Columns[0].Codes
	for code, n := range seen {
		// A record is real in 12 of 20 draws; six standard errors, 20 comparisons: a
		// false alarm is one seed in 25 million.
		have := 0.0
		for t, c := range all {
			if int(c) == code {
				have += float64(r.Fragments[0].Count[t])
			}
		}
		want := draws * 0.6 * have
		if off := math.Abs(float64(n) - want); off > 6*math.Sqrt(draws*0.6*0.4*have*have) {
			t.Errorf("value %d, of %v records, is in %d of %d tables", code, have, n, draws)
		}
	}
}

// forgedQuestion asks the release of TestForgedMonteCarlo for three figures, and, as
// counted, for the number of values under one condition more.
func forgedQuestion() (q, counted *Question) {
	value := &Expression{Leaves: []int{2}}
	q = &Question{
		Leaves: []Leaf{
			ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int < 5 }),
			ValueLeaf(1, 1, func(v anonymize.Value) bool { return v.Int < 6 }),
			ValueOf(1, 0),
		},
		Where:      []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
		Aggregates: []Aggregate{{Kind: Count}, {Kind: Sum, Argument: value}, {Kind: Average, Argument: value}},
	}
	counted = &Question{
		Leaves:     append(q.Leaves[:3:3], ValueLeaf(0, 1, func(v anonymize.Value) bool { return v.Int == 3 })),
		Where:      append(q.Where[:2:2], Expression{Leaves: []int{3}}),
		Aggregates: []Aggregate{{Kind: Distinct, Argument: value}},
	}
	return q, counted
}

// meanAndVariance are those of a sample.
func meanAndVariance(sample []float64) (mean, variance float64) {
	n := float64(len(sample))
	for _, x := range sample {
		mean += x / n
	}
	for _, x := range sample {
		variance += (x - mean) * (x - mean) / n
	}
	return mean, variance
}

// Larger releases: the kernels agree with the general way, and standard errors and
// numbers of values with 4,000 drawn tables (six standard errors of a mean and, for
// a near normal figure, of a variance: one false alarm in 3 10^7 seeds).
func TestForgedMonteCarlo(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	r := generated(random, 600, 12, 6)
	r.Forged = 132 // 22 percent
	r.Fragments = r.Fragments[:2]
	q, counted := forgedQuestion()
	answer, deviations, bounds := mustAskSpread(t, r, q, true)
	p := Prepare(r)
	compareSpreadOf(t, p, q, mustAskPrepared(t, p, q))
	distinct := mustAsk(t, r, counted).Rows[0].Figures[0].Float

	const draws = 4000
	moved, movedCounted := moveToTable(q, r), moveToTable(counted, r)
	samples := make([][]float64, 4)
	source := rand.NewPCG(19, 20)
	for range draws {
		table := OfTable(Draw(r, source))
		for i, figure := range mustAsk(t, table, moved).Rows[0].Figures {
			samples[i] = append(samples[i], figure.Float)
			if low, high := bounds[0][i].Low.Float, bounds[0][i].High.Float; figure.Float < low-1e-9 || figure.Float > high+1e-9 {
				t.Fatalf("figure %d of a drawn table is %v, its bounds %v to %v", i, figure.Float, low, high)
			}
		}
		samples[3] = append(samples[3], mustAsk(t, table, movedCounted).Rows[0].Figures[0].Float)
	}
	for i, sample := range samples {
		mean, variance := meanAndVariance(sample)
		doubt := math.Sqrt(variance / draws)
		if i == 3 {
			if t.Logf("distinct values: %.4f, drawn %.4f", distinct, mean); math.Abs(mean-distinct) > 6*doubt {
				t.Errorf("%v values, drawn tables have %v with standard error %v", distinct, mean, doubt)
			}
			continue
		}
		figure, deviation := answer.Rows[0].Figures[i].Float, deviations[0][i].Float
		t.Logf("figure %d: %.4f +- %.4f, drawn %.4f +- %.4f", i, figure, deviation, mean, math.Sqrt(variance))
		if math.Abs(mean-figure) > 6*doubt+1e-3*math.Abs(figure) { // a quotient of expectations is no expectation
			t.Errorf("figure %d is %v, drawn tables have %v with standard error %v", i, figure, mean, doubt)
		}
		if ratio := deviation * deviation / variance; math.Abs(ratio-1) > 6*math.Sqrt(2.0/draws)+0.02 {
			t.Errorf("figure %d has the variance %v, drawn tables %v", i, deviation*deviation, variance)
		}
	}
}
