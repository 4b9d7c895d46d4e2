package recognition

import "math"

// counts are numbers of records in two tables: of sensitive values, or of
// combinations.
type counts struct {
	first, second []int
}

func (c *counts) add(n, m int) {
	c.first, c.second = append(c.first, n), append(c.second, m)
}

// areEqual reports whether the counts of two tables are the same, or nearly, and so
// many and so great that independent tables hardly come to that: a count of n
// comes again with a probability of about 1 / sqrt(4 pi n), and one within d of it
// with one of at most 2d+1 times that. Counts that are there several times and
// round ones say nothing: somebody may have drawn so many records.
func (c *counts) areEqual() bool {
	divide(c.first)
	divide(c.second)
	repeated := make(map[int]int)
	for _, n := range c.first {
		repeated[n]++
	}
	bits, greatest, exact, counted := 0.0, 0.0, true, 0.0
	for i, n := range c.first {
		m := c.second[i]
		apart := max(n-m, m-n)
		exact = exact && apart == 0
		if apart == 0 && (repeated[n] > 1 || n%10 == 0) {
			continue
		}
		one := equalBits(max(n, m)) - math.Log2(float64(2*apart+1))
		bits, greatest, counted = bits+one, math.Max(greatest, one), counted+1
	}
	if exact {
		return bits-greatest >= enoughBits
	}
	return bits-greatest >= enoughBits+unequalBits*counted
}

// equal reports whether all combinations of values have the same counts in two
// tables, and there are some. That is for samples that are whole: a copy of a few
// rows.
func (c *counts) equal() bool {
	bits, greatest := 0.0, 0.0
	for i, n := range c.first {
		if n != c.second[i] {
			return false
		}
		one := equalBits(n)
		bits, greatest = bits+one, math.Max(greatest, one)
	}
	return len(c.first) >= fewestCounts && bits-greatest >= fewBits
}

const (
	fewestCounts = 6
	fewBits      = 12.0
)

// unequalBits is what a count brings at most, on the average, that is not the same
// and comes from the same population.
const unequalBits = 2.0
