package estimate

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// What is not answered is refused by what it is.
func TestElsewhereRefuses(t *testing.T) {
	random := rand.New(rand.NewPCG(77, 78))
	r := generated(random, 600, 700, 6)
	p, _ := mustPrepareElsewhere(t, r)
	even := func(v anonymize.Value) bool { return v.Int%2 == 0 }
	either := &Question{
		Leaves: []Leaf{ValueLeaf(0, 0, even), ValueLeaf(1, 0, even), ValueOf(0, 0), ValueOf(1, 0)},
		Where: []Expression{{Leaves: []int{0, 1}, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.IntegerValue(v[0].Int | v[1].Int), nil
		}}},
		Aggregates: []Aggregate{{Kind: Count}},
	}
	keys := &Question{Leaves: either.Leaves[2:], Keys: []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: []Aggregate{{Kind: Count}}}
	sum := func(leaf Leaf, leaves ...int) *Question {
		q := &Question{Leaves: []Leaf{either.Leaves[1], leaf, ValueOf(0, 1)}, Where: []Expression{{Leaves: []int{0}}}}
		q.Aggregates = []Aggregate{{Kind: Sum, Argument: &Expression{Leaves: leaves, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			return anonymize.RealValue(v[0].Float + float64(v[len(v)-1].Int)), nil
		}}}}
		return q
	}
	third := Leaf{Columns: []int{0}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return anonymize.RealValue(float64(v[0].Int) / 3), nil
	}}
	for want, q := range map[string]*Question{"is no AND of conditions on one each, or an expression fails for some values. Ask for the figure": either, "outcomes. Ask with fewer keys": keys,
		"values with so many digits": sum(third, 1), "an expression over several columns of a fragment": sum(third, 1, 2)} {
		answer := mustAskPrepared(t, p, q)
		_, failed := p.StandardErrors(context.Background(), q, answer)
		_, failedToo := p.Bounds(context.Background(), q, answer)
		for _, err := range []error{failed, failedToo} {
			if unanswered := (*UnansweredError)(nil); !errors.As(err, &unanswered) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want a refusal with %q", err, want)
			}
		}
	}
	if _, err := Prepare(p.Release()).Ask(context.Background(), either); err == nil {
		t.Error("a release without tuples answers")
	}
	cells := &anonymize.Release{Rows: 600, Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{{Cells: []anonymize.Cell{}}}}}}
	for want, shape := range map[string]*anonymize.Release{"several values": cells, "counterfeits": {Rows: 600, Forged: 6}, "the release 599": {Rows: 599}} {
		if _, err := PrepareElsewhere(shape, []GroupSize{{Size: 6, Groups: 100}}, &distant{release: r}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// A store whose relations are others than those of the release is noticed, where what it counts is more than there is.
func TestElsewhereNoticesOtherRelations(t *testing.T) {
	random := rand.New(rand.NewPCG(79, 80))
	r, other := generated(random, 600, 5, 6), generated(random, 1200, 5, 6)
	shape, sizes := shapeOf(r)
	q := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 0)}, Aggregates: []Aggregate{{Kind: Count}}}
	q.Keys = []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}
	store := &distant{release: other}
	p, err := PrepareElsewhere(shape, sizes, store)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Ask(context.Background(), q); err == nil || !strings.Contains(err.Error(), "1200 records") {
		t.Errorf("values of another release: %v", err)
	}
	store.release = r
	for f := range 2 {
		if _, err := p.elsewhere.Column(context.Background(), p.release, f, 0); err != nil {
			t.Fatal(err)
		}
	}
	store.release = other
	if _, err := p.Ask(context.Background(), q); err == nil || !strings.Contains(err.Error(), "not those of the release") {
		t.Errorf("weights of another release: %v", err)
	}
}

// Values are read once; a question of one column needs nothing but them, and one that no value satisfies asks for no counts.
func TestElsewhereIsAskedLittle(t *testing.T) {
	random := rand.New(rand.NewPCG(81, 82))
	p, store := mustPrepareElsewhere(t, generated(random, 600, 5, 6))
	never := func(anonymize.Value) bool { return false }
	for i, c := range []struct {
		leaves []Leaf
		want   []string
	}{
		{[]Leaf{ValueOf(0, 0)}, []string{"values"}},
		{[]Leaf{ValueOf(0, 0)}, nil},
		{[]Leaf{ValueOf(0, 0), ValueLeaf(1, 1, never)}, []string{"values"}},
		{[]Leaf{ValueOf(0, 0), ValueOf(0, 1)}, []string{"values", "weights of 1"}},
		{[]Leaf{ValueOf(0, 0), ValueOf(1, 1)}, []string{"weights of 2"}},
	} {
		store.asked = nil
		q := &Question{Leaves: c.leaves, Keys: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Count}}}
		if len(c.leaves) > 1 {
			q.Where = []Expression{{Leaves: []int{1}}}
		}
		mustAskPrepared(t, p, q)
		if !slices.Equal(store.asked, c.want) {
			t.Errorf("question %d asks for %v, want %v", i, store.asked, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	place := p.elsewhere.Columns[2][0]
	place.Turn <- struct{}{} // somebody else reads it, and does not end
	q := &Question{Leaves: []Leaf{ValueOf(2, 0)}, Keys: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Count}}}
	if _, err := p.Ask(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

// What is kept of values is bounded: of two columns of 200,000 values the second is read again.
func TestElsewhereMemoryIsBounded(t *testing.T) {
	values := make([]anonymize.Value, 200_000)
	for i := range values {
		values[i] = anonymize.IntegerValue(int64(i))
	}
	table := &anonymize.Release{Method: "test", GroupSizes: []uint32{uint32(len(values))}, Rows: len(values)}
	for range 2 {
		c := anonymize.NewColumn("x", "int", values)
		table.Fragments = append(table.Fragments, &anonymize.Fragment{GroupStart: []uint32{0, uint32(len(values))}, Count: slices.Repeat([]uint32{1}, len(values)),
			Columns: []*anonymize.FragmentColumn{{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: c.Codes}}})
	}
	p, store := mustPrepareElsewhere(t, table)
	for range 2 {
		for f := range table.Fragments {
			q := &Question{Leaves: []Leaf{ValueLeaf(f, 0, func(v anonymize.Value) bool { return v.Int < 1000 })}, Where: []Expression{{Leaves: []int{0}}}, Aggregates: []Aggregate{{Kind: Count}}}
			if got := mustAskPrepared(t, p, q).Rows[0].Figures[0].Float; got != 1000 {
				t.Errorf("column %d: %v records, want 1000", f, got)
			}
		}
	}
	if want := []string{"values", "values", "values"}; !slices.Equal(store.asked, want) || p.Bytes() == 0 || p.Bytes() > p.MaxBytes() {
		t.Errorf("%v were asked, want %v; %d bytes are kept of at most %d", store.asked, want, p.Bytes(), p.MaxBytes())
	}
}

// Questions that arrive together read a column once, and have their own answers.
func TestElsewhereIsSafeForConcurrentUse(t *testing.T) {
	random := rand.New(rand.NewPCG(89, 90))
	r := codedRelease(random, 300, 2, sizings[3].draw)
	shape, sizes := shapeOf(r)
	store := &counting{distant: distant{release: r}}
	p, err := PrepareElsewhere(shape, sizes, store)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 8 {
		q := codedQuestion(random, r, true)
		wait.Go(func() {
			got, err := p.AskWithSpread(context.Background(), q)
			if err == nil {
				_, err = p.Bounds(context.Background(), q, got)
			}
			want, wanted := askByGroups(context.Background(), r, q)
			if err != nil || wanted != nil {
				t.Error(err, wanted)
			} else if diff := different(got, want); diff != "" {
				t.Error(diff)
			}
		})
	}
	wait.Wait()
	for place, n := range store.read {
		if n != 1 {
			t.Errorf("column %v was read %d times", place, n)
		}
	}
	if len(store.read) == 0 {
		t.Error("no column was read")
	}
}

// A counting store is asked by one at a time, and counts how often columns are read.
type counting struct {
	distant
	turn sync.Mutex
	read map[[2]int]int
}

func (c *counting) Values(ctx context.Context, fragment, column int) ([]anonymize.Value, []uint64, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	if c.read == nil {
		c.read = make(map[[2]int]int)
	}
	c.read[[2]int{fragment, column}]++
	return c.distant.Values(ctx, fragment, column)
}

func (c *counting) Weights(ctx context.Context, fragments []Classes, of *Worth) ([]Weight, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.distant.Weights(ctx, fragments, of)
}

func (c *counting) Takes(ctx context.Context, fragments []Classes, of Worth) ([]Take, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.distant.Takes(ctx, fragments, of)
}

func (c *counting) Profiles(ctx context.Context, fragments []Classes, of *Worth) ([]Profile, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.distant.Profiles(ctx, fragments, of)
}

func (c *counting) ByGroup(ctx context.Context, fragment Classes) ([]GroupCount, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.distant.ByGroup(ctx, fragment)
}

func (c *counting) Tables(ctx context.Context, fragments []Classes, tables int) ([]TableCount, error) {
	c.turn.Lock()
	defer c.turn.Unlock()
	return c.distant.Tables(ctx, fragments, tables)
}
