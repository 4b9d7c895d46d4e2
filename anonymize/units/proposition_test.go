package units_test

import (
	"fmt"
	"slices"
	"testing"
)

// A world gives every record of a group a sensitive value. sizes are the records of its units, one after the other.
type world struct {
	sizes  []int
	values []byte
}

// unitsWith is the number of units that have each value, and whether the first unit has it.
func (w world) unitsWith() (with map[byte]int, first map[byte]bool) {
	with, first = make(map[byte]int), make(map[byte]bool)
	at := 0
	for u, size := range w.sizes {
		of := make(map[byte]bool)
		for _, v := range w.values[at : at+size] {
			of[v] = true
		}
		if at += size; u == 0 {
			first = of
		}
		for v := range of {
			with[v]++
		}
	}
	return with, first
}

// posterior is what the relations leave of the first unit of a group: the share of all worlds that agree with them in which it has
// each value, and the number of units that have it. All arrangements of the values are tried.
func posterior(w world) (share map[byte]float64, with map[byte]int) {
	with, _ = w.unitsWith()
	agree, has := 0, make(map[byte]int)
	values := slices.Clone(w.values)
	slices.Sort(values)
	for more := true; more; more = nextArrangement(values) {
		tried, first := world{w.sizes, values}.unitsWith()
		if fmt.Sprint(tried) != fmt.Sprint(with) {
			continue
		}
		agree++
		for v := range first {
			has[v]++
		}
	}
	share = make(map[byte]float64)
	for v := range with {
		share[v] = float64(has[v]) / float64(agree)
	}
	return share, with
}

// nextArrangement is the next permutation in ascending order; false after the last one.
func nextArrangement(values []byte) bool {
	i := len(values) - 2
	for i >= 0 && values[i] >= values[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(values) - 1
	for values[j] <= values[i] {
		j--
	}
	values[i], values[j] = values[j], values[i]
	slices.Reverse(values[i+1:])
	return true
}

// Proposition 1 of docs/units.md, by enumeration: who knows how many records every unit has gives the victim a value with probability
// u(v)/m, where units have equally many.
func TestProposition1(t *testing.T) {
	for _, w := range []world{
		{[]int{2, 2, 2}, []byte("aabbcc")},
		{[]int{2, 2, 2}, []byte("aabcbc")},
		{[]int{2, 2, 2}, []byte("abacad")},
		{[]int{3, 3, 3}, []byte("aaabbcdde")},
		{[]int{2, 2, 2, 2}, []byte("aabbabcd")},
		{[]int{1, 1, 1, 1}, []byte("abca")},
	} {
		share, with := posterior(w)
		for v, p := range share {
			if want := float64(with[v]) / float64(len(w.sizes)); p < want-1e-12 || p > want+1e-12 {
				t.Errorf("%v %s: the victim has %c with probability %.4f, %d of %d units have it", w.sizes, w.values, v, p, with[v], len(w.sizes))
			}
		}
	}
}

// Why units of a group have equally many records: of 5, 1 and 1 records, the unit with 5 has the value that occurs five times.
func TestUnequalUnitsDisclose(t *testing.T) {
	if share, with := posterior(world{[]int{5, 1, 1}, []byte("xxxxxyz")}); share['x'] != 1 || with['x'] != 1 {
		t.Errorf("the victim has x with probability %.4f, %d units have it", share['x'], with['x'])
	}
}
