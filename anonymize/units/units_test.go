package units_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/units"
)

// promised are promises that every method can keep: l = 3, k = 3, or what comes near it. The greatest share is 1/3 where diverse.
var promised = map[string]struct {
	arguments anonymize.Arguments
	diverse   bool
}{
	"slppa":          {anonymize.Arguments{"beta": "1/3"}, true},
	"asn":            {anonymize.Arguments{"beta": "1/3"}, true},
	"slicing":        {anonymize.Arguments{"l": "3"}, true},
	"anatomy":        {anonymize.Arguments{"l": "3"}, true},
	"arp":            {anonymize.Arguments{"l": "3"}, true},
	"aip":            {anonymize.Arguments{"l": "3"}, true},
	"nonhomogeneous": {anonymize.Arguments{"l": "3"}, false}, // every unit is a group; its cell has the values
	"mondrian":       {anonymize.Arguments{"k": "3", "l": "3"}, true},
	"cross_bucket":   {anonymize.Arguments{"k": "3", "l": "3"}, false}, // classes have the values, buckets do not
	"fulldomain":     {anonymize.Arguments{"k": "3", "l": "3"}, true},
	"drasl":          {anonymize.Arguments{"k": "3"}, false},
	"oka":            {anonymize.Arguments{"k": "3"}, false},
	"ika":            {anonymize.Arguments{"k": "3"}, false},
	"dpp":            {anonymize.Arguments{"k": "3"}, false},
	"cdt":            {anonymize.Arguments{"k": "3", "l": "3"}, true},
	"modeled":        {anonymize.Arguments{"block": "40"}, false},
}

// An outcome is a release with its link.
type outcome struct {
	*units.Result
	in      *anonymize.Input // the records that are published
	groupOf []uint32
}

func run(t testing.TB, method string, in *anonymize.Input, arguments anonymize.Arguments) (*outcome, error) {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{}
	of := *in
	of.Assigned = func(groupOf []uint32) { o.groupOf = slices.Clone(groupOf) }
	if o.Result, err = units.Run(context.Background(), m, &of, arguments, anonymize.MustRatio("0.5")); err != nil {
		return nil, err
	}
	o.in = o.Published(in)
	return o, nil
}

// check recomputes from the records what docs/units.md promises, apart from package privacy, and asks that package too.
func (o *outcome) check(diverse bool) error {
	if err := anontest.Publishable(o.Release, o.in); err != nil {
		return err
	}
	if err := anontest.Linked(o.Release, o.in, o.groupOf); err != nil {
		return err
	}
	groups := make(map[uint32]map[uint32][]int) // records by group and unit
	home := make(map[uint32]uint32)
	for record, g := range o.groupOf {
		u := o.in.Units[record]
		if at, known := home[u]; known && at != g {
			return fmt.Errorf("unit %d is in groups %d and %d", u, at, g)
		}
		home[u] = g
		if groups[g] == nil {
			groups[g] = make(map[uint32][]int)
		}
		groups[g][u] = append(groups[g][u], record)
	}
	for g, members := range groups {
		if len(members) != int(o.Release.Units[g]) {
			return fmt.Errorf("group %d has %d units, published are %d", g, len(members), o.Release.Units[g])
		}
		records, with := -1, make(map[uint32]int)
		for _, rows := range members {
			if records >= 0 && len(rows) != records {
				return fmt.Errorf("group %d has units of %d and %d records", g, records, len(rows))
			}
			records = len(rows)
			values := make(map[uint32]bool)
			for _, row := range rows {
				values[o.in.Sensitive[0].Codes[row]] = true
			}
			for v := range values {
				with[v]++
			}
		}
		for v, n := range with {
			if diverse && 3*n > len(members) {
				return fmt.Errorf("value %d belongs to %d of %d units of group %d", v, n, len(members), g)
			}
		}
		if diverse && len(with) < 3 {
			return fmt.Errorf("group %d leaves %d values", g, len(with))
		}
	}
	return o.checkCounts(groups)
}

// checkCounts compares the numbers of units behind tuples of values with those of the records.
func (o *outcome) checkCounts(groups map[uint32]map[uint32][]int) error {
	all := slices.Concat(o.in.QuasiIdentifiers, o.in.Sensitive)
	for _, f := range o.Release.Fragments {
		if slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() }) {
			continue
		}
		for g, members := range groups {
			for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
				has := func(row int) bool {
					for _, c := range f.Columns {
						raw := all[slices.IndexFunc(all, func(r *anonymize.Column) bool { return r.Name == c.Name })]
						if raw.Value(row) != c.Dictionary[c.Codes[tuple]] {
							return false
						}
					}
					return true
				}
				with := 0
				for _, rows := range members {
					if slices.ContainsFunc(rows, has) {
						with++
					}
				}
				if with != int(f.Units[tuple]) {
					return fmt.Errorf("%s: tuple %d of group %d belongs to %d units, published are %d", f.Name, tuple, g, with, f.Units[tuple])
				}
			}
		}
	}
	return nil
}

// Every method keeps its promises by units, or refuses by name, on tables of chronic and acute diseases, of patients who stay and who
// move.
func TestPromisesByUnit(t *testing.T) {
	shapes := map[string]anontest.VisitShape{
		"households": {Units: 240, Records: 6, Values: 12, Chronic: 1},
		"moving":     {Units: 240, Records: 4, Values: 12, Chronic: 1, Moving: true},
		"acute":      {Units: 300, Records: 3, Values: 60, Moving: true},
		"mixed":      {Units: 300, Records: 4, Values: 40, Chronic: 0.5},
	}
	refused := map[string]string{ // by method and shape
		"fulldomain moving": "ward", "fulldomain acute": "ward", "cross_bucket moving": "ward", "cross_bucket acute": "ward",
		"cross_bucket mixed": "diagnosis", "fulldomain mixed": "diagnosis", "nonhomogeneous acute": "diagnosis", "nonhomogeneous mixed": "diagnosis",
	}
	for _, m := range methods.All() {
		for name, shape := range shapes {
			t.Run(m.Name+"/"+name, func(t *testing.T) {
				p := promised[m.Name]
				for seed := range uint64(3) {
					o, err := run(t, m.Name, anontest.VisitTable(shape, seed), p.arguments)
					if err != nil {
						var data *anonymize.DataError
						why, mayRefuse := refused[m.Name+" "+name]
						if !mayRefuse || !errors.As(err, &data) || !strings.Contains(err.Error(), m.Name) || !strings.Contains(err.Error(), why) {
							t.Fatalf("seed %d: %v", seed, err)
						}
						continue
					}
					if err := o.check(p.diverse); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
			})
		}
	}
}

// leftByIntersection is how many units have one value left, and how many fewer than l, for who knows the groups of their records.
func leftByIntersection(t testing.TB, o *outcome, in *anonymize.Input, l int) (one, few int) {
	t.Helper()
	left, err := attack.ValuesLeft(o.Release, attack.Truth{Sensitive: in.Sensitive[0], GroupOf: o.groupOf}, in.Units)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range left {
		if n < l {
			few++
		}
		if n == 1 {
			one++
		}
	}
	return one, few
}

// size counts units: so many are in every group, and each value in at most one in l of them.
func TestSizeCountsUnits(t *testing.T) {
	for _, method := range []string{"anatomy", "slppa", "arp", "asn", "slicing", "aip", "mondrian"} {
		in := anontest.VisitTable(anontest.VisitShape{Units: 300, Records: 3, Values: 12, Chronic: 1, Moving: true}, 7)
		in.Asked = []anonymize.Promise{{Guarantee: "size", Bound: anonymize.NewRatio(20, 1)}}
		o, err := run(t, method, in, promised[method].arguments)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if err := o.check(true); err != nil || o.Release.Groups() < 2 {
			t.Errorf("%s: %d groups: %v", method, o.Release.Groups(), err)
		}
		o.Release.Promises = append(o.Release.Promises, in.Asked...)
		guarantees, err := privacy.Verify(o.Release)
		if err := errors.Join(err, privacy.FirstBroken(guarantees)); err != nil || slices.Min(o.Release.Units) < 20 {
			t.Errorf("%s: groups of %v units: %v", method, o.Release.Units, err)
		}
	}
}

// Groups of rows leave many units with one value of a chronic disease. Groups of units leave none with fewer than l.
func TestIntersection(t *testing.T) {
	in := anontest.VisitTable(anontest.VisitShape{Units: 400, Records: 6, Values: 8, Chronic: 1}, 1)
	rows := *in
	rows.Units = nil
	before, err := run(t, "anatomy", &rows, anonymize.Arguments{"l": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if one, _ := leftByIntersection(t, before, in, 3); one < 100 {
		t.Errorf("of rows, %d units have one value left", one)
	}
	after, err := run(t, "anatomy", in, anonymize.Arguments{"l": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if one, few := leftByIntersection(t, after, after.in, 3); one > 0 || few > 0 {
		t.Errorf("of units, %d have one value left, %d fewer than 3", one, few)
	}
}

// One row a unit, a release is that of any table: well-formed, complete, and linked with the units.
func TestReduce(t *testing.T) {
	for _, method := range []string{"anatomy", "slppa", "mondrian", "nonhomogeneous"} {
		o, err := run(t, method, anontest.VisitTable(anontest.VisitShape{Units: 240, Records: 4, Values: 12, Chronic: 1, Moving: true}, 5), promised[method].arguments)
		if err != nil {
			t.Fatal(err)
		}
		r, in, groupOf, err := units.Reduce(context.Background(), o.Release, o.in, o.groupOf)
		if err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		if r.Rows != in.Rows || in.Rows < 230 {
			t.Errorf("%s: %d rows of %d units", method, r.Rows, in.Rows)
		}
		if err := errors.Join(anontest.Publishable(r, in), anontest.Linked(r, in, groupOf)); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
}

// Units of a number of records that few have lose some, and those of the fewest are left out. No more than is allowed.
func TestLeftOut(t *testing.T) {
	in := anontest.VisitTable(anontest.VisitShape{Units: 200, Records: 2, Values: 10, Chronic: 1}, 3)
	for range 9 { // one unit of many records
		in.Units = append(in.Units, 200)
		for _, c := range slices.Concat(in.QuasiIdentifiers, in.Sensitive) {
			c.Codes = append(c.Codes, 1)
		}
		in.Rows++
	}
	o, err := run(t, "anatomy", in, anonymize.Arguments{"l": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.check(true); err != nil {
		t.Error(err)
	}
	if left := in.Rows - o.Release.Rows; left != 7 {
		t.Errorf("%d records are left out, want 7 of the 9 that one unit has", left)
	}
	m, _ := methods.ByName("anatomy")
	of := *in
	of.Random = rand.NewPCG(1, 2)
	_, err = units.Run(context.Background(), m, &of, anonymize.Arguments{"l": "3"}, anonymize.MustRatio("0.01"))
	if err == nil || !strings.Contains(err.Error(), "7 of "+fmt.Sprint(in.Rows)+" records would be left out") {
		t.Errorf("seven of some 300 records are left out without being allowed: %v", err)
	}
}

// Values that only records have which are left out stand nowhere in the release: the one unit of nine records has a value of its own in each.
func TestLeftOutValues(t *testing.T) {
	in := anontest.VisitTable(anontest.VisitShape{Units: 200, Records: 2, Values: 10, Chronic: 1}, 3)
	columns := slices.Concat(in.QuasiIdentifiers, in.Sensitive)
	for own := range 9 {
		in.Units = append(in.Units, 200)
		for _, c := range columns {
			value := anonymize.TextValue(fmt.Sprint("zz", own))
			if c.IsNumeric() { // in the middle of all, so that intervals span it
				middle, _ := c.Dictionary[len(c.Dictionary)/2].Number()
				value = anonymize.DecimalValue(fmt.Sprintf("%d.0%d", int(middle), own+1))
			}
			values := make([]anonymize.Value, 0, in.Rows+1)
			for row := range in.Rows {
				values = append(values, c.Value(row))
			}
			*c = *anonymize.NewColumn(c.Name, c.Type, append(values, value))
		}
		in.Rows++
	}
	for _, method := range []string{"anatomy", "mondrian"} {
		arguments := anonymize.Arguments{"l": "2"}
		if method != "anatomy" {
			arguments["k"] = "3"
		}
		o, err := run(t, method, in, arguments)
		if err != nil {
			t.Fatal(err)
		}
		if o.Release.Rows >= in.Rows {
			t.Fatalf("%s leaves nothing out", method)
		}
		for _, c := range slices.Concat(o.in.QuasiIdentifiers, o.in.Sensitive) {
			fragment, at, _ := o.Release.Locate(c.Name)
			if got := o.Release.Fragments[fragment].Columns[at].Dictionary; !slices.Equal(got, c.Dictionary) || c.Distinct() != len(c.Dictionary) {
				t.Errorf("%s publishes %v of %s, and its records have %v", method, got, c.Name, c.Dictionary)
			}
		}
	}
}

// A value that too many units have cannot be hidden among units, however it falls on rows.
func TestInfeasible(t *testing.T) {
	in := anontest.VisitTable(anontest.VisitShape{Units: 100, Records: 1, Values: 4}, 1)
	rows := in.Rows
	for range 3 { // each unit has four records, of which 1 or 2 are of value 0
		for row := range rows {
			in.Units = append(in.Units, in.Units[row])
			for _, c := range in.QuasiIdentifiers {
				c.Codes = append(c.Codes, c.Codes[row])
			}
			in.Sensitive[0].Codes = append(in.Sensitive[0].Codes, (in.Sensitive[0].Codes[row]+uint32(in.Rows/rows))%4)
			in.Rows++
		}
	}
	_, err := run(t, "anatomy", in, anonymize.Arguments{"l": "2"})
	if !errors.As(err, new(*anonymize.InfeasibleError)) || !strings.Contains(err.Error(), "is a value of 100 of the 100 units with 4 records") {
		t.Errorf("every unit has every value: %v", err)
	}
}

// Three old patients have HIV beside diseases of their own: four values, and nobody is in doubt about the first. Their group is merged with others.
func TestDistinctOfUnits(t *testing.T) {
	in := &anonymize.Input{Random: rand.NewPCG(3, 5), Asked: []anonymize.Promise{{Guarantee: "distinct", Bound: anonymize.NewRatio(3, 1)}}}
	var ages, values []anonymize.Value
	visit := func(unit uint32, age int64, value string) {
		in.Units, ages, values = append(in.Units, unit), append(ages, anonymize.IntegerValue(age)), append(values, anonymize.TextValue(value))
	}
	for u, own := range []string{"flu", "cold", "asthma"} {
		visit(uint32(u), 80, "HIV")
		visit(uint32(u), 80, own)
		for young := range uint32(4) {
			visit(3+4*uint32(u)+young, 20+int64(young), own)
			visit(3+4*uint32(u)+young, 20+int64(young), own)
		}
	}
	in.Rows = len(values)
	in.QuasiIdentifiers = []*anonymize.Column{anonymize.NewColumn("age", "int", ages)}
	in.Sensitive = []*anonymize.Column{anonymize.NewColumn("diagnosis", "varchar(20)", values)}
	o, err := run(t, "mondrian", in, anonymize.Arguments{"k": "3"})
	if err != nil {
		t.Fatal(err)
	}
	if least := leastDistinct(t, o.Release); least < 3 {
		t.Errorf("a group has %v values", least)
	}
	// One group of the three alone has four values, and keeps nothing.
	alone := (&units.Result{Records: []uint32{0, 1, 10, 11, 20, 21}}).Published(in)
	alone.Asked, alone.Random = nil, rand.NewPCG(3, 6)
	if o, err = run(t, "mondrian", alone, anonymize.Arguments{"k": "3"}); err != nil {
		t.Fatal(err)
	}
	if least := leastDistinct(t, o.Release); least != 1 {
		t.Errorf("who have HIV all have %v values", least)
	}
}

// leastDistinct is what package privacy says of different sensitive values.
func leastDistinct(t *testing.T, r *anonymize.Release) float64 {
	t.Helper()
	guarantees, err := privacy.Verify(r)
	at := slices.IndexFunc(guarantees, func(g anonymize.Guarantee) bool { return g.Name == "distinct" })
	if err != nil || at < 0 {
		t.Fatal(guarantees, err)
	}
	return guarantees[at].Achieved
}

// TestCap: units keep at most so many records, those with fewer keep all, each record of the others is kept as often as the next, and the fact counts what is not.
func TestCap(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 3))
	in := &anonymize.Input{}
	var values []anonymize.Value
	for unit := range uint32(6) {
		for range unit + 1 {
			in.Units, values = append(in.Units, unit), append(values, anonymize.IntegerValue(int64(len(values))))
		}
	}
	in.Rows = len(values)
	in.QuasiIdentifiers = []*anonymize.Column{anonymize.NewColumn("row", "int", values)}
	kept := make([]int, in.Rows)
	const rounds = 3000
	for range rounds {
		in.Random = rand.NewPCG(random.Uint64(), 1)
		capped, rows, facts := units.Cap(in, 4)
		of := make(map[uint32]int)
		for row := range capped.Rows {
			of[capped.Units[row]]++
			if kept[rows[row]]++; int64(rows[row]) != capped.QuasiIdentifiers[0].Value(row).Int {
				t.Fatalf("record %d is said to be row %d of the input", row, rows[row])
			}
		}
		if capped.Rows != 18 || of[0] != 1 || of[3] != 4 || of[4] != 4 || of[5] != 4 || len(facts) != 1 || facts[0].Name != "warning" ||
			!strings.HasPrefix(facts[0].Value, "3 of 21 records (14.29 %) are left out: 2 of 6 units have more than 4") {
			t.Fatalf("units keep %v of %d records: %v", of, capped.Rows, facts)
		}
	}
	for row, n := range kept {
		want := rounds * min(1, 4/float64(in.Units[row]+1))
		if math.Abs(float64(n)-want) > 5*math.Sqrt(rounds/4.0) { // five standard deviations: a false alarm in 80,000 runs
			t.Errorf("record %d of unit %d is kept %d times, %v expected", row, in.Units[row], n, want)
		}
	}
	if same, rows, facts := units.Cap(in, 6); same != in || rows != nil || facts != nil {
		t.Errorf("nobody has more than 6 records, and %v", facts)
	}
}
