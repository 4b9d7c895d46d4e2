package recognition

import "math"

// counts are numbers of records in two tables, by sensitive value or by combination.
type counts struct {
	first, second []int
}

func (c *counts) add(n, m int) {
	c.first, c.second = append(c.first, n), append(c.second, m)
}

// areEqual reports whether the counts of two tables are nearly equal, and so many and so large
// that independent tables hardly reach this: a count of n recurs with a probability of about 1
// / sqrt(4 pi n), one within d of it with at most 2d+1 times that. Repeated and round counts
// are no evidence, because somebody may have drawn that many records.
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

// equal reports whether there are combinations and all have the same counts in both tables. It
// is for complete samples: a copy of a few rows.
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

// unequalBits is the average evidence, at most, of an unequal count from the same population.
const unequalBits = 2.0
