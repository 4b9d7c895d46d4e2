package crossbucket

import (
	"slices"
	"testing"
)

// multisets calls look with all descending counts of at most values values and
// rows records that are l-eligible.
func multisets(rows, values, l int, look func(counts []uint32)) {
	var grow func(counts []uint32, sum, most int)
	grow = func(counts []uint32, sum, most int) {
		if len(counts) > 0 && int(counts[0])*l <= sum {
			look(slices.Clone(counts))
		}
		if len(counts) == values {
			return
		}
		for n := 1; n <= min(most, rows-sum); n++ {
			grow(append(counts, uint32(n)), sum+n, n)
		}
	}
	grow(nil, 0, rows)
}

// assignment returns the next lot: its number of values, and how often it takes each.
type assignment func(counts []uint32) (beta, alpha int)

// takeAll takes lots until nothing is left and reports whether each has at least this many values. It sorts the
// counts after each lot.
func takeAll(counts []uint32, next assignment, least int) bool {
	for len(counts) > 0 {
		beta, alpha := next(counts)
		if beta < least || alpha < 1 {
			return false
		}
		for v := range beta {
			counts[v] -= uint32(alpha)
		}
		slices.SortFunc(counts, func(a, b uint32) int { return int(b) - int(a) })
		if end := slices.Index(counts, 0); end >= 0 {
			counts = counts[:end]
		}
	}
	return true
}

// On all small eligible multisets the repaired assignment never gets stuck, and
// alpha is the greatest that leaves the rest eligible: see naiveAlpha.
func TestSensitiveSet(t *testing.T) {
	seen := 0
	for k := 1; k <= 4; k++ {
		for l := 1; l <= 5; l++ {
			m := max(k, l)
			p := parameters{k: k, l: l, m: m, g: (m + k - 1) / k * k}
			multisets(18, 9, m, func(counts []uint32) {
				seen++
				if !takeAll(slices.Clone(counts), func(counts []uint32) (int, int) {
					beta, alpha := sensitiveSet(counts, sum(counts), p)
					if beta > 0 && alpha != naiveAlpha(counts, beta, m) {
						t.Fatalf("%v, beta %d: alpha %d, by trying %d", counts, beta, alpha, naiveAlpha(counts, beta, m))
					}
					return beta, alpha
				}, m) {
					t.Fatalf("k = %d, l = %d: %v gets stuck", k, l, counts)
				}
			})
		}
	}
	if seen < 8_000 {
		t.Errorf("only %d multisets", seen)
	}
}

// naiveAlpha tries alpha = n_beta, n_beta - 1, ...
func naiveAlpha(counts []uint32, beta, m int) int {
	for alpha := int(counts[beta-1]); alpha > 0; alpha-- {
		rest, total, most := slices.Clone(counts), 0, 0
		for v := range rest {
			if v < beta {
				rest[v] -= uint32(alpha)
			}
			total, most = total+int(rest[v]), max(most, int(rest[v]))
		}
		if most*m <= total {
			return alpha
		}
	}
	return 0
}

// A walk along eligibility alone never leaves a rest that cannot be divided:
// random lots of the values that it allows and forces.
func TestEligibility(t *testing.T) {
	multisets(16, 7, 3, func(counts []uint32) {
		n := sum(counts)
		e := newEligibility(counts, n, n, 3)
		left := slices.Clone(counts)
		for size := range []int{4, 3} {
			size = 4 - size
			for {
				forced, ok := e.next(size)
				values := lotOf(left, forced, size)
				if !ok || values == nil {
					break
				}
				e.take(values)
				for _, v := range values {
					left[v]--
				}
				if int(slices.Max(left))*3 > sum(left) {
					t.Fatalf("%v: %v is left", counts, left)
				}
			}
		}
	})
}

// lotOf returns the forced values and others, the rarest first; nil if there are
// too few.
func lotOf(left, forced []uint32, size int) []uint32 {
	values := slices.Clone(forced)
	for v := len(left) - 1; v >= 0 && len(values) < size; v-- {
		if left[v] > 0 && !slices.Contains(values, uint32(v)) {
			values = append(values, uint32(v))
		}
	}
	if len(values) != size || slices.ContainsFunc(forced, func(v uint32) bool { return left[v] == 0 }) {
		return nil
	}
	return values
}

// Sizes are Algorithm 4's: floor(n/k) groups of k to 2k-1 that add up; and the
// buckets keep 1/l whatever the size of the lot.
func TestDivision(t *testing.T) {
	for k := 1; k <= 12; k++ {
		for l := 1; l <= 24; l++ {
			for size := max(k, l); size < 6*max(k, l); size++ {
				groups := groupSizes(size, k)
				b := bucketNumber(groups, size, k, l)
				sum := 0
				for _, s := range groups {
					if s < k || s > 2*k-1 {
						t.Fatalf("k = %d: a lot of %d has groups %v", k, size, groups)
					}
					sum += s
				}
				if sum != size || len(groups) != size/k {
					t.Fatalf("k = %d: a lot of %d has groups %v", k, size, groups)
				}
				if !naiveBreach(groups, size, b, l) {
					t.Fatalf("k = %d, l = %d: a lot of %d in %d buckets breaks 1/l", k, l, size, b)
				}
				if keepsBreach(groups, size, k, l) != naiveBreach(groups, size, k, l) {
					t.Fatalf("k = %d, l = %d, %d records: the two checks differ", k, l, size)
				}
			}
		}
	}
}

// naiveBreach counts n(G,B) and |B| position by position.
func naiveBreach(groups []int, size, b, l int) bool {
	inBucket := make([]int, b)
	for i := range size {
		inBucket[i%b]++
	}
	at := 0
	for _, s := range groups {
		here := make([]int, b)
		for range s {
			here[at%b]++
			at++
		}
		for bucket, n := range here {
			if n*l > s*inBucket[bucket] {
				return false
			}
		}
	}
	return true
}

func sum(counts []uint32) (total int) {
	for _, n := range counts {
		total += int(n)
	}
	return total
}
