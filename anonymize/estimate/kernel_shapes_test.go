package estimate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/testsize"
)

// A questionShape draws questions of one kind.
type questionShape struct {
	name string
	// fragments is the least number that it needs.
	fragments int
	draw      func(*shapeDrawer)
	// general says that no kernel computes its standard errors.
	general bool
}

var questionShapes = []questionShape{
	{"OR inside a fragment, one leaf", 2, func(d *shapeDrawer) { d.pairLeaf(0, false); d.conditions(1) }, false},
	{"OR inside a fragment, two leaves", 2, func(d *shapeDrawer) { d.pairExpression(0); d.conditions(1) }, false},
	{"AND and OR inside all fragments", 2, func(d *shapeDrawer) {
		for f := range d.r.Fragments {
			d.pairLeaf(f, f%2 == 0)
		}
	}, false},
	{"a condition on the whole tuple", 2, func(d *shapeDrawer) { d.tupleLeaf(0); d.conditions(1) }, false},
	{"key of one fragment", 2, func(d *shapeDrawer) { d.conditions(0); d.key(1) }, false},
	{"keys of two fragments", 2, func(d *shapeDrawer) { d.key(0); d.key(1) }, false},
	{"key over two columns", 2, func(d *shapeDrawer) { d.pairKey(0); d.conditions(1) }, false},
	{"bands", 2, func(d *shapeDrawer) { d.bands(0); d.conditions(1); d.argument(Count, 1) }, false},
	{"COUNT of a nullable column", 2, func(d *shapeDrawer) { d.conditions(0); d.argument(Count, 1) }, false},
	{"SUM", 2, func(d *shapeDrawer) { d.conditions(0); d.argument(Sum, 1) }, false},
	{"AVG", 2, func(d *shapeDrawer) { d.conditions(0); d.argument(Average, 1) }, false},
	{"SUM and AVG by key", 2, func(d *shapeDrawer) { d.bands(0); d.conditions(1); d.argument(Sum, 1); d.argument(Average, 0) }, false},
	{"DISTINCT", 2, func(d *shapeDrawer) { d.conditions(0); d.argument(Distinct, 1) }, false},
	{"DISTINCT by key", 2, func(d *shapeDrawer) { d.bands(0); d.conditions(1); d.argument(Distinct, 1) }, false},
	{"DISTINCT of the conditions' column", 2, func(d *shapeDrawer) { d.conditions(0); d.conditions(1); d.argument(Distinct, 0) }, false},
	{"OR across fragments", 2, func(d *shapeDrawer) { d.across() }, true},
	{"DISTINCT and OR across fragments", 2, func(d *shapeDrawer) { d.across(); d.argument(Distinct, 0) }, true},
}

// A shapeDrawer builds one question.
type shapeDrawer struct {
	*rand.Rand
	r *anonymize.Release
	q *Question
}

func (d *shapeDrawer) leaf(l Leaf) Expression {
	d.q.Leaves = append(d.q.Leaves, l)
	return Expression{Leaves: []int{len(d.q.Leaves) - 1}}
}

// column picks a column with few values, if there is one.
func (d *shapeDrawer) column(f int) int {
	c := d.IntN(len(d.r.Fragments[f].Columns))
	for i, column := range d.r.Fragments[f].Columns {
		if len(d.r.Fragments[f].Columns[c].Dictionary) > 40 && len(column.Dictionary) <= 40 {
			c = i
		}
	}
	return c
}

func (d *shapeDrawer) set(f, c int) func(anonymize.Value) bool {
	return randomSet(d.Rand, len(d.r.Fragments[f].Columns[c].Dictionary))
}

func (d *shapeDrawer) conditions(f int) {
	for range 1 + d.IntN(2) {
		c := d.column(f)
		d.q.Where = append(d.q.Where, d.leaf(ValueLeaf(f, c, d.set(f, c))))
	}
}

// pairLeaf is a condition over two columns that nobody sees into.
func (d *shapeDrawer) pairLeaf(f int, both bool) {
	a, b := d.column(f), d.column(f)
	first, second := d.set(f, a), d.set(f, b)
	d.q.Where = append(d.q.Where, d.leaf(Leaf{Fragment: f, Columns: []int{a, b}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		x, y := first(v[0]), second(v[1])
		return truthOf(both && x && y || !both && (x || y)), nil
	}}))
}

func truthOf(b bool) anonymize.Value {
	if b {
		return True
	}
	return False
}

func (d *shapeDrawer) pairExpression(f int) {
	a, b := d.column(f), d.column(f)
	x, y := d.leaf(ValueLeaf(f, a, d.set(f, a))), d.leaf(ValueLeaf(f, b, d.set(f, b)))
	d.q.Where = append(d.q.Where, Expression{Leaves: append(x.Leaves, y.Leaves...), Combine: func(v []anonymize.Value) (anonymize.Value, error) {
		return truthOf(question.IsTrue(v[0]) || question.IsTrue(v[1])), nil
	}})
}

// tupleLeaf is a condition over all columns.
func (d *shapeDrawer) tupleLeaf(f int) {
	l := Leaf{Fragment: f, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		sum := int64(0)
		for _, x := range v {
			sum += x.Int
		}
		return truthOf(sum%3 == 0), nil
	}}
	for c := range d.r.Fragments[f].Columns {
		l.Columns = append(l.Columns, c)
	}
	d.q.Where = append(d.q.Where, d.leaf(l))
}

func (d *shapeDrawer) key(f int) { d.q.Keys = append(d.q.Keys, d.leaf(ValueOf(f, d.column(f)))) }

func (d *shapeDrawer) pairKey(f int) {
	d.q.Keys = append(d.q.Keys, d.leaf(Leaf{Fragment: f, Columns: []int{d.column(f), d.column(f)}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return anonymize.IntegerValue((v[0].Int + 3*v[1].Int) % 5), nil
	}}))
}

func (d *shapeDrawer) bands(f int) {
	width := 2 + d.Int64N(9)
	d.q.Keys = append(d.q.Keys, d.leaf(Leaf{Fragment: f, Columns: []int{d.column(f)}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		return anonymize.IntegerValue(v[0].Int / width), nil
	}}))
}

// argument asks an aggregate of values below, at and above 0.
func (d *shapeDrawer) argument(kind Kind, f int) {
	shift := d.Int64N(10)
	x := d.leaf(Leaf{Fragment: f, Columns: []int{d.column(f)}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
		if v[0].IsNull() {
			return v[0], nil
		}
		return anonymize.IntegerValue(v[0].Int - shift), nil
	}})
	d.q.Aggregates = append(d.q.Aggregates, Aggregate{Kind: kind, Argument: &x})
}

func (d *shapeDrawer) across() {
	a, b := d.column(0), d.column(1)
	x, y := d.leaf(ValueLeaf(0, a, d.set(0, a))), d.leaf(ValueLeaf(1, b, d.set(1, b)))
	d.q.Where = append(d.q.Where, Expression{Leaves: append(x.Leaves, y.Leaves...), Combine: func(v []anonymize.Value) (anonymize.Value, error) {
		return truthOf(question.IsTrue(v[0]) || question.IsTrue(v[1])), nil
	}})
}

// Answers, standard errors and bounds of every shape of question, by the
// kernels and by the general path; and every shape does reach a kernel.
func TestKernelsOfAllShapes(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	for _, shape := range questionShapes {
		answered, spread, refused, asked := 0, 0, 0, 0
		for _, s := range sizings {
			for trial := range max(2, trials(8)) {
				r := codedRelease(random, 80+random.IntN(200), shape.fragments+trial%2, s.draw)
				p := Prepare(r)
				d := &shapeDrawer{random, r, &Question{Aggregates: []Aggregate{{Kind: Count}}}}
				shape.draw(d)
				want, err := askByGroups(context.Background(), r, d.q)
				if errors.Is(err, ErrNotAConjunction) {
					refused++
					if _, err := p.Ask(context.Background(), d.q); !errors.Is(err, ErrNotAConjunction) {
						t.Fatalf("%s, groups of %s: %v, the general path refuses", shape.name, s.name, err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				asked++
				if p.planes.NewCounter(r, d.q, mustSides(t, r, d.q)).Reason() == "" {
					answered++
				}
				got := mustAskPrepared(t, p, d.q)
				if diff := different(got, want); diff != "" {
					t.Fatalf("%s, groups of %s, trial %d: %s", shape.name, s.name, trial, diff)
				}
				compareSpread(t, p, d.q, got)
				if kept(got).boxes != nil || kept(got).cells != nil {
					spread++
				}
			}
		}
		t.Logf("%s: %d questions, %d by a kernel, %d spreads by a kernel, %d refused", shape.name, asked, answered, spread, refused)
		if answered < asked/3 || !shape.general && spread < asked/3 {
			t.Errorf("%s: of %d questions a kernel answered %d, and the spreads of %d", shape.name, asked, answered, spread)
		}
	}
}

// An error counts where its combination of values occurs, and only there.
func TestErrorsOfCombinations(t *testing.T) {
	b := newReleaseBuilder([]string{"a", "b"}, []string{"c"})
	for range 80 {
		b.group([]string{"1,1", "2,2", "3,1"}, []string{"5", "6", "7"})
	}
	r := b.release()
	failure := errors.New("the pair fails")
	for pair, want := range map[[2]int64]error{{1, 2}: nil, {2, 2}: failure} {
		q := &Question{Aggregates: []Aggregate{{Kind: Count}}, Leaves: []Leaf{
			{Fragment: 0, Columns: []int{0, 1}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
				if v[0].Int == pair[0] && v[1].Int == pair[1] {
					return v[0], failure
				}
				return True, nil
			}},
			ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Int < 7 }),
		}, Where: []Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}}
		if _, err := askByGroups(context.Background(), r, q); !errors.Is(err, want) {
			t.Errorf("pair %v: %v, not %v", pair, err, want)
		}
		answer, err := Prepare(r).AskWithSpread(context.Background(), q)
		if !errors.Is(err, want) {
			t.Errorf("pair %v, prepared: %v, not %v", pair, err, want)
		}
		if err == nil {
			compareSpread(t, Prepare(r), q, answer)
		}
	}
}

// Spreads and numbers of values have the same bits for every number of cores.
func TestSpreadsAreTheSameOnEveryNumberOfCores(t *testing.T) {
	random := rand.New(rand.NewPCG(33, 34))
	r := codedRelease(random, testsize.Of(9_000, 30_000), 3, sizings[4].draw)
	d := &shapeDrawer{random, r, &Question{}}
	d.bands(0)
	d.conditions(1)
	d.argument(Sum, 2)
	d.argument(Distinct, 1)
	var want string
	for _, cores := range []int{1, 2, 5} {
		if got := onCores(t, cores, r, d.q); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d cores: %s, one core: %s", cores, got, want)
		}
	}
}

func onCores(t *testing.T, cores int, r *anonymize.Release, q *Question) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	answer, errors, bounds := mustAskSpread(t, r, q, true)
	return fmt.Sprint(answer.Rows, errors, bounds)
}
