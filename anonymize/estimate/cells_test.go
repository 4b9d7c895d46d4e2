package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/testsize"
)

// generalized is a release whose columns have cells of all kinds: points,
// intervals, intervals with NULL, sets, weighted sets, and columns without cells.
func generalized(random *rand.Rand, groups, fragments, columns, values int) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for range groups {
		size := uint32(1 + random.IntN(6))
		r.GroupSizes = append(r.GroupSizes, size)
		r.Rows += int(size)
	}
	for i := range fragments {
		var names []string
		for c := range columns {
			names = append(names, fmt.Sprintf("c%d_%d", i, c))
		}
		tuples := make([][][]anonymize.Value, groups)
		for g, size := range r.GroupSizes {
			for range size {
				tuple := make([]anonymize.Value, columns)
				for c := range tuple {
					if tuple[c] = anonymize.IntegerValue(int64(random.IntN(values)) - 3); random.IntN(12) == 0 {
						tuple[c] = anonymize.NullValue
					}
				}
				tuples[g] = append(tuples[g], tuple)
			}
		}
		f := newFragment(fmt.Sprintf("f%d", i), names, tuples)
		for _, c := range f.Columns {
			if random.IntN(4) > 0 {
				widen(random, c)
			}
		}
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// widen replaces the points of a column by cells that contain them.
func widen(random *rand.Rand, c *anonymize.FragmentColumn) {
	n := len(c.Dictionary)
	for code := range n {
		cell := anonymize.Cell{Label: fmt.Sprint("cell ", code), Members: []uint32{uint32(code)}}
		low, high := random.IntN(code+1), code+random.IntN(n-code)
		switch random.IntN(5) {
		case 0: // a point
		case 1, 2:
			cell.Members = nil
			if low > 1 && random.IntN(3) == 0 {
				cell.Members = []uint32{0}
			}
			for v := low; v <= high; v++ {
				cell.Members = append(cell.Members, uint32(v))
			}
		default:
			cell.Members = nil
			for v := range n {
				if v == code || random.IntN(3) == 0 {
					cell.Members = append(cell.Members, uint32(v))
				}
			}
			if left := 1.0; random.IntN(2) == 0 {
				for i := range cell.Members {
					w := left * random.Float64() / 2
					if i == len(cell.Members)-1 {
						w = left
					}
					cell.Weights = append(cell.Weights, w)
					left -= w
				}
			}
		}
		c.Cells = append(c.Cells, cell)
	}
}

// cellQuestion asks every kind but Distinct of one column each, under conditions
// inside fragments, over one column or all.
func cellQuestion(random *rand.Rand, r *anonymize.Release) *Question {
	q := &drawnQuestion{random: random, r: r}
	q.drawWhere()
	q.drawKeys()
	q.drawAggregates()
	return &q.Question
}

// A drawnQuestion is a question about r that grows.
type drawnQuestion struct {
	Question
	random *rand.Rand
	r      *anonymize.Release
}

// leaf adds a leaf over column c of fragment f and returns its number.
func (q *drawnQuestion) leaf(f, c int, eval func(anonymize.Value) anonymize.Value) int {
	q.Leaves = append(q.Leaves, Leaf{Fragment: f, Columns: []int{c}, Eval: func(v []anonymize.Value) (anonymize.Value, error) { return eval(v[0]), nil }})
	return len(q.Leaves) - 1
}

// anyColumn draws a column of fragment f.
func (q *drawnQuestion) anyColumn(f int) int {
	return q.random.IntN(len(q.r.Fragments[f].Columns))
}

// threshold draws a condition: at least so much, and a multiple of something.
func (q *drawnQuestion) threshold() func(anonymize.Value) anonymize.Value {
	least, every := int64(q.random.IntN(12))-2, int64(1+q.random.IntN(3))
	return func(v anonymize.Value) anonymize.Value {
		if v.IsNull() {
			return v
		}
		return asValue(map[bool]int{true: 1}[v.Int >= least && v.Int%every == 0])
	}
}

// drawWhere draws a condition of a fragment's first column, of any of its columns,
// or none.
func (q *drawnQuestion) drawWhere() {
	for f, fragment := range q.r.Fragments {
		switch q.random.IntN(4) {
		case 0:
			q.Where = append(q.Where, Expression{Leaves: []int{q.leaf(f, 0, q.threshold())}})
		case 1:
			e := Expression{Combine: func(v []anonymize.Value) (anonymize.Value, error) {
				for _, x := range v {
					if question.IsTrue(x) {
						return True, nil
					}
				}
				return False, nil
			}}
			for c := range fragment.Columns {
				e.Leaves = append(e.Leaves, q.leaf(f, c, q.threshold()))
			}
			q.Where = append(q.Where, e)
		}
	}
}

// drawKeys draws up to two keys, bands of a column's values.
func (q *drawnQuestion) drawKeys() {
	for range q.random.IntN(3) {
		band := int64(1 + q.random.IntN(6))
		f := q.random.IntN(len(q.r.Fragments))
		q.Keys = append(q.Keys, Expression{Leaves: []int{q.leaf(f, q.anyColumn(f), func(v anonymize.Value) anonymize.Value {
			if v.IsNull() {
				return v
			}
			return anonymize.IntegerValue(v.Int / band)
		})}})
	}
}

// drawAggregates draws COUNT(*) and every kind but Distinct, of an argument that
// ascends with the column's values or does not.
func (q *drawnQuestion) drawAggregates() {
	q.Aggregates = []Aggregate{{Kind: Count}}
	for kind := Count; kind < Distinct; kind++ {
		f, fold := q.random.IntN(len(q.r.Fragments)), int64(q.random.IntN(8))
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: kind, Argument: &Expression{Leaves: []int{
			q.leaf(f, q.anyColumn(f), func(v anonymize.Value) anonymize.Value {
				if v.IsNull() || v.Int == 2 {
					return anonymize.NullValue
				}
				return anonymize.IntegerValue(2*v.Int - fold) // ascending
			})}}})
		if fold > 5 {
			q.Leaves[len(q.Leaves)-1].Eval = func(v []anonymize.Value) (anonymize.Value, error) {
				if v[0].IsNull() {
					return v[0], nil
				}
				return anonymize.IntegerValue((v[0].Int*7 + fold) % 11), nil // not
			}
		}
	}
}

// The kernel over cells gives what the weighted join gives, and bounds that are as
// narrow or narrower.
func TestCellKernelEqualsJoin(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	ctx := context.Background()
	kernels, narrower := 0, 0
	for trial := range trials(250) {
		r := generalized(random, 1+random.IntN(6), 1+random.IntN(3), 1+random.IntN(2), 4+random.IntN(8))
		r.Forged = trial % 3 * r.Rows / 10
		q := cellQuestion(random, r)
		p := Prepare(r)
		want := mustAsk(t, r, q)
		got, err := p.Ask(ctx, q)
		if trial%2 == 0 {
			got, err = p.AskWithSpread(ctx, q)
		}
		if err != nil {
			t.Fatal(err)
		}
		want.Exact = want.Exact || got.Exact // the join takes classes of arguments for open that are not
		forgiveDeviations(q, got, want)
		if diff := different(got, want); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
		path, reason, err := p.Path(context.Background(), q)
		if err != nil || (path == ExactPath) != got.Exact {
			t.Fatalf("trial %d: path %s (%s, %v), an answer that is exact: %v", trial, path, reason, err, got.Exact)
		}
		if kept(got).cells == nil {
			continue
		}
		kernels++
		narrower += compareCellSpread(t, trial, p, q, got, want)
	}
	t.Logf("%d questions reached the kernel; %d bounds are narrower than the join's", kernels, narrower)
	if kernels < atLeast(150) || narrower == 0 {
		t.Errorf("only %d questions reached the kernel, %d bounds are narrower", kernels, narrower)
	}
}

// compareCellSpread compares the kernel's standard errors and bounds with those of
// the join, and counts the bounds that are narrower.
func compareCellSpread(t *testing.T, trial int, p *Prepared, q *Question, got, want *Answer) (narrower int) {
	t.Helper()
	ctx := context.Background()
	wantErrors, err := errorsByGroups(ctx, p.Release(), q, want)
	if err != nil {
		t.Fatal(err)
	}
	wantBounds, err := boundsByGroups(ctx, p.Release(), q, want)
	if err != nil {
		t.Fatal(err)
	}
	errors, err := p.StandardErrors(ctx, q, got)
	if err != nil {
		t.Fatal(err)
	}
	bounds, err := p.Bounds(ctx, q, got)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range got.Rows {
		for a, figure := range row.Figures {
			if x, y := errors[i][a], wantErrors[i][a]; x.IsNull() != y.IsNull() || math.Abs(x.Float*x.Float-y.Float*y.Float) > 1e-7*(1+y.Float*y.Float) {
				t.Fatalf("trial %d key %v aggregate %d: standard error %v, join %v", trial, row.Keys, a, x, y)
			}
			x, y := bounds[i][a], wantBounds[i][a]
			tolerance := 1e-9 * (1 + math.Abs(y.Low.Float) + math.Abs(y.High.Float))
			if x.Low.IsNull() != y.Low.IsNull() || x.Low.Float < y.Low.Float-tolerance || x.High.Float > y.High.Float+tolerance ||
				!x.Low.IsNull() && (x.Low.Float > figure.Float+tolerance || x.High.Float < figure.Float-tolerance) {
				t.Fatalf("trial %d key %v aggregate %d: bounds %v of %v, join %v", trial, row.Keys, a, x, figure, y)
			}
			if x.Low.Float > y.Low.Float+tolerance || x.High.Float < y.High.Float-tolerance {
				narrower++
			}
		}
	}
	return narrower
}

// forgiveDeviations takes deviations for equal whose squares are, but for the
// rounding of the squares of arguments, some 1e7.
func forgiveDeviations(q *Question, got, want *Answer) {
	for i := range min(len(got.Rows), len(want.Rows)) {
		for a, x := range got.Rows[i].Figures {
			y := want.Rows[i].Figures[a]
			kind := q.Aggregates[a].Kind
			if kind >= DeviationPopulation && kind <= DeviationSample && !x.IsNull() && !y.IsNull() && math.Abs(x.Float*x.Float-y.Float*y.Float) < 1e-8*max(1, y.Float) {
				got.Rows[i].Figures[a] = y
			}
		}
	}
}

// A leaf over several columns gives what leaves over one each do, and is evaluated
// for values, not for members of cells.
func TestLeavesOverSeveralColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	sum := func(v []anonymize.Value) (anonymize.Value, error) { return addValues(v) }
	for trial := range trials(150) {
		r := generalized(random, 30, 2, 3, 4+random.IntN(12))
		evaluated := 0
		wide := Leaf{Fragment: 0, Columns: []int{0, 1, 2}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			evaluated++
			return sum(v)
		}}
		split := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueOf(0, 1), ValueOf(0, 2), ValueOf(1, 1)}}
		argument := Expression{Leaves: []int{0, 1, 2}, Combine: sum}
		few := func(v []anonymize.Value) (anonymize.Value, error) {
			total, err := sum(v)
			return asValue(map[bool]int{true: 1}[total.Int%4 < 2]), err
		}
		split.Where = []Expression{{Leaves: []int{0, 1, 2}, Combine: few}}
		split.Aggregates = []Aggregate{{Kind: Count}, {Kind: Sum, Argument: &argument}, {Kind: Greatest, Argument: &argument}, {Kind: Sum, Argument: &Expression{Leaves: []int{3}}}}
		joined := &Question{Leaves: []Leaf{wide, ValueOf(1, 1)}}
		joined.Where = []Expression{{Leaves: []int{0}, Combine: few}}
		joined.Aggregates = []Aggregate{{Kind: Count}, {Kind: Sum, Argument: &Expression{Leaves: []int{0}}}, {Kind: Greatest, Argument: &Expression{Leaves: []int{0}}}, {Kind: Sum, Argument: &Expression{Leaves: []int{1}}}}
		if diff := different(mustAsk(t, r, joined), mustAsk(t, r, split)); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
		product := 1
		for _, c := range r.Fragments[0].Columns {
			product *= len(c.Dictionary)
		}
		if question.ReadsCells(r, &Question{Leaves: []Leaf{wide}}) && evaluated > 2*product {
			t.Fatalf("trial %d: %d evaluations for %d combinations of values", trial, evaluated, product)
		}
	}
}

// Answers over cells are exact where the cells leave nothing open that is asked,
// and only there.
func TestExactOverCells(t *testing.T) {
	r := &anonymize.Release{Method: "test", Rows: 3, GroupSizes: []uint32{3}}
	f := newFragment("qi1", []string{"age"}, [][][]anonymize.Value{{{anonymize.IntegerValue(10)}, {anonymize.IntegerValue(20)}, {anonymize.IntegerValue(30)}}})
	f.Columns[0].Cells = []anonymize.Cell{{Label: "[10-20]", Members: []uint32{0, 1}}, {Label: "30", Members: []uint32{2}}}
	f.Columns[0].Codes, f.Count, f.GroupStart = []uint32{0, 1}, []uint32{2, 1}, []uint32{0, 2}
	r.Fragments = []*anonymize.Fragment{f}
	for _, c := range []struct {
		least  int64
		kind   Kind
		exact  bool
		figure float64
	}{
		{21, Count, true, 1}, {15, Count, false, 2}, {0, Count, true, 3},
		{21, Sum, true, 30}, {0, Sum, false, 60}, {15, Sum, false, 50},
	} {
		q := &Question{Leaves: []Leaf{ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int >= c.least }), ValueOf(0, 0)},
			Where: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: c.kind, Argument: &Expression{Leaves: []int{1}}}}}
		for i, answer := range []*Answer{mustAskPrepared(t, Prepare(r), q), mustAsk(t, r, q)} {
			// The join cannot see that COUNT(age) does not ask for ages.
			if i == 0 && answer.Exact != c.exact || answer.Exact && !c.exact || math.Abs(answer.Rows[0].Figures[0].Float-c.figure) > 1e-12 {
				t.Errorf("age >= %d, kind %d: %v, exact %v; want %v, %v", c.least, c.kind, answer.Rows[0].Figures[0], answer.Exact, c.figure, c.exact)
			}
		}
		if path, _, err := Prepare(r).Path(context.Background(), q); err != nil || (path == ExactPath) != c.exact {
			t.Errorf("age >= %d: path %s, %v", c.least, path, err)
		}
	}
}

// A failing expression fails the question only where a record that counts may have
// the value; a question that tells too many combinations apart is refused.
func TestCellErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 36))
	r := generalized(random, 40, 1, 2, 20)
	broken := errors.New("broken")
	failing := Leaf{Columns: []int{0}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		if v[0].Int > 5 {
			return anonymize.NullValue, broken
		}
		return v[0], nil
	}}
	q := &Question{Leaves: []Leaf{failing, ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int < 3 })},
		Where: []Expression{{Leaves: []int{1}}}, Aggregates: []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: []int{0}}}}}
	if _, err := Prepare(r).Ask(context.Background(), q); err != nil {
		t.Errorf("the failing values do not count: %v", err)
	}
	q.Where = nil
	if _, err := Prepare(r).Ask(context.Background(), q); !errors.Is(err, broken) {
		t.Errorf("the failing values count: %v", err)
	}
}

// Columns with too many shares to keep, and columns with too many combinations to
// number beforehand, give what their cells' members add up to.
func TestLargeCells(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 38))
	for _, size := range []struct{ values, columns, width int }{{testsize.Of(800, 3200), 1, 3200}, {testsize.Of(100, 300), 2, 12}} {
		r := &anonymize.Release{Method: "test", Rows: size.values}
		f := &anonymize.Fragment{Name: "qi1", GroupStart: []uint32{0}}
		for g := range size.values {
			r.GroupSizes, f.Count, f.GroupStart = append(r.GroupSizes, 1), append(f.Count, 1), append(f.GroupStart, uint32(g+1))
		}
		q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
		for c := range size.columns {
			column := &anonymize.FragmentColumn{Name: fmt.Sprint("c", c)}
			for v := range uint32(size.values) {
				column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
				cell := anonymize.Cell{Label: fmt.Sprint(v), Members: []uint32{v}}
				for next := v + 1; int(next) < size.values && int(next-v) < size.width; next++ {
					cell.Members = append(cell.Members, next)
				}
				column.Cells, column.Codes = append(column.Cells, cell), append(column.Codes, uint32(random.IntN(size.values)))
			}
			f.Columns = append(f.Columns, column)
			q.Leaves, q.Keys = append(q.Leaves, ValueOf(0, c)), append(q.Keys, Expression{Leaves: []int{c}})
		}
		r.Fragments = []*anonymize.Fragment{f}
		want := map[string]float64{}
		for t := range f.Tuples() {
			for _, v := range f.Columns[0].Cells[f.Columns[0].Codes[t]].Members {
				share := 1 / float64(len(f.Columns[0].Cells[f.Columns[0].Codes[t]].Members))
				if size.columns == 1 {
					want[fmt.Sprint([]int{int(v)})] += share
					continue
				}
				others := f.Columns[1].Cells[f.Columns[1].Codes[t]].Members
				for _, w := range others {
					want[fmt.Sprint([]int{int(v), int(w)})] += share / float64(len(others))
				}
			}
		}
		answer := mustAskPrepared(t, Prepare(r), q)
		if len(answer.Rows) != len(want) {
			t.Fatalf("%d columns: %d keys, want %d", size.columns, len(answer.Rows), len(want))
		}
		for _, row := range answer.Rows {
			if x := want[fmt.Sprint(row.Keys)]; math.Abs(row.Figures[0].Float-x) > 1e-9 {
				t.Fatalf("key %v: %v, want %v", row.Keys, row.Figures[0], x)
			}
		}
	}
}
