package estimates

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/testsize"
)

// randomQuestion has conditions inside fragments and across two, of one column and of two; keys; COUNT, SUM and AVG.
func randomQuestion(random *rand.Rand, r *anonymize.Release) *estimate.Question {
	q := &estimate.Question{Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
	place := func() (fragment, column int) {
		fragment = random.IntN(len(r.Fragments))
		return fragment, random.IntN(len(r.Fragments[fragment].Columns))
	}
	leaf := func(l estimate.Leaf) int {
		q.Leaves = append(q.Leaves, l)
		return len(q.Leaves) - 1
	}
	condition := func() int {
		f, c := place()
		return leaf(estimate.ValueLeaf(f, c, randomSet(random, r.Fragments[f].Columns[c].Dictionary)))
	}
	for range random.IntN(4) {
		q.Where = append(q.Where, estimate.Expression{Leaves: []int{condition()}})
	}
	if random.IntN(3) == 0 {
		q.Where = append(q.Where, estimate.Expression{Leaves: []int{condition(), condition()}, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.IntegerValue(v[0].Int | v[1].Int), nil
		}})
	}
	for range random.IntN(3) {
		f, c := place()
		l := estimate.ValueOf(f, c)
		switch random.IntN(8) {
		case 0: // values that share a class, in more ways than a CASE has
			l.Eval = func(v []anonymize.Value) (anonymize.Value, error) {
				return anonymize.IntegerValue(int64(crc32.ChecksumIEEE([]byte(v[0].String())) % 40)), nil
			}
		case 1, 2: // a key over two columns
			_, other := place()
			l = estimate.Leaf{Fragment: f, Columns: []int{c, min(other, len(r.Fragments[f].Columns)-1)}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
				return anonymize.IntegerValue(int64(crc32.ChecksumIEEE([]byte(v[0].String()+v[1].String())) % 50)), nil
			}}
		}
		q.Keys = append(q.Keys, estimate.Expression{Leaves: []int{leaf(l)}})
	}
	f, c := place()
	argument := leaf(estimate.Leaf{Fragment: f, Columns: []int{c}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		if v[0].Kind == anonymize.Text {
			return anonymize.IntegerValue(int64(len(v[0].Text))), nil
		}
		return v[0], nil
	}})
	for _, kind := range []estimate.Kind{estimate.Count, estimate.Sum, estimate.Average} {
		q.Aggregates = append(q.Aggregates, estimate.Aggregate{Kind: kind, Argument: &estimate.Expression{Leaves: []int{argument}}})
	}
	return q
}

// randomSet is an interval of a dictionary, a complement, or half of it.
func randomSet(random *rand.Rand, values []anonymize.Value) func(anonymize.Value) bool {
	low := values[random.IntN(len(values))]
	high := values[random.IntN(len(values))]
	half := make(map[anonymize.Value]bool)
	for _, v := range values {
		half[v] = random.IntN(2) == 0
	}
	switch random.IntN(4) {
	case 0:
		return func(v anonymize.Value) bool { return v != low }
	case 1:
		return func(v anonymize.Value) bool { return half[v] }
	case 2:
		return func(v anonymize.Value) bool { return !v.IsNull() }
	}
	return func(v anonymize.Value) bool { return anonymize.Compare(low, v) <= 0 && anonymize.Compare(v, high) <= 0 }
}

// compare asks the local release and the engine's, with standard errors and bounds of COUNTs. It returns the local path. Kernels and exact
// answers must be equal to the last bit, others to nine digits.
func compare(t *testing.T, here, there *estimate.Prepared, q *estimate.Question) estimate.Path {
	t.Helper()
	way, _, err := here.Path(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	want, err := here.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := there.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got.Exact != want.Exact || len(got.Rows) != len(want.Rows) {
		t.Fatalf("%d keys, exact %v; want %d, %v", len(got.Rows), got.Exact, len(want.Rows), want.Exact)
	}
	// Only COUNT(*) is a sum of whole numbers over planes; other figures may be added group by group.
	exact := way == estimate.ExactPath ||
		way != estimate.JoinPath && !slices.ContainsFunc(q.Aggregates, func(a estimate.Aggregate) bool { return a.Argument != nil })
	for i, row := range want.Rows {
		if fmt.Sprint(row.Keys) != fmt.Sprint(got.Rows[i].Keys) {
			t.Fatalf("key %v, want %v", got.Rows[i].Keys, row.Keys)
		}
		for a, figure := range row.Figures {
			if !same(got.Rows[i].Figures[a], figure, exact) {
				t.Fatalf("key %v, aggregate %d: %v, want %v (%s)", row.Keys, a, got.Rows[i].Figures[a], figure, way)
			}
		}
	}
	return way
}

// same compares figures to the last bit, or to nine digits.
func same(got, want anonymize.Value, exact bool) bool {
	if exact || got.IsNull() || want.IsNull() {
		return got == want
	}
	return math.Abs(got.Float-want.Float) <= 1e-9*max(1, math.Abs(want.Float))
}

// The statements, run by a small stand-in of the engine, give the local release's answers.
func TestStatementsAnswerAsTheReleaseAtHand(t *testing.T) {
	random := rand.New(rand.NewPCG(91, 92))
	db, ways, spreads := newStandIn(t), map[estimate.Path]int{}, map[int]int{}
	for trial := range trials(20) {
		r := randomRelease(random, 130+random.IntN(100), 1+trial%3, kinds)
		relations := relationsOf(r, fmt.Sprintf("r%d", trial))
		db.exec(t, inserts(random, dialect.Trino, r, relations, false)...)
		shape, sizes := shapeOf(r)
		there, err := estimate.PrepareElsewhere(shape, sizes, &Store{Query: db.query, Dialect: dialect.Trino, Relations: relations, Sizes: sizes})
		if err != nil {
			t.Fatal(err)
		}
		here := estimate.Prepare(r)
		for range 18 {
			q := randomQuestion(random, r)
			ways[compare(t, here, there, q)]++
			spreads[compareSpreads(t, here, there, q, 4)]++
		}
	}
	t.Logf("questions by the way that the release at hand takes: %v; with spreads of none, of COUNTs and of all aggregates %v; %d lookups", ways, spreads, db.lookups)
	if ways[estimate.KernelPath] < trials(100) || ways[estimate.ExactPath] < trials(100) || spreads[1] < trials(25) || spreads[3] < trials(50) || db.lookups < trials(50) {
		t.Errorf("questions by the way that the release at hand takes: %v; with spreads of none, of COUNTs and of all aggregates %v; %d lookups", ways, spreads, db.lookups)
	}
}

// manyValues is a release with 3,000 values of a column of a kind, and a question of their sums and means by a key, where the column has some value.
func manyValues(random *rand.Rand, k kind, fragments int) (*anonymize.Release, *estimate.Question) {
	r := &anonymize.Release{Method: "test", GroupSizes: slices.Repeat([]uint32{5, 6}, 400), Rows: 11 * 400}
	column := func(name string, k kind, domain int) *anonymize.Column {
		values := make([]anonymize.Value, r.Rows)
		for i := range values {
			if values[i] = k.value(random.IntN(domain)); random.IntN(9) == 0 {
				values[i] = anonymize.NullValue
			}
		}
		return anonymize.NewColumn(name, k.name, values)
	}
	r.Fragments = []*anonymize.Fragment{fragmentOf("f0", []*anonymize.Column{column("pay", k, 3000), column("k", kinds[1], 7)}, r.GroupSizes),
		fragmentOf("f1", []*anonymize.Column{column("l", kinds[0], 3)}, r.GroupSizes)}
	q := &estimate.Question{Leaves: []estimate.Leaf{estimate.ValueOf(0, 0), estimate.ValueOf(0, 1), estimate.ValueLeaf(fragments-1, 0, func(v anonymize.Value) bool { return !v.IsNull() })}}
	q.Where = []estimate.Expression{{Leaves: []int{2}}}
	q.Keys = []estimate.Expression{{Leaves: []int{1}}}
	rich := func(v []anonymize.Value) (anonymize.Value, error) { // no power of ten times the value, and nothing for many
		if n, _ := v[0].Number(); n > 100 {
			return anonymize.IntegerValue(int64(n) % 50), nil
		}
		return anonymize.NullValue, nil
	}
	q.Aggregates = []estimate.Aggregate{{Kind: estimate.Count}, {Kind: estimate.Sum, Argument: &estimate.Expression{Leaves: []int{0}}}, {Kind: estimate.Average, Argument: &estimate.Expression{Leaves: []int{0}}},
		{Kind: estimate.Sum, Argument: &estimate.Expression{Leaves: []int{0}, Combine: rich}}}
	return r, q
}

// A column with many values is queried for sums, not for its values.
func TestSumsOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(99, 100))
	db := newStandIn(t)
	quarters := kind{"double", func(i int) anonymize.Value { return anonymize.RealValue(float64(i-1000) / 4) }}
	for trial, k := range []kind{kinds[0], quarters, kinds[0], quarters} {
		r, q := manyValues(random, k, 1+trial/2)
		relations := relationsOf(r, fmt.Sprintf("many%d", trial))
		db.exec(t, inserts(random, dialect.Trino, r, relations, false)...)
		shape, sizes := shapeOf(r)
		summed := 0
		there, err := estimate.PrepareElsewhere(shape, sizes, &Store{Dialect: dialect.Trino, Relations: relations, Sizes: sizes, Query: func(ctx context.Context, text string, row func([]any) error) error {
			summed += strings.Count(text, "sum(r), sum(s)")
			return db.query(ctx, text, row)
		}})
		if err != nil {
			t.Fatal(err)
		}
		compareNear(t, estimate.Prepare(r), there, q)
		if summed != 2 {
			t.Errorf("%d statements asked for sums, want one for each of 2 arguments", summed)
		}
	}
}

// compareNear compares figures to nine digits.
func compareNear(t *testing.T, here, there *estimate.Prepared, q *estimate.Question) {
	t.Helper()
	want, err := here.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := there.Ask(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != len(want.Rows) || got.Exact != want.Exact {
		t.Fatalf("%d keys, exact %v; want %d, %v", len(got.Rows), got.Exact, len(want.Rows), want.Exact)
	}
	for i, row := range want.Rows {
		for a, figure := range row.Figures {
			if !slices.Equal(row.Keys, got.Rows[i].Keys) || !same(got.Rows[i].Figures[a], figure, false) {
				t.Fatalf("key %v, aggregate %d: %v, want %v of %v", got.Rows[i].Keys, a, got.Rows[i].Figures[a], figure, row.Keys)
			}
		}
	}
}

// trials is n in full, an eighth otherwise.
func trials(n int) int { return testsize.Of((n+7)/8, n) }

// compareSpreads compares standard errors and bounds, of COUNTs alone where SUM and AVG have none, and returns 3 where all had some,
// 1 where COUNTs had, and 0 for exact answers and questions without.
func compareSpreads(t *testing.T, here, there *estimate.Prepared, q *estimate.Question, aggregates int) int {
	t.Helper()
	counts := *q
	counts.Aggregates = q.Aggregates[:aggregates]
	want, err := here.AskWithSpread(t.Context(), &counts)
	if err != nil {
		t.Fatal(err)
	}
	got, err := there.AskWithSpread(t.Context(), &counts)
	if err != nil {
		t.Fatal(err)
	}
	gotErrors, err := there.StandardErrors(t.Context(), &counts, got)
	if unanswered := (*estimate.UnansweredError)(nil); errors.As(err, &unanswered) {
		if aggregates == 2 {
			return 0
		}
		return compareSpreads(t, here, there, q, 2)
	}
	if err != nil {
		t.Fatal(err)
	}
	gotBounds, err := there.Bounds(t.Context(), &counts, got)
	if err != nil {
		t.Fatal(err)
	}
	wantErrors, err := here.StandardErrors(t.Context(), &counts, want)
	if err != nil {
		t.Fatal(err)
	}
	wantBounds, err := here.Bounds(t.Context(), &counts, want)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.Rows {
		for a := range counts.Aggregates {
			// A variance is a difference of squares as large as the figure's.
			figure := want.Rows[i].Figures[a].Float
			if x, y := gotErrors[i][a].Float, wantErrors[i][a].Float; math.Abs(x*x-y*y) > max(1e-9*max(1, y*y), 1e-13*figure*figure) {
				t.Fatalf("key %v, aggregate %d: standard error %v, want %v", want.Rows[i].Keys, a, x, y)
			}
			if x, y := gotBounds[i][a], wantBounds[i][a]; !same(x.Low, y.Low, a < 2) || !same(x.High, y.High, a < 2) {
				t.Fatalf("key %v, aggregate %d: bounds %v, want %v", want.Rows[i].Keys, a, x, y)
			}
		}
	}
	if got.Exact {
		return 0
	}
	return aggregates - 1
}

// Unanswerable questions are refused with their number, and an answer that does not match the relations is an error.
func TestRefusals(t *testing.T) {
	random := rand.New(rand.NewPCG(93, 94))
	r := randomRelease(random, 50, 2, kinds)
	_, sizes := shapeOf(r)
	var answer []any
	times := 1
	store := &Store{Dialect: dialect.Trino, Relations: relationsOf(r, "r"), Sizes: sizes, Query: func(_ context.Context, _ string, row func([]any) error) error {
		for range times {
			if err := row(answer); err != nil {
				return err
			}
		}
		return nil
	}}
	unit := estimate.ClassUnit{Columns: []int{0}, Dictionaries: [][]anonymize.Value{{anonymize.IntegerValue(1), anonymize.IntegerValue(2)}}, Class: []uint32{0, 1}, Classes: 2}
	of := []estimate.Classes{{Units: []estimate.ClassUnit{unit}}}
	for want, values := range map[string][]any{
		"for a whole number":      {int64(0), int64(0), -1.5},
		"for one of 2 classes":    {int64(0), int64(2), int64(5)},
		"(string) for a whole":    {int64(0), int64(0), "99999999999999999999"},
		"records of a group":      {int64(1) << 40, int64(0), int64(5)},
		"<nil> (<nil>) for a who": {int64(0), int64(0), nil},
	} {
		answer = values
		if _, err := store.Weights(t.Context(), of, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want an error with %q", values, err, want)
		}
	}
	answer, times = []any{int64(0), int64(0), int64(0)}, maxRows+1
	_, failed := store.Weights(t.Context(), of, nil)
	_, _, failedToo := store.Values(t.Context(), 0, 0)
	for _, err := range []error{failed, failedToo} {
		if unanswered := (*estimate.UnansweredError)(nil); !errors.As(err, &unanswered) || !strings.Contains(err.Error(), "more than 1048576") {
			t.Errorf("a million rows: %v", err)
		}
	}
	deep := estimate.ClassUnit{Columns: []int{0}, Classes: 2, Dictionaries: make([][]anonymize.Value, 1)}
	for i := range 400_000 { // every other value is of one class
		deep.Dictionaries[0], deep.Class = append(deep.Dictionaries[0], anonymize.IntegerValue(int64(i))), append(deep.Class, uint32(i%2))
	}
	_, err := store.Weights(t.Context(), []estimate.Classes{{Units: []estimate.ClassUnit{deep}}}, nil)
	if unanswered := (*estimate.UnansweredError)(nil); !errors.As(err, &unanswered) || !strings.Contains(err.Error(), "must have at most 800000") {
		t.Errorf("a statement of a million characters: %v", err)
	}
}
