package bucketization

import "iter"

// Chains are the groups of a partition while neighbours are merged: consecutive groups are near
// each other. A group that has absorbed others keeps its position.
type Chains struct {
	of         *Partition
	chain      []int32 // by group: the next one merged into it, -1 at the end
	last       []int32 // by group: the end of its chain
	absorbed   []bool
	sizes      []int
	prev, next []int32 // neighbours that were not absorbed; -1 at the ends
	Merges     int     // so far
}

// NewChains starts with every group separate. O(groups).
func NewChains(groups *Partition) *Chains {
	n := groups.Groups()
	c := &Chains{of: groups, chain: make([]int32, n), last: make([]int32, n), absorbed: make([]bool, n),
		sizes: make([]int, n), prev: make([]int32, n), next: make([]int32, n)}
	for g := range n {
		c.chain[g], c.last[g], c.prev[g], c.next[g] = -1, int32(g), int32(g-1), int32(g+1)
		c.sizes[g] = len(groups.Records(g))
	}
	if n > 0 {
		c.next[n-1] = -1
	}
	return c
}

// Size returns the number of records of a group and of all that it has absorbed.
func (c *Chains) Size(g int32) int { return c.sizes[g] }

// Absorbed reports whether a group is a part of another.
func (c *Chains) Absorbed(g int) bool { return c.absorbed[g] }

// Parts yields the records of a group, and of every one that it has absorbed.
func (c *Chains) Parts(g int32) iter.Seq[[]uint32] {
	return func(yield func(records []uint32) bool) {
		for ; g >= 0; g = c.chain[g] {
			if !yield(c.of.Records(int(g))) {
				return
			}
		}
	}
}

// Absorb makes partner a part of g. O(1).
func (c *Chains) Absorb(g, partner int32) {
	c.chain[c.last[g]], c.last[g] = partner, c.last[partner]
	c.sizes[g] += c.sizes[partner]
	c.absorbed[partner] = true
	if before := c.prev[partner]; before >= 0 {
		c.next[before] = c.next[partner]
	}
	if after := c.next[partner]; after >= 0 {
		c.prev[after] = c.prev[partner]
	}
	c.Merges++
}

// VisitNeighbours calls look for up to each neighbours of a group on either side, the nearest
// first.
func (c *Chains) VisitNeighbours(g int32, each int, look func(h int32)) {
	before, after := c.prev[g], c.next[g]
	for range each {
		if after >= 0 {
			look(after)
			after = c.next[after]
		}
		if before >= 0 {
			look(before)
			before = c.prev[before]
		}
	}
}

// United returns the partition with one group per chain.
func (c *Chains) United() *Partition {
	p := &Partition{Start: []uint32{0}, Member: make([]uint32, 0, len(c.of.Member))}
	for g := range c.chain {
		if c.absorbed[g] {
			continue
		}
		for records := range c.Parts(int32(g)) {
			p.Member = append(p.Member, records...)
		}
		p.Start = append(p.Start, uint32(len(p.Member)))
	}
	return p
}
