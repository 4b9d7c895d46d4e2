package recognition

import (
	"fmt"
	"math"
	"slices"
)

const (
	// manyKept is the number of kept combinations for sets of all columns, fewKept for others.
	manyKept = 6144
	fewKept  = 512
	pairKept = 128 // for pairs of columns
	// maxSets bounds the sets of columns of one table.
	maxSets = 128
	// maxPaired bounds the columns all of whose pairs are taken.
	maxPaired = 12
	// maxLeftOut bounds the columns each of which is left out once.
	maxLeftOut = 12
	// rowsLookedAt is the number of rows that decide which columns identify records.
	rowsLookedAt = 4096
)

// A columnSets lists distinct sets of columns.
type columnSets struct {
	sets [][]int
	kept []int // kept combinations of each set
	keep int
	seen map[string]bool
}

func (l *columnSets) add(columns ...int) {
	set := slices.Clone(columns)
	slices.Sort(set)
	set = slices.Compact(set)
	name := fmt.Sprint(set)
	if len(set) == 0 || l.seen[name] || len(l.sets) == maxSets {
		return
	}
	l.seen[name] = true
	l.sets, l.kept = append(l.sets, set), append(l.kept, l.keep)
}

// combinations adds all subsets of columns of the given size.
func (l *columnSets) combinations(columns []int, size int) {
	chosen := make([]int, 0, size)
	var choose func(from int)
	choose = func(from int) {
		if len(chosen) == size {
			l.add(chosen...)
			return
		}
		for i := from; i < len(columns); i++ {
			chosen = append(chosen, columns[i])
			choose(i + 1)
			chosen = chosen[:len(chosen)-1]
		}
	}
	choose(0)
}

// sets chooses the sets of columns for a sketch, those of all columns first. The most
// identifying columns are in most sets, but for any two of them there is a set without them, to
// find copies that lack or changed them.
func (t *Table) sets() *columnSets {
	l := &columnSets{seen: make(map[string]bool), keep: manyKept}
	released := t.order(func(c *column) bool { return c.released })
	others := t.order(func(c *column) bool { return !c.released })
	l.add(append(slices.Clone(released), others...)...)
	l.add(released...)
	l.keep = fewKept
	for i := range released {
		if len(released) > 2 && len(released) <= maxLeftOut {
			l.add(slices.Delete(slices.Clone(released), i, i+1)...)
		}
	}
	l.combinations(released[:min(6, len(released))], 4)
	l.combinations(released[:min(5, len(released))], 3)
	for _, c := range others[:min(3, len(others))] {
		l.add(c)
		for _, with := range released[:min(2, len(released))] {
			l.add(c, with)
		}
	}
	l.combinations(others[:min(3, len(others))], 2)
	for first := 1; first+3 <= len(released); first++ {
		l.add(released[first:]...)
		l.add(released[first:min(first+4, len(released))]...)
	}
	l.combinations(released[:min(4, len(released))], 2)
	for i, c := range t.columns {
		if c.sensitive && c.useful() {
			l.combinations(released[:min(3, len(released))], 1)
			for _, with := range released[:min(4, len(released))] {
				l.add(i, with)
			}
		}
	}
	l.keep = pairKept
	l.combinations(released[:min(maxPaired, len(released))], 2)
	return l
}

// order sorts useful columns: each identifies most of the records that the previous ones do
// not.
func (t *Table) order(wanted func(c *column) bool) []int {
	var rest, ordered []int
	for i, c := range t.columns {
		if c.useful() && wanted(c) {
			rest = append(rest, i)
		}
	}
	looked := min(t.rows, rowsLookedAt)
	sums := make([]uint64, looked)
	for len(rest) > 0 {
		best, most := 0, -1.0
		for at, i := range rest {
			// A column's own entropy breaks ties among columns that add nothing.
			if information := t.information(sums, i) + t.columns[i].entropy/1e3; information > most+1e-12 {
				best, most = at, information
			}
		}
		chosen := rest[best]
		t.mix(sums, chosen)
		ordered, rest = append(ordered, chosen), slices.Delete(rest, best, best+1)
	}
	return ordered
}

// mix adds a column to the sums of the examined records.
func (t *Table) mix(sums []uint64, column int) {
	c := t.columns[column]
	for i := range sums {
		sums[i] = scramble(sums[i] + c.hashes[c.codes[i*t.rows/len(sums)]])
	}
}

// information returns the entropy, in bits, of the examined records' combinations with one more
// column.
func (t *Table) information(sums []uint64, column int) float64 {
	mixed := slices.Clone(sums)
	t.mix(mixed, column)
	counts := make(map[uint64]int)
	for _, sum := range mixed {
		counts[sum]++
	}
	bits := 0.0
	for _, n := range counts {
		bits -= float64(n) * math.Log2(float64(n)/float64(len(sums)))
	}
	return bits / float64(len(sums))
}
