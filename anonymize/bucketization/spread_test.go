package bucketization

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// All pairs of a count and a size, as rationals.
func TestAnySpread(t *testing.T) {
	free := 0
	for seed := range uint64(2000) {
		in := anontest.RandomTable(1+int(seed%40), seed)
		b := NewBuckets(in.Sensitive[0], nil)
		random := rand.New(rand.NewPCG(seed, 5))
		beta, delta := anonymize.NewRatio(1+random.Uint64N(20), 20), anonymize.NewRatio(random.Uint64N(21), 20)
		groups := 1 + random.IntN(in.Rows)
		got := AnySpread(b, groups, beta, delta)
		if want := spreadMeets(b, groups, beta, delta); got != want {
			t.Fatalf("seed %d: n = %d, G = %d, beta %s, delta %s: %v", seed, in.Rows, groups, beta, delta, got)
		}
		if got {
			free++
			if !dealMeets(in, Deal(b.Shuffled(random), groups), beta, delta) {
				t.Fatalf("seed %d: any grouping will do, but the deal does not", seed)
			}
		}
	}
	if free < 200 {
		t.Errorf("only %d of 2,000 cases are free: the test tests little", free)
	}
}

func spreadMeets(b *Buckets, groups int, beta, delta anonymize.Ratio) bool {
	n := b.Rows()
	for _, size := range []int{n / groups, (n + groups - 1) / groups} {
		for _, total := range b.Count {
			for _, here := range []int{int(total) / groups, (int(total) + groups - 1) / groups} {
				share := big.NewRat(int64(here), int64(size))
				d := new(big.Rat).Sub(share, big.NewRat(int64(total), int64(n)))
				if total > 0 && (share.Cmp(beta.Rat()) > 0 || d.Abs(d).Cmp(delta.Rat()) > 0) {
					return false
				}
			}
		}
	}
	return true
}

// Counted in the deal's groups.
func TestMoreInLarger(t *testing.T) {
	for seed := range uint64(1000) {
		in := anontest.RandomTable(1+int(seed%60), seed)
		b := NewBuckets(in.Sensitive[0], nil)
		random := rand.New(rand.NewPCG(seed, 5))
		groups := 1 + random.IntN(in.Rows)
		p := Deal(b.Shuffled(random), groups)
		want := make([]uint32, len(b.Count))
		for g := range groups {
			if len(p.Records(g)) == in.Rows/groups {
				continue
			}
			here := make([]uint32, len(b.Count))
			for _, record := range p.Records(g) {
				here[b.Value[record]]++
			}
			for v, n := range here {
				want[v] += n - b.Count[v]/uint32(groups)
			}
		}
		for v, n := range MoreInLarger(b, groups) {
			if n != want[v] {
				t.Fatalf("seed %d: G = %d of %d records: %d larger groups have more of value %d, want %d", seed, groups, in.Rows, n, v, want[v])
			}
		}
	}
}
