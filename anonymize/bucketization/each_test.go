package bucketization

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// randomEach draws attributes of up to six values, skewed or not.
func randomEach(random *rand.Rand, rows, attributes int) Each {
	var columns []*anonymize.Column
	for range attributes {
		values, width, skewed := make([]anonymize.Value, rows), 2+random.IntN(5), random.IntN(2) == 0
		for i := range values {
			v := random.IntN(width)
			if skewed {
				v = min(v, random.IntN(width))
			}
			values[i] = anonymize.IntegerValue(int64(v))
		}
		columns = append(columns, anonymize.NewColumn("s", "", values))
	}
	return NewEach(&anonymize.Input{Sensitive: columns})
}

// keepsSlowly checks the bounds of every group with big rationals.
func keepsSlowly(e Each, p *Partition, bounds EachBounds) bool {
	for g := range p.Groups() {
		size := int64(len(p.Records(g)))
		for _, b := range e {
			for v, total := range b.Count {
				here := int64(0)
				for _, record := range p.Records(g) {
					if b.Value[record] == uint32(v) {
						here++
					}
				}
				share := big.NewRat(here, size)
				off := new(big.Rat).Sub(share, big.NewRat(int64(total), int64(e.Rows())))
				if share.Cmp(bounds.Share.Rat()) > 0 || off.Abs(off).Cmp(bounds.Delta.Rat()) > 0 {
					return false
				}
			}
		}
	}
	return true
}

func isWhole(p *Partition, rows int) bool {
	for i, record := range slices.Sorted(slices.Values(p.Member)) {
		if record != uint32(i) {
			return false
		}
	}
	return len(p.Member) == rows && int(p.Start[len(p.Start)-1]) == rows
}

// Dealt, swept and merged partitions keep the bounds for every attribute, whatever the start, and contain all
// records.
func TestEachKeepsBounds(t *testing.T) {
	ctx, tried, seeds := context.Background(), 0, 3000
	if !testsize.All() {
		seeds = 300
	}
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 5))
		rows := 2 + random.IntN(120)
		e := randomEach(random, rows, 1+random.IntN(4))
		bounds := EachBounds{Share: anonymize.MustRatio([]string{"1/2", "1/3", "0.6", "0.9", "2/5"}[random.IntN(5)]),
			Delta: anonymize.MustRatio([]string{"1", "1", "0.3", "0.1", "0"}[random.IntN(5)])}
		if e.MostConcentrated().CheckShare("beta", bounds.Share) != nil {
			continue
		}
		tried++
		order := anonymize.Indices(rows)
		Shuffle(order, random)
		start := []uint32{0}
		for int(start[len(start)-1]) < rows {
			start = append(start, min(uint32(rows), start[len(start)-1]+1+random.Uint32N(5)))
		}
		size := int(min(CeilInverse(bounds.Share), uint64(rows)))
		merged, merges, err := e.Merge(ctx, &Partition{Start: start, Member: slices.Clone(order)}, bounds)
		if err != nil || len(start)-1-merges != merged.Groups() {
			t.Fatalf("seed %d: %d merges of %d groups, %d are left, %v", seed, merges, len(start)-1, merged.Groups(), err)
		}
		dealt, _, err := e.Deal(ctx, size, bounds, random)
		if err != nil {
			t.Fatal(err)
		}
		swept, _, err := e.Sweep(ctx, order, size, bounds, random)
		if err != nil {
			t.Fatal(err)
		}
		for name, p := range map[string]*Partition{"merged": merged, "dealt": dealt, "swept": swept} {
			if !isWhole(p, rows) || !keepsSlowly(e, p, bounds) {
				t.Fatalf("seed %d, share %s, delta %s: %s groups %v of %v", seed, bounds.Share, bounds.Delta, name, p.Start, p.Member)
			}
		}
	}
	if tried < seeds/3 {
		t.Errorf("%d tables were tried", tried)
	}
}

// For two attributes there are floor(n/l) groups of records that differ in both (Koenig, de Werra). Dealing and
// sweeping make nearly as many, even if a value is in exactly one of l records and must be in every group.
func TestEachGroupsOfTwo(t *testing.T) {
	ctx := context.Background()
	for _, l := range []int{2, 3, 4} {
		var columns []*anonymize.Column
		random := rand.New(rand.NewPCG(uint64(l), 1))
		rows := 300 * l
		for range 2 {
			values := make([]anonymize.Value, rows)
			for i, place := range random.Perm(rows) {
				values[place] = anonymize.IntegerValue(int64(max(0, i-rows/l+1+random.IntN(3*l)) * 20 / rows))
				if i < rows/l {
					values[place] = anonymize.IntegerValue(-1) // as many as there are groups
				}
			}
			columns = append(columns, anonymize.NewColumn("s", "", values))
		}
		e := NewEach(&anonymize.Input{Sensitive: columns})
		order := anonymize.Indices(rows)
		dealt, _, err := e.Deal(ctx, l, DiverseBounds(l), random)
		if err != nil {
			t.Fatal(err)
		}
		swept, _, err := e.Sweep(ctx, order, l, DiverseBounds(l), random)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("l = %d: %d groups at most, %d dealt, %d swept", l, rows/l, dealt.Groups(), swept.Groups())
		if least := rows / l * 9 / 10; dealt.Groups() < least || swept.Groups() < least {
			t.Errorf("l = %d: %d groups at most, %d dealt, %d swept", l, rows/l, dealt.Groups(), swept.Groups())
		}
	}
}
