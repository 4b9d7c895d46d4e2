package crossbucket

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// restarting is Algorithm 1 with Algorithm 3 as it is printed: for every lot
// Mondrian from all records that are left down to the smallest part that has the
// values. O(n^2 d / beta): for small tables, to compare with.
func (t *table) restarting(ctx context.Context, in *anonymize.Input, random *rand.Rand) error {
	rest := anonymize.Indices(in.Rows)
	bucketization.Shuffle(rest, random)
	s := newSelection(t, rest)
	for len(rest) > 0 {
		values, loops := s.next()
		if loops == 0 { // see the proof at sensitiveSet
			return fmt.Errorf("cross_bucket: %d records are left that cannot be divided into lots", len(rest))
		}
		for range loops {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			rest = s.restart(rest, values)
		}
		in.Report("lots", in.Rows-len(rest), in.Rows)
	}
	t.lots.add(&s.lots)
	return ctx.Err()
}

// restart makes one lot of rest and returns the others.
func (s *selection) restart(rest, values []uint32) []uint32 {
	wanted := make(map[uint32]bool, len(values))
	for _, v := range values {
		wanted[v] = true
	}
	part := slices.Clone(s.pickTuples(slices.Clone(rest), wanted))
	part = slices.DeleteFunc(part, func(record uint32) bool { return !wanted[s.table.rank[record]] })
	s.census(part)
	s.gather(part)
	s.takeLot(len(values), values)
	gone := make(map[uint32]bool, len(values))
	for _, item := range s.chosen {
		gone[s.record[item]] = true
	}
	return slices.DeleteFunc(rest, func(record uint32) bool { return gone[record] })
}

// pickTuples is Algorithm 3, lines 1-16: the part of the records where the recursion ends. A
// half with all records is no half: as printed, a binary attribute whose median is its greatest
// value recurses forever.
func (s *selection) pickTuples(records []uint32, wanted map[uint32]bool) []uint32 {
	order := make([]int, len(s.table.attributes))
	low, high := make([]uint32, len(order)), make([]uint32, len(order))
	for i, a := range s.table.attributes {
		order[i], low[i], high[i] = i, a.Place[records[0]], a.Place[records[0]]
		for _, record := range records {
			low[i], high[i] = min(low[i], a.Place[record]), max(high[i], a.Place[record])
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(s.table.attributes[j].Penalty(low[j], high[j]), s.table.attributes[i].Penalty(low[i], high[i]))
	})
	for _, i := range order {
		place := s.table.attributes[i].Place
		slices.SortStableFunc(records, func(a, b uint32) int { return cmp.Compare(place[a], place[b]) })
		median := place[records[(len(records)-1)/2]]
		cut, _ := slices.BinarySearchFunc(records, median+1, func(record, p uint32) int { return cmp.Compare(place[record], p) })
		for _, half := range [][]uint32{records[:cut], records[cut:]} {
			if len(half) < len(records) && s.checkCondition(half, wanted) {
				return s.pickTuples(half, wanted)
			}
		}
	}
	return records
}

// checkCondition reports whether there is a record of every value.
func (s *selection) checkCondition(records []uint32, wanted map[uint32]bool) bool {
	seen := make(map[uint32]bool, len(wanted))
	for _, record := range records {
		if v := s.table.rank[record]; wanted[v] {
			seen[v] = true
		}
	}
	return len(seen) == len(wanted)
}
