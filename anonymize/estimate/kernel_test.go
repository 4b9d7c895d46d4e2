package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A sizing draws the size of a group.
type sizing struct {
	name string
	draw func(*rand.Rand) int
}

var sizings = []sizing{
	{"one record", func(*rand.Rand) int { return 1 }},
	{"constant 5", func(*rand.Rand) int { return 5 }},
	{"constant 8", func(*rand.Rand) int { return 8 }},
	{"6 or 7", func(r *rand.Rand) int { return 6 + r.IntN(2) }},
	{"1 to 20", func(r *rand.Rand) int { return 1 + r.IntN(20) }},
	{"some empty", func(r *rand.Rand) int { return r.IntN(4) }},
	{"few large", func(r *rand.Rand) int { return 3 + 60*(r.IntN(30)/29) }},
}

// codedRelease draws a release of points: fragments of 1-3 columns whose
// dictionaries have 1 to 300 values, with counts where tuples repeat. Columns
// but the first of a fragment have NULL instead of 1.
func codedRelease(random *rand.Rand, groups, fragments int, size func(*rand.Rand) int) *anonymize.Release {
	r := &anonymize.Release{Method: "test"}
	for range groups {
		m := size(random)
		r.GroupSizes = append(r.GroupSizes, uint32(m))
		r.Rows += m
	}
	for i := range fragments {
		var names []string
		for c := range 1 + random.IntN(3) {
			names = append(names, fmt.Sprintf("c%d_%d", i, c))
		}
		domain := make([]int, len(names))
		for c := range domain {
			domain[c] = []int{1, 2, 3, 7, 8, 16, 33, 300}[random.IntN(8)]
		}
		tuples := make([][][]anonymize.Value, groups)
		for g, m := range r.GroupSizes {
			for range m {
				tuple := make([]anonymize.Value, len(names))
				for c := range tuple {
					if tuple[c] = anonymize.IntegerValue(int64(random.IntN(domain[c]))); tuple[c].Int == 1 && c > 0 {
						tuple[c] = anonymize.NullValue
					}
				}
				tuples[g] = append(tuples[g], tuple)
			}
		}
		r.Fragments = append(r.Fragments, newFragment(fmt.Sprintf("f%d", i), names, tuples))
	}
	return r
}

// codedQuestion asks a conjunction of at least one condition per fragment, as
// intervals, sets or complements; with asked also SUM and AVG and perhaps a key.
func codedQuestion(random *rand.Rand, r *anonymize.Release, asked bool) *Question {
	q := &Question{Aggregates: []Aggregate{{Kind: Count}}}
	for f, fragment := range r.Fragments {
		for range 1 + random.IntN(2) {
			c := random.IntN(len(fragment.Columns))
			q.Leaves = append(q.Leaves, ValueLeaf(f, c, randomSet(random, len(fragment.Columns[c].Dictionary))))
			q.Where = append(q.Where, Expression{Leaves: []int{len(q.Leaves) - 1}})
		}
	}
	if !asked {
		return q
	}
	value := func() Expression {
		f := random.IntN(len(r.Fragments))
		q.Leaves = append(q.Leaves, ValueOf(f, random.IntN(len(r.Fragments[f].Columns))))
		return Expression{Leaves: []int{len(q.Leaves) - 1}}
	}
	argument := value()
	q.Aggregates = append(q.Aggregates, Aggregate{Kind: Sum, Argument: &argument}, Aggregate{Kind: Average, Argument: &argument})
	if random.IntN(2) == 0 {
		q.Keys = append(q.Keys, value())
	}
	return q
}

func randomSet(random *rand.Rand, values int) func(anonymize.Value) bool {
	values = max(1, values) // a release without records has none
	low := int64(random.IntN(values))
	high := low + int64(random.IntN(values))
	mask := random.Uint64()
	switch random.IntN(5) {
	case 0:
		return func(v anonymize.Value) bool { return v.Int == low }
	case 1:
		return func(v anonymize.Value) bool { return v.Int != low }
	case 2:
		return func(v anonymize.Value) bool { return mask>>(v.Int%64)&1 == 1 }
	case 3:
		return func(v anonymize.Value) bool { return v.Int <= high }
	}
	return func(v anonymize.Value) bool { return low <= v.Int && v.Int <= high }
}

// The kernel and the weighted join agree on releases with groups of one size
// and of many, with counts above 1, over 1 to 4 fragments, where the conditions
// have many matches and where they have none.
func TestKernelEqualsWeightedJoin(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	ran := map[int]int{}
	empty, repeated := 0, 0
	for _, s := range sizings {
		for trial := range trials(60) {
			fragments := 1 + trial%4
			r := codedRelease(random, 150+random.IntN(700), fragments, s.draw)
			r.Forged = trial % 3 * r.Rows / 10
			p := Prepare(r)
			for _, f := range r.Fragments {
				if f.Tuples() < r.Rows {
					repeated++
				}
			}
			for question := range 4 {
				q := codedQuestion(random, r, question >= 2)
				if p.planes.NewCounter(r, q, mustSides(t, r, q)).Reason() == "" {
					ran[fragments]++
				}
				got, want := mustAskPrepared(t, p, q), mustAsk(t, r, q)
				if len(want.Rows) == 0 || want.Rows[0].Figures[0].Float == 0 {
					empty++
				}
				if diff := different(got, want); diff != "" {
					t.Fatalf("%s, trial %d: %s", s.name, trial, diff)
				}
			}
		}
	}
	t.Logf("questions answered by the kernel, by fragments: %v; without a match %d; fragments with counts above 1: %d", ran, empty, repeated)
	for fragments := 1; fragments <= 4; fragments++ {
		if ran[fragments] < atLeast(150) {
			t.Errorf("only %d questions over %d fragments reached the kernel", ran[fragments], fragments)
		}
	}
	if empty < atLeast(50) || repeated < atLeast(150) {
		t.Errorf("%d questions had no match, %d fragments repeated tuples: the test looks at too little", empty, repeated)
	}
}

// Standard errors and bounds from the profile of the counts are those of the
// general path.
func TestProfileEqualsGeneralMoments(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 24))
	ran := 0
	for _, s := range sizings {
		for trial := range trials(64) {
			r := codedRelease(random, 100+random.IntN(150), 1+trial%4, s.draw)
			r.Forged = trial % 3 * r.Rows / 10
			p := Prepare(r)
			q := codedQuestion(random, r, trial%8 == 7)
			answer := mustAsk(t, r, q)
			counted := *answer
			if _, err := p.StandardErrors(context.Background(), q, &counted); err != nil {
				t.Fatal(err)
			} else if kept(&counted).boxes != nil {
				ran++
			}
			compareSpread(t, p, q, answer)
		}
	}
	if t.Logf("%d questions were answered from a profile", ran); ran < atLeast(150) {
		t.Errorf("only %d questions were answered from a profile", ran)
	}
}

func compareSpread(t *testing.T, p *Prepared, q *Question, answer *Answer) {
	t.Helper()
	ctx := context.Background()
	together, err := p.AskWithSpread(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if diff := different(together, answer); diff != "" {
		t.Fatalf("asked with its spread: %s", diff)
	}
	for _, a := range []*Answer{answer, together} {
		compareSpreadOf(t, p, q, a)
	}
}

func compareSpreadOf(t *testing.T, p *Prepared, q *Question, answer *Answer) {
	t.Helper()
	ctx := context.Background()
	got, err := p.StandardErrors(ctx, q, answer)
	if err != nil {
		t.Fatal(err)
	}
	want, err := errorsByGroups(ctx, p.release, q, answer)
	if err != nil {
		t.Fatal(err)
	}
	gotBounds, err := p.Bounds(ctx, q, answer)
	if err != nil {
		t.Fatal(err)
	}
	wantBounds, err := boundsByGroups(ctx, p.release, q, answer)
	if err != nil {
		t.Fatal(err)
	}
	close := func(a, b anonymize.Value) bool {
		return a.IsNull() == b.IsNull() && math.Abs(a.Float-b.Float) <= 1e-9*max(1, math.Abs(b.Float))
	}
	for i := range want {
		for a := range want[i] {
			// Variances are compared: the root of a rounding error is large.
			x, y := got[i][a].Float, want[i][a].Float
			if got[i][a].IsNull() != want[i][a].IsNull() || math.Abs(x*x-y*y) > 1e-9*max(1, y*y) {
				t.Fatalf("standard error %v, the general path has %v", got[i][a], want[i][a])
			}
			if !close(gotBounds[i][a].Low, wantBounds[i][a].Low) || !close(gotBounds[i][a].High, wantBounds[i][a].High) {
				t.Fatalf("bounds %v, the general path has %v", gotBounds[i][a], wantBounds[i][a])
			}
		}
	}
}

// The oracle of the whole package: all matchings of small releases.
func TestKernelEqualsEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	ran := 0
	for trial := range trials(600) {
		r := randomRelease(random, trial%5 == 0)
		q, plain := randomQuestion(random, r)
		p := Prepare(r)
		if sides := mustSides(t, r, q); len(sides) > 0 && p.planes.NewCounter(r, q, sides).Reason() == "" {
			ran++
		}
		if diff := difference(mustAskPrepared(t, p, q), enumerate(r, plain), len(q.Keys) == 0); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
	}
	if t.Logf("%d questions reached the kernel", ran); ran < atLeast(100) {
		t.Errorf("only %d questions reached the kernel", ran)
	}
}

// The answer has the same bits for every number of cores.
func TestKernelIsTheSameOnEveryNumberOfCores(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 16))
	r := codedRelease(random, testsize.Of(9_000, 40_000), 3, sizings[4].draw)
	var questions []*Question
	var want []*Answer
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	p := Prepare(r)
	for range trials(10) {
		q := codedQuestion(random, r, true)
		questions, want = append(questions, q), append(want, mustAskPrepared(t, p, q))
	}
	for _, cores := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(cores)
		for i, q := range questions {
			if got := mustAskPrepared(t, Prepare(r), q); fmt.Sprint(got.Rows) != fmt.Sprint(want[i].Rows) {
				t.Fatalf("%d cores: %v, one core: %v", cores, got.Rows, want[i].Rows)
			}
		}
	}
}

func TestPreparedMemoryIsStated(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 20))
	r := codedRelease(random, 5000, 3, sizings[3].draw)
	p := Prepare(r)
	before := p.Bytes()
	for f, fragment := range r.Fragments {
		for c := range fragment.Columns {
			p.planes.PlanesOf(f, c)
		}
	}
	if p.Bytes() != p.MaxBytes() || before >= p.MaxBytes() {
		t.Errorf("%d bytes before, %d after all columns were touched, at most %d", before, p.Bytes(), p.MaxBytes())
	}
	if one := Prepare(OfTable(Draw(r, rand.NewPCG(1, 1)))); one.MaxBytes() != 0 {
		t.Errorf("a table as one group holds %d bytes: it takes the weighted join", one.MaxBytes())
	}
}

// Fragments that a question does not touch are not looked at: they may as well
// not be there.
func TestUntouchedFragmentsAreNotRead(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 36))
	r := codedRelease(random, 400, 2, sizings[3].draw)
	q := codedQuestion(random, r, true)
	want, errors, bounds := mustAskSpread(t, r, q, true)
	for range 20 {
		r.Fragments = append(r.Fragments, &anonymize.Fragment{Name: "unreadable", Columns: []*anonymize.FragmentColumn{
			{Name: "x", Dictionary: []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2)}}}})
	}
	p := Prepare(r)
	got := mustAskPrepared(t, p, q)
	if diff := different(got, want); diff != "" {
		t.Error(diff)
	}
	if p.Bytes() >= p.MaxBytes() {
		t.Errorf("%d bytes are held, as if all columns were touched", p.Bytes())
	}
	_, gotErrors, gotBounds := mustAskSpread(t, r, q, true)
	if fmt.Sprint(gotErrors, gotBounds) != fmt.Sprint(errors, bounds) {
		t.Errorf("standard errors %v and bounds %v, without the other fragments %v and %v", gotErrors, gotBounds, errors, bounds)
	}
}

func TestPreparedReleasesWithoutRecords(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 26))
	for _, groups := range []int{0, 3} {
		r := codedRelease(random, groups, 2, func(*rand.Rand) int { return 0 })
		q := &Question{
			Leaves:     []Leaf{ValueLeaf(0, 0, randomSet(random, 3)), ValueLeaf(1, 0, randomSet(random, 3))},
			Where:      []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
			Aggregates: []Aggregate{{Kind: Count}},
		}
		if diff := different(mustAskPrepared(t, Prepare(r), q), mustAsk(t, r, q)); diff != "" {
			t.Errorf("%d groups: %s", groups, diff)
		}
	}
}

// Questions that arrive together share the columns' planes.
func TestPreparedIsSafeForConcurrentUse(t *testing.T) {
	random := rand.New(rand.NewPCG(27, 28))
	r := codedRelease(random, 2000, 3, sizings[3].draw)
	p := Prepare(r)
	var wait sync.WaitGroup
	for range 8 {
		q := codedQuestion(random, r, true)
		wait.Go(func() {
			got, err := p.AskWithSpread(context.Background(), q)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := p.StandardErrors(context.Background(), q, got); err != nil {
				t.Error(err)
			}
			if _, err := p.Bounds(context.Background(), q, got); err != nil {
				t.Error(err)
			}
			want, err := askByGroups(context.Background(), r, q)
			if err != nil {
				t.Error(err)
			} else if diff := different(got, want); diff != "" {
				t.Error(diff)
			}
		})
	}
	wait.Wait()
}

func TestPreparedAskStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	random := rand.New(rand.NewPCG(21, 22))
	r := codedRelease(random, 1000, 2, sizings[1].draw)
	p, q := Prepare(r), codedQuestion(random, r, true)
	if _, err := p.Ask(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	answer := mustAskPrepared(t, p, q)
	if _, err := p.StandardErrors(ctx, q, answer); !errors.Is(err, context.Canceled) {
		t.Errorf("standard errors: got %v, want context.Canceled", err)
	}
	if _, err := p.Bounds(ctx, q, answer); !errors.Is(err, context.Canceled) {
		t.Errorf("bounds: got %v, want context.Canceled", err)
	}
}

func mustAskPrepared(t testing.TB, p *Prepared, q *Question) *Answer {
	t.Helper()
	answer, err := p.Ask(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// different describes the first disagreement beyond a relative 1e-9.
func different(got, want *Answer) string {
	if len(got.Rows) != len(want.Rows) || got.Exact != want.Exact {
		return fmt.Sprintf("%d keys, exact %v; the weighted join has %d, %v", len(got.Rows), got.Exact, len(want.Rows), want.Exact)
	}
	for i, row := range got.Rows {
		if fmt.Sprint(row.Keys) != fmt.Sprint(want.Rows[i].Keys) {
			return fmt.Sprintf("key %v, the weighted join has %v", row.Keys, want.Rows[i].Keys)
		}
		for a, figure := range row.Figures {
			expect := want.Rows[i].Figures[a]
			if figure.IsNull() != expect.IsNull() || math.Abs(figure.Float-expect.Float) > 1e-9*max(1, math.Abs(expect.Float)) {
				return fmt.Sprintf("key %v aggregate %d: %v, the weighted join has %v", row.Keys, a, figure, expect)
			}
		}
	}
	return ""
}
