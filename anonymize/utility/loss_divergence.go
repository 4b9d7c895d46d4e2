package utility

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/parallel"
)

// The divergence is measured only within these limits of records and bytes of bit planes.
const (
	maxDivergingRecords = 50_000
	maxDivergingBytes   = 256 << 20
)

// divergence is the Kullback-Leibler divergence, in bits, of the table from the release (Kifer
// and Gehrke, Injecting Utility into Anonymized Datasets, SIGMOD 2006), over the distinct
// records x of all quasi-identifiers and sensitive attributes:
//
//	sum over x of p(x) log2(p(x) / q(x))
//
// p is the share of the table's records. q is the expected share under the release: over the
// groups, the product of the fragments' mean weights of x in their cells. 0 means that the
// release reveals the table's distribution. It is exact.
//
// It is nil if a record is impossible in the release (q(x) = 0), and if measuring would take
// too long: more than maxDivergingRecords records, or planes of more than maxDivergingBytes.
// Cost: for every distinct sub-tuple of a fragment, an AND of one bit plane per column over the
// fragment's tuples; for every record, a walk through the shortest list of groups with its
// sub-tuples.
func (l *lossOf) divergence(ctx context.Context) (*float64, error) {
	if l.in.Rows > maxDivergingRecords {
		return nil, nil
	}
	sides, records, err := l.largestFirst(ctx)
	if sides == nil || err != nil {
		return nil, err
	}
	// Records with equal sub-tuples of the first side are adjacent.
	main := sides[0]
	byMain := make([][]uint32, main.distinct)
	for i, record := range records.sample {
		byMain[main.number[record]] = append(byMain[main.number[record]], uint32(i))
	}
	sums := make([]float64, len(byMain))
	err = parallel.Run(ctx, len(byMain), func(i int) error {
		if len(byMain[i]) == 0 {
			return nil
		}
		here := main.groupsWith(records.sample[byMain[i][0]])
		for _, x := range byMain[i] {
			p := float64(records.count[x]) / float64(l.in.Rows)
			q := expectedShare(l.release, here, sides[1:], records.sample[x])
			sums[i] += p * math.Log2(p/q) // +Inf where q is 0
		}
		return nil
	})
	total := 0.0
	for _, sum := range sums {
		total += sum
	}
	if err != nil || math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, err
	}
	total = max(0, total) // 0 except for rounding
	return &total, nil
}

// distinctRecords are the distinct records of a table: their counts and one example of each.
type distinctRecords struct {
	count  []int
	sample []uint32
}

// largestFirst returns the fragments with columns of the input, the one with the most
// sub-tuples first; nil if planes would be too large.
func (l *lossOf) largestFirst(ctx context.Context) (sides []*side, records *distinctRecords, err error) {
	raw, all, bytes := slices.Concat(l.in.QuasiIdentifiers, l.in.Sensitive), [][]uint32(nil), 0
	for _, f := range l.release.Fragments {
		s := &side{fragment: f}
		for _, c := range raw {
			if at := f.Column(c.Name); at >= 0 {
				s.columns = append(s.columns, f.Columns[at])
				s.codes = append(s.codes, recoded(c, f.Columns[at].Dictionary))
			}
		}
		if len(s.columns) == 0 {
			continue
		}
		s.number, s.distinct = anonymize.NumberRows(s.codes, l.in.Rows)
		sides, all = append(sides, s), append(all, s.number)
		if bytes += s.bytes(); bytes > maxDivergingBytes {
			return nil, nil, nil
		}
	}
	slices.SortStableFunc(sides, func(a, b *side) int { return b.distinct - a.distinct })
	for i, s := range sides {
		if s.prepare(); i > 0 {
			if err := s.listAll(ctx); err != nil {
				return nil, nil, err
			}
		}
	}
	number, distinct := anonymize.NumberRows(all, l.in.Rows)
	records = &distinctRecords{make([]int, distinct), make([]uint32, distinct)}
	for record, n := range number {
		records.count[n]++
		records.sample[n] = uint32(record)
	}
	return sides, records, nil
}

// A side is a fragment with the records' values in it.
type side struct {
	fragment *anonymize.Fragment
	columns  []*anonymize.FragmentColumn
	codes    [][]uint32 // by column and record: code in the published dictionary
	number   []uint32   // by record: its sub-tuple
	distinct int
	group    []uint32   // by tuple
	planes   [][]uint64 // by column and code: a bit per tuple whose cell may be the code
	plane    [][]int32  // by column and code: index in planes, -1 for codes without records
	lists    [][]massOf // by sub-tuple
}

// massOf is the expected number of records of a group with a sub-tuple.
type massOf struct {
	group uint32
	mass  float64
}

func (s *side) words() int { return (s.fragment.Tuples() + 63) / 64 }

// bytes returns the greatest memory of the planes.
func (s *side) bytes() (bytes int) {
	for _, c := range s.columns {
		bytes += 8 * s.words() * len(c.Dictionary)
	}
	return bytes
}

// prepare computes the planes.
func (s *side) prepare() {
	s.group = make([]uint32, s.fragment.Tuples())
	for g := range s.fragment.Groups() {
		for t := s.fragment.GroupStart[g]; t < s.fragment.GroupStart[g+1]; t++ {
			s.group[t] = uint32(g)
		}
	}
	for i, c := range s.columns {
		plane := slices.Repeat([]int32{-1}, len(c.Dictionary)+1)
		for _, code := range s.codes[i] {
			if plane[code] < 0 {
				plane[code] = int32(len(s.planes))
				s.planes = append(s.planes, make([]uint64, s.words()))
			}
		}
		s.plane = append(s.plane, plane)
		for t, code := range c.Codes {
			if c.IsPoint() {
				s.set(plane[code], t)
				continue
			}
			for _, member := range c.Cells[code].Members {
				s.set(plane[member], t)
			}
		}
	}
}

func (s *side) set(plane int32, tuple int) {
	if plane >= 0 {
		s.planes[plane][tuple/64] |= 1 << (tuple % 64)
	}
}

// groupsWith lists the groups that may have a record's sub-tuple, ascending.
func (s *side) groupsWith(record uint32) (list []massOf) {
	for w := range s.words() {
		match := ^uint64(0)
		for i := range s.columns {
			match &= s.planes[s.plane[i][s.codes[i][record]]][w]
		}
		for ; match != 0; match &= match - 1 {
			t := uint32(64*w + bits.TrailingZeros64(match))
			mass := float64(s.fragment.Count[t])
			for i, c := range s.columns {
				mass *= weightOf(c, t, s.codes[i][record])
			}
			if last := len(list) - 1; last >= 0 && list[last].group == s.group[t] {
				list[last].mass += mass
			} else {
				list = append(list, massOf{s.group[t], mass})
			}
		}
	}
	return list
}

// listAll stores the list of every sub-tuple.
func (s *side) listAll(ctx context.Context) error {
	sample := make([]uint32, s.distinct)
	for record, n := range s.number {
		sample[n] = uint32(record)
	}
	s.lists = make([][]massOf, s.distinct)
	return parallel.Run(ctx, s.distinct, func(i int) error {
		s.lists[i] = s.groupsWith(sample[i])
		return nil
	})
}

// expectedShare returns q of a record; first lists the groups with its sub-tuple of the first side.
func expectedShare(r *anonymize.Release, first []massOf, others []*side, record uint32) (q float64) {
	shortest, lists := first, make([][]massOf, 0, 8)
	lists = append(lists, first)
	for _, s := range others {
		list := s.lists[s.number[record]]
		if lists = append(lists, list); len(list) < len(shortest) {
			shortest = list
		}
	}
	for _, at := range shortest {
		share := float64(r.GroupSizes[at.group]) / float64(r.Rows)
		for i := 0; i < len(lists) && share > 0; i++ {
			var mass float64
			mass, lists[i] = massFrom(lists[i], at.group)
			share *= mass / float64(r.GroupSizes[at.group])
		}
		q += share
	}
	return q
}

// massFrom returns a group's mass in a list, 0 if it is missing, and the rest of the list, which has all later groups. It doubles its step
// until it has passed the group, then bisects (Bentley and Yao, An almost optimal algorithm for unbounded searching, 1976).
func massFrom(list []massOf, group uint32) (mass float64, rest []massOf) {
	end := 1
	for end < len(list) && list[end].group <= group {
		end *= 2
	}
	between := list[min(end/2, len(list)):min(end, len(list))]
	at, found := slices.BinarySearchFunc(between, group, func(m massOf, group uint32) int { return int(m.group) - int(group) })
	if found {
		mass = between[at].mass
	}
	return mass, list[min(end/2, len(list))+at:]
}
