package mondrian

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/demand"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

func TestBattery(t *testing.T) {
	anontest.Battery(t, Method(), anontest.Options{
		Easy: anonymize.Arguments{"k": "3", "l": "2", "mode": "relaxed"},
		Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
			return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(6)), "l": fmt.Sprint(1 + random.IntN(4)),
				"t": []string{"1", "1", "0.5", "1/4"}[random.IntN(4)], "mode": []string{local, local, strict, relaxed}[random.IntN(4)]}
		},
		Meets: anontest.MeetsKL,
	})
}

// naive is the recursion as LeFevre et al. describe it, over sets of records and
// without any of the arrays: the classes as sets of records.
func naive(attributes []*generalization.Attribute, sensitive []uint32, values int, c Condition) [][]uint32 {
	n := &naiveRecursion{attributes: attributes, sensitive: sensitive, total: make([]uint32, values), condition: c}
	all := make([]uint32, len(sensitive))
	for record, v := range sensitive {
		n.total[v]++
		all[record] = uint32(record)
	}
	n.divide(all)
	return n.classes
}

type naiveRecursion struct {
	attributes []*generalization.Attribute
	sensitive  []uint32 // of every record
	total      []uint32 // records by sensitive value
	condition  Condition
	classes    [][]uint32
}

func (n *naiveRecursion) divide(records []uint32) {
	for _, a := range n.widestFirst(records) {
		left, right := medianCut(a, records)
		if left != nil && n.allowed(left) && n.allowed(right) {
			n.divide(left)
			n.divide(right)
			return
		}
	}
	n.classes = append(n.classes, slices.Clone(records))
}

// everyValue returns the values that have a place in count.
func everyValue(count []uint32) (values []uint32) {
	for v := range count {
		values = append(values, uint32(v))
	}
	return values
}

func (n *naiveRecursion) allowed(records []uint32) bool {
	count := make([]uint32, len(n.total))
	for _, record := range records {
		count[n.sensitive[record]]++
	}
	return n.condition.allows(count, everyValue(count), n.total, len(records), len(n.sensitive), n.condition.Ordered)
}

// widestFirst orders the attributes by the penalty of what records span.
func (n *naiveRecursion) widestFirst(records []uint32) []*generalization.Attribute {
	order := slices.Clone(n.attributes)
	slices.SortStableFunc(order, func(a, b *generalization.Attribute) int {
		aLow, aHigh := span(a, records)
		bLow, bHigh := span(b, records)
		switch x, y := a.Penalty(aLow, aHigh), b.Penalty(bLow, bHigh); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return order
}

// span are the first and the last place of records.
func span(a *generalization.Attribute, records []uint32) (low, high uint32) {
	low, high = a.Place[records[0]], a.Place[records[0]]
	for _, record := range records {
		low, high = min(low, a.Place[record]), max(high, a.Place[record])
	}
	return low, high
}

// medianCut is the allowed cut whose halves differ least, the first of several; nil
// when there is none.
func medianCut(a *generalization.Attribute, records []uint32) (left, right []uint32) {
	low, high := span(a, records)
	best := len(records) + 1
	for place := low + 1; place <= high; place++ {
		var below, above []uint32
		before, occurs := uint32(0), false
		for _, record := range records {
			if p := a.Place[record]; p < place {
				below = append(below, record)
				before = max(before, p)
			} else {
				above = append(above, record)
				occurs = occurs || p == place
			}
		}
		off := max(len(below)-len(above), len(above)-len(below))
		if occurs && off < best && a.MayCut(low, high, before, place) {
			best, left, right = off, below, above
		}
	}
	return left, right
}

// What a cut of a class does, and which cut it is, does not depend on the values of records outside of it: a column may have one for every record.
func TestCutsLookAtValuesOfTheClassOnly(t *testing.T) {
	const rows, marked = 400, 1 << 30
	for _, mode := range []string{"median", "loss"} {
		random := rand.New(rand.NewPCG(2, 2))
		var quasi, value []anonymize.Value
		for i := range rows {
			quasi, value = append(quasi, anonymize.IntegerValue(int64(random.IntN(100)))), append(value, anonymize.IntegerValue(int64(i)))
		}
		in := &anonymize.Input{Rows: rows, QuasiIdentifiers: []*anonymize.Column{anonymize.NewColumn("q", "int", quasi)},
			Sensitive: []*anonymize.Column{anonymize.NewColumn("s", "int", value)}, Asked: []anonymize.Promise{{Guarantee: "distinct", Bound: anonymize.MustRatio("3")}}}
		asked, err := demand.OfEach(in, in.Sensitive)
		if err != nil {
			t.Fatal(err)
		}
		s := searchOf(t, in, Condition{K: 3, L: 2, T: notAsked(), Asked: asked})
		d := s.divisionOf(upTo(0, rows), s.condition)
		w, cut := d.newWorker(), (*worker).cut
		if mode == "loss" {
			cut = (*worker).cutByLoss
		}
		for v := rows / 4; v < rows; v++ { // position and value of a record are one number here
			w.here[0][v], w.left[0][v] = marked, marked
		}
		middle := cut(w, 0, rows/4)
		if middle == 0 || middle != cut(d.newWorker(), 0, rows/4) && mode == "median" {
			t.Errorf("%s: the class is cut at %d", mode, middle)
		}
		for v := rows / 4; v < rows; v++ {
			if w.here[0][v] != marked || w.left[0][v] != marked {
				t.Fatalf("%s: value %d was counted, which no record of the class has", mode, v)
			}
		}
	}
}

// The classes are those of the naive recursion, also with a taxonomy and NULLs.
func TestPartition(t *testing.T) {
	cut := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 3))
		in := anontest.RandomTable(1+random.IntN(60), seed)
		attributes, err := generalization.NewAttributes(in)
		if err != nil {
			t.Fatal(err)
		}
		attributes = append(attributes, withTaxonomy(t, random, in.Rows))
		s := in.Sensitive[0]
		c := Condition{K: 1 + random.IntN(5), L: 1, T: anonymize.MustRatio([]string{"1", "1", "0.3", "0.5"}[random.IntN(4)]), Ordered: random.IntN(2) == 0}
		if bucketization.NewBuckets(s, nil).CheckDiversity(2) == nil {
			c.L = 1 + random.IntN(2)
		}
		p, err := Partition(context.Background(), attributes, s.Codes, len(s.Dictionary), c, false, random, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := naive(attributes, s.Codes, len(s.Dictionary), c)
		if got := anontest.Classes(p); !reflect.DeepEqual(got, anontest.Sorted(want)) {
			t.Fatalf("seed %d, %+v:\n got %v\nwant %v", seed, c, got, want)
		}
		cut += p.Groups() - 1
	}
	if cut < 400 {
		t.Errorf("only %d cuts in 400 tables", cut)
	}
}

func withTaxonomy(t *testing.T, random *rand.Rand, rows int) *generalization.Attribute {
	t.Helper()
	tree, err := anonymize.TaxonomyOfPaths([][]string{{"a", "ab", "abc", "*"}, {"b", "ab", "abc", "*"}, {"c", "c", "abc", "*"}, {"d", "de", "de", "*"}, {"e", "de", "de", "*"}},
		func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	values := make([]anonymize.Value, rows)
	for i := range values {
		if values[i] = anonymize.TextValue(string(rune('a' + random.IntN(5)))); random.IntN(8) == 0 {
			values[i] = anonymize.NullValue
		}
	}
	a, err := generalization.NewAttribute(anonymize.NewColumn("job", "TEXT", values), &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: tree})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The distances against the definition, in rationals of small numbers.
func TestClose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		values := 1 + random.IntN(5)
		count, total := make([]uint32, values), make([]uint32, values)
		m, rows := 0, 0
		for v := range count {
			count[v] = random.Uint32N(4)
			total[v] = count[v] + random.Uint32N(4)
			m, rows = m+int(count[v]), rows+int(total[v])
		}
		if m == 0 {
			continue
		}
		for _, ordered := range []bool{false, true} {
			bound := anonymize.NewRatio(random.Uint64N(13), 12)
			c := Condition{K: 1, L: 1, T: bound, Ordered: ordered}
			// The least common denominator of everything is 2 m n (values-1).
			sum, cumulated, occurring := 0, 0, 0
			for v := range count {
				d := int(count[v])*rows - int(total[v])*m
				cumulated += d
				if total[v] > 0 {
					occurring++
				} else {
					continue
				}
				if ordered {
					sum += 2 * max(cumulated, -cumulated)
				} else {
					sum += max(d, -d)
				}
			}
			whole := 2 * m * rows
			if ordered {
				whole *= max(occurring-1, 1)
			}
			want := uint64(sum)*bound.Den <= uint64(whole)*bound.Num
			if got := c.allows(count, everyValue(count), total, m, rows, c.Ordered); got != want && bound.Num < bound.Den {
				t.Fatalf("%v of %v, ordered %v, t %s: %v", count, total, ordered, bound, got)
			}
		}
	}
}

// The figures of Adult that the comparison of Li et al. 2018 rests on: C_DM grows with l,
// and a class has at least k records.
func TestAdult(t *testing.T) {
	table := anontest.AdultComplete(t)
	in, err := anonymize.NewInput(table, anonymize.Roles{Sensitive: []string{"age"},
		QuasiIdentifiers: []string{"workclass", "education", "marital_status", "race", "sex", "hours_per_week", "native_country", "relationship"}}, rand.NewPCG(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, l := range []int{4, 8, 14, 20, 30} {
		in.Random = rand.NewPCG(1, uint64(l))
		r, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "3", "l": fmt.Sprint(l), "mode": strict})
		if err != nil {
			t.Fatal(err)
		}
		cdm := 0
		for _, size := range r.GroupSizes {
			cdm += int(size) * int(size)
		}
		t.Logf("l = %2d: %6d classes, C_DM %11d, %v", l, r.Groups(), cdm, r.Facts[2].Value)
		if cdm <= before {
			t.Errorf("l = %d: C_DM %d is not above that of the l before, %d", l, cdm, before)
		}
		before = cdm
	}
}
