package modeled

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Blur returns the release with noise in its counts of a sensitive attribute, block by block, of every value that the attribute's
// dictionary has. Blocks have disjoint records, so that all of them together are one table to the accountant (package noise). The noisy
// counts are then made counts again: none is negative, and those of a block add up to its records. That looks at nothing else, and costs
// no privacy (Dwork and Roth, "The Algorithmic Foundations of Differential Privacy", 2014, Proposition 2.1).
//
// The attribute must be alone in its fragment, with values that are points. Errors are those of the noise, too.
func Blur(r *anonymize.Release, sensitive string, draw func() (int64, error)) (*anonymize.Release, error) {
	at, _, ok := r.Locate(sensitive)
	if !ok || len(r.Fragments[at].Columns) != 1 || !r.Fragments[at].Columns[0].IsPoint() || r.Units != nil {
		return nil, fmt.Errorf("counts of %s cannot get noise: it must be alone in its fragment, as points, and of records", sensitive)
	}
	exact := r.Fragments[at]
	column := *exact.Columns[0]
	column.Codes = nil
	noisy := &anonymize.Fragment{Name: exact.Name, Role: exact.Role, GroupStart: []uint32{0}}
	for g, size := range r.GroupSizes {
		counts := make([]int64, len(column.Dictionary))
		for t := exact.GroupStart[g]; t < exact.GroupStart[g+1]; t++ {
			counts[exact.Columns[0].Codes[t]] = int64(exact.Count[t])
		}
		for code := range counts {
			k, err := draw()
			if err != nil {
				return nil, err
			}
			counts[code] += k
		}
		for code, n := range nearestCounts(counts, int64(size)) {
			if n > 0 {
				column.Codes, noisy.Count = append(column.Codes, uint32(code)), append(noisy.Count, uint32(n))
			}
		}
		noisy.GroupStart = append(noisy.GroupStart, uint32(len(column.Codes)))
	}
	noisy.Columns = []*anonymize.FragmentColumn{&column}
	blurred := *r
	blurred.Fragments = slices.Clone(r.Fragments)
	blurred.Fragments[at] = noisy
	return &blurred, nil
}

// nearestCounts returns the numbers from 0 that add up to total and are nearest to the given ones by the sum of squares, in whole
// numbers: what is too much is taken off all alike, and what would fall below 0 is 0 (Duchi, Shalev-Shwartz, Singer and Chandra, "Efficient
// Projections onto the l1-Ball", 2008, Figure 1). total is at least 0.
func nearestCounts(given []int64, total int64) []int64 {
	order := make([]int, len(given))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(given[b], given[a]) })
	sum, kept := int64(0), 0
	excess := int64(0)
	for i, at := range order {
		sum += given[at]
		if over := sum - total; given[at]*int64(i+1) > over || i == 0 {
			kept, excess = i+1, over
		}
	}
	each, rest := floorDivide(excess, int64(kept))
	counts := make([]int64, len(given))
	for i, at := range order[:kept] {
		counts[at] = given[at] - each
		if int64(i) < rest { // the largest: no count falls below 0
			counts[at]--
		}
	}
	return counts
}

// floorDivide returns a/b rounded down, and what is left, from 0 to b-1.
func floorDivide(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		return quotient - 1, rest + b
	}
	return quotient, rest
}
