package bucketization

import (
	"context"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// Deal is the balanced deal: record i, sorted by the frequency of its sensitive value, goes to
// group i mod G. So group sizes are n/G rounded down or up, and the count of a value in a group
// is c_v/G rounded down or up.
func Deal(records []uint32, groups int) *Partition {
	size, larger := len(records)/groups, len(records)%groups
	p := &Partition{Start: make([]uint32, groups+1), Member: make([]uint32, len(records))}
	for g := range groups {
		p.Start[g+1] = p.Start[g] + uint32(size)
		if g < larger {
			p.Start[g+1]++
		}
	}
	round, g := uint32(0), 0
	for _, record := range records {
		p.Member[p.Start[g]+round] = record
		if g++; g == groups {
			g, round = 0, round+1
		}
	}
	return p
}

// DealApart is the balanced deal in the order of the values, if values that count as one follow each
// other in it: a group gets at most c/G, rounded up, of any set of c records of such values. So
// floor(n/l) groups keep l if the whole table does: c l <= n. It returns nil if that is not asked for.
func DealApart(in *anonymize.Input, groups int, random *rand.Rand) *Partition {
	sensitive := in.Sensitive[0]
	if !in.ClosenessOf(sensitive).IsOrdered() {
		return nil
	}
	records := anonymize.Indices(in.Rows)
	Shuffle(records, random) // ties at random
	return Deal(CountingSort(records, sensitive.Codes, len(sensitive.Dictionary)), groups)
}

// checksPerLook is the number of (value, G) pairs between two checks of the context.
const checksPerLook = 1 << 16

// LargestDeal returns the greatest number of groups G whose deal meets beta and delta, exactly.
// The (count, group size) pairs of a value are known without dealing. So a candidate costs one
// step per value, or one step in total if the value that excluded the last candidate excludes
// this one too. G = 1 always passes, because the caller has checked that beta >= H/n
// (CheckShare).
func LargestDeal(ctx context.Context, b *Buckets, beta, delta anonymize.Ratio) (int, error) {
	n, checks := b.Rows(), 0
	suspect := 0
	for groups := n / int(min(CeilInverse(beta), uint64(n))); groups > 1; groups-- {
		d := candidate{n: n, groups: groups, beta: beta, delta: delta}
		if checks += len(b.List); checks >= checksPerLook {
			checks = 0
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		if !d.fits(b.Start[suspect], b.Start[suspect+1]) {
			continue
		}
		if suspect = d.misfit(b.Start); suspect == len(b.List) {
			return groups, nil
		}
	}
	return 1, ctx.Err()
}

// A candidate is a number of groups under examination.
type candidate struct {
	n, groups   int
	beta, delta anonymize.Ratio
}

// misfit returns the first bucket that excludes the candidate, or the number of buckets.
func (d candidate) misfit(start []int) int {
	for i := range len(start) - 1 {
		if !d.fits(start[i], start[i+1]) {
			return i
		}
	}
	return len(start) - 1
}

// fits reports whether the value at positions first .. end-1 meets beta and delta in every
// group. The first n mod G groups have one record more than the others; the (end-first) mod G
// groups from first mod G on, cyclically, have one more of the value. So there are up to four
// kinds of groups to check.
func (d candidate) fits(first, end int) bool {
	c, G := end-first, d.groups
	size, larger := d.n/G, d.n%G
	count, more := c/G, c%G
	both := inLarger(first, more, larger, G)
	return (both == 0 || d.admits(c, count+1, size+1)) &&
		(more == both || d.admits(c, count+1, size)) &&
		(larger == both || d.admits(c, count, size+1)) &&
		(G-larger-more+both == 0 || d.admits(c, count, size))
}

// inLarger returns how many of the first larger groups are among the more groups from number
// first on, cyclically.
func inLarger(first, more, larger, G int) int {
	from := first % G
	return overlap(from, from+more, 0, larger) + overlap(from, from+more, G, G+larger)
}

// overlap returns the length of the intersection of [a, b) and [c, d).
func overlap(a, b, c, d int) int { return max(0, min(b, d)-max(a, c)) }

// admits is Eq. (5) and Eq. (8) for one value in one group.
func (d candidate) admits(inTable, inGroup, size int) bool {
	return d.beta.Admits(inGroup, size) && withinDelta(d.delta, inTable, d.n, inGroup, size)
}

// withinDelta reports |inTable/n - inGroup/size| <= delta without rounding, for tables with
// fewer than 2^32 records.
func withinDelta(delta anonymize.Ratio, inTable, n, inGroup, size int) bool {
	a, b := uint64(inTable)*uint64(size), uint64(inGroup)*uint64(n)
	return delta.Admits(int(max(a, b)-min(a, b)), n*size)
}

// CeilInverse returns the least whole number >= 1/r.
func CeilInverse(r anonymize.Ratio) uint64 {
	if r.Den%r.Num == 0 {
		return r.Den / r.Num
	}
	return r.Den/r.Num + 1
}
