package planes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// The groups are in the order of a stable sort by size, empty ones left out, and sizeStart says where each size begins.
func TestLayoutOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		release, want := &anonymize.Release{}, []uint32(nil)
		most := 1 + random.IntN(6)
		least := random.IntN(most + 1)
		for g := range random.IntN(300) {
			size := uint32(least + random.IntN(most-least+1))
			release.GroupSizes = append(release.GroupSizes, size)
			release.Rows += int(size)
			if size > 0 {
				want = append(want, uint32(g))
			}
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(release.GroupSizes[a]) - int(release.GroupSizes[b]) })
		l := NewLayout(release)
		if l == nil {
			t.Fatalf("%v have no layout", release.GroupSizes)
		}
		var order []uint32
		for position := range l.groups {
			order = append(order, l.group(position))
		}
		if !slices.Equal(order, want) {
			t.Fatalf("%v are in the order %v, want %v", release.GroupSizes, order, want)
		}
		for i, size := range l.sizes {
			for _, g := range order[l.sizeStart[i]:l.sizeStart[i+1]] {
				if release.GroupSizes[g] != size {
					t.Fatalf("group %d of %d records is among those of %d", g, release.GroupSizes[g], size)
				}
			}
		}
		if uniform := len(want) == 0 || len(want) == len(release.GroupSizes) && len(l.sizes) == 1; uniform != (l.order == nil) {
			t.Fatalf("%v: the order is %v", release.GroupSizes, l.order)
		}
	}
}
