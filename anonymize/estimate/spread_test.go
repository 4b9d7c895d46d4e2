package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The oracle of standard errors and bounds: every table that agrees with a
// small release, with its probability. Groups are independent, so that their
// variances add and their extremes add; an average has bounds over all
// combinations of the groups' sums and counts.
type enumerated struct {
	count, present, sum moment // COUNT(*), COUNT(x), SUM(x)
	cov                 float64
	pairs               [][][2]float64 // per group: the attainable (COUNT(x), SUM(x))
}

type moment struct{ mean, variance, low, high float64 }

func (m *moment) add(values, probabilities []float64) {
	mean, square := 0.0, 0.0
	low, high := math.Inf(1), math.Inf(-1)
	for i, v := range values {
		mean += probabilities[i] * v
		square += probabilities[i] * v * v
		low, high = min(low, v), max(high, v)
	}
	m.mean += mean
	m.variance += square - mean*mean
	m.low += low
	m.high += high
}

// A tallied table is one that a group may have: its probability, and what it adds to
// the figures of every key.
type talliedTable struct {
	p     float64
	tally map[string]expected
}

// enumerateTables visits every table of every group.
func enumerateTables(r *anonymize.Release, q *plainQuestion) map[string]*enumerated {
	var groups [][]talliedTable
	answer := map[string]*enumerated{}
	for g := range r.GroupSizes {
		tables := tablesOfGroup(r, q, g)
		for _, table := range tables {
			for key := range table.tally {
				answer[key] = &enumerated{}
			}
		}
		groups = append(groups, tables)
	}
	for key, e := range answer {
		for _, tables := range groups {
			e.addGroup(tables, key)
		}
	}
	return answer
}

// tablesOfGroup are the tables of one group: its records in every matching, their
// cells drawn in every way.
func tablesOfGroup(r *anonymize.Release, q *plainQuestion, g int) (tables []talliedTable) {
	size := int(r.GroupSizes[g])
	records := recordsOf(r, g)
	matchings := allMatchings(len(r.Fragments), size)
	for _, matching := range matchings {
		rows := make([][]uint32, size)
		for record := range rows {
			for f := range r.Fragments {
				rows[record] = append(rows[record], records[f][matching[f][record]])
			}
		}
		visitTables(r, rows, 0, nil, 1/float64(len(matchings)), func(drawn []plainRow, p float64) {
			tally := map[string]expected{}
			for _, row := range drawn {
				q.tally(row, 1, tally)
			}
			tables = append(tables, talliedTable{p, tally})
		})
	}
	return tables
}

// addGroup adds the moments of one group's figures for one key.
func (e *enumerated) addGroup(tables []talliedTable, key string) {
	var p, n, x, s []float64
	seen := map[[2]float64]bool{}
	var pairs [][2]float64
	mean := [2]float64{}
	product := 0.0
	for _, t := range tables {
		v := t.tally[key]
		p, n, x, s = append(p, t.p), append(n, v[0]), append(x, v[1]), append(s, v[2])
		mean[0] += t.p * v[1]
		mean[1] += t.p * v[2]
		product += t.p * v[1] * v[2]
		if pair := [2]float64{v[1], v[2]}; !seen[pair] {
			seen[pair] = true
			pairs = append(pairs, pair)
		}
	}
	e.count.add(n, p)
	e.present.add(x, p)
	e.sum.add(s, p)
	e.cov += product - mean[0]*mean[1]
	e.pairs = append(e.pairs, pairs)
}

func recordsOf(r *anonymize.Release, g int) [][]uint32 {
	records := make([][]uint32, len(r.Fragments))
	for i, f := range r.Fragments {
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			for range f.Count[t] {
				records[i] = append(records[i], t)
			}
		}
	}
	return records
}

// visitTables draws the cells of the remaining rows in every way.
func visitTables(r *anonymize.Release, tuples [][]uint32, row int, drawn []plainRow, p float64, visit func([]plainRow, float64)) {
	if row == len(tuples) {
		visit(drawn, p)
		return
	}
	visitRow(r, tuples[row], make(plainRow, 0), 1, func(cells plainRow, q float64) {
		visitTables(r, tuples, row+1, append(drawn[:len(drawn):len(drawn)], cells), p*q, visit)
	})
}

// visitRow draws the cells of one row, fragment by fragment.
func visitRow(r *anonymize.Release, tuples []uint32, row plainRow, p float64, visit func(plainRow, float64)) {
	f := len(row)
	if f == len(r.Fragments) {
		visit(row, p)
		return
	}
	var cells func(values []anonymize.Value, p float64)
	cells = func(values []anonymize.Value, p float64) {
		c := len(values)
		if c == len(r.Fragments[f].Columns) {
			visitRow(r, tuples, append(row[:f:f], values), p, visit)
			return
		}
		column := r.Fragments[f].Columns[c]
		code := column.Codes[tuples[f]]
		if column.IsPoint() {
			cells(append(values[:c:c], column.Dictionary[code]), p)
			return
		}
		cell := column.Cells[code]
		for i, member := range cell.Members {
			cells(append(values[:c:c], column.Dictionary[member]), p*cell.Weight(i))
		}
	}
	cells(nil, p)
}

// extremeAverage searches all combinations of the groups' sums and counts.
func (e *enumerated) extremeAverage() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	var walk func(g int, n, s float64)
	walk = func(g int, n, s float64) {
		if g == len(e.pairs) {
			if n > 0 {
				low, high = min(low, s/n), max(high, s/n)
			}
			return
		}
		for _, pair := range e.pairs[g] {
			walk(g+1, n+pair[0], s+pair[1])
		}
	}
	walk(0, 0, 0)
	return low, high
}

// Standard errors equal the enumerated ones; bounds contain every table, and
// are attained by some table wherever the condition is a conjunction and the
// cells are points.
func TestSpreadEqualsEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 22))
	tight, loose, kernels := 0, 0, 0
	for trial := range trials(1200) {
		cells := trial%4 == 0
		r := randomRelease(random, cells)
		if cells && tooMany(r) {
			continue
		}
		q, plain := randomQuestion(random, r)
		if trial%2 == 0 {
			q, plain = conjunction(random, r)
		}
		answer, errors, bounds := mustAskSpread(t, r, q, trial%3 > 0)
		if kept(answer).boxes != nil || kept(answer).cells != nil {
			kernels++
		}
		want := enumerateTables(r, plain)
		for i, row := range answer.Rows {
			e, ok := want[fmt.Sprint(row.Keys)]
			if !ok {
				continue // no table has a record: the row of a question without keys
			}
			for a, m := range []moment{e.count, e.present, e.sum} {
				if row.Figures[a].IsNull() {
					continue
				}
				if got := errors[i][a].Float; math.Abs(got-math.Sqrt(max(0, m.variance))) > 1e-6 {
					t.Fatalf("trial %d key %v aggregate %d: standard error %v, enumerated %v", trial, row.Keys, a, got, math.Sqrt(m.variance))
				}
				low, high := bounds[i][a].Low.Float, bounds[i][a].High.Float
				if low > m.low+1e-9 || high < m.high-1e-9 {
					t.Fatalf("trial %d key %v aggregate %d: bounds %v to %v, tables have %v to %v", trial, row.Keys, a, low, high, m.low, m.high)
				}
				if attained := math.Abs(low-m.low) < 1e-9 && math.Abs(high-m.high) < 1e-9; attained {
					tight++
				} else if loose++; trial%2 == 0 && !cells && a < 2 {
					t.Fatalf("trial %d key %v aggregate %d of a conjunction: bounds %v to %v are not attained, tables have %v to %v", trial, row.Keys, a, low, high, m.low, m.high)
				}
			}
			checkAverage(t, trial, row, errors[i][3], bounds[i][3], e)
		}
	}
	t.Logf("bounds attained in %d of %d figures; %d questions reached the kernel", tight, tight+loose, kernels)
	if kernels < atLeast(100) {
		t.Errorf("only %d questions reached the kernel", kernels)
	}
}

// mustAskSpread asks by the general path or by the kernels.
func mustAskSpread(t *testing.T, r *anonymize.Release, q *Question, prepared bool) (*Answer, [][]anonymize.Value, [][]Bound) {
	t.Helper()
	ctx := context.Background()
	if !prepared {
		answer := mustAsk(t, r, q)
		errors, err := errorsByGroups(ctx, r, q, answer)
		if err != nil {
			t.Fatal(err)
		}
		bounds, err := boundsByGroups(ctx, r, q, answer)
		if err != nil {
			t.Fatal(err)
		}
		return answer, errors, bounds
	}
	p := Prepare(r)
	answer, err := p.AskWithSpread(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	errors, err := p.StandardErrors(ctx, q, answer)
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := p.Bounds(ctx, q, answer)
	if err != nil {
		t.Fatal(err)
	}
	return answer, errors, bounds
}

func checkAverage(t *testing.T, trial int, row AnswerRow, deviation anonymize.Value, b Bound, e *enumerated) {
	t.Helper()
	if row.Figures[3].IsNull() {
		if !deviation.IsNull() || !b.Low.IsNull() {
			t.Fatalf("trial %d: AVG is NULL, its error %v, its bounds %v", trial, deviation, b)
		}
		return
	}
	n, s := e.present.mean, e.sum.mean
	ratio := s / n
	want := math.Sqrt(max(0, e.sum.variance-2*ratio*e.cov+ratio*ratio*e.present.variance)) / n
	if math.Abs(deviation.Float-want) > 1e-6 {
		t.Fatalf("trial %d key %v: standard error of AVG %v, delta method on enumerated moments %v", trial, row.Keys, deviation.Float, want)
	}
	if low, high := e.extremeAverage(); b.Low.Float > low+1e-9 || b.High.Float < high-1e-9 {
		t.Fatalf("trial %d key %v: AVG bounds %v to %v, tables have %v to %v", trial, row.Keys, b.Low.Float, b.High.Float, low, high)
	}
}

// tooMany reports whether a release has too many tables to visit.
func tooMany(r *anonymize.Release) bool {
	for g, size := range r.GroupSizes {
		tables := float64(len(allMatchings(len(r.Fragments), int(size))))
		for _, f := range r.Fragments {
			for _, c := range f.Columns {
				for t := f.GroupStart[g]; t < f.GroupStart[g+1] && !c.IsPoint(); t++ {
					tables *= math.Pow(float64(len(c.Cells[c.Codes[t]].Members)), float64(f.Count[t]))
				}
			}
		}
		if tables > 3000 {
			return true
		}
	}
	return false
}

// conjunction is a question with at most one condition a fragment, a key and an
// argument of one column each.
func conjunction(random *rand.Rand, r *anonymize.Release) (*Question, *plainQuestion) {
	q, plain := &Question{}, &plainQuestion{where: &formula{op: "and"}}
	for f := range r.Fragments {
		if random.IntN(2) == 0 {
			continue
		}
		atom := &formula{op: []string{"=", "<", "null"}[random.IntN(3)], fragment: f, column: random.IntN(len(r.Fragments[f].Columns)), constant: int64(random.IntN(4)) - 1}
		plain.where.args = append(plain.where.args, atom)
		var used []int
		truth := atom.leaves(q, &used)
		q.Where = append(q.Where, Expression{Leaves: used, Combine: func(v []anonymize.Value) (anonymize.Value, error) { return asValue(truth(v)), nil }})
	}
	pick := func() [2]int {
		f := random.IntN(len(r.Fragments))
		return [2]int{f, random.IntN(len(r.Fragments[f].Columns))}
	}
	if random.IntN(2) == 0 {
		at := pick()
		plain.keys = [][2]int{at}
		q.Leaves = append(q.Leaves, ValueOf(at[0], at[1]))
		q.Keys = []Expression{{Leaves: []int{len(q.Leaves) - 1}}}
	}
	at := pick()
	plain.argument = [][2]int{at}
	q.Leaves = append(q.Leaves, ValueOf(at[0], at[1]))
	argument := &Expression{Leaves: []int{len(q.Leaves) - 1}}
	q.Aggregates = []Aggregate{{Kind: Count}, {Kind: Count, Argument: argument}, {Kind: Sum, Argument: argument}, {Kind: Average, Argument: argument}}
	return q, plain
}
