package anontest

import (
	"cmp"
	"iter"
	"slices"
)

// Partitions yields all ways to divide records 0 .. n-1 into groups: 1, 2, 5, 15, 52, 203, 877 for n = 1 .. 7. A
// yielded value is valid until the next one.
func Partitions(n int) iter.Seq[[][]int] {
	return func(yield func([][]int) bool) {
		var place func(record int, groups [][]int) bool
		place = func(record int, groups [][]int) bool {
			if record == n {
				return yield(groups)
			}
			for g := range groups {
				groups[g] = append(groups[g], record)
				if !place(record+1, groups) {
					return false
				}
				groups[g] = groups[g][:len(groups[g])-1]
			}
			return place(record+1, append(groups, []int{record}))
		}
		place(0, nil)
	}
}

// Sorted sorts groups of records and the records in each, in place.
func Sorted[T cmp.Ordered](groups [][]T) [][]T {
	for _, group := range groups {
		slices.Sort(group)
	}
	slices.SortFunc(groups, slices.Compare)
	return groups
}

// Classes returns the groups of a partition, sorted.
func Classes(p interface {
	Groups() int
	Records(g int) []uint32
}) [][]uint32 {
	var classes [][]uint32
	for g := range p.Groups() {
		classes = append(classes, slices.Clone(p.Records(g)))
	}
	return Sorted(classes)
}
