package sequence

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestKeptRecordsAgainstEnumeration: a value is certain of kept records where every choice of as many of the common values has it.
func TestKeptRecordsAgainstEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(37, 1))
	certain := 0
	for range 2000 {
		k := keptRecords{}
		var all []uint32 // with repetitions
		for v := range uint32(1 + random.IntN(4)) {
			n := 1 + random.IntN(3)
			k.bound.values, k.bound.counts, k.bound.size = append(k.bound.values, v), append(k.bound.counts, uint32(n)), k.bound.size+n
			all = append(all, slices.Repeat([]uint32{v}, n)...)
		}
		k.keys = make([]int64, 1+random.IntN(len(all)))
		always := slices.Clone(k.bound.values) // in every choice
		for choice := range 1 << len(all) {
			var chosen []uint32
			for i, v := range all {
				if choice>>i&1 == 1 {
					chosen = append(chosen, v)
				}
			}
			if len(chosen) == len(k.keys) {
				always = slices.DeleteFunc(always, func(v uint32) bool { return !slices.Contains(chosen, v) })
			}
		}
		if left := k.left(); (left == 1) != (len(always) > 0) || left > 1 && left != len(k.bound.values) {
			t.Fatalf("%d of %v times %v: %d are left, %v are in every choice", len(k.keys), k.bound.counts, k.bound.values, left, always)
		}
		certain += min(1, len(always))
	}
	if certain < 200 || certain > 1800 {
		t.Errorf("a value was certain %d times of 2000", certain)
	}
}
