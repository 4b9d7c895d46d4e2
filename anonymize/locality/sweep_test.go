package locality

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// bucketsOf returns records whose sensitive values have the given counts, in
// random order.
func bucketsOf(counts []int, random *rand.Rand) *bucketization.Buckets {
	var codes []uint32
	c := &anonymize.Column{Name: "s"}
	for v, n := range counts {
		c.Dictionary = append(c.Dictionary, anonymize.IntegerValue(int64(v)))
		for range n {
			codes = append(codes, uint32(v))
		}
	}
	bucketization.Shuffle(codes, random)
	c.Codes = codes
	return bucketization.NewBuckets(c, nil)
}

func randomPosition(n int, random *rand.Rand) []uint32 {
	position := anonymize.Indices(n)
	bucketization.Shuffle(position, random)
	return position
}

// counts returns the number of records of every value in a group.
func counts(b *bucketization.Buckets, group []uint32) []int {
	n := make([]int, len(b.Count))
	for _, record := range group {
		n[b.Value[record]]++
	}
	return n
}

// bySorting is the rule of Sweep in the slow obvious way: every group looks at
// all values.
func bySorting(b *bucketization.Buckets, position []uint32, groups int) [][]uint32 {
	queues := make([][]uint32, len(b.Count))
	along := make([]uint32, len(position))
	for record, place := range position {
		along[place] = uint32(record)
	}
	for _, record := range along {
		queues[b.Value[record]] = append(queues[b.Value[record]], record)
	}
	extra, left := make([]int, len(queues)), 0
	for v, c := range b.Count {
		extra[v] = int(c) % groups
		left += extra[v]
	}
	var all [][]uint32
	for togo := groups; togo > 0; togo-- {
		var group []uint32
		take := func(v int) {
			group = append(group, queues[v][0])
			queues[v] = queues[v][1:]
		}
		for v, c := range b.Count {
			for range int(c) / groups {
				take(v)
			}
		}
		var candidates []int
		for v := range queues {
			if extra[v] > 0 {
				candidates = append(candidates, v)
			}
		}
		slices.SortFunc(candidates, func(v, w int) int {
			if must := extra[v] == togo; must != (extra[w] == togo) {
				if must {
					return -1
				}
				return 1
			}
			return int(position[queues[v][0]]) - int(position[queues[w][0]])
		})
		size := (left + togo - 1) / togo
		for _, v := range candidates[:size] {
			take(v)
			extra[v]--
			left--
		}
		slices.Sort(group)
		all = append(all, group)
	}
	return all
}

// randomCounts draws a multiset with H l <= n, often with equality or nearly so:
// several values are at the limit.
func randomCounts(random *rand.Rand) (drawn []int, l int) {
	l = 2 + random.IntN(5)
	groups := 1 + random.IntN(12)
	rest := groups*l + random.IntN(l) // n; floor(n/l) = groups
	tight := random.IntN(l + 1)
	for range tight {
		drawn = append(drawn, groups)
		rest -= groups
	}
	for rest > 0 {
		c := 1 + random.IntN(min(groups, rest))
		drawn = append(drawn, c)
		rest -= c
	}
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	return drawn, l
}

// On any multiset that can be l-diverse: floor(n/l) groups, sizes that differ by
// at most one, no value twice in a group, every record once; and exactly what
// the slow rule gives.
func TestSweepIsNeverStuck(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for trial := range 20_000 {
		drawn, l := randomCounts(random)
		b := bucketsOf(drawn, random)
		n := b.Rows()
		position := randomPosition(n, random)
		p, err := Sweep(context.Background(), b, position, n/l)
		if err != nil {
			t.Fatal(err)
		}
		checkSpread(t, b, p, n/l)
		for g := range p.Groups() {
			if most := slices.Max(counts(b, p.Records(g))); most > 1 || len(p.Records(g)) < l {
				t.Fatalf("trial %d: l = %d, counts %v: group %v", trial, l, drawn, counts(b, p.Records(g)))
			}
		}
		if trial < 4000 {
			compareGroups(t, p, bySorting(b, position, n/l))
		}
	}
}

// With any number of groups, counts of a value are c_v/G rounded down or up.
func TestSweepSpreads(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	for range 4000 {
		drawn := make([]int, 1+random.IntN(6))
		for i := range drawn {
			drawn[i] = random.IntN(30) / (1 + random.IntN(4))
		}
		drawn[0]++
		b := bucketsOf(drawn, random)
		position := randomPosition(b.Rows(), random)
		groups := 1 + random.IntN(b.Rows())
		p, err := Sweep(context.Background(), b, position, groups)
		if err != nil {
			t.Fatal(err)
		}
		checkSpread(t, b, p, groups)
		compareGroups(t, p, bySorting(b, position, groups))
	}
}

// As dealt: of every value as many larger groups have one more as in the deal.
func TestSweepAsDealt(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for range 4000 {
		drawn := make([]int, 1+random.IntN(6))
		for i := range drawn {
			drawn[i] = random.IntN(30) / (1 + random.IntN(4))
		}
		drawn[0]++
		b := bucketsOf(drawn, random)
		groups := 1 + random.IntN(b.Rows())
		p, err := SweepAsDealt(context.Background(), b, randomPosition(b.Rows(), random), groups)
		if err != nil {
			t.Fatal(err)
		}
		checkSpread(t, b, p, groups)
		dealt := bucketization.Deal(b.Shuffled(random), groups)
		for v := range b.Count {
			if got, want := moreInLarger(b, p, v), moreInLarger(b, dealt, v); got != want {
				t.Fatalf("counts %v, %d groups: %d larger groups have more of value %d, in the deal %d", drawn, groups, got, v, want)
			}
		}
	}
}

func moreInLarger(b *bucketization.Buckets, p *bucketization.Partition, value int) (n int) {
	for g := range p.Groups() {
		if len(p.Records(g)) > b.Rows()/p.Groups() && counts(b, p.Records(g))[value] > int(b.Count[value])/p.Groups() {
			n++
		}
	}
	return n
}

func checkSpread(t *testing.T, b *bucketization.Buckets, p *bucketization.Partition, groups int) {
	t.Helper()
	seen := make([]bool, b.Rows())
	for _, record := range p.Member {
		if seen[record] {
			t.Fatalf("record %d is in two groups", record)
		}
		seen[record] = true
	}
	if len(p.Member) != b.Rows() || p.Groups() != groups {
		t.Fatalf("%d of %d records in %d groups, want %d", len(p.Member), b.Rows(), p.Groups(), groups)
	}
	between := func(n, total int) bool { return n == total/groups || n == (total+groups-1)/groups }
	for g := range groups {
		if !between(len(p.Records(g)), b.Rows()) {
			t.Fatalf("group %d of %d has %d of %d records", g, groups, len(p.Records(g)), b.Rows())
		}
		for v, n := range counts(b, p.Records(g)) {
			if !between(n, int(b.Count[v])) {
				t.Fatalf("group %d of %d has %d records of a value that has %d", g, groups, n, b.Count[v])
			}
		}
	}
}

func compareGroups(t *testing.T, p *bucketization.Partition, want [][]uint32) {
	t.Helper()
	for g := range p.Groups() {
		got := slices.Sorted(slices.Values(p.Records(g)))
		if !slices.Equal(got, want[g]) {
			t.Fatalf("group %d has records %v, the slow rule gives %v", g, got, want[g])
		}
	}
}

func TestSweepIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := bucketsOf([]int{3, 3}, rand.New(rand.NewPCG(1, 1)))
	if _, err := Sweep(ctx, b, []uint32{0, 1, 2, 3, 4, 5}, 3); err == nil {
		t.Error("a context that has ended did not end the sweep")
	}
}

// Put, move, remove and pop against a scan.
func TestHeads(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		h, in := newHeads(12), map[uint32]uint32{}
		for range 60 {
			v := random.Uint32N(12)
			switch place := random.Uint32N(1000); {
			case random.IntN(3) > 0:
				h.put(v, place)
				in[v] = place
			case h.hasValue(v):
				h.remove(v)
				delete(in, v)
			case len(in) > 0:
				got := h.pop()
				for v, place := range in {
					if place < in[got] {
						t.Fatalf("popped place %d, value %d has %d", in[got], v, place)
					}
				}
				delete(in, got)
			}
			if _, ok := in[v]; ok != h.hasValue(v) || len(in) != len(h.values) {
				t.Fatalf("the heap has %d values, want %d", len(h.values), len(in))
			}
		}
	}
}
