package estimate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/groups"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/testsize"
)

// linearRelease is benchedRelease with NULLs, fractions and negative numbers among its values.
func linearRelease(r *rand.Rand) *anonymize.Release {
	release := benchedRelease(700+r.IntN(700), 3)
	for _, f := range release.Fragments {
		for _, column := range f.Columns {
			for code := range column.Dictionary {
				switch r.IntN(8) {
				case 0:
					column.Dictionary[code] = anonymize.RealValue(float64(code) / 4)
				case 1:
					column.Dictionary[code] = anonymize.IntegerValue(-int64(code))
				}
			}
			if r.IntN(2) == 0 {
				column.Dictionary[r.IntN(len(column.Dictionary))] = anonymize.NullValue
			}
		}
	}
	return release
}

// linearQuestion asks COUNT, SUM and AVG of one or two columns, by keys of one fragment or of
// two, under conditions inside fragments and across.
func linearQuestion(d *shapeDrawer) {
	d.q = &Question{Aggregates: []Aggregate{{Kind: Count}}}
	for range d.IntN(3) {
		d.by(d.IntN(2), d.IntN(2))
	}
	for range d.IntN(2) {
		d.below(d.IntN(3))
	}
	if d.IntN(4) == 0 {
		d.eitherAcross()
	}
	for range 1 + d.IntN(2) {
		x := d.leaf(ValueOf(d.IntN(3), 0))
		if d.IntN(3) == 0 { // of the column twice
			x.Leaves = append(x.Leaves, x.Leaves[0])
			x.Combine = func(v []anonymize.Value) (anonymize.Value, error) {
				a, ok := v[0].Number()
				if b, also := v[1].Number(); ok && also {
					return anonymize.RealValue(a*b - 1), nil
				}
				return anonymize.NullValue, nil
			}
		}
		for _, kind := range []Kind{Count, Sum, Average} {
			d.q.Aggregates = append(d.q.Aggregates, Aggregate{Kind: kind, Argument: &x})
		}
	}
}

// The linear join answers what the weighted join does.
func TestLinearJoinAnswersAsTheWeightedJoin(t *testing.T) {
	ctx, taken, keyed := context.Background(), 0, 0
	seeds := testsize.Of(80, 400)
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 11))
		d := &shapeDrawer{Rand: random, r: linearRelease(random)}
		linearQuestion(d)
		p := Prepare(d.r)
		sides, err := question.SidesOf(ctx, d.r, d.q)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := (&scan{prepared: p, question: d.q}).sums(ctx, d.r, d.q, sides)
		if err != nil {
			t.Fatal(err)
		}
		if rows == nil {
			continue
		}
		taken++
		if l, err := figures.NewLinearJoin(ctx, d.r, d.q); err != nil {
			t.Fatal(err)
		} else if _, ok := l.Keyed(); ok {
			keyed++
		}
		want, err := Ask(ctx, d.r, d.q)
		if err != nil {
			t.Fatal(err)
		}
		sameFigures(t, fmt.Sprint("seed ", seed), rows, want.Rows)
	}
	if taken < seeds/4 || keyed < seeds/10 || taken-keyed < seeds/10 {
		t.Errorf("%d of %d questions take the linear join, %d with keys of one side: both ways must be tested", taken, seeds, keyed)
	}
}

// A keyed join adds up in one order: per group w and w times the mean of every measure, tuple by
// tuple, and then, tuple by tuple of the keys' side, these as often as the tuple is counted.
func TestKeyedJoinAddsUpInOneOrder(t *testing.T) {
	ctx, taken := context.Background(), 0
	for seed := range uint64(trials(200)) {
		random := rand.New(rand.NewPCG(seed, 12))
		d := &shapeDrawer{Rand: random, r: linearRelease(random)}
		linearQuestion(d)
		l, err := figures.NewLinearJoin(ctx, d.r, d.q)
		if err != nil {
			t.Fatal(err)
		}
		if l == nil || len(l.Sides) < 2 {
			continue
		}
		k, ok := l.Keyed()
		if !ok {
			continue
		}
		taken++
		for _, side := range l.Sides {
			side.Number()
		}
		got, want := make([]float64, l.Sides[k.Key].Classes*l.Width()), make([]float64, l.Sides[k.Key].Classes*l.Width())
		if err := groups.NewWorker(k, d.r).Add(ctx, 0, d.r.Groups(), got); err != nil {
			t.Fatal(err)
		}
		for g := range d.r.GroupSizes {
			addInOrder(k, d.r, g, want)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n%v, in order\n%v", seed, got, want)
		}
	}
	if taken < trials(200)/5 {
		t.Errorf("%d questions have keys of one fragment", taken)
	}
}

// addInOrder adds group g to the sums of the classes.
func addInOrder(k figures.KeyedJoin, r *anonymize.Release, g int, sums []float64) {
	weight, records := 1.0, make([]float64, len(k.Sides))
	each := func(s int, visit func(t int, class uint32, count float64)) {
		f, class := k.Sides[s].Fragment, make([]uint32, 1)
		for t := int(f.GroupStart[g]); t < int(f.GroupStart[g+1]); t++ {
			if k.Sides[s].ClassesOf(uint32(t), class); class[0] != question.Dead {
				visit(t, class[0], float64(f.Count[t]))
			}
		}
	}
	for s := range k.Sides {
		if s != k.Key {
			each(s, func(_ int, _ uint32, count float64) { records[s] += count })
			weight *= records[s] / float64(r.GroupSizes[g])
		}
	}
	add := func(sum int, of func(t int) float64, known bool) {
		each(k.Key, func(t int, class uint32, count float64) {
			if known {
				sums[int(class)*k.Width()+sum] += weight * count * of(t)
			} else {
				sums[int(class)*k.Width()+sum] += count * of(t)
			}
		})
	}
	measured := make(map[int]bool)
	for _, m := range append(slices.Clone(k.Measures), k.Own...) {
		codes, total := k.Sides[m.Side].Units[m.Unit].Codes, 0.0
		measured[m.Sum] = true
		if m.Side == k.Key {
			add(m.Sum, func(t int) float64 { return m.Values[codes[t]] }, true)
		} else if weight > 0 {
			each(m.Side, func(t int, _ uint32, count float64) { total += count * m.Values[codes[t]] })
			factor := total / records[m.Side] * weight
			add(m.Sum, func(int) float64 { return factor }, false)
		}
	}
	for sum := range k.Width() {
		if !measured[sum] && sum%2 == 1 || sum == 0 { // numbers of records
			add(sum, func(int) float64 { return weight }, false)
		}
	}
}

// sameFigures compares figures but for their last digits.
func sameFigures(t *testing.T, name string, got, want []AnswerRow) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", name, len(got), len(want))
	}
	for i := range want {
		for k, key := range want[i].Keys {
			if anonymize.Compare(got[i].Keys[k], key) != 0 {
				t.Fatalf("%s, row %d: key %v, want %v", name, i, got[i].Keys, want[i].Keys)
			}
		}
		for a, figure := range want[i].Figures {
			if other := got[i].Figures[a]; !alike(other, figure, 1e-9) || other.Kind != figure.Kind {
				t.Errorf("%s, key %v: aggregate %d is %v, want %v", name, want[i].Keys, a, other, figure)
			}
		}
	}
}

// A value that fails its argument fails a question where somebody may have it, and else not.
func TestLinearJoinLeavesErrorsAlone(t *testing.T) {
	ctx, wrong := context.Background(), errors.New("wrong")
	for limit, fails := range map[int64]bool{20: false, 99: true} {
		r := benchedRelease(7000, 2)
		d := &shapeDrawer{r: r, q: &Question{}}
		d.by(0, 0)
		d.q.Where = append(d.q.Where, d.leaf(ValueLeaf(1, 0, func(v anonymize.Value) bool { return v.Int < limit })))
		x := d.leaf(Leaf{Fragment: 1, Columns: []int{0}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			if v[0].Int == 50 {
				return anonymize.NullValue, wrong
			}
			return v[0], nil
		}})
		d.q.Aggregates = []Aggregate{{Kind: Sum, Argument: &x}}
		if _, err := Prepare(r).Ask(ctx, d.q); errors.Is(err, wrong) != fails || err != nil && !fails {
			t.Errorf("below %d: %v", limit, err)
		}
	}
}
