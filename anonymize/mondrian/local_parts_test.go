package mondrian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/exchange"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// searchOf is a search that nobody listens to.
func searchOf(t *testing.T, in *anonymize.Input, c Condition) *search {
	t.Helper()
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	s := newSearch(t.Context(), attributes, in.Sensitive, c)
	s.report = silent
	return s
}

// blockOf is a whole table as a block.
func blockOf(t *testing.T, in *anonymize.Input, c Condition) *block {
	t.Helper()
	s := searchOf(t, in, c)
	return newBlock(s, upTo(0, in.Rows), newDenseNumbers(s.axes, s.sensitive))
}

// What a record more, less, or in another's place changes is what measuring the changed
// class says, and k and l of the changed class are those that counting gives.
func TestChangesOfAClass(t *testing.T) {
	allowed := map[bool]int{}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 8))
		in := anontest.WithSensitive(anontest.RandomTable(8+random.IntN(12), seed), 1+random.IntN(2), seed)
		c := Condition{K: 1 + random.IntN(5), L: 1 + random.IntN(3), T: anonymize.NewRatio(1, 1)}
		b := blockOf(t, in, c)
		size := 2 + random.IntN(in.Rows-3)
		class := upTo(0, size)
		all := newClasses(b, [][]uint32{class})
		out, inner := uint32(random.IntN(size)), uint32(size+random.IntN(in.Rows-size))
		less := slices.DeleteFunc(slices.Clone(class), func(i uint32) bool { return i == out })
		for _, x := range []struct {
			name    string
			out, in uint32
			penalty float32
			class   []uint32
		}{
			{"with", exchange.Nobody, inner, all.PenaltyWith(0, inner, math.MaxFloat32), append(slices.Clone(class), inner)},
			{"without", out, exchange.Nobody, all.PenaltyWithout(0, out), less},
			{"swapped", out, inner, all.Swapped(0, out, inner), append(slices.Clone(less), inner)},
		} {
			want := newClasses(b, [][]uint32{x.class}).Penalty[0]
			if math.Abs(float64(x.penalty-want)) > 1e-5 {
				t.Fatalf("seed %d: %s: %g, measured %g", seed, x.name, x.penalty, want)
			}
			if breaks(b, class, c) { // only classes that meet k and l are changed
				continue
			}
			allowed[all.Allows(0, x.out, x.in)]++
			if all.Allows(0, x.out, x.in) == breaks(b, x.class, c) {
				t.Fatalf("seed %d: %s: allowed %v", seed, x.name, all.Allows(0, x.out, x.in))
			}
		}
	}
	if allowed[true] < 100 || allowed[false] < 30 {
		t.Errorf("changes allowed or not: %v", allowed)
	}
}

// breaks reports whether a class of items is not k or not l, by counting.
func breaks(b *block, items []uint32, c Condition) bool {
	for _, value := range b.value {
		count := map[uint32]int{}
		for _, item := range items {
			if count[value[item]]++; c.L > 1 && count[value[item]]*c.L > len(items) {
				return true
			}
		}
	}
	return len(items) < c.K
}

// Exchanges never raise the loss, and end where none helps.
func TestExchangesSave(t *testing.T) {
	saved := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 9))
		in := anontest.RandomTable(40, seed)
		b := blockOf(t, in, Condition{K: 4, L: 1, T: anonymize.NewRatio(1, 1)})
		items := upTo(0, in.Rows)
		random.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		all := newClasses(b, slices.Collect(slices.Chunk(items, 5)))
		loss := func() (sum float64) {
			for class, of := range all.Of {
				sum += float64(len(of)) * float64(newClasses(b, [][]uint32{of}).Penalty[0])
				if len(of) < 4 {
					t.Fatalf("seed %d: class %d has %d records", seed, class, len(of))
				}
			}
			return sum
		}
		before := loss()
		all.Exchange(t.Context(), minSaving)
		after := loss()
		if after > before+1e-3 {
			t.Fatalf("seed %d: loss %g after %g", seed, after, before)
		}
		if after < before-1e-3 {
			saved++
		}
	}
	if saved < 90 {
		t.Errorf("exchanges saved something in %d of 100 tables", saved)
	}
}

// Halves of l-diverse records of one sensitive attribute exist, and share finds them.
func TestShare(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 10))
		l := 1 + random.IntN(5)
		n := 2*l*l + 2*l + random.IntN(60)
		here, goes := make([]uint32, l+random.IntN(6)), []uint32(nil)
		for left := n; left > 0; { // as tight as can be, now and then
			if v := random.IntN(len(here)); int(here[v]+1)*l <= n || l*len(here) > n {
				here[v]++
				left--
			} else if !slices.ContainsFunc(here, func(c uint32) bool { return int(c+1)*l <= n }) {
				n -= left
				left = 0
			}
		}
		if slices.ContainsFunc(here, func(c uint32) bool { return int(c)*l > n }) {
			continue
		}
		for _, c := range here {
			goes = append(goes, random.Uint32N(c+1))
		}
		left := n / 2 / l * l
		if !share(goes, here, everyValue(here), left, left/l, (n-left)/l) {
			t.Fatalf("seed %d: %v of %v for l = %d: no halves of %d", seed, goes, here, l, left)
		}
		for v, c := range goes {
			if c > here[v] || int(c)*l > left || int(here[v]-c)*l > n-left {
				t.Fatalf("seed %d: %v of %v, %d of %d go left, l = %d", seed, goes, here, left, n, l)
			}
		}
	}
}

// Where every value has exactly the l-th part of the table, blocks and classes must be
// tight, too: large tables are divided all the same.
func TestTightTables(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 11))
	for _, sensitive := range []int{1, 2} {
		rows := 9_000
		in := &anonymize.Input{Rows: rows}
		for _, name := range []string{"a", "b"} {
			values := make([]anonymize.Value, rows)
			for i := range values {
				values[i] = anonymize.IntegerValue(random.Int64N(40))
			}
			in.QuasiIdentifiers = append(in.QuasiIdentifiers, anonymize.NewColumn(name, "INT", values))
		}
		for s := range sensitive {
			values := make([]anonymize.Value, rows)
			for i, v := range random.Perm(rows) {
				values[i] = anonymize.IntegerValue(int64(v % 3))
			}
			in.Sensitive = append(in.Sensitive, anonymize.NewColumn([]string{"s", "s2"}[s], "TEXT", values))
		}
		c := Condition{K: 3, L: 3, T: anonymize.NewRatio(1, 1)}
		_, p := recoded(t, in, c, 1)
		t.Logf("%d sensitive attributes: %d classes", sensitive, p.Groups())
		for g := range p.Groups() {
			for _, column := range in.Sensitive {
				count := make([]int, 3)
				for _, record := range p.Records(g) {
					count[column.Codes[record]]++
				}
				if slices.Max(count)*3 > len(p.Records(g)) {
					t.Fatalf("%d sensitive attributes: class of %v", sensitive, count)
				}
			}
		}
		if sensitive == 1 && p.Groups() < 2_500 {
			t.Errorf("%d classes of 3,000 that there could be", p.Groups())
		}
	}
}

// Large classes come of cuts alone, and lose less than those of medians.
func TestLargeClasses(t *testing.T) {
	in := anontest.People(6_000, 1)
	for _, c := range []Condition{{K: 100, L: 1}, {K: 300, L: 1}, {K: 300, L: 3}} {
		c.T = anonymize.NewRatio(1, 1)
		attributes, p := recoded(t, in, c, 1)
		s := newSearch(t.Context(), attributes, in.Sensitive, c)
		medians, err := PartitionEach(t.Context(), attributes, in.Sensitive, c, false, rand.New(rand.NewPCG(1, 1)), nil)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := s.loss(p), s.loss(medians)
		t.Logf("%+v: loss %.0f, of medians %.0f; %d and %d classes", c, ours, theirs, p.Groups(), medians.Groups())
		if text := wrong(in, p, c); text != "" || ours > .9*theirs {
			t.Errorf("%+v: loss %.0f, of medians %.0f. %s", c, ours, theirs, text)
		}
	}
}
