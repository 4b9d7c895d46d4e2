package cdt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

func TestBattery(t *testing.T) {
	for variant, easy := range map[string]anonymize.Arguments{
		bounded: {"k": "3", "l": "2"},
		printed: {"k": "3", "l": "2", "variant": printed, "k1": "3", "k2": "12"},
	} {
		t.Run(variant, func(t *testing.T) {
			anontest.Battery(t, Method(), anontest.Options{Easy: easy, Meets: meets,
				Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments { return drawArguments(random, variant) }})
		})
	}
}

func drawArguments(random *rand.Rand, variant string) anonymize.Arguments {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	return anonymize.Arguments{"variant": variant, "k": fmt.Sprint(1 + random.IntN(6)), "l": fmt.Sprint(1 + random.IntN(3)),
		"max_share": one("1", "1", "0.6", "1/3"), "k1": one(anonymize.Auto, anonymize.Auto, "1", "3"), "k2": one(anonymize.Auto, anonymize.Auto, "1", "4"), "kmax": one("2", "7")}
}

// meets checks k, l and max_share of every group by counting, for every sensitive attribute.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	var k, l int
	fmt.Sscan(arguments["k"], &k)
	fmt.Sscan(arguments["l"], &l)
	share := anonymize.MustRatio(arguments["max_share"])
	for _, group := range groups {
		for _, c := range in.Sensitive {
			count := map[uint32]int{}
			for _, record := range group {
				count[c.Codes[record]]++
				if n := count[c.Codes[record]]; n*l > len(group) || share.Cmp(anonymize.NewRatio(uint64(n), uint64(len(group)))) < 0 {
					return false
				}
			}
		}
		if len(group) < k {
			return false
		}
	}
	return true
}

// several is a random table with one to four sensitive attributes.
func several(rows int, seed uint64) *anonymize.Input {
	in := anontest.RandomTable(rows, seed)
	for i := range seed % 4 {
		c := *anontest.RandomTable(rows, seed+1000*(i+1)).Sensitive[0]
		c.Name = fmt.Sprint("s", i+2)
		in.Sensitive = append(in.Sensitive, &c)
	}
	return in
}

// The battery's checks, for tables with several sensitive attributes. The method returns a release that is complete,
// keeps its promises for each of them and matches its stated groups, or an error if and only if the whole table
// breaks a bound. One source gives one release, on any number of cores.
func TestSeveralSensitiveAttributes(t *testing.T) {
	releases, cuts := 0, 0
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 99))
		rows := 1 + random.IntN(80)
		arguments := drawArguments(random, []string{bounded, printed}[seed/4%2])
		in := several(rows, seed)
		var gidOf []uint32
		in.Assigned = func(of []uint32) { gidOf = of }
		r, err := Method().Run(context.Background(), in, arguments)
		one := anonymize.Ints(rows)
		if feasible := meets(in, arguments, [][]int{one}); feasible != (err == nil) {
			t.Fatalf("seed %d, %v: the table meets it: %v, but %v", seed, arguments, feasible, err)
		}
		if err != nil {
			if !errors.As(err, new(*anonymize.InfeasibleError)) {
				t.Fatalf("seed %d: %T %v", seed, err, err)
			}
			continue
		}
		if err := anontest.Publishable(r, in); err != nil {
			t.Fatalf("seed %d, %v: %v", seed, arguments, err)
		}
		if err := anontest.Linked(r, in, gidOf); err != nil {
			t.Fatalf("seed %d, %v: %v", seed, arguments, err)
		}
		groups := make([][]int, r.Groups())
		for record, g := range gidOf {
			groups[g] = append(groups[g], record)
		}
		if !meets(in, arguments, groups) {
			t.Fatalf("seed %d, %v: the groups do not meet it", seed, arguments)
		}
		releases, cuts = releases+1, cuts+r.Groups()-1
		sameAgain(t, r, rows, seed, arguments)
	}
	if releases < 200 || cuts < 300 {
		t.Errorf("%d releases, %d cuts", releases, cuts)
	}
}

func sameAgain(t *testing.T, r *anonymize.Release, rows int, seed uint64, arguments anonymize.Arguments) {
	t.Helper()
	cores := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(cores)
	again, err := Method().Run(context.Background(), several(rows, seed), arguments)
	if err != nil || !reflect.DeepEqual(r, again) {
		t.Fatalf("seed %d, %v: one core gives another release: %v", seed, arguments, err)
	}
}

// Promises are recomputed for each attribute: a release whose second attribute
// breaks the bound is not publishable.
func TestPromiseOfEachAttribute(t *testing.T) {
	in := anontest.NewInput(t, anontest.Parse(t, "q s v\n1 a x\n2 b x\n3 a x\n4 b y"), "q", "s", rand.NewPCG(1, 1))
	v := *in
	v.Sensitive = append(v.Sensitive, anontest.Parse(t, "v\nx\nx\nx\ny").Columns[0])
	_, r := measured(t, &v, list([][]uint32{{0, 1, 2, 3}}))
	r.Promises = bounds{k: 2, l: 2, share: anonymize.MustRatio("1/2")}.promises()
	guarantees, err := privacy.Verify(r)
	if err != nil {
		t.Fatal(err)
	}
	var broken *privacy.BrokenError
	if err := privacy.FirstBroken(guarantees); !errors.As(err, &broken) || !strings.Contains(err.Error(), "v = x is 3 of 4 records") &&
		!strings.Contains(err.Error(), "v = 'x' is 3 of 4 records") {
		t.Errorf("the verifier says %v", err)
	}
}

func TestRefusals(t *testing.T) {
	table := anontest.Parse(t, "q s v\n1 a x\n2 b x\n3 a x\n4 b y")
	for _, c := range []struct {
		arguments anonymize.Arguments
		want      string
	}{
		{anonymize.Arguments{"l": "1", "k": "5"}, "k = 5 cannot be met: the table has 4 records; the largest feasible k is 4"},
		{anonymize.Arguments{}, "l = 2 cannot be met: v = 'x' is 3 of 4 records; no l but 1 would be met, which protects nothing"},
		{anonymize.Arguments{"l": "1", "max_share": "0.5"}, "max_share = 0.5 cannot be met: v = 'x' is 3 of 4 records; the smallest feasible max_share is 0.75"},
		{anonymize.Arguments{"k": "0"}, "k is 0, must be between 1"},
		{anonymize.Arguments{"max_share": "0"}, "max_share is 0, must be above 0 and at most 1"},
		{anonymize.Arguments{"k1": "0"}, "k1 is '0', must be a whole number from 1 to 100, or auto"},
		{anonymize.Arguments{"kmax": "1"}, "kmax is 1, must be between 2 and 100"},
	} {
		in, err := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"q"}, Sensitive: []string{"s", "v"}}, rand.NewPCG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Method().Run(context.Background(), in, c.arguments); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v\nwant %s", c.arguments, err, c.want)
		}
	}
	in := anontest.NewInput(t, table, "q", "s", rand.NewPCG(1, 1))
	in.Sensitive = nil
	if _, err := Method().Run(context.Background(), in, nil); !errors.As(err, new(*anonymize.DataError)) {
		t.Errorf("no sensitive attribute: %v", err)
	}
}

// naiveCut is variant=bounded over sets of records, counting everything anew.
func naiveCut(in *anonymize.Input, list []*generalization.Attribute, b bounds, records []uint32) [][]uint32 {
	order := slices.Clone(list)
	span := func(a *generalization.Attribute) (low, high uint32) {
		low, high = a.Place[records[0]], a.Place[records[0]]
		for _, r := range records {
			low, high = min(low, a.Place[r]), max(high, a.Place[r])
		}
		return low, high
	}
	penalty := func(a *generalization.Attribute) float64 { return a.Penalty(span(a)) }
	slices.SortStableFunc(order, func(x, y *generalization.Attribute) int {
		switch {
		case penalty(x) > penalty(y):
			return -1
		case penalty(x) < penalty(y):
			return 1
		}
		return 0
	})
	type try struct {
		rank, off   int
		left, right []uint32
	}
	var tries []try
	for _, a := range order {
		low, high := span(a)
		var cuts []try
		for place := low + 1; place <= high; place++ {
			var c try
			before, occurs := uint32(0), false
			for _, r := range records {
				if p := a.Place[r]; p < place {
					c.left, before = append(c.left, r), max(before, p)
				} else {
					c.right, occurs = append(c.right, r), occurs || p == place
				}
			}
			c.off = max(len(c.left)-len(c.right), len(c.right)-len(c.left))
			if occurs && min(len(c.left), len(c.right)) >= b.k && a.MayCut(low, high, before, place) {
				cuts = append(cuts, c)
			}
		}
		slices.SortStableFunc(cuts, func(x, y try) int { return x.off - y.off })
		for i := range cuts {
			cuts[i].rank = min(i, 1) // the first cuts of all attributes, then the others
		}
		tries = append(tries, cuts...)
	}
	slices.SortStableFunc(tries, func(x, y try) int { return x.rank - y.rank })
	for _, c := range tries {
		if keepsBounds(in, b, c.left) && keepsBounds(in, b, c.right) {
			return append(naiveCut(in, list, b, c.left), naiveCut(in, list, b, c.right)...)
		}
	}
	return [][]uint32{records}
}

// keepsBounds counts.
func keepsBounds(in *anonymize.Input, b bounds, records []uint32) bool {
	group := make([]int, len(records))
	for i, r := range records {
		group[i] = int(r)
	}
	share := fmt.Sprintf("%d/%d", b.share.Num, b.share.Den)
	return meets(in, anonymize.Arguments{"k": fmt.Sprint(b.k), "l": fmt.Sprint(b.l), "max_share": share}, [][]int{group})
}

func randomBounds(random *rand.Rand) bounds {
	return bounds{k: 1 + random.IntN(4), l: 1 + random.IntN(3), share: anonymize.MustRatio([]string{"1", "0.6", "2/3"}[random.IntN(3)])}
}

func TestBoundedPartition(t *testing.T) {
	cuts := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 3))
		in, b := several(1+random.IntN(80), seed), randomBounds(random)
		if checkTable(in, b) != nil {
			continue
		}
		list := attributes(t, in, in.QuasiIdentifiers...)
		p, err := divide(context.Background(), in, list, b)
		if err != nil {
			t.Fatal(err)
		}
		want := naiveCut(in, list, b, anonymize.Indices(in.Rows))
		if got := anontest.Classes(p); !reflect.DeepEqual(got, anontest.Sorted(want)) {
			t.Fatalf("seed %d, %+v:\n got %v\nwant %v", seed, b, got, want)
		}
		cuts += p.Groups() - 1
	}
	if cuts < 400 {
		t.Errorf("only %d cuts", cuts)
	}
}

// Merges: all classes keep the bounds, classes are unions of those before, those
// that kept them are left alone unless another needs them; the test of a union
// counts right.
func TestMerges(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 4))
		in, b := several(1+random.IntN(60), seed), randomBounds(random)
		if checkTable(in, b) != nil {
			continue
		}
		before := make([][]uint32, 1+random.IntN(10))
		for r := range in.Rows {
			i := random.IntN(len(before))
			before[i] = append(before[i], uint32(r))
		}
		before = nonEmpty(before)
		m, err := newMerger(context.Background(), in, attributes(t, in, in.QuasiIdentifiers...), b, before)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range m.classes {
			if m.keeps(c, nil) != keepsBounds(in, b, c.records) {
				t.Fatalf("seed %d: class %d", seed, i)
			}
			for _, d := range m.classes[:i] {
				if m.keeps(c, d) != keepsBounds(in, b, slices.Concat(c.records, d.records)) {
					t.Fatalf("seed %d: a union of %d", seed, i)
				}
			}
		}
		merges, err := m.run(context.Background())
		if err != nil || merges != len(before)-len(m.classes) {
			t.Fatalf("%d merges of %d classes, %d left: %v", merges, len(before), len(m.classes), err)
		}
		for _, c := range m.classes {
			if !keepsBounds(in, b, c.records) {
				t.Fatalf("seed %d: a class does not keep %+v", seed, b)
			}
		}
		if member := m.partition().Member; len(slices.Compact(slices.Sorted(slices.Values(member)))) != in.Rows || len(member) != in.Rows {
			t.Fatalf("seed %d: %d of %d records", seed, len(member), in.Rows)
		}
	}
}

// The measures against Eq. (9) to (16), from the records.
func TestMeasures(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 7))
		in := several(2+random.IntN(50), seed)
		p, err := divide(context.Background(), in, attributes(t, in, in.QuasiIdentifiers...), bounds{k: 1 + random.IntN(5), l: 1, share: anonymize.NewRatio(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		quasi := attributes(t, in, in.QuasiIdentifiers...)
		r, _, err := publish(context.Background(), in, quasi, p, random)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Measure(context.Background(), r, func(column string) bool {
			i := slices.IndexFunc(in.QuasiIdentifiers, func(c *anonymize.Column) bool { return c.Name == column })
			return quasi[i].Scale == anonymize.Numeric
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := byRecords(in, quasi, anontest.Classes(p)); math.Abs(got.UL-want.UL)+math.Abs(got.PQ-want.PQ)+math.Abs(got.PS-want.PS)+math.Abs(got.PD-want.PD) > 1e-9 {
			t.Fatalf("seed %d: %+v, not %+v", seed, got, want)
		}
	}
}

func byRecords(in *anonymize.Input, quasi []*generalization.Attribute, classes [][]uint32) (m Measures) {
	tuples, squares := map[string]int64{}, 0.0
	for _, class := range classes {
		loss, cells := 0.0, ""
		for _, a := range quasi {
			part, cell := lossOf(a, class), ""
			if loss += part * part; true {
				cell = cellOf(a, class)
			}
			cells += cell + ";"
		}
		m.UL += float64(len(class)) / float64(in.Rows) * math.Sqrt(loss/float64(len(quasi)))
		tuples[cells] += int64(len(class))
		for _, c := range in.Sensitive {
			count := map[uint32]int64{}
			for _, r := range class {
				count[c.Codes[r]]++
			}
			if len(class) > 1 {
				pha := entropyOf(count) / math.Log2(float64(len(class)))
				squares += pha * pha
			}
		}
	}
	m.PQ = (math.Log2(float64(in.Rows)) - entropyOf(tuples)) / math.Log2(float64(in.Rows))
	m.PS = math.Sqrt(squares / float64(len(classes)*len(in.Sensitive)))
	m.PD = math.Sqrt((m.PQ*m.PQ + m.PS*m.PS) / 2)
	return m
}

func entropyOf[K comparable](count map[K]int64) float64 {
	n, bits := 0.0, 0.0
	for _, c := range count {
		n += float64(c)
	}
	for _, c := range count {
		bits -= float64(c) / n * math.Log2(float64(c)/n)
	}
	return bits
}

// numbersOf are the least and the greatest number of some records.
func numbersOf(a *generalization.Attribute, records []uint32) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range records {
		if x, ok := a.Column.Value(int(r)).Number(); ok {
			low, high = min(low, x), max(high, x)
		}
	}
	return low, high
}

// lossOf is UL(A), Eq. (10) and (11).
func lossOf(a *generalization.Attribute, class []uint32) float64 {
	if a.Scale == anonymize.Numeric {
		low, high := numbersOf(a, class)
		least, most := numbersOf(a, anonymize.Indices(len(a.Place)))
		if high > low {
			return (high - low) / (most - least)
		}
		return 0
	}
	return float64(len(placesOf(a, class))-1) / float64(len(placesOf(a, anonymize.Indices(len(a.Place)))))
}

func placesOf(a *generalization.Attribute, class []uint32) []uint32 {
	var places []uint32
	for _, r := range class {
		places = append(places, a.Place[r])
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// cellOf names what is published: the ends of numbers and whether there is a NULL,
// or the places.
func cellOf(a *generalization.Attribute, class []uint32) string {
	if a.Scale != anonymize.Numeric {
		return fmt.Sprint(placesOf(a, class))
	}
	low, high := numbersOf(a, class)
	return fmt.Sprint(low, high, slices.ContainsFunc(class, func(r uint32) bool { return a.Column.Value(int(r)).IsNull() }))
}

// Conditions on several sensitive attributes at once are answered exactly: their
// tuples are published.
func TestConditionsOnSensitiveTuples(t *testing.T) {
	in, r, _ := example(t)
	one := func(v anonymize.Value) bool { x, _ := v.Number(); return x < 50_000 }
	two := func(v anonymize.Value) bool { return v.Text == "pneumonia" || v.Text == "cold" }
	q := &estimate.Question{Leaves: []estimate.Leaf{estimate.ValueLeaf(1, 1, two), estimate.ValueLeaf(1, 2, one), estimate.ValueOf(1, 2)},
		Where:      []estimate.Expression{{Leaves: []int{0}}, {Leaves: []int{1}}},
		Aggregates: []estimate.Aggregate{{Kind: estimate.Count}, {Kind: estimate.Sum, Argument: &estimate.Expression{Leaves: []int{2}}}}}
	answer, err := estimate.PrepareTuples(r).Ask(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	count, sum := 0.0, 0.0
	for record := range in.Rows {
		if salary := in.Sensitive[2].Value(record); one(salary) && two(in.Sensitive[1].Value(record)) {
			x, _ := salary.Number()
			count, sum = count+1, sum+x
		}
	}
	figures := answer.Rows[0].Figures
	if !answer.Exact || figures[0].Float != count || figures[1].Float != sum || count != 3 {
		t.Errorf("exact: %v, %v; the table has %v and %v", answer.Exact, figures, count, sum)
	}
}
