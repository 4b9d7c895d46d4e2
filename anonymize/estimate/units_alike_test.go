package estimate

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/estimate/units"
)

// Where a column that is constant in units tells the units of a group apart, numbers of units by the other columns of its fragment are exact, whether one
// relation answers or the join does; one that is not constant tells nothing.
func TestUnitsThatAConstantColumnTellsApart(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 5))
	for _, constant := range []bool{true, false} {
		exact, asked := 0, 0
		for range 200 {
			r, with := homesAndWards(random, constant)
			q := &Question{Leaves: []Leaf{ValueLeaf(0, 1, func(v anonymize.Value) bool { return v.Int < 2 })}, Where: []Expression{{Leaves: []int{0}}},
				Aggregates: []Aggregate{{Kind: Count}}}
			p := Prepare(r)
			answer, err := p.Ask(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			bounded, err := p.Units(context.Background(), q, answer.Rows)
			if err != nil {
				t.Fatal(err)
			}
			sides, err := question.SidesOf(context.Background(), r, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range sides {
				s.Number()
			}
			joined, err := units.NewUnitJoin(context.Background(), r, units.Counting(q), sides).Answer(answer.Rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []*UnitFigures{bounded, joined} {
				asked++
				low, high := u.Bounds[0].Low.Float, u.Bounds[0].High.Float
				if float64(with) < low || float64(with) > high {
					t.Fatalf("%d units have the ward, the bounds are %v and %v", with, low, high)
				}
				if math.Abs(u.Figures[0]-float64(with)) < 1e-9 {
					exact++
				}
			}
		}
		if constant && exact < asked*99/100 || !constant && exact > asked*9/10 {
			t.Errorf("constant %v: %d of %d numbers are exact", constant, exact, asked)
		}
	}
}

// homesAndWards is a group of units whose records have a home, which is each unit's own, and one of four wards; with is how many were in ward 0 or 1.
func homesAndWards(random *rand.Rand, constant bool) (r *anonymize.Release, with int) {
	members, records := 2+random.IntN(4), 2+random.IntN(3)
	f := &anonymize.Fragment{Name: "qi1", Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}}
	for i, name := range []string{"home", "ward"} {
		c := &anonymize.FragmentColumn{Name: name, Type: "int", Constant: constant && i == 0}
		for v := range 6 {
			c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		}
		f.Columns = append(f.Columns, c)
	}
	for u := range members {
		var wards [4]uint32
		for range records {
			wards[random.IntN(4)]++
		}
		for ward, n := range wards {
			if n > 0 {
				f.Count, f.Units = append(f.Count, n), append(f.Units, 1)
				f.Columns[0].Codes, f.Columns[1].Codes = append(f.Columns[0].Codes, uint32(u)), append(f.Columns[1].Codes, uint32(ward))
			}
		}
		with += min(1, int(wards[0]+wards[1]))
	}
	f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	return &anonymize.Release{Method: "m", Rows: members * records, GroupSizes: []uint32{uint32(members * records)}, Units: []uint32{uint32(members)},
		Fragments: []*anonymize.Fragment{f}}, with
}
