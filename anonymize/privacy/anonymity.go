package privacy

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// anonymity is k-anonymity: the least number of records with the same published
// quasi-identifiers (cells), over all groups together. It applies to releases that publish all
// quasi-identifiers in one fragment. If they are in several fragments, or together with the
// sensitive attribute, no record is shown completely.
func anonymity(r *anonymize.Release) ([]figure, error) {
	fragment, err := wholeQuasiIdentifiers(r)
	if err != nil {
		return nil, err
	}
	number, distinct := tupleNumbers(fragment)
	records := make([]uint64, distinct)
	for t, n := range number {
		records[n] += uint64(fragment.Count[t])
	}
	k := newFigure("k")
	for g := range fragment.Groups() {
		for t := fragment.GroupStart[g]; t < fragment.GroupStart[g+1]; t++ {
			if k.raise(quotient(records[number[t]], 1), g) {
				k.detail = "in " + fragment.Name + ", " + describeTuple(fragment, t)
			}
		}
	}
	return []figure{k}, nil
}

// groupSize is the least number of records in a group.
func groupSize(r *anonymize.Release) ([]figure, error) {
	size := newFigure("size")
	for g, m := range r.GroupSizes {
		if size.raise(quotient(uint64(m), 1), g) {
			size.detail = fmt.Sprintf("the group has %d %s", m, counted(r))
		}
	}
	return []figure{size}, nil
}

// tupleNumbers gives tuples with equal cells equal numbers, below distinct, across groups.
func tupleNumbers(f *anonymize.Fragment) (number []uint32, distinct int) {
	number, distinct = make([]uint32, f.Tuples()), 1
	for _, c := range f.Columns {
		width := uint64(len(c.Dictionary))
		if !c.IsPoint() {
			width = uint64(len(c.Cells))
		}
		if uint64(distinct)*width > denseCells {
			distinct = sortedNumbers(number, c.Codes, distinct, int(width))
			continue
		}
		pair, next := pairNumbers(uint64(distinct)*width), uint32(0)
		for t, code := range c.Codes {
			number[t] = pair(uint64(number[t])*width+uint64(code), &next)
		}
		distinct = int(next)
	}
	return number, distinct
}

// sortedNumbers replaces number by the rank of the pair (number, code) among the pairs that
// occur, and returns how many occur. It uses two counting sorts, for pairs that are too many
// for an array.
func sortedNumbers(number, codes []uint32, distinct, width int) int {
	order := anonymize.Indices(len(number))
	order = countingSort(countingSort(order, codes, width), number, distinct)
	rank, next := make([]uint32, len(number)), uint32(0)
	for i, t := range order {
		if i > 0 {
			if last := order[i-1]; number[last] != number[t] || codes[last] != codes[t] {
				next++
			}
		}
		rank[t] = next
	}
	copy(number, rank)
	return int(next) + 1
}

// countingSort returns items in ascending order of key, below width; stable.
func countingSort(items, key []uint32, width int) []uint32 {
	place := make([]uint32, width+1)
	for _, item := range items {
		place[key[item]+1]++
	}
	for k := range width {
		place[k+1] += place[k]
	}
	sorted := make([]uint32, len(items))
	for _, item := range items {
		sorted[place[key[item]]] = item
		place[key[item]]++
	}
	return sorted
}
