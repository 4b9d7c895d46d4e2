package slppa

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// Exact comparisons against big rationals, at and beside the bounds.
func TestExactComparisons(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 20_000 {
		den := 1 + random.Uint64N(60)
		r := anonymize.NewRatio(random.Uint64N(den+1), den)
		size := 1 + random.IntN(60)
		x := random.IntN(size + 1)
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
		checkPartition(t, r.Partition, r.rows)
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
	for place, record := range r.Member {
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
	groups := bucketization.Deal(bucketization.NewBuckets(in.Sensitive[0], nil).Shuffled(random), 3+random.IntN(8))
	r, err := newRepairer(context.Background(), groups, projections, in.Sensitive[0], nil, p)
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
		before := r.Groups()
		groups, merges, err := r.merge(context.Background())
		whole := &repairer{Partition: &bucketization.Partition{Start: []uint32{0, uint32(r.rows)}, Member: r.Member},
			parameters: r.parameters, rows: r.rows, value: r.value, id: r.id, tables: r.tables, scratch: r.scratch}
		if err != nil {
			if clearTally(r.scratch); whole.measure(whole.scratch, 0).meets {
				t.Fatalf("seed %d: one group would do; %v", seed, err)
			}
			refused++
			continue
		}
		checkPartition(t, groups, r.rows)
		if groups.Groups() != before-merges {
			t.Fatalf("seed %d: %d groups after %d merges of %d", seed, groups.Groups(), merges, before)
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

func checkMerged(t *testing.T, r *repairer, groups *bucketization.Partition, seed uint64) {
	t.Helper()
	place := make([]uint32, r.rows)
	for p, record := range r.Member {
		place[record] = uint32(p)
	}
	places := anonymize.Gather(place, groups.Member)
	after := &repairer{Partition: groups, parameters: r.parameters, rows: r.rows, value: anonymize.Gather(r.value, places),
		tables: r.tables, scratch: r.scratch}
	for _, p := range places {
		after.id = append(after.id, r.id[int(p)*r.tables:][:r.tables]...)
	}
	for g := range groups.Groups() {
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
		b := bucketization.NewBuckets(in.Sensitive[0], nil)
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
		if got.Groups() != sizes {
			t.Fatalf("seed %d: %d groups, literally %d", seed, got.Groups(), sizes)
		}
		for g := range got.Groups() {
			values := anonymize.Gather(in.Sensitive[0].Codes, got.Member[got.Start[g]:got.Start[g+1]])
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
func literal(b *bucketization.Buckets, N int) (groups int, ok bool) {
	left := make([]int, len(b.List))
	counter := make([]int, len(b.List))
	order := make([]int, len(b.List)) // BuckList
	for i := range left {
		left[i], order[i] = b.Start[i+1]-b.Start[i], i
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

func checkPartition(t *testing.T, p *bucketization.Partition, rows int) {
	t.Helper()
	seen := make([]bool, rows)
	for _, record := range p.Member {
		if seen[record] {
			t.Fatalf("record %d is in two places", record)
		}
		seen[record] = true
	}
	if len(p.Member) != rows || int(p.Start[p.Groups()]) != rows {
		t.Fatalf("%d of %d records are in groups", len(p.Member), rows)
	}
}
