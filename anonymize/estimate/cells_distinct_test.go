package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// distinctQuestion adds numbers of values to a question: of values as they are, and
// of bands and remainders, which several values share.
func distinctQuestion(random *rand.Rand, r *anonymize.Release, q *Question) {
	for range 1 + random.IntN(3) {
		f := random.IntN(len(r.Fragments))
		way, n := random.IntN(4), int64(2+random.IntN(5))
		q.Leaves = append(q.Leaves, Leaf{Fragment: f, Columns: []int{random.IntN(len(r.Fragments[f].Columns))}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			switch {
			case v[0].IsNull() || v[0].Int == n && way != 0:
				return anonymize.NullValue, nil
			case way == 2:
				return anonymize.IntegerValue(v[0].Int / n), nil
			case way == 3:
				return anonymize.IntegerValue((v[0].Int + 3) % n), nil
			}
			return v[0], nil
		}})
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: Distinct, Argument: &Expression{Leaves: []int{len(q.Leaves) - 1}}})
	}
}

// Numbers of values over cells, found by stretches, are those that the weighted join
// finds value by value, for one argument at a time as for all together.
func TestDistinctOverCellsEqualsJoin(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 42))
	kernels := 0
	for trial := range trials(400) {
		r := generalized(random, 1+random.IntN(6), 1+random.IntN(3), 1+random.IntN(2), 4+random.IntN(8))
		q := &Question{}
		if q = cellQuestion(random, r); trial%2 == 0 {
			q.Aggregates = q.Aggregates[:1]
		}
		distinctQuestion(random, r, q)
		want, p := mustAsk(t, r, q), Prepare(r)
		got := mustAskPrepared(t, p, q)
		want.Exact = want.Exact || got.Exact // as in TestCellKernelEqualsJoin
		forgiveDeviations(q, got, want)
		if diff := different(got, want); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
		for _, row := range got.Rows {
			if slices.ContainsFunc(row.Figures, func(v anonymize.Value) bool { return math.IsNaN(v.Float) }) {
				t.Fatalf("trial %d: %v is no number", trial, row)
			}
		}
		if path, reason, err := p.Path(context.Background(), q); err != nil || (path == ExactPath) != got.Exact {
			t.Fatalf("trial %d: path %s (%s, %v), exact: %v", trial, path, reason, err, got.Exact)
		}
		if kept(got).cells != nil {
			kernels++
		}
	}
	if kernels < atLeast(200) {
		t.Errorf("only %d questions reached the kernel", kernels)
	}
}

// A question that is answered in portions has the figures, standard errors and bounds
// that it has as a whole, bounds no wider.
func TestPortionsEqualTheWhole(t *testing.T) {
	random, ctx := rand.New(rand.NewPCG(43, 44)), context.Background()
	inPortions, narrower := 0, 0
	for trial := range trials(200) {
		r := generalized(random, 1+random.IntN(6), 1+random.IntN(3), 2, 4+random.IntN(5))
		r.Forged = trial % 3 * r.Rows / 10
		q := cellQuestion(random, r)
		distinctQuestion(random, r, q)
		f := random.IntN(len(r.Fragments))
		q.Leaves = append(q.Leaves, ValueOf(f, 0), ValueOf(f, 1))
		both := &Expression{Leaves: []int{len(q.Leaves) - 2, len(q.Leaves) - 1}, Combine: addValues}
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: Sum, Argument: both}, Aggregate{Kind: Greatest, Argument: both})
		want, p := mustAsk(t, r, q), Prepare(r)
		got, err := p.Ask(ctx, q)
		if err != nil {
			t.Fatal(err)
		}
		want.Exact = want.Exact || got.Exact
		forgiveDeviations(q, got, want)
		if diff := different(got, want); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
		if path, reason, err := p.Path(context.Background(), q); err != nil || (path == ExactPath) != got.Exact || (path == JoinPath) != (reason != "") {
			t.Fatalf("trial %d: path %s (%s, %v), exact: %v", trial, path, reason, err, got.Exact)
		}
		if kept(got).portions == nil {
			continue
		}
		inPortions++
		if trial%2 == 0 {
			got.Kept = nil // as after a while in a cache
		}
		narrower += compareSpreads(t, fmt.Sprint("trial ", trial), p, q, got, want)
	}
	t.Logf("%d questions were answered in portions, %d bounds are narrower", inPortions, narrower)
	if inPortions < atLeast(100) {
		t.Errorf("only %d questions were answered in portions", inPortions)
	}
}

// compareSpreads compares the standard errors and bounds of a Prepared with those of
// the general way; it returns how many bounds are narrower.
func compareSpreads(t *testing.T, where string, p *Prepared, q *Question, got, want *Answer) (narrower int) {
	t.Helper()
	ctx, r := context.Background(), p.Release()
	wantErrors, err1 := errorsByGroups(ctx, r, q, want)
	wantBounds, err2 := boundsByGroups(ctx, r, q, want)
	deviations, err3 := p.StandardErrors(ctx, q, got)
	bounds, err4 := p.Bounds(ctx, q, got)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for i := range got.Rows {
		for a := range got.Rows[i].Figures {
			if x, y := deviations[i][a], wantErrors[i][a]; x.IsNull() != y.IsNull() || math.Abs(x.Float*x.Float-y.Float*y.Float) > 1e-7*(1+y.Float*y.Float) {
				t.Fatalf("%s aggregate %d: standard error %v, join %v", where, a, x, y)
			}
			x, y := bounds[i][a], wantBounds[i][a]
			tolerance := 1e-9 * (1 + math.Abs(y.Low.Float) + math.Abs(y.High.Float))
			if x.Low.IsNull() != y.Low.IsNull() || x.Low.Float < y.Low.Float-tolerance || x.High.Float > y.High.Float+tolerance {
				t.Fatalf("%s aggregate %d: bounds %v, join %v", where, a, x, y)
			}
			if x.Low.Float > y.Low.Float+tolerance || x.High.Float < y.High.Float-tolerance {
				narrower++
			}
		}
	}
	return narrower
}

// Of one interval over all values, n records are expected to have v (1 - (1-1/v)^n)
// of v values, however many these are; of two fragments each condition takes its
// share.
func TestDistinctOfWideCells(t *testing.T) {
	const values, records = 131_072, 3_000
	r := &anonymize.Release{Method: "test", Rows: records, GroupSizes: []uint32{records}}
	column := &anonymize.FragmentColumn{Name: "born", Type: "int", Codes: []uint32{0}, Cells: []anonymize.Cell{{Label: "*"}}}
	for v := range values {
		column.Dictionary = append(column.Dictionary, anonymize.IntegerValue(int64(v)))
		column.Cells[0].Members = append(column.Cells[0].Members, uint32(v))
	}
	half := &anonymize.FragmentColumn{Name: "s", Type: "int", Codes: []uint32{0, 1}, Dictionary: []anonymize.Value{anonymize.IntegerValue(0), anonymize.IntegerValue(1)}}
	r.Fragments = []*anonymize.Fragment{
		{Name: "qi1", Columns: []*anonymize.FragmentColumn{column}, GroupStart: []uint32{0, 1}, Count: []uint32{records}},
		{Name: "sa", Columns: []*anonymize.FragmentColumn{half}, GroupStart: []uint32{0, 2}, Count: []uint32{records / 3, records - records/3}},
	}
	q := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Int == 0 })},
		Aggregates: []Aggregate{{Kind: Distinct, Argument: &Expression{Leaves: []int{0}}}}}
	for i, n := range []float64{records, records / 3} {
		if i == 1 {
			q.Where = []Expression{{Leaves: []int{1}}}
		}
		want := -values * math.Expm1(n*math.Log1p(-1.0/values))
		if got := mustAskPrepared(t, Prepare(r), q).Rows[0].Figures[0].Float; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%v records: %v values are expected, want %v", n, got, want)
		}
	}
}

// Ordinary statements over wide cells are answered, or refused for what they tell
// apart, and every one of them ends soon after its context, wherever it is then.
func TestWideCellsEndWithTheContext(t *testing.T) {
	rows, values := 240, 1000
	if !testsize.All() {
		rows, values = 60, 100
	}
	r := wideRelease(rand.New(rand.NewPCG(45, 46)), rows, 5, values)
	for name, a := range wideQuestions() {
		for stop := int64(0); stop < 1<<20; stop = 3*stop + 1 {
			ctx := &endingContext{Context: context.Background()}
			ctx.left.Store(stop)
			err := askEverything(ctx, Prepare(r), a.Question)
			if err == nil || errors.As(err, new(*TooManyCombinationsError)) {
				break
			}
			if !errors.Is(err, context.Canceled) || ctx.left.Load() < -20 {
				t.Fatalf("%s: %v, %d looks after the end of the context", name, err, -ctx.left.Load())
			}
		}
	}
}

// An endingContext ends when it was looked at so many times.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func askEverything(ctx context.Context, p *Prepared, q *Question) error {
	answer, err := p.Ask(ctx, q)
	if err != nil {
		return err
	}
	if _, err := p.StandardErrors(ctx, q, answer); err != nil {
		return err
	}
	_, err = p.Bounds(ctx, q, answer)
	return err
}

// Long work looks at the context often: 65,536 steps of some nanoseconds are between
// two looks.
func TestLooksAtTheContext(t *testing.T) {
	r := wideRelease(rand.New(rand.NewPCG(47, 48)), 1000, 5, 20_000)
	for _, name := range []string{"DISTINCT_weekday", "DISTINCT_born_by_age", "MIN,MAX,STDDEV", "COUNT_by_born"} {
		ctx := &endingContext{Context: context.Background()}
		ctx.left.Store(math.MaxInt64)
		if err := askEverything(ctx, Prepare(r), wideQuestions()[name].Question); err != nil {
			t.Fatal(err)
		}
		if looks := math.MaxInt64 - ctx.left.Load(); looks < 5 {
			t.Errorf("%s: %d looks at the context", name, looks)
		}
	}
}
