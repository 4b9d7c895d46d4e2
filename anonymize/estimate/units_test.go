package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/units"
)

// unitRelease is a small release with units at random: groups of 2 or 3 units with 1 to 3 records each, of two attributes in two fragments.
func unitRelease(random *rand.Rand) (*anonymize.Release, *anonymize.Microdata, []int) {
	r := &anonymize.Release{Method: "units"}
	var unit []int
	var values [2][]anonymize.Value
	dictionary := []anonymize.Value{anonymize.IntegerValue(0), anonymize.IntegerValue(1), anonymize.IntegerValue(2)}
	for i := range 2 {
		c := &anonymize.FragmentColumn{Name: fmt.Sprint("x", i), Type: "int", Dictionary: dictionary}
		r.Fragments = append(r.Fragments, &anonymize.Fragment{Name: c.Name, Role: anonymize.QuasiIdentifying, GroupStart: []uint32{0}, Columns: []*anonymize.FragmentColumn{c}})
	}
	units := 0
	for range 2 + random.IntN(3) {
		members, records := 2+random.IntN(2), 1+random.IntN(3)
		var codes [2][]uint32
		for u := range members {
			for range records {
				unit = append(unit, units+u)
				for i := range codes {
					codes[i] = append(codes[i], uint32(random.IntN(3)))
					values[i] = append(values[i], dictionary[codes[i][len(codes[i])-1]])
				}
			}
		}
		for i, f := range r.Fragments {
			addGroup(f, codes[i], records)
		}
		r.GroupSizes, r.Units, r.Rows = append(r.GroupSizes, uint32(members*records)), append(r.Units, uint32(members)), r.Rows+members*records
		units += members
	}
	table := &anonymize.Microdata{Rows: r.Rows}
	for i := range values {
		table.Columns = append(table.Columns, anonymize.NewColumn(fmt.Sprint("x", i), "int", values[i]))
	}
	return r, table, unit
}

// addGroup adds the tuples of records, those of a unit one behind the other.
func addGroup(f *anonymize.Fragment, codes []uint32, records int) {
	for value := range uint32(3) {
		count, met := uint32(0), make(map[int]bool)
		for row, code := range codes {
			if code == value {
				count++
				met[row/records] = true
			}
		}
		if count > 0 {
			f.Count, f.Units, f.Columns[0].Codes = append(f.Count, count), append(f.Units, uint32(len(met))), append(f.Columns[0].Codes, value)
		}
	}
	f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
}

// actualUnits are the units by key of the records that satisfy the conditions: x0 < some, by x1 or by nothing.
func actualUnits(table *anonymize.Microdata, unit []int, below int64, keyed bool) map[string]float64 {
	met, counts := make(map[string]bool), make(map[string]float64)
	for row := range table.Rows {
		if table.Columns[0].Value(row).Int >= below {
			continue
		}
		key := ""
		if keyed {
			key = table.Columns[1].Value(row).String()
		}
		if one := fmt.Sprint(key, "/", unit[row]); !met[one] {
			met[one] = true
			counts[key]++
		}
	}
	return counts
}

// unitQuestion asks COUNT(*) of records with x0 below some, by x1 or not.
func unitQuestion(below int64, keyed bool) *Question {
	q := &Question{Leaves: []Leaf{ValueLeaf(0, 0, func(v anonymize.Value) bool { return v.Int < below })}, Where: []Expression{{Leaves: []int{0}}},
		Aggregates: []Aggregate{{Kind: Count}}}
	if keyed {
		q.Leaves, q.Keys = append(q.Leaves, ValueOf(1, 0)), []Expression{{Leaves: []int{1}}}
	}
	return q
}

// What tables may have is inside the bounds, and the estimates are, of both estimators: by one relation, by two, and by none.
func TestUnitsAreInsideTheirBounds(t *testing.T) {
	random, met := rand.New(rand.NewPCG(3, 4)), 0
	for range 300 {
		r, table, unit := unitRelease(random)
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		p := Prepare(r)
		c := mustComplete(t, r, randomCompletion(random, r, 4))
		below, keyed := random.Int64N(5), random.IntN(2) == 0
		q, actual := unitQuestion(below, keyed), actualUnits(table, unit, below, keyed)
		answer, err := p.Ask(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		fragments, err := p.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		tables, err := c.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range answer.Rows {
			key := ""
			if keyed {
				key = row.Keys[0].String()
			}
			low, high := fragments.Bounds[i].Low.Float, fragments.Bounds[i].High.Float
			if tables.Bounds[i] != fragments.Bounds[i] {
				t.Errorf("bounds of the two estimators are %v and %v", tables.Bounds[i], fragments.Bounds[i])
			}
			for _, x := range []float64{actual[key], fragments.Figures[i], tables.Figures[i]} {
				if x < low || x > high || math.IsNaN(x) {
					t.Fatalf("x0 < %d, key %q: %v is not in [%v, %v]: units are %v, estimates %v and %v of %+v", below, key, x, low, high, actual[key],
						fragments.Figures[i], tables.Figures[i], r)
				}
			}
			if low == high {
				met++
			}
		}
	}
	if met < 100 {
		t.Errorf("the bounds of %d answers meet", met)
	}
}

// The figure of completed tables is the mean of COUNT(DISTINCT unit) over their rows.
func TestUnitsAreThoseOfTheTables(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		r, _, _ := unitRelease(random)
		c := mustComplete(t, r, randomCompletion(random, r, 3))
		q := unitQuestion(2, true)
		answer, err := c.Ask(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		mean := make(map[string]float64)
		for d := range c.Tables() {
			of, err := c.UnitsOf(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			unit, row := make([]int, len(of)), 0
			for g, size := range r.GroupSizes {
				for range size {
					unit[row] = g*1000 + int(of[row])
					row++
				}
			}
			for key, n := range actualUnits(completedTable(r, c.Completion(), d), unit, 2, true) {
				mean[key] += n / float64(c.Tables())
			}
		}
		for i, row := range answer.Rows {
			want := min(max(mean[row.Keys[0].String()], got.Bounds[i].Low.Float), got.Bounds[i].High.Float)
			if math.Abs(got.Figures[i]-want) > 1e-9 {
				t.Errorf("key %v: %v units, the tables have %v", row.Keys, got.Figures[i], want)
			}
		}
	}
}

// forgeUnits leaves a random choice of units of the groups, one of each at least a person's, as counterfeits: it returns the persons' records.
func forgeUnits(random *rand.Rand, r *anonymize.Release, table *anonymize.Microdata, unit []int) (persons *anonymize.Microdata, of []int, forged int) {
	var left []bool // by unit
	for g, units := range r.Units {
		n := random.IntN(int(units))
		for u := range units {
			left = append(left, int(u) >= n)
		}
		r.Forged += n * int(r.GroupSizes[g]/units)
		forged += n
	}
	persons = &anonymize.Microdata{}
	var values [2][]anonymize.Value
	for row, u := range unit {
		if left[u] {
			of = append(of, u)
			for i := range values {
				values[i] = append(values[i], table.Columns[i].Value(row))
			}
		}
	}
	for i := range values {
		persons.Columns = append(persons.Columns, anonymize.NewColumn(fmt.Sprint("x", i), "int", values[i]))
	}
	persons.Rows = len(of)
	return persons, of, forged
}

// Of a release with counterfeits, the units of persons are inside the bounds, whichever units are counterfeits; the estimate is that of all, as records are.
func TestForgedUnitsAreInsideTheirBounds(t *testing.T) {
	random, exact := rand.New(rand.NewPCG(7, 8)), 0
	for range 500 {
		r, table, unit := unitRelease(random)
		all := Prepare(r)
		copied := *r
		persons, of, forged := forgeUnits(random, &copied, table, unit)
		least, most := units.ForgedUnits(&copied)
		if forged < least || forged > most {
			t.Fatalf("%d units with %d records are counterfeits, between %d and %d may be of %v units with %v records", forged, copied.Forged, least, most, r.Units, r.GroupSizes)
		}
		if least == most {
			exact++
		}
		below, keyed := random.Int64N(5), random.IntN(2) == 0
		q, actual := unitQuestion(below, keyed), actualUnits(persons, of, below, keyed)
		p := Prepare(&copied)
		answer, err := p.Ask(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := all.Units(context.Background(), q, answer.Rows)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range answer.Rows {
			key := ""
			if keyed {
				key = row.Keys[0].String()
			}
			low, high := got.Bounds[i].Low.Float, got.Bounds[i].High.Float
			scaled := min(max(whole.Figures[i]*float64(copied.Rows-copied.Forged)/float64(copied.Rows), low), high)
			if actual[key] < low || actual[key] > high || math.Abs(got.Figures[i]-scaled) > 1e-9 || got.MostForged != float64(most) && high > 0 {
				t.Fatalf("x0 < %d, key %q: %v units are persons, the estimate is %v, %v expected, in [%v, %v]", below, key, actual[key], got.Figures[i], scaled, low, high)
			}
		}
	}
	if exact < 50 || exact > 450 {
		t.Errorf("the number of counterfeits is known of %d releases", exact)
	}
}
