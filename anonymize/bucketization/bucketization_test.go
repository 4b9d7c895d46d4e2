package bucketization

import (
	"cmp"
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
		p, err := NewProjection(context.Background(), in.QuasiIdentifiers)
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
				if got := cmp.Compare(p.ID[a], p.ID[b]); got != want {
					t.Fatalf("seed %d: sub-tuples %v and %v compare as %d, their numbers as %d", seed, tuple(a), tuple(b), want, got)
				}
			}
		}
		for id, sample := range p.Sample {
			if p.Frequency[id] > 0 && p.ID[sample] != uint32(id) {
				t.Fatalf("seed %d: the sample of sub-tuple %d has %d", seed, id, p.ID[sample])
			}
		}
	}
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

// The closed form against dealing: the greatest G whose groups meet beta and delta, counted one by one and compared
// as rationals.
func TestLargestDeal(t *testing.T) {
	for seed := range uint64(400) {
		in := anontest.RandomTable(1+int(seed%40), seed)
		b := NewBuckets(in.Sensitive[0], nil)
		random := rand.New(rand.NewPCG(seed, 5))
		_, H := b.MostFrequent()
		beta := anonymize.NewRatio(uint64(H)+random.Uint64N(uint64(in.Rows)-uint64(H)+1), uint64(in.Rows))
		delta := anonymize.NewRatio(random.Uint64N(20), 20)
		got, err := LargestDeal(context.Background(), b, beta, delta)
		if err != nil {
			t.Fatal(err)
		}
		want := in.Rows
		for want > 1 && !dealMeets(in, Deal(b.Shuffled(random), want), beta, delta) {
			want--
		}
		if got != want {
			t.Fatalf("seed %d: n = %d, beta %s, delta %s: G = %d, dealing says %d", seed, in.Rows, beta, delta, got, want)
		}
	}
}

func dealMeets(in *anonymize.Input, p *Partition, beta, delta anonymize.Ratio) bool {
	s := in.Sensitive[0]
	total := s.Histogram()
	for g := range p.Groups() {
		here := make([]int, len(total))
		members := p.Member[p.Start[g]:p.Start[g+1]]
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
		b := NewBuckets(in.Sensitive[0], nil)
		random := rand.New(rand.NewPCG(seed, 5))
		p := Deal(b.Shuffled(random), 1+random.IntN(in.Rows))
		checkPartition(t, p, in.Rows)
		for code := range in.Sensitive[0].Dictionary {
			least, most := in.Rows, 0
			for g := range p.Groups() {
				n := 0
				for _, record := range p.Member[p.Start[g]:p.Start[g+1]] {
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

func checkPartition(t *testing.T, p *Partition, rows int) {
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

// |c/n - x/size| <= delta against big rationals, at and beside the bound.
func TestWithinDelta(t *testing.T) {
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
	}
}

func TestCeilInverse(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "0.5": 2, "0.3": 4, "1/3": 3, "0.05": 20, "0.1331": 8, "2/3": 2} {
		if got := CeilInverse(anonymize.MustRatio(text)); got != want {
			t.Errorf("ceil(1/(%s)) = %d, want %d", text, got, want)
		}
	}
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
