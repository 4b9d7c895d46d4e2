package slppa

import (
	"context"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// A projection numbers distinct sub-tuples 0, 1, ... in the order of their
// codes, whether pairs are counted in an array or sorted.
func TestProjection(t *testing.T) {
	for seed := range uint64(200) {
		in := anontest.RandomTable(1+int(seed%50), seed)
		p, err := newProjection(context.Background(), in.QuasiIdentifiers)
		if err != nil {
			t.Fatal(err)
		}
		tuple := func(record int) (codes []uint32) {
			for _, c := range in.QuasiIdentifiers {
				codes = append(codes, c.Codes[record])
			}
			return codes
		}
		for a := range in.Rows {
			for b := range in.Rows {
				want := slices.Compare(tuple(a), tuple(b))
				if got := compareIDs(p.id[a], p.id[b]); got != want {
					t.Fatalf("seed %d: sub-tuples %v and %v compare as %d, their numbers as %d", seed, tuple(a), tuple(b), want, got)
				}
			}
		}
		for id, sample := range p.sample {
			if p.frequency[id] > 0 && p.id[sample] != uint32(id) {
				t.Fatalf("seed %d: the sample of sub-tuple %d has %d", seed, id, p.id[sample])
			}
		}
	}
}

func compareIDs(a, b uint32) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func TestNumberings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		rows, left, width := 1+random.IntN(40), 1+random.IntN(9), 1+random.IntN(9)
		id, codes := make([]uint32, rows), make([]uint32, rows)
		for i := range rows {
			id[i], codes[i] = random.Uint32N(uint32(left)), random.Uint32N(uint32(width))
		}
		same := slices.Clone(id)
		dense := numberDense(id, codes, width, left*width)
		sparse := numberSparse(same, left, codes, width)
		if dense != sparse || !slices.Equal(id, same) {
			t.Fatalf("by array %d numbers %v, by sorting %d numbers %v", dense, id, sparse, same)
		}
	}
}

// The closed form against dealing: the greatest G whose groups, counted one by
// one and compared as rationals, meet beta and delta.
func TestLargestDeal(t *testing.T) {
	for seed := range uint64(400) {
		in := anontest.RandomTable(1+int(seed%40), seed)
		b := newBuckets(in.Sensitive[0])
		random := rand.New(rand.NewPCG(seed, 5))
		_, H := b.column.mostFrequent()
		beta := anonymize.NewRatio(uint64(H)+random.Uint64N(uint64(in.Rows)-uint64(H)+1), uint64(in.Rows))
		delta := anonymize.NewRatio(random.Uint64N(20), 20)
		got, err := largestDeal(context.Background(), b, beta, delta)
		if err != nil {
			t.Fatal(err)
		}
		want := in.Rows
		for want > 1 && !dealMeets(in, deal(b.shuffled(random), want), beta, delta) {
			want--
		}
		if got != want {
			t.Fatalf("seed %d: n = %d, beta %s, delta %s: G = %d, dealing says %d", seed, in.Rows, beta, delta, got, want)
		}
	}
}

func dealMeets(in *anonymize.Input, p *partition, beta, delta anonymize.Ratio) bool {
	s := in.Sensitive[0]
	total := s.Histogram()
	for g := range p.groups() {
		here := make([]int, len(total))
		members := p.member[p.start[g]:p.start[g+1]]
		for _, record := range members {
			here[s.Codes[record]]++
		}
		for code := range total {
			share := big.NewRat(int64(here[code]), int64(len(members)))
			d := new(big.Rat).Sub(share, big.NewRat(int64(total[code]), int64(in.Rows)))
			if share.Cmp(beta.Rat()) > 0 || d.Abs(d).Cmp(delta.Rat()) > 0 {
				return false
			}
		}
	}
	return true
}

// Group sizes and the counts of every value differ by at most one between
// groups, and every record is dealt once.
func TestDeal(t *testing.T) {
	for seed := range uint64(100) {
		in := anontest.RandomTable(1+int(seed%60), seed)
		b := newBuckets(in.Sensitive[0])
		random := rand.New(rand.NewPCG(seed, 5))
		p := deal(b.shuffled(random), 1+random.IntN(in.Rows))
		checkPartition(t, p, in.Rows)
		for code := range in.Sensitive[0].Dictionary {
			least, most := in.Rows, 0
			for g := range p.groups() {
				n := 0
				for _, record := range p.member[p.start[g]:p.start[g+1]] {
					if in.Sensitive[0].Codes[record] == uint32(code) {
						n++
					}
				}
				least, most = min(least, n), max(most, n)
			}
			if most > least+1 {
				t.Fatalf("seed %d: value %d has %d records in one group, %d in another", seed, code, least, most)
			}
		}
	}
}

func checkPartition(t *testing.T, p *partition, rows int) {
	t.Helper()
	seen := make([]bool, rows)
	for _, record := range p.member {
		if seen[record] {
			t.Fatalf("record %d is in two places", record)
		}
		seen[record] = true
	}
	if len(p.member) != rows || int(p.start[p.groups()]) != rows {
		t.Fatalf("%d of %d records are in groups", len(p.member), rows)
	}
}

// Exact comparisons against big rationals, at and beside the bounds.
func TestExactComparisons(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 20_000 {
		den := 1 + random.Uint64N(60)
		r := anonymize.NewRatio(random.Uint64N(den+1), den)
		n, size := 1+random.IntN(60), 1+random.IntN(60)
		c, x := random.IntN(n+1), random.IntN(size+1)
		d := new(big.Rat).Sub(big.NewRat(int64(c), int64(n)), big.NewRat(int64(x), int64(size)))
		if got, want := withinDelta(r, c, n, x, size), d.Abs(d).Cmp(r.Rat()) <= 0; got != want {
			t.Fatalf("|%d/%d - %d/%d| <= %s: %v", c, n, x, size, r, got)
		}
		floor := floorOf(r, size)
		if !r.Admits(floor, size) || floor < size && r.Admits(floor+1, size) {
			t.Fatalf("floor(%s %d) = %d", r, size, floor)
		}
		a, b := uint32(random.IntN(size+1)), uint32(random.IntN(size+1))
		p := new(big.Rat).Mul(big.NewRat(int64(a), int64(size)), big.NewRat(int64(b), int64(size)))
		p.Mul(p, big.NewRat(int64(x), int64(size)))
		exactly := anonymize.Ratio{Num: p.Num().Uint64(), Den: p.Denom().Uint64()}
		for _, gamma := range []anonymize.Ratio{r, exactly} {
			if got, want := withinGamma(gamma, []uint32{a, b}, uint32(x), size), p.Cmp(gamma.Rat()) <= 0; got != want {
				t.Fatalf("%d %d %d / %d^3 <= %s: %v", a, b, x, size, gamma, got)
			}
		}
	}
}

func TestCeilInverse(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "0.5": 2, "0.3": 4, "1/3": 3, "0.05": 20, "0.1331": 8, "2/3": 2} {
		if got := ceilInverse(anonymize.MustRatio(text)); got != want {
			t.Errorf("ceil(1/(%s)) = %d, want %d", text, got, want)
		}
	}
}

// Swaps exchange records of one sensitive value: the values by place, and so
// beta, delta and the groups, are what they were; each record has one place;
// every group ends no farther from its requirements.
func TestSwaps(t *testing.T) {
	swapped := 0
	for seed := range uint64(300) {
		r, random := newTestRepairer(t, seed)
		values := slices.Clone(r.value)
		badBefore := slices.Clone(r.bad)
		swaps, err := r.swap(context.Background(), random, func(string, int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		swapped += swaps
		checkPartition(t, r.partition, r.rows)
		if !slices.Equal(values, r.value) {
			t.Fatal("swaps changed the sensitive table")
		}
		for g, bad := range r.bad {
			if bad && !badBefore[g] {
				t.Fatalf("seed %d: group %d was good and is bad", seed, g)
			}
			if bad == r.measure(r.scratch, g).meets {
				t.Fatalf("seed %d: group %d is marked bad: %v", seed, g, bad)
			}
		}
		checkPlaces(t, r, seed)
	}
	if swapped == 0 {
		t.Error("nothing was ever swapped")
	}
}

// checkPlaces: what is kept by place is that of the place's record.
func checkPlaces(t *testing.T, r *repairer, seed uint64) {
	t.Helper()
	in := anontest.RandomTable(30, seed)
	for place, record := range r.member {
		if r.value[place] != in.Sensitive[0].Codes[record] {
			t.Fatalf("place %d has value %d, its record %d", place, r.value[place], in.Sensitive[0].Codes[record])
		}
	}
}

func newTestRepairer(t *testing.T, seed uint64) (*repairer, *rand.Rand) {
	in := anontest.RandomTable(30, seed)
	random := rand.New(rand.NewPCG(seed, 4))
	p := &parameters{alpha: anonymize.NewRatio(2+random.Uint64N(3), 5), gamma: anonymize.NewRatio(1+random.Uint64N(4), 8)}
	projections, err := project(context.Background(), []qiTable{{columns: in.QuasiIdentifiers[:1]}, {columns: in.QuasiIdentifiers}})
	if err != nil {
		t.Fatal(err)
	}
	groups := deal(newBuckets(in.Sensitive[0]).shuffled(random), 3+random.IntN(8))
	r, err := newRepairer(context.Background(), groups, projections, in.Sensitive[0], p)
	if err != nil {
		t.Fatal(err)
	}
	return r, random
}

// After the merges every group meets alpha and gamma, by a count of its own,
// unless the error says that one group of everything does not.
func TestMerges(t *testing.T) {
	merged, refused := 0, 0
	for seed := range uint64(300) {
		r, _ := newTestRepairer(t, seed)
		before := r.groups()
		groups, merges, err := r.merge(context.Background())
		whole := &repairer{partition: &partition{start: []uint32{0, uint32(r.rows)}, member: r.member},
			parameters: r.parameters, rows: r.rows, value: r.value, id: r.id, tables: r.tables, scratch: r.scratch}
		if err != nil {
			if clearTally(r.scratch); whole.measure(whole.scratch, 0).meets {
				t.Fatalf("seed %d: one group would do; %v", seed, err)
			}
			refused++
			continue
		}
		checkPartition(t, groups, r.rows)
		if groups.groups() != before-merges {
			t.Fatalf("seed %d: %d groups after %d merges of %d", seed, groups.groups(), merges, before)
		}
		merged += merges
		checkMerged(t, r, groups, seed)
	}
	if merged == 0 || refused == 0 {
		t.Errorf("%d merges, %d tables refused: too few of a kind", merged, refused)
	}
}

func clearTally(t *tally) {
	for _, count := range t.count {
		clear(count)
	}
	clear(t.values)
}

func checkMerged(t *testing.T, r *repairer, groups *partition, seed uint64) {
	t.Helper()
	place := make([]uint32, r.rows)
	for p, record := range r.member {
		place[record] = uint32(p)
	}
	places := gather(place, groups.member)
	after := &repairer{partition: groups, parameters: r.parameters, rows: r.rows, value: gather(r.value, places),
		tables: r.tables, scratch: r.scratch}
	for _, p := range places {
		after.id = append(after.id, r.id[int(p)*r.tables:][:r.tables]...)
	}
	for g := range groups.groups() {
		if !after.measure(after.scratch, g).meets {
			t.Fatalf("seed %d: group %d is bad after the merges", seed, g)
		}
	}
}

// Algorithm 1, lines 1-19, literally: lists of records that shrink. It and the
// bookkeeping of paper_order.go make groups of the same values.
func TestPaperOrder(t *testing.T) {
	ran := 0
	for seed := range uint64(500) {
		in := anontest.RandomTable(1+int(seed%40), seed)
		b := newBuckets(in.Sensitive[0])
		random := rand.New(rand.NewPCG(seed, 8))
		N := 1 + random.IntN(4)
		p := &parameters{beta: anonymize.NewRatio(1, uint64(N)), delta: anonymize.NewRatio(1, 1)}
		got, err := paperOrder(context.Background(), b, random, p)
		sizes, ok := literal(b, N)
		if ok != (err == nil) {
			t.Fatalf("seed %d, N = %d: literal succeeds: %v; %v", seed, N, ok, err)
		}
		if err != nil {
			continue
		}
		ran++
		checkPartition(t, got, in.Rows)
		if got.groups() != sizes {
			t.Fatalf("seed %d: %d groups, literally %d", seed, got.groups(), sizes)
		}
		for g := range got.groups() {
			values := gather(in.Sensitive[0].Codes, got.member[got.start[g]:got.start[g+1]])
			slices.Sort(values)
			if len(values) < N || len(slices.Compact(slices.Clone(values))) != len(values) {
				t.Fatalf("seed %d: group %d has values %v, not %d or more different ones", seed, g, values, N)
			}
		}
	}
	if ran < 50 {
		t.Errorf("only %d of 500 tables could be grouped", ran)
	}
}

// literal returns the number of groups that lines 6-12 make, and whether lines
// 13-19 find places for the rest.
func literal(b *buckets, N int) (groups int, ok bool) {
	left := make([]int, len(b.list))
	counter := make([]int, len(b.list))
	order := make([]int, len(b.list)) // BuckList
	for i := range left {
		left[i], order[i] = b.start[i+1]-b.start[i], i
	}
	for len(order) > N {
		for at, i := range order {
			if at >= len(order)-N {
				left[i]--
			} else {
				counter[i]++
			}
		}
		groups++
		order = slices.DeleteFunc(order, func(i int) bool { return left[i] == 0 })
		slices.SortStableFunc(order, func(x, y int) int { return left[y] - left[x] })
	}
	for _, i := range order {
		if left[i] > counter[i] {
			return groups, false
		}
	}
	return groups, true
}

func TestSortIDs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 5, 63, 64, 500} {
		ids := make([]uint32, n)
		for i := range ids {
			ids[i] = random.Uint32N(100)
		}
		want, scratch := slices.Clone(ids), make([]uint32, 100)
		slices.Sort(want)
		sortIDs(ids, scratch)
		if !slices.Equal(ids, want) || !reflect.DeepEqual(scratch, make([]uint32, 100)) {
			t.Errorf("%d ids: %v", n, ids)
		}
	}
}
