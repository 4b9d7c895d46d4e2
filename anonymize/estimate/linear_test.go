package estimate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
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

// COUNT, SUM and AVG of columns with many values are answered as the weighted join does.
func TestValuesAreAnsweredAsByTheWeightedJoin(t *testing.T) {
	ctx, taken := context.Background(), 0
	seeds := testsize.Levels(30, 80, 400)
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 11))
		d := &shapeDrawer{Rand: random, r: linearRelease(random)}
		linearQuestion(d)
		p := Prepare(d.r)
		got, err := p.Ask(ctx, d.q)
		if err != nil {
			t.Fatal(err)
		}
		want, err := askByGroups(ctx, d.r, d.q)
		if err != nil {
			t.Fatal(err)
		}
		sameFigures(t, fmt.Sprint("seed ", seed), got.Rows, want.Rows)
		if kept(got).cells != nil {
			taken++
		}
	}
	if taken < seeds/4 {
		t.Errorf("%d of %d questions are answered by a kernel of cells", taken, seeds)
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
