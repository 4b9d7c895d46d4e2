package modeled

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The nearest counts are those of the least sum of squares among all, by enumeration.
func TestNearestCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for range 2000 {
		given, total := make([]int64, 1+random.IntN(4)), int64(random.IntN(9))
		for i := range given {
			given[i] = int64(random.IntN(24)) - 8
		}
		counts := nearestCounts(given, total)
		sum := int64(0)
		for _, n := range counts {
			sum += n
			if n < 0 {
				t.Fatalf("%v of %v has a count below 0", counts, given)
			}
		}
		if best := leastDistance(given, total); sum != total || distance(given, counts) != best {
			t.Fatalf("%v for %v and a total of %d: the distance is %d, the least is %d", counts, given, total, distance(given, counts), best)
		}
	}
}

func distance(a, b []int64) (square int64) {
	for i := range a {
		square += (a[i] - b[i]) * (a[i] - b[i])
	}
	return square
}

// leastDistance tries all counts.
func leastDistance(given []int64, total int64) int64 {
	if len(given) == 1 {
		return distance(given, []int64{total})
	}
	var all []int64
	for first := range total + 1 {
		all = append(all, (given[0]-first)*(given[0]-first)+leastDistance(given[1:], total-first))
	}
	return slices.Min(all)
}
