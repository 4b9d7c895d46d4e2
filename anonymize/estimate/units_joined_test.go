package estimate

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A unitCase is a group of units with some records each, of two attributes in two fragments: the first in cells of some values, or in values, which may
// be constant in units.
type unitCase struct {
	units, records int
	isConstant     bool
	cells          []anonymize.Cell // of the dictionary 0, 1, 2
	codes          [2][]uint32      // by record, those of a unit one behind the other
}

func newUnitCase(random *rand.Rand) *unitCase {
	c := &unitCase{units: 2, records: 1 + random.IntN(2), isConstant: random.IntN(2) == 0}
	for range 1 + random.IntN(2) {
		members := []uint32{uint32(random.IntN(3))}
		if second := uint32(random.IntN(3)); second > members[0] {
			members = append(members, second)
		}
		c.cells = append(c.cells, anonymize.Cell{Label: "cell", Members: members})
	}
	for range c.units {
		first := uint32(random.IntN(len(c.cells)))
		for record := range c.records {
			if record > 0 && !c.isConstant {
				first = uint32(random.IntN(len(c.cells)))
			}
			c.codes[0], c.codes[1] = append(c.codes[0], first), append(c.codes[1], uint32(random.IntN(3)))
		}
	}
	return c
}

func (c *unitCase) release() *anonymize.Release {
	size := uint32(c.units * c.records)
	r := &anonymize.Release{Method: "units", Rows: int(size), GroupSizes: []uint32{size}, Units: []uint32{uint32(c.units)}}
	dictionary := []anonymize.Value{anonymize.IntegerValue(0), anonymize.IntegerValue(1), anonymize.IntegerValue(2)}
	for i, codes := range c.codes {
		column := &anonymize.FragmentColumn{Name: []string{"x0", "x1"}[i], Type: "int", Dictionary: dictionary}
		if i == 0 {
			column.Cells, column.Constant = c.cells, c.isConstant
		}
		f := &anonymize.Fragment{Name: column.Name, Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}, Columns: []*anonymize.FragmentColumn{column}}
		addGroup(f, codes, c.records)
		r.Fragments = append(r.Fragments, f)
	}
	return r
}

// eachTable visits the tables that agree with the release: arrangements of the codes that leave every code in as many units, with every choice of members.
// Constant columns have one value a unit.
func (c *unitCase) eachTable(visit func(values [2][]uint32)) {
	for _, first := range c.arrangements(0) {
		for _, second := range c.arrangements(1) {
			c.eachChoice(first, nil, func(values []uint32) { visit([2][]uint32{values, second}) })
		}
	}
}

func (c *unitCase) eachChoice(codes, chosen []uint32, visit func(values []uint32)) {
	at := len(chosen)
	if at == len(codes) {
		visit(chosen)
		return
	}
	for _, v := range c.cells[codes[at]].Members {
		if c.isConstant && at%c.records > 0 && v != chosen[at-1] {
			continue
		}
		c.eachChoice(codes, append(slices.Clip(chosen), v), visit)
	}
}

// arrangements are the orders of the codes of a fragment, each once, in which as many units have each; by units where it is constant in them.
func (c *unitCase) arrangements(fragment int) (list [][]uint32) {
	wanted := c.unitsByCode(c.codes[fragment])
	var permute func(rest, placed []uint32)
	permute = func(rest, placed []uint32) {
		if len(rest) == 0 {
			whole := fragment > 0 || !c.isConstant || isByUnit(placed, c.records)
			if whole && c.unitsByCode(placed) == wanted && !slices.ContainsFunc(list, func(known []uint32) bool { return slices.Equal(known, placed) }) {
				list = append(list, placed)
			}
			return
		}
		for i, code := range rest {
			permute(slices.Concat(rest[:i], rest[i+1:]), append(slices.Clip(placed), code))
		}
	}
	permute(c.codes[fragment], nil)
	return list
}

func isByUnit(codes []uint32, records int) bool {
	for i, code := range codes {
		if code != codes[i-i%records] {
			return false
		}
	}
	return true
}

func (c *unitCase) unitsByCode(codes []uint32) (units [3]int) {
	for code := range units {
		for u := range c.units {
			if slices.Contains(codes[u*c.records:(u+1)*c.records], uint32(code)) {
				units[code]++
			}
		}
	}
	return units
}

// unitConditions are questions across fragments, or over cells.
var unitConditions = []struct {
	name  string
	holds func(x, y int64) bool
	// separate says that it is a condition on x0, alone.
	separate bool
}{
	{"x0 < 1", func(x, _ int64) bool { return x < 1 }, true},
	{"x0 <> 1", func(x, _ int64) bool { return x != 1 }, true},
	{"x0 < 1 OR x1 = 2", func(x, y int64) bool { return x < 1 || y == 2 }, false},
	{"x0 = x1", func(x, y int64) bool { return x == y }, false},
	{"x0 < 2 AND x1 < 2", func(x, y int64) bool { return x < 2 && y < 2 }, false},
}

func unitCondition(i int) *Question {
	condition := unitConditions[i]
	q := &Question{Leaves: []Leaf{ValueOf(0, 0), ValueOf(1, 0)}, Aggregates: []Aggregate{{Kind: Count}}}
	e := Expression{Leaves: []int{0, 1}, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
		if y := v[len(v)-1].Int; condition.holds(v[0].Int, y) {
			return True, nil
		}
		return False, nil
	}}
	if condition.separate {
		q.Leaves, e.Leaves = q.Leaves[:1], []int{0}
	}
	q.Where = []Expression{e}
	return q
}

// Numbers of units by conditions across fragments and over cells have the bounds that enumeration finds, or wider ones, and the expectation of the
// condition on one column is that of all tables.
func TestUnitsOfJoinedRelationsAgainstEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	questions, tight, difference := 0, 0, 0.0
	for range 400 {
		c := newUnitCase(random)
		r := c.release()
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		at := random.IntN(len(unitConditions))
		low, high, sum, tables := math.Inf(1), math.Inf(-1), 0.0, 0.0
		c.eachTable(func(values [2][]uint32) {
			met := make(map[int]bool)
			for row := range r.Rows {
				if unitConditions[at].holds(int64(values[0][row]), int64(values[1][row])) {
					met[row/c.records] = true
				}
			}
			n := float64(len(met))
			low, high, sum, tables = min(low, n), max(high, n), sum+n, tables+1
		})
		got, err := Prepare(r).Units(context.Background(), unitCondition(at), []AnswerRow{{}})
		if err != nil {
			t.Fatal(err)
		}
		bound, figure := got.Bounds[0], got.Figures[0]
		if bound.Low.Float > low || bound.High.Float < high || figure < bound.Low.Float-1e-9 || figure > bound.High.Float+1e-9 {
			t.Errorf("%s: %v units in [%v, %v], tables have %v to %v: %+v", unitConditions[at].name, figure, bound.Low.Float, bound.High.Float, low, high, c)
		}
		questions++
		if bound.Low.Float == low && bound.High.Float == high {
			tight++
		} else if unitConditions[at].separate {
			t.Errorf("%s: [%v, %v], tables have %v to %v: %+v", unitConditions[at].name, bound.Low.Float, bound.High.Float, low, high, c)
		}
		difference += math.Abs(figure - sum/tables)
	}
	if 100*tight < 95*questions || difference > 0.02*float64(questions) {
		t.Errorf("%d of %d bounds are attained, expectations are off by %v units together", tight, questions, difference)
	}
	t.Logf("%d of %d bounds are attained; expectations are %.4f units from the mean of all tables", tight, questions, difference/float64(questions))
}

// By key there are as many units as with a condition that asks for the key.
func TestUnitsOfJoinedRelationsByKey(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 100 {
		r := newUnitCase(random).release()
		byKey := unitCondition(0)
		byKey.Leaves, byKey.Keys = append(byKey.Leaves, ValueOf(1, 0)), []Expression{{Leaves: []int{1}}}
		var rows []AnswerRow
		for key := range int64(3) {
			rows = append(rows, AnswerRow{Keys: []anonymize.Value{anonymize.IntegerValue(key)}})
		}
		got, err := Prepare(r).Units(context.Background(), byKey, rows)
		if err != nil {
			t.Fatal(err)
		}
		for key, row := range rows {
			asked := unitCondition(0)
			asked.Leaves = append(asked.Leaves, ValueLeaf(1, 0, func(v anonymize.Value) bool { return v == row.Keys[0] }))
			asked.Where = append(asked.Where, Expression{Leaves: []int{1}})
			want, err := Prepare(r).Units(context.Background(), asked, []AnswerRow{{}})
			if err != nil {
				t.Fatal(err)
			}
			if got.Bounds[key] != want.Bounds[0] || math.Abs(got.Figures[key]-want.Figures[0]) > 1e-9 || math.Abs(got.Deviations[key]-want.Deviations[0]) > 1e-9 {
				t.Errorf("x1 = %d: by key %v %v, with a condition %v %v", key, got.Figures[key], got.Bounds[key], want.Figures[0], want.Bounds[0])
			}
		}
	}
}
