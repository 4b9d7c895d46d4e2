package recognition

import (
	"context"
	"math"
	"slices"
)

// A Reason is the evidence by which a table was recognised.
type Reason int

const (
	Records  Reason = iota // the same records
	Recoded                // the same groups of records, in columns with other values
	Numbered               // the same sensitive values behind the same row numbers
	Counted                // equally many records per value, or combination, of some columns
)

// A Likeness measures what two tables have in common.
type Likeness struct {
	Reason Reason
	// Share estimates the common share of the smaller table's records; 0 if all similarity may
	// be chance.
	Share float64
	// Within reports whether the table has at most as many records as the remembered one.
	Within bool
}

// MinShare is the least share at which tables count as copies.
const MinShare = 0.1

// maxCompared is about the number of records compared for one set of columns.
const maxCompared = 20_000

// Compare searches the table for the records of a remembered one. Cost: one pass over the codes
// for the sets of columns that both have.
func (t *Table) Compare(ctx context.Context, s *Sketch) (Likeness, error) {
	none := Likeness{}
	if s == nil || t.rows < fewestRows {
		return none, nil
	}
	aligned := t.align(s)
	found := Likeness{Within: t.rows <= s.rows}
	if t.rows == s.rows && s.whole != 0 {
		if whole, err := t.sumOfHashes(ctx); err != nil || whole == s.whole {
			found.Share = 1
			return found, err
		}
	}
	same, err := t.compareRecords(ctx, s, aligned, &found.Share)
	if err != nil || found.Share >= MinShare {
		return found, err
	}
	for _, other := range []struct {
		reason Reason
		share  func(*Sketch, []int) float64
	}{{Recoded, t.compareClasses}, {Numbered, t.compareNumbers}, {Counted, t.compareSensitive}} {
		if share := other.share(s, aligned); share >= MinShare {
			found.Reason, found.Share = other.reason, share
			return found, ctx.Err()
		}
	}
	if same {
		found.Reason, found.Share = Counted, 1
		return found, ctx.Err()
	}
	return none, ctx.Err()
}

// compareRecords finds the greatest share of common records over all sets of columns, and
// whether both tables have equal counts in one of them.
func (t *Table) compareRecords(ctx context.Context, s *Sketch, aligned []int, share *float64) (same bool, err error) {
	codes, hashes := make([][]uint32, len(s.columns)), make([][]uint64, len(s.columns))
	for i, j := range aligned {
		codes[i] = t.anyCodes()
		if j >= 0 && t.columns[j].useful() && !s.columns[i].counter {
			codes[i], hashes[i] = t.columns[j].codes, salted(t.columns[j].hashes, i)
		}
	}
	var known []*sample
	var sets [][]int
	var bounds []uint64
	for _, of := range s.samples {
		if !slices.ContainsFunc(of.columns, func(c int) bool { return hashes[c] == nil }) {
			known, sets, bounds = append(known, of), append(sets, of.columns), append(bounds, t.bound(of))
		}
	}
	if len(sets) == 0 {
		return false, nil
	}
	cells := make([][]uint64, len(sets))
	err = pass(ctx, codes, hashes, sets, func(set int) uint64 { return bounds[set] },
		func(set int, hash uint64) { cells[set] = append(cells[set], max(hash, 1)>>known[set].shift) })
	if err != nil {
		return false, err
	}
	for i, of := range known {
		counted := of.tally(s.rows, t.rows, cells[i], bounds[i]>>of.shift)
		counted.first.places, counted.second.places = t.places(s, of, aligned)
		*share = max(*share, counted.common())
		whole := counted.first.share == 1 && len(of.columns) > 1
		same = same || whole && !counted.first.balanced() && counted.counts.equal() || counted.counts.areEqual()
	}
	return same, nil
}

// places returns the numbers of possible combinations of a set of columns' values in the
// remembered table and in this one.
func (t *Table) places(s *Sketch, of *sample, aligned []int) (first, second float64) {
	if len(of.columns) == 1 {
		return math.Inf(1), math.Inf(1)
	}
	first, second = 1, 1
	for _, c := range of.columns {
		first, second = first*float64(s.columns[c].distinct), second*float64(t.columns[aligned[c]].distinct)
	}
	return first, second
}

func (t *Table) anyCodes() []uint32 { return t.columns[0].codes }

// bound returns the greatest hash to compare with a sample.
func (t *Table) bound(s *sample) uint64 {
	bound := s.bound
	if share := s.share(bound); share*float64(t.rows) > maxCompared {
		bound = uint64(float64(bound) * maxCompared / (share * float64(t.rows)))
	}
	return bound<<s.shift | (1<<s.shift - 1)
}

// tally compares a sample of a table with rows records with the cells of another table's
// records, up to a bound.
func (s *sample) tally(rows, others int, cells []uint64, bound uint64) *tally {
	slices.Sort(cells)
	var different []uint64
	var count []uint32
	for i, cell := range cells {
		if i == 0 || cells[i-1] != cell {
			different, count = append(different, cell), append(count, 0)
		}
		count[len(count)-1]++
	}
	times := divide(count)
	known, _ := slices.BinarySearch(s.cells, bound+1)
	share := s.share(bound)
	t := &tally{first: side{rows: float64(rows) / float64(s.times), times: s.times, share: share, places: math.Inf(1)},
		second: side{rows: float64(others) / float64(times), times: times, share: share, places: math.Inf(1)}}
	a, b := s.cells[:known], different
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i] < b[j]:
			t.count(s.count[i], 0)
			i++
		case i == len(a) || b[j] < a[i]:
			t.count(0, count[j])
			j++
		default:
			t.count(s.count[i], count[j])
			i, j = i+1, j+1
		}
	}
	return t
}

// count adds a combination with n records in the first table and m in the second.
func (t *tally) count(n, m uint32) {
	switch {
	case n == 1 && m == 1:
		t.oneOne++
	case n == 2 && m == 0:
		t.twoNone++
	case n == 0 && m == 2:
		t.noneTwo++
	}
	if n > 0 && m > 0 {
		t.both++
	}
	t.counts.add(int(n), int(m))
	t.first.count(n)
	t.second.count(m)
}

func (s *side) count(n uint32) {
	if n > 0 {
		s.all++
	}
	if n == 1 {
		s.single++
	}
	s.sum += float64(n)
	s.squares += float64(n) * float64(n)
}
