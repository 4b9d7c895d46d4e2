package modeled

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Blur returns the release with noise in the table's counts of every value in a sensitive attribute's dictionary. It
// then corrects the noisy counts: none is negative, and they add up to the number of records. It deals values to the
// blocks at random, as the records were, so a block reveals no more than the table. These steps read nothing else, so
// they cost no privacy (Dwork and Roth, "The Algorithmic Foundations of Differential Privacy", 2014, Proposition 2.1).
//
// The attribute must be alone in its fragment, with point values. Errors of the noise are returned.
func Blur(r *anonymize.Release, sensitive string, draw func() (int64, error), random *rand.Rand) (*anonymize.Release, error) {
	at, _, ok := r.Locate(sensitive)
	if !ok || len(r.Fragments[at].Columns) != 1 || !r.Fragments[at].Columns[0].IsPoint() || r.Units != nil {
		return nil, fmt.Errorf("counts of %s cannot get noise: it must be alone in its fragment, as points, and of records", sensitive)
	}
	exact := r.Fragments[at]
	var counts []int64
	for _, n := range exact.Weigh(exact.Columns[0]) {
		k, err := draw()
		if err != nil {
			return nil, err
		}
		counts = append(counts, int64(n)+k)
	}
	blurred := *r
	blurred.Fragments = slices.Clone(r.Fragments)
	blurred.Fragments[at] = deal(exact, nearestCounts(counts, int64(r.Rows)), r.GroupSizes, random)
	return &blurred, nil
}

// deal deals values with these counts at random to blocks of these sizes; both add up to the same number.
func deal(of *anonymize.Fragment, counts []int64, sizes []uint32, random *rand.Rand) *anonymize.Fragment {
	var codes []uint32
	for code, n := range counts {
		for range n {
			codes = append(codes, uint32(code))
		}
	}
	random.Shuffle(len(codes), func(i, j int) { codes[i], codes[j] = codes[j], codes[i] })
	column := *of.Columns[0]
	column.Codes = nil
	dealt := &anonymize.Fragment{Name: of.Name, Role: of.Role, GroupStart: []uint32{0}}
	for _, size := range sizes {
		block := make([]uint32, len(counts))
		for _, code := range codes[:size] {
			block[code]++
		}
		codes = codes[size:]
		for code, n := range block {
			if n > 0 {
				column.Codes, dealt.Count = append(column.Codes, uint32(code)), append(dealt.Count, n)
			}
		}
		dealt.GroupStart = append(dealt.GroupStart, uint32(len(column.Codes)))
	}
	dealt.Columns = []*anonymize.FragmentColumn{&column}
	return dealt
}

// nearestCounts returns the nonnegative integers with sum total that are nearest to the given ones in
// least squares: it subtracts the same amount from all and cuts at 0 (Duchi, Shalev-Shwartz, Singer and
// Chandra, "Efficient Projections onto the l1-Ball", 2008, Figure 1). total is at least 0.
func nearestCounts(given []int64, total int64) []int64 {
	order := anonymize.Ints(len(given))
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

// floorDivide returns a/b rounded down, and the remainder, from 0 to b-1.
func floorDivide(a, b int64) (quotient, rest int64) {
	quotient, rest = a/b, a%b
	if rest < 0 {
		return quotient - 1, rest + b
	}
	return quotient, rest
}
