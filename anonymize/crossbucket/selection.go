package crossbucket

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// selectAll is Algorithm 1 for records in the order of a tree: it chooses sensitive sets of all
// that is left, and picks tuples for each in a small part of the tree.
func (t *table) selectAll(ctx context.Context, in *anonymize.Input, records []uint32) error {
	s := newSelection(t, records)
	for left := len(records); left > 0; {
		values, loops := s.next()
		if loops == 0 { // see the proof at sensitiveSet
			return fmt.Errorf("cross_bucket: %d records are left that cannot be divided into lots", left)
		}
		for range loops {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.pick(values)
			left -= len(values)
		}
		in.Report("lots", in.Rows-left, in.Rows)
	}
	t.lots.add(&s.lots)
	return ctx.Err()
}

// A selection has the remaining records. Positions in records, which are in the order of a
// kd-tree cut at medians, are its places: a node is a range, its children are the halves. A
// value's list of positions, updated on removals, tells whether a node has records of the
// value, so no counts by node and value are needed.
type selection struct {
	*worker
	records []uint32
	valueAt []uint32 // by position
	by      lists    // positions by value
	ranks   []uint32 // of remaining values, the most frequent first
	counts  []uint32 // remaining records, in that order
	rows    int      // records left
	spots   []uint32 // positions of the pool
	part    []uint32 // their records
}

func newSelection(t *table, records []uint32) *selection {
	s := &selection{worker: t.newWorker(), records: records, rows: len(records), valueAt: make([]uint32, len(records))}
	left := make([]uint32, len(t.count))
	for i, record := range records {
		s.valueAt[i] = t.rank[record]
		left[s.valueAt[i]]++
	}
	for rank, n := range left {
		if n > 0 {
			s.ranks = append(s.ranks, uint32(rank))
		}
	}
	s.by.local = make([]uint32, len(t.count))
	s.by.fill(s.valueAt, s.ranks, left)
	slices.SortStableFunc(s.ranks, func(a, b uint32) int { return cmp.Compare(left[b], left[a]) })
	for _, rank := range s.ranks {
		s.counts = append(s.counts, left[rank])
	}
	return s
}

// next is Algorithm 2: the values of the next lots and the number of these lots, which it
// subtracts from the counts.
func (s *selection) next() (values []uint32, loops int) {
	beta, loops := sensitiveSet(s.counts, s.rows, s.table.parameters)
	values = slices.Clone(s.ranks[:beta])
	s.lower(beta, uint32(loops))
	return values, loops
}

// lower subtracts alpha from the first beta counts and restores the order: the first ones keep
// their relative order, so it merges them with the following greater ones. O(beta + values
// passed).
func (s *selection) lower(beta int, alpha uint32) {
	s.rows -= beta * int(alpha)
	keep := beta
	for i := range beta {
		if s.counts[i] -= alpha; s.counts[i] == 0 {
			keep = min(keep, i)
		}
	}
	var ranks, counts []uint32
	at := beta
	for i := range keep {
		for ; at < len(s.counts) && s.counts[at] > s.counts[i]; at++ {
			ranks, counts = append(ranks, s.ranks[at]), append(counts, s.counts[at])
		}
		ranks, counts = append(ranks, s.ranks[i]), append(counts, s.counts[i])
	}
	first := at - len(ranks)
	copy(s.ranks[first:], ranks)
	copy(s.counts[first:], counts)
	s.ranks, s.counts = s.ranks[first:], s.counts[first:]
}

// pick is Algorithm 3: down the tree while a child has all values, then a lot of
// the records near to each other there.
func (s *selection) pick(values []uint32) {
	first, end := s.descend(values)
	s.collect(values, first, end)
	s.part = s.part[:0]
	for _, spot := range s.spots {
		s.part = append(s.part, s.records[spot])
	}
	s.census(s.part)
	s.gather(s.part)
	s.takeLot(len(values), values)
	for _, item := range s.chosen {
		s.by.remove(s.valueAt[s.spots[item]], s.spots[item])
	}
}

// descend returns the smallest node on the way down that has all values; as printed, it prefers
// the first child if both have them.
func (s *selection) descend(values []uint32) (first, end uint32) {
	first, end = 0, uint32(len(s.records))
	for end-first > 1 {
		middle := first + (end-first)/2
		switch {
		case s.holds(values, first, middle):
			end = middle
		case s.holds(values, middle, end):
			first = middle
		default:
			return first, end
		}
	}
	return first, end
}

// holds is check_condition: every value has a record in the range.
func (s *selection) holds(values []uint32, first, end uint32) bool {
	for _, v := range values {
		at := root(s.by.after, s.by.place(v, first))
		if at >= s.by.start[s.by.local[v]+1] || s.by.items[at] >= end {
			return false
		}
	}
	return true
}

// collect stores in spots about 256 positions of the node from which the lot is chosen: for
// every value those nearest to a record of the rarest.
func (s *selection) collect(values []uint32, first, end uint32) {
	rarest := values[len(values)-1]
	pivot := s.by.items[root(s.by.after, s.by.place(rarest, first))]
	each := min(max(256/len(values), 2), 32)
	s.spots = s.spots[:0]
	for _, v := range values {
		s.spots = s.by.appendNearest(v, pivot, first, end, each, s.spots)
	}
	slices.Sort(s.spots)
}
