package crossbucket

import (
	"cmp"
	"slices"
)

// An eligibility keeps what is left divisible: n_v m <= N for every sensitive
// value v of n_v of the N records that are left. Taking a lot of b records lowers
// N - n_v m, the slack of v, by b, or by b - m if v is in the lot; so a value
// whose slack is below b is forced into it.
type eligibility struct {
	m       int
	slack   []int    // by rank: what may be used up
	order   []uint32 // ranks, the least slack first
	removed int
	of      []uint32 // removed records by rank
	forced  []uint32 // scratch
}

// newEligibility returns the eligibility of n records with these counts by rank, for a share
// part/n of them: slack is divided in proportion, so that parts can run in parallel without
// using up each other's.
func newEligibility(counts []uint32, n, part, m int) *eligibility {
	e := &eligibility{m: m, slack: make([]int, len(counts)), of: make([]uint32, len(counts))}
	for v, c := range counts {
		e.slack[v] = (n - m*int(c)) * part / n // n^2 is at most 2^60
		e.order = append(e.order, uint32(v))
	}
	bySlack := func(v, w uint32) int { return cmp.Compare(e.slack[v], e.slack[w]) }
	if !slices.IsSortedFunc(e.order, bySlack) { // true if the counts are the table's
		slices.SortStableFunc(e.order, bySlack)
	}
	return e
}

// next returns the values that a lot of this size must have; ok is false if no lot is possible.
// It examines values only as long as their slack could be too small.
func (e *eligibility) next(size int) (forced []uint32, ok bool) {
	e.forced = e.forced[:0]
	after := e.removed + size
	for _, v := range e.order {
		if e.slack[v] >= after {
			break
		}
		switch over := after - e.m*int(e.of[v]) - e.slack[v]; {
		case over > e.m:
			return nil, false
		case over > 0:
			e.forced = append(e.forced, v)
		}
	}
	return e.forced, len(e.forced) <= size
}

// take records a lot.
func (e *eligibility) take(values []uint32) {
	e.removed += len(values)
	for _, v := range values {
		e.of[v]++
	}
}
