package units

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
)

// disjoint is the share of choices that have no record in common, and falls between whole numbers, too.
func TestDisjoint(t *testing.T) {
	for s := 1; s <= 6; s++ {
		for x := range s + 1 {
			for y := range s + 1 {
				choices, apart := 0, 0
				for a := range uint(1) << s {
					for b := range uint(1) << s {
						if bits.OnesCount(a) == x && bits.OnesCount(b) == y {
							choices++
							if a&b == 0 {
								apart++
							}
						}
					}
				}
				if got, want := disjoint(float64(s), float64(x), float64(y)), float64(apart)/float64(choices); math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %v, counted %v", fmt.Sprint(x, " and ", y, " of ", s), got, want)
				}
			}
		}
	}
	last := 1.0
	for y := 0.0; y < 5; y += 0.05 {
		if next := disjoint(4, 1.5, y); next > last+1e-12 || next < 0 {
			t.Errorf("disjoint of 1.5 and %v of 4 is %v, before it was %v", y, next, last)
		} else {
			last = next
		}
	}
}
