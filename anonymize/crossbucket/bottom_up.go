package crossbucket

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// blockRecords is the number of records of a block. Blocks run in parallel, and their number
// must not depend on the number of cores.
const blockRecords = 1 << 14

// bottomUp makes lots of near records: first in every leaf, then of the rest of two
// neighbouring leaves, and so on up the tree. It returns the rest at the root, in the order of
// the leaves. Lots keep the rest eligible, so that it can always be divided. O(n log n) for the
// order; beyond that, each record is compared with a leaf's or with some 256 others, as often
// as its pools make lots.
func (t *table) bottomUp(ctx context.Context, in *anonymize.Input) ([]uint32, error) {
	blocks, sizes, m := t.blocks(), []int{t.g}, t.g
	if int(t.count[0])*t.g > in.Rows { // lots of g alone would leave a rest that has none
		sizes, m = []int{t.g, t.m}, t.m
	}
	found, rest := make([]lots, len(blocks)), make([][]uint32, len(blocks))
	in.Report("lots", 0, in.Rows)
	done := parallel.NewCounter(in.Rows, func(done, total int) { in.Report("lots", done, total) })
	err := parallel.Run(ctx, len(blocks), func(i int) error {
		first, end := blocks[i][0], blocks[i][1]
		part := int(t.leaf[end] - t.leaf[first])
		c := &climb{worker: t.newWorker(), ctx: ctx, sizes: sizes, eligible: newEligibility(t.count, in.Rows, part, m)}
		c.climbNode(first, end, func(leaf int) []uint32 { return t.order[t.leaf[leaf]:t.leaf[leaf+1]] })
		found[i], rest[i] = c.lots, c.stack
		done.Add(part)
		return nil
	})
	if err != nil {
		return nil, err
	}
	left := append([]uint32(nil), t.count...)
	rows := in.Rows
	for i := range found {
		t.lots.add(&found[i])
		for _, record := range found[i].member {
			left[t.rank[record]]--
		}
		rows -= len(found[i].member)
	}
	if rows == 0 || len(blocks) == 1 {
		return rest[0], ctx.Err()
	}
	c := &climb{worker: t.newWorker(), ctx: ctx, sizes: sizes, eligible: newEligibility(left, rows, rows, m)}
	c.climbNode(0, len(blocks), func(block int) []uint32 { return rest[block] })
	t.lots.add(&c.lots)
	return c.stack, ctx.Err()
}

// blocks returns ranges of leaves with at least blockRecords records each, except for the last.
func (t *table) blocks() (blocks [][2]int) {
	first := 0
	for leaf := range len(t.leaf) - 1 {
		if t.leaf[leaf+1]-t.leaf[first] >= blockRecords || leaf == len(t.leaf)-2 {
			blocks = append(blocks, [2]int{first, leaf + 1})
			first = leaf + 1
		}
	}
	return blocks
}

// A climb is a walk up a part of the tree.
type climb struct {
	*worker
	ctx      context.Context
	eligible *eligibility
	sizes    []int    // of lots, the preferred one first
	stack    []uint32 // rest of the nodes that wait for their sibling
}

// climbNode handles the node of the leaves first .. end-1, children first, and leaves the
// remaining records on the stack.
func (c *climb) climbNode(first, end int, leaf func(i int) []uint32) {
	bottom := len(c.stack)
	switch {
	case c.ctx.Err() != nil:
		return
	case end-first == 1:
		c.stack = append(c.stack, leaf(first)...)
	default:
		middle := (first + end) / 2
		c.climbNode(first, middle, leaf)
		c.climbNode(middle, end, leaf)
	}
	left := c.makeLots(c.stack[bottom:])
	c.stack = c.stack[:bottom+left]
}

// makeLots makes as many lots of the records as possible, moves the others to the front and
// returns their number.
func (c *climb) makeLots(records []uint32) int {
	c.census(records)
	gathered := false
	for c.ctx.Err() == nil {
		size, forced := c.nextLot()
		if size == 0 {
			break
		}
		if !gathered {
			c.gather(records)
			gathered = true
		}
		c.eligible.take(c.takeLot(size, forced))
	}
	if !gathered {
		return len(records)
	}
	left := 0
	for item, record := range c.record {
		if !c.taken[item] {
			records[left] = record
			left++
		}
	}
	return left
}

// nextLot returns the size of a possible lot that leaves the rest eligible, and the values that
// it must have; 0 for none.
func (c *climb) nextLot() (size int, forced []uint32) {
	for _, size := range c.sizes {
		if c.distinct < size {
			continue
		}
		if forced, ok := c.eligible.next(size); ok && c.poolHasAll(forced) {
			return size, forced
		}
	}
	return 0, nil
}

// poolHasAll reports whether the pool has records of all these values.
func (c *climb) poolHasAll(values []uint32) bool {
	for _, v := range values {
		if c.count[v] == 0 {
			return false
		}
	}
	return true
}
