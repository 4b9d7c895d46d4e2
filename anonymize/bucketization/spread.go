package bucketization

import "github.com/anonsql/anonsql/anonymize"

// A grouping into G groups of n/G records, rounded down or up, with c_v/G records of every
// value, rounded down or up, is free to choose which groups get the additional ones. The
// balanced deal is one such grouping. A grouping by another criterion, such as nearness, needs
// to know how far it may differ from it.

// AnySpread reports whether all such groupings meet beta and delta, whatever counts meet
// whatever sizes. O(values).
func AnySpread(b *Buckets, groups int, beta, delta anonymize.Ratio) bool {
	n := b.Rows()
	d := candidate{n: n, groups: groups, beta: beta, delta: delta}
	small, large := n/groups, (n+groups-1)/groups
	for _, v := range b.List {
		c := int(b.Count[v])
		few, many := c/groups, (c+groups-1)/groups
		if !d.admits(c, few, small) || !d.admits(c, few, large) || !d.admits(c, many, small) || !d.admits(c, many, large) {
			return false
		}
	}
	return true
}

// MoreInLarger returns, by value, how many of the n mod G larger groups of the balanced deal
// have one more of the value than the others. A grouping with equal numbers for each value has
// only (count, size) pairs of the deal, so it meets what the deal meets. O(values).
func MoreInLarger(b *Buckets, groups int) []uint32 {
	more := make([]uint32, len(b.Count))
	for i, v := range b.List {
		more[v] = uint32(inLarger(b.Start[i], int(b.Count[v])%groups, b.Rows()%groups, groups))
	}
	return more
}
