package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/completed"
)

// randomCompletion matches the tuples of every group at random, table by table.
func randomCompletion(random *rand.Rand, r *anonymize.Release, tables int) *anonymize.Completion {
	var places [][][]uint16
	for range tables {
		table := make([][]uint16, len(r.Fragments)-1)
		for j := range table {
			for _, size := range r.GroupSizes {
				for _, place := range random.Perm(int(size)) {
					table[j] = append(table[j], uint16(place))
				}
			}
			if table[j] == nil {
				table[j] = []uint16{}
			}
		}
		places = append(places, table)
	}
	return anonymize.NewCompletion(r, places)
}

// completedTable writes a completed table out, one column for each of the release.
func completedTable(r *anonymize.Release, c *anonymize.Completion, d int) *anonymize.Microdata {
	table := &anonymize.Microdata{Rows: r.Rows}
	for j, f := range r.Fragments {
		var tuples []uint32 // by row
		for g, size := range r.GroupSizes {
			records := recordsOf(r, g)[j]
			for i := range int(size) {
				place := i
				switch first := len(tuples) - i; {
				case j > 0 && c.Narrow != nil:
					place = int(c.Narrow[d][j-1][first+i])
				case j > 0:
					place = int(c.Wide[d][j-1][first+i])
				}
				tuples = append(tuples, records[place])
			}
		}
		for _, column := range f.Columns {
			codes := make([]uint32, r.Rows)
			for row, t := range tuples {
				codes[row] = column.Codes[t]
			}
			table.Columns = append(table.Columns, &anonymize.Column{Name: column.Name, Type: column.Type, Dictionary: column.Dictionary, Codes: codes})
		}
	}
	return table
}

func mustComplete(t testing.TB, r *anonymize.Release, c *anonymize.Completion) *Completed {
	t.Helper()
	completed, err := Prepare(r).WithTables(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return completed
}

func mustAskTables(t testing.TB, c *Completed, q *Question) (*Answer, [][]anonymize.Value) {
	t.Helper()
	answer, err := c.Ask(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	deviations, err := c.StandardErrors(context.Background(), q, answer)
	if err != nil {
		t.Fatal(err)
	}
	return answer, deviations
}

// The oracle: every completed table is written out and asked by itself. The answer
// of one table must be the same to the last bits of a sum; that of all is put
// together from the tables' plain figures.
type tableOracle struct {
	release   *anonymize.Release
	question  *Question
	tables    []*Answer              // to the question
	own, sums []map[string]AnswerRow // the same by key, and COUNT(x), SUM(x), SUM(x*x) of every aggregate
	keys      []string
	keyValues map[string][]anonymize.Value
}

func newTableOracle(t *testing.T, r *anonymize.Release, c *anonymize.Completion, q *Question) *tableOracle {
	o := &tableOracle{release: r, question: q, keyValues: make(map[string][]anonymize.Value)}
	moments := *q
	moments.Aggregates = nil
	for _, a := range q.Aggregates {
		squared := &Expression{Combine: func([]anonymize.Value) (anonymize.Value, error) { return anonymize.IntegerValue(1), nil }}
		argument := a.Argument
		if argument == nil {
			argument = squared
		} else {
			combine := argument.Combine
			squared = &Expression{Leaves: argument.Leaves, Combine: func(values []anonymize.Value) (anonymize.Value, error) {
				v := values[0]
				if combine != nil {
					v, _ = combine(values)
				}
				if v.IsNull() {
					return v, nil
				}
				return anonymize.IntegerValue(v.Int * v.Int), nil
			}}
		}
		moments.Aggregates = append(moments.Aggregates, Aggregate{Kind: Count, Argument: argument},
			Aggregate{Kind: Sum, Argument: argument}, Aggregate{Kind: Sum, Argument: squared})
	}
	for d := range c.Tables {
		table := OfTable(completedTable(r, c, d))
		o.tables = append(o.tables, mustAsk(t, table, moveToTable(q, r)))
		o.own = append(o.own, byKey(o.tables[d]))
		o.sums = append(o.sums, byKey(mustAsk(t, table, moveToTable(&moments, r))))
		for _, row := range o.tables[d].Rows {
			o.keyValues[fmt.Sprint(row.Keys)] = row.Keys
		}
	}
	for key := range o.keyValues {
		o.keys = append(o.keys, key)
	}
	slices.SortFunc(o.keys, func(a, b string) int {
		return slices.CompareFunc(o.keyValues[a], o.keyValues[b], anonymize.Compare)
	})
	return o
}

func byKey(answer *Answer) map[string]AnswerRow {
	rows := make(map[string]AnswerRow)
	for _, row := range answer.Rows {
		rows[fmt.Sprint(row.Keys)] = row
	}
	return rows
}

// figureOf returns a figure of one table, NULL where it has no such key.
func figureOf(rows map[string]AnswerRow, key string, a int) anonymize.Value {
	row, has := rows[key]
	if !has {
		return anonymize.NullValue
	}
	return row.Figures[a]
}

// figure is what the doc comment of Completed says, and deviation what that of
// StandardErrors says.
func (o *tableOracle) figure(key string, a int) (figure, deviation anonymize.Value) {
	kind, tables := o.question.Aggregates[a].Kind, float64(len(o.tables))
	n, s, squares := 0.0, 0.0, 0.0
	var own []anonymize.Value
	for d := range o.tables {
		n += figureOf(o.sums[d], key, 3*a).Float / tables
		s += figureOf(o.sums[d], key, 3*a+1).Float / tables
		squares += figureOf(o.sums[d], key, 3*a+2).Float / tables
		v := figureOf(o.own[d], key, a)
		if v.IsNull() && (kind == Count || kind == Sum || kind == Distinct) {
			v = anonymize.RealValue(0)
		}
		if !v.IsNull() {
			own = append(own, v)
		}
	}
	variance := squares/n - s/n*(s/n)
	if variance < 1e-9 { // it is 0, but for rounding, which a root would magnify
		variance = 0
	}
	sample := variance * n / (n - 1)
	switch {
	case kind == Count:
		figure = anonymize.RealValue(n)
	case kind == Distinct:
		sum := 0.0
		for _, v := range own {
			sum += v.Float
		}
		figure = anonymize.RealValue(sum / tables)
	case n == 0 || (kind == VarianceSample || kind == DeviationSample) && n <= 1+1e-9:
		return anonymize.NullValue, anonymize.NullValue
	case kind == Sum:
		figure = anonymize.RealValue(s)
	case kind == Average:
		figure = anonymize.RealValue(s / n)
	case kind == VariancePopulation:
		figure = anonymize.RealValue(variance)
	case kind == VarianceSample:
		figure = anonymize.RealValue(sample)
	case kind == DeviationPopulation:
		figure = anonymize.RealValue(math.Sqrt(variance))
	case kind == DeviationSample:
		figure = anonymize.RealValue(math.Sqrt(sample))
	default:
		slices.SortFunc(own, anonymize.Compare)
		figure = own[(len(own)-1)/2]
	}
	if len(own) < 2 {
		return figure, anonymize.NullValue
	}
	center, _ := figure.Number()
	between := 0.0
	for _, v := range own {
		x, _ := v.Number()
		between += (x - center) * (x - center) / float64(len(own)-1)
	}
	return figure, anonymize.RealValue(math.Sqrt(between * (1 + 1/float64(len(own)))))
}

// disagreement compares an answer and its standard errors with the oracle's.
func (o *tableOracle) disagreement(answer *Answer, deviations [][]anonymize.Value) string {
	if len(answer.Rows) != len(o.keys) {
		return fmt.Sprintf("%d keys, the tables have %d", len(answer.Rows), len(o.keys))
	}
	for i, row := range answer.Rows {
		if fmt.Sprint(row.Keys) != o.keys[i] {
			return fmt.Sprintf("key %v, the tables have %s", row.Keys, o.keys[i])
		}
		for a, got := range row.Figures {
			figure, deviation := o.figure(o.keys[i], a)
			if !alike(got, figure, 1e-9) {
				return fmt.Sprintf("key %v aggregate %d of kind %d: %v, the tables have %v", row.Keys, a, o.question.Aggregates[a].Kind, got, figure)
			}
			if !alike(deviations[i][a], deviation, 1e-6) {
				return fmt.Sprintf("key %v aggregate %d of kind %d: standard error %v, the tables have %v", row.Keys, a, o.question.Aggregates[a].Kind, deviations[i][a], deviation)
			}
		}
	}
	return ""
}

// alike compares numbers of any kind, with NULL like NULL.
func alike(a, b anonymize.Value, tolerance float64) bool {
	x, isNumber := a.Number()
	y, other := b.Number()
	if !isNumber || !other {
		return a == b
	}
	return math.Abs(x-y) <= tolerance*max(1, math.Abs(y))
}

// completedQuestion is one of the questions that other tests ask, with all kinds of
// aggregates of an argument over one or more fragments.
func completedQuestion(random *rand.Rand, r *anonymize.Release) *Question {
	var q *Question
	switch random.IntN(5) {
	case 0: // interval, set or complement per fragment
		q = codedQuestion(random, r, false)
	case 4: // the same, and nothing but COUNT(*)
		return codedQuestion(random, r, false)
	case 1: // keys of two fragments: many combinations
		q = &Question{}
		d := &shapeDrawer{random, r, q}
		d.key(0)
		d.key(len(r.Fragments) - 1)
		if random.IntN(2) == 0 {
			d.pairLeaf(1, true)
		}
	default: // AND, OR and NOT over any fragments
		q, _ = randomQuestion(random, r)
	}
	argument := &Expression{Combine: addValues}
	for range 1 + random.IntN(2) {
		f := random.IntN(len(r.Fragments))
		q.Leaves = append(q.Leaves, ValueOf(f, random.IntN(len(r.Fragments[f].Columns))))
		argument.Leaves = append(argument.Leaves, len(q.Leaves)-1)
	}
	q.Aggregates = []Aggregate{{Kind: Count}, {Kind: Count, Argument: argument}, {Kind: Sum, Argument: argument}, {Kind: Average, Argument: argument}}
	for _, kind := range allKinds {
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: kind, Argument: argument})
	}
	return q
}

// completedSizings are groups of different sizes, also of more than 256 records.
var completedSizings = append(slices.Clone(sizings),
	sizing{"narrow and large", func(r *rand.Rand) int { return 1 + 255*(r.IntN(8)/7) }},
	sizing{"some over 256", func(r *rand.Rand) int { return 1 + 299*(r.IntN(8)/7) }})

// Answers, standard errors and plain figures are those of the tables written out,
// and lie within the hard bounds of the release.
func TestCompletedEqualsItsTables(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 62))
	several, wide := 0, 0
	for trial := range trials(600) {
		size := completedSizings[trial%len(completedSizings)]
		r := codedRelease(random, 1+random.IntN(12), 2+random.IntN(3), size.draw)
		tables := 1 + random.IntN(5)
		if trial%50 == 0 {
			tables = 70 // more than the bits of a word
		}
		completion := randomCompletion(random, r, tables)
		c, q := mustComplete(t, r, completion), completedQuestion(random, r)
		where := fmt.Sprintf("trial %d, groups of %s", trial, size.name)
		o := newTableOracle(t, r, completion, q)
		answer, deviations := mustAskTables(t, c, q)
		if answer.Exact != (len(q.Touched()) < 2) {
			t.Fatalf("%s: exact %v of %d fragments", where, answer.Exact, len(q.Touched()))
		}
		if trial%3 == 0 && r.Rows < 200 {
			if diff := insideBounds(t, c, q, answer); diff != "" {
				t.Fatalf("%s: %s", where, diff)
			}
		}
		if answer.Exact {
			continue
		}
		several++
		if completion.Wide != nil {
			wide++
		}
		if diff := o.disagreement(answer, deviations); diff != "" {
			t.Fatalf("%s: %s", where, diff)
		}
	}
	if several < atLeast(400) || wide < atLeast(20) {
		t.Errorf("%d questions to several fragments, %d of them to groups of more than 256 records: the test looks at little", several, wide)
	}
}

// insideBounds says which figure is outside the bounds of the release.
func insideBounds(t *testing.T, c *Completed, q *Question, answer *Answer) string {
	t.Helper()
	bounds, err := c.Bounds(context.Background(), q, answer)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range answer.Rows {
		for a, figure := range row.Figures {
			low, bounded := bounds[i][a].Low.Number()
			high, _ := bounds[i][a].High.Number()
			slack := 1e-9 * max(1, math.Abs(figure.Float))
			if bounded && (figure.Float < low-slack || figure.Float > high+slack) {
				return fmt.Sprintf("key %v aggregate %d: %v is outside [%v, %v]", row.Keys, a, figure.Float, low, high)
			}
		}
	}
	return ""
}

// Every way of counting gives the same: one counter, counters in two bytes and in
// four, and combinations as they occur; with fragment 0 and without it.
func TestCompletedWaysOfCounting(t *testing.T) {
	random := rand.New(rand.NewPCG(63, 64))
	for _, c := range []struct {
		name           string
		fragments      []int // that have a key
		values, groups int
		product        func(p *completed.TablePlan) bool
	}{
		{"one counter", nil, 10, 300, func(p *completed.TablePlan) bool { return p.Product == 1 }},
		{"counters for classes of two bytes", []int{0, 1}, 10, 300, func(p *completed.TablePlan) bool { return p.Product > 1 && p.Product*(len(p.Sides)+1) < 1<<16 }},
		{"counters for classes of four bytes", []int{0, 1}, 150, 9_200, func(p *completed.TablePlan) bool { return p.Product*(len(p.Sides)+1) >= 1<<16 }},
		{"as they occur", []int{0, 1}, 300, 300, func(p *completed.TablePlan) bool { return p.Product == 0 }},
		{"three fragments, as they occur", []int{0, 1, 2}, 100, 300, func(p *completed.TablePlan) bool { return p.Product == 0 }},
		{"without fragment 0, as they occur", []int{1, 2}, 300, 300, func(p *completed.TablePlan) bool { return p.Product == 0 }},
		{"without fragment 0", []int{1, 2}, 20, 300, func(p *completed.TablePlan) bool { return p.Product > 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := generated(random, 5*c.groups, c.values, 5)
			completion := randomCompletion(random, r, 3)
			for _, filtered := range []bool{false, true} {
				q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
				d := &shapeDrawer{random, r, q}
				for _, f := range c.fragments {
					q.Keys = append(q.Keys, d.leaf(ValueOf(f, 0)))
				}
				for f := range r.Fragments {
					if filtered && (len(c.fragments) == 0 || slices.Contains(c.fragments, f)) || len(c.fragments) == 0 {
						q.Where = append(q.Where, d.leaf(ValueLeaf(f, 1, func(v anonymize.Value) bool { return v.Int < int64(2+4*f) })))
					}
				}
				if p := completed.NewTablePlan(r, mustSides(t, r, q), q.Touched()); !c.product(p) {
					t.Fatalf("%d combinations have a counter", p.Product)
				}
				answer, deviations := mustAskTables(t, mustComplete(t, r, completion), q)
				if diff := newTableOracle(t, r, completion, q).disagreement(answer, deviations); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// A tuple that fails several conditions counts as little as one that fails one.
func TestCompletedTuplesThatFailSeveralConditions(t *testing.T) {
	random := rand.New(rand.NewPCG(77, 78))
	r := &anonymize.Release{Method: "test"}
	tuples := make([][][][]anonymize.Value, 2)
	for g := range 100 {
		r.GroupSizes, r.Rows = append(r.GroupSizes, 5), r.Rows+5
		for f := range tuples {
			tuples[f] = append(tuples[f], nil)
			for range 5 {
				tuple := []anonymize.Value{anonymize.IntegerValue(int64(random.IntN(100)))}
				for range 4 {
					tuple = append(tuple, anonymize.IntegerValue(int64(random.IntN(2))))
				}
				tuples[f][g] = append(tuples[f][g], tuple)
			}
		}
	}
	for f := range tuples {
		r.Fragments = append(r.Fragments, newFragment(fmt.Sprint("f", f), []string{fmt.Sprint("k", f), fmt.Sprint("a", f), fmt.Sprint("b", f), fmt.Sprint("c", f), fmt.Sprint("d", f)}, tuples[f]))
	}
	completion := randomCompletion(random, r, 3)
	for _, keys := range []int{0, 1, 2} { // one counter, counters, as they occur
		q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
		d := &shapeDrawer{random, r, q}
		for f := range keys {
			q.Keys = append(q.Keys, d.leaf(ValueOf(f, 0)))
		}
		for f := range r.Fragments {
			for c := 1; c < 5; c++ {
				q.Where = append(q.Where, d.leaf(ValueLeaf(f, c, func(v anonymize.Value) bool { return v.Int == 1 })))
			}
		}
		answer, deviations := mustAskTables(t, mustComplete(t, r, completion), q)
		if diff := newTableOracle(t, r, completion, q).disagreement(answer, deviations); diff != "" {
			t.Errorf("%d keys: %s", keys, diff)
		}
	}
}

// Groups that are larger than a block, up to the largest that has places.
func TestCompletedLargeGroups(t *testing.T) {
	random := rand.New(rand.NewPCG(75, 76))
	sizes := []int{3, completed.BlockRecords + 1, 1, 0, 4 * completed.BlockRecords, completed.BlockRecords, 2, completed.MaxSlots}
	next := 0
	r := codedRelease(random, len(sizes), 3, func(*rand.Rand) int { next++; return sizes[next-1] })
	completion := randomCompletion(random, r, 2)
	c := mustComplete(t, r, completion)
	if c.tables.MostSlots != completed.MaxSlots || len(c.tables.Blocks) < 6 {
		t.Fatalf("%d blocks, the largest of %d slots", len(c.tables.Blocks)-1, c.tables.MostSlots)
	}
	for _, q := range []*Question{codedQuestion(random, r, false), codedQuestion(random, r, true)} {
		q.Keys = nil
		answer, deviations := mustAskTables(t, c, q)
		if diff := newTableOracle(t, r, completion, q).disagreement(answer, deviations); diff != "" {
			t.Error(diff)
		}
	}
}

// The standard error of a COUNT by hand: 2, 0 and 1 records in three tables.
func TestCompletedStandardErrorByHand(t *testing.T) {
	b := newReleaseBuilder([]string{"sex"}, []string{"disease"})
	b.group([]string{"F", "F", "M", "M"}, []string{"flu", "flu", "gout", "gout"})
	r := b.release()
	c := mustComplete(t, r, anonymize.NewCompletion(r, [][][]uint16{{{0, 1, 2, 3}}, {{2, 3, 0, 1}}, {{0, 2, 1, 3}}}))
	q := &Question{
		Leaves: []Leaf{
			ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Text == "F" }),
			ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Text == "flu" })},
		Where:      []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
		Aggregates: []Aggregate{{Kind: Count}},
	}
	answer, deviations := mustAskTables(t, c, q)
	if got := answer.Rows[0].Figures[0].Float; got != 1 {
		t.Errorf("the mean of 2, 0 and 1 records is %v", got)
	}
	if got, want := deviations[0][0].Float, math.Sqrt(4.0/3); math.Abs(got-want) > 1e-15 { // (1 + 1/3) * 1
		t.Errorf("the standard error is %v, want %v", got, want)
	}
	q.Where[0].Leaves = []int{1}
	q.Leaves = q.Leaves[1:]
	q.Where = []Expression{{Leaves: []int{0}}}
	if answer, deviations = mustAskTables(t, c, q); !answer.Exact || answer.Rows[0].Figures[0].Float != 2 || deviations[0][0] != anonymize.RealValue(0) {
		t.Errorf("one fragment: %+v with standard error %v, want exactly 2 and 0", answer, deviations)
	}
}

// MIN and MAX of texts are those of the median table, in the order that the
// question gives, and have no standard error.
func TestCompletedExtremesOfTexts(t *testing.T) {
	b := newReleaseBuilder([]string{"sex"}, []string{"disease"})
	b.group([]string{"F", "M", "M", "M"}, []string{"asthma", "cold", "flu", "gout"})
	r := b.release()
	c := mustComplete(t, r, anonymize.NewCompletion(r, [][][]uint16{{{0, 1, 2, 3}}, {{3, 1, 2, 0}}, {{2, 1, 0, 3}}, {{3, 2, 1, 0}}}))
	backwards := func(a, b anonymize.Value) (int, error) { return anonymize.Compare(b, a), nil }
	q := &Question{
		Leaves:     []Leaf{ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Text == "F" }), ValueOf(1, 0)},
		Where:      []Expression{{Leaves: []int{0}}},
		Aggregates: []Aggregate{{Kind: Least, Argument: &Expression{Leaves: []int{1}}}, {Kind: Greatest, Argument: &Expression{Leaves: []int{1}}, Compare: backwards}},
	}
	answer, deviations := mustAskTables(t, c, q) // asthma, gout, flu, gout
	if figures := answer.Rows[0].Figures; figures[0].Text != "flu" || figures[1].Text != "gout" {
		t.Errorf("the median tables have %v, want flu and, backwards, gout", figures)
	}
	if !deviations[0][0].IsNull() || !deviations[0][1].IsNull() {
		t.Errorf("texts have standard errors %v", deviations[0])
	}
	failing := errors.New("these have no order")
	q.Aggregates[0].Compare = func(a, b anonymize.Value) (int, error) { return 0, failing }
	if _, err := c.Ask(context.Background(), q); !errors.Is(err, failing) {
		t.Errorf("values without an order: %v", err)
	}
}

// An error of an expression is one of the question where a record of some completed
// table has it, and only there.
func TestCompletedErrorsOfExpressions(t *testing.T) {
	b := newReleaseBuilder([]string{"sex"}, []string{"disease"})
	b.group([]string{"F", "M"}, []string{"flu", "gout"})
	r := b.release()
	boom := errors.New("division by zero")
	q := &Question{
		Leaves: []Leaf{
			ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Text == "F" }),
			{Fragment: 1, Columns: []int{0}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
				if v[0].Text == "gout" {
					return anonymize.NullValue, boom
				}
				return anonymize.IntegerValue(1), nil
			}}},
		Where:      []Expression{{Leaves: []int{0}}},
		Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{1}}}},
	}
	c := mustComplete(t, r, anonymize.NewCompletion(r, [][][]uint16{{{0, 1}}, {{0, 1}}}))
	if answer, err := c.Ask(context.Background(), q); err != nil || answer.Rows[0].Figures[0].Float != 1 {
		t.Errorf("no table has a woman with gout: %v, %v", answer, err)
	}
	c = mustComplete(t, r, anonymize.NewCompletion(r, [][][]uint16{{{0, 1}}, {{1, 0}}}))
	if _, err := c.Ask(context.Background(), q); !errors.Is(err, boom) {
		t.Errorf("the second table has a woman with gout: %v", err)
	}
	if _, err := askByGroups(context.Background(), r, q); !errors.Is(err, boom) {
		t.Errorf("some table that agrees with the release has one: %v", err)
	}
}

func TestWithTablesRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(65, 66))
	r := codedRelease(random, 20, 2, sizings[1].draw)
	good := randomCompletion(random, r, 2)
	forged, cells := *r, *r
	forged.Forged = 3
	column := *r.Fragments[1].Columns[0]
	column.Cells = []anonymize.Cell{{Label: "*", Members: []uint32{0}}}
	cells.Fragments = []*anonymize.Fragment{r.Fragments[0], {Name: "sa", Columns: []*anonymize.FragmentColumn{&column}}}
	for _, c := range []struct {
		name       string
		release    *anonymize.Release
		completion *anonymize.Completion
		want       string
	}{
		{"none", r, nil, "there is no completion"},
		{"counterfeits", &forged, good, "3 of the 100 records are counterfeits"},
		{"cells", &cells, good, "cells of column c1_0 of fragment sa stand for several values"},
		{"no tables", r, &anonymize.Completion{}, "there are 0 completed tables"},
		{"of another release", r, randomCompletion(random, codedRelease(random, 19, 2, sizings[1].draw), 2), "it has 95 places of fragment f1, the release has 100 records"},
		{"of more fragments", r, randomCompletion(random, codedRelease(random, 20, 3, sizings[1].draw), 2), "does not fit the release"},
		{"of other groups", r, randomCompletion(random, codedRelease(random, 1, 2, func(*rand.Rand) int { return 100 }), 2), "no permutation"},
		{"a table too few", r, &anonymize.Completion{Tables: 3, Narrow: good.Narrow}, "not those of 3 completed tables"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Prepare(c.release).WithTables(t.Context(), c.completion); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	c := mustComplete(t, r, good)
	if _, err := c.Ask(context.Background(), &Question{Where: []Expression{{Leaves: []int{3}}}}); err == nil {
		t.Error("a question with a bad leaf was answered")
	}
}

func TestCompletedWithoutRecords(t *testing.T) {
	random := rand.New(rand.NewPCG(67, 68))
	for _, groups := range []int{0, 3} {
		r := codedRelease(random, groups, 2, func(*rand.Rand) int { return 0 })
		c := mustComplete(t, r, randomCompletion(random, r, 2))
		q := &Question{
			Leaves:     []Leaf{ValueLeaf(0, 0, randomSet(random, 3)), ValueLeaf(1, 0, randomSet(random, 3))},
			Where:      []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
			Aggregates: []Aggregate{{Kind: Count}},
		}
		answer, deviations := mustAskTables(t, c, q)
		if n := answer.Rows[0].Figures[0]; n != anonymize.RealValue(0) || deviations[0][0] != anonymize.RealValue(0) {
			t.Errorf("%d groups without records: %v with standard error %v", groups, n, deviations[0][0])
		}
	}
}

// Answers have the same bits for every number of cores.
func TestCompletedIsTheSameOnEveryNumberOfCores(t *testing.T) {
	random := rand.New(rand.NewPCG(69, 70))
	r := codedRelease(random, 4200, 3, sizings[4].draw)
	c := mustComplete(t, r, randomCompletion(random, r, 4))
	if len(c.tables.Blocks) < 10 {
		t.Fatalf("%d blocks: the cores have nothing to share", len(c.tables.Blocks))
	}
	for range trials(12) {
		q := completedQuestion(random, r)
		if len(q.Aggregates) == 1 {
			q.Aggregates = slices.Repeat([]Aggregate{{Kind: Count, Argument: &Expression{Leaves: []int{0}}}}, 3)
		}
		third := &Expression{Leaves: q.Aggregates[2].Argument.Leaves, Combine: func(values []anonymize.Value) (anonymize.Value, error) {
			v, err := addValues(values)
			if v.IsNull() {
				return v, err
			}
			return anonymize.RealValue(float64(v.Int) / 3), err // sums of thirds hang on their order
		}}
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: Sum, Argument: third}, Aggregate{Kind: VarianceSample, Argument: third})
		var want string
		for _, cores := range []int{1, 4, 2} {
			got := func() string {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
				answer, deviations := mustAskTables(t, c, q)
				return fmt.Sprint(answer.Rows, deviations)
			}()
			if want == "" {
				want = got
			} else if got != want {
				t.Fatalf("%d cores: %.300s, one core: %.300s", cores, got, want)
			}
		}
	}
}

// Wherever the context ends, the question ends after few looks at it; long work
// looks often.
func TestCompletedEndsWithItsContext(t *testing.T) {
	random := rand.New(rand.NewPCG(71, 72))
	r := generated(random, 60_000, 300, 5)
	c := mustComplete(t, r, randomCompletion(random, r, 4))
	for name, keys := range map[string][]int{"one counter": nil, "as they occur": {0, 1, 2}} {
		q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
		d := &shapeDrawer{random, r, q}
		for _, f := range keys {
			q.Keys = append(q.Keys, d.leaf(ValueOf(f, 0)))
		}
		for f := range r.Fragments {
			q.Where = append(q.Where, d.leaf(ValueLeaf(f, 1, func(v anonymize.Value) bool { return v.Int < 8 })))
		}
		ended := 0
		for stop := int64(0); stop < 1<<20; stop = 3*stop + 1 {
			ctx := &endingContext{Context: context.Background()}
			ctx.left.Store(stop)
			_, err := c.Ask(ctx, q)
			if err == nil {
				break
			}
			ended++
			if !errors.Is(err, context.Canceled) || ctx.left.Load() < -20 {
				t.Fatalf("%s: %v, %d looks after the end of the context", name, err, -ctx.left.Load())
			}
		}
		if ended < 2 {
			t.Errorf("%s: %d looks at the context in a million steps", name, ended)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("killed")
	cancel(cause)
	q := codedQuestion(random, r, false)
	if _, err := c.Ask(ctx, q); !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause of the context's end", err)
	}
}

// A question with more keys than it allows is refused.
func TestCompletedMaxKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(73, 74))
	r := generated(random, 500, 20, 5)
	c := mustComplete(t, r, randomCompletion(random, r, 2))
	q := &Question{Leaves: []Leaf{ValueOf(0, 1), ValueOf(1, 1)}, Keys: []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: []Aggregate{{Kind: Count}}}
	answer, _ := mustAskTables(t, c, q)
	q.MaxKeys = len(answer.Rows)
	if _, err := c.Ask(context.Background(), q); err != nil {
		t.Errorf("%d keys where as many are allowed: %v", len(answer.Rows), err)
	}
	q.MaxKeys--
	if _, err := c.Ask(context.Background(), q); !errors.Is(err, ErrTooManyKeys) {
		t.Errorf("%d keys where %d are allowed: %v", len(answer.Rows), q.MaxKeys, err)
	}
}

// Of many records four tables are counted at a time, and the others of a number that is not divisible one by one.
func TestCompletedTablesOfManyRecords(t *testing.T) {
	r := benchedRelease(140_000, 2)
	completion := benchedCompletion(r, 7)
	c := mustComplete(t, r, completion)
	for name, q := range completedBenchmarks() {
		if name != "GROUP_BY/keys=2" && name != "GROUP_BY/keys=2/values=100" && name != "GROUP_BY/keys=1/fragments=0,1" {
			continue
		}
		want := make(map[string]float64)
		for d := range completion.Tables {
			answer, err := Prepare(OfTable(completedTable(r, completion, d))).Ask(t.Context(), onOneFragment(r, q))
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range answer.Rows {
				want[fmt.Sprint(row.Keys)] += row.Figures[0].Float / float64(completion.Tables)
			}
		}
		answer, err := c.Ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Rows) != len(want) {
			t.Errorf("%s: %d keys, the tables have %d", name, len(answer.Rows), len(want))
		}
		for _, row := range answer.Rows {
			if figure := want[fmt.Sprint(row.Keys)]; math.Abs(figure-row.Figures[0].Float) > 1e-9*figure {
				t.Fatalf("%s, key %v: %v, the tables have %v", name, row.Keys, row.Figures[0], figure)
			}
		}
	}
}

// onOneFragment is a question of a release, asked of its table.
func onOneFragment(r *anonymize.Release, q *Question) *Question {
	moved := *q
	moved.Leaves = slices.Clone(q.Leaves)
	for i, leaf := range moved.Leaves {
		moved.Leaves[i].Fragment, moved.Leaves[i].Columns = 0, slices.Clone(leaf.Columns)
		for _, f := range r.Fragments[:leaf.Fragment] {
			for at := range leaf.Columns {
				moved.Leaves[i].Columns[at] += len(f.Columns)
			}
		}
	}
	return &moved
}
