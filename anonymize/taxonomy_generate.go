package anonymize

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// The functions below generate taxonomies from values, as paths for TaxonomyOfPaths: the
// value's text, then its groups level by level up to the root "*". show formats a value so that
// the attribute's type can parse it.
//
// For numbers and days, all values from the least to the greatest are leaves (see [Listing]),
// so that the tree does not reveal which ones occur. If there are too many, intervals have
// points of the intervals as leaves ([IntervalPaths]); other trees have the values that occur,
// as for texts. Errors are *ParameterError for the levels and *DataError for the column.

// rootLabel names the root of a generated taxonomy.
const rootLabel = "*"

func readWidths(widths []string) ([]*big.Rat, error) {
	var steps []*big.Rat
	for i, text := range widths {
		width, ok := decimalRat(text)
		if !ok || width.Sign() <= 0 {
			return nil, &ParameterError{"intervals", "'" + text + "'", "must be a width above 0"}
		}
		if i > 0 && (width.Cmp(steps[i-1]) <= 0 || !new(big.Rat).Quo(width, steps[i-1]).IsInt()) {
			return nil, &ParameterError{"intervals", "'" + text + "'",
				fmt.Sprintf("must be a multiple of %s, the width below it, so that its intervals are made of whole ones", widths[i-1])}
		}
		steps = append(steps, width)
	}
	if len(steps) == 0 {
		return nil, &ParameterError{"intervals", "''", "must be widths such as 5,10,20"}
	}
	return steps, nil
}

// decimalRat parses an exact number; it refuses fractions, and exponents beyond those of
// floating point numbers, which would need digits without end.
func decimalRat(text string) (*big.Rat, bool) {
	if strings.ContainsAny(text, "/_xXoOpP") || len(text) > 400 {
		return nil, false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(strings.TrimLeft(exponent, "+-0")) > 3 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// rangeLabel returns the label of an interval, or its only value.
func rangeLabel(low, high string) string {
	if low == high {
		return low
	}
	return IntervalLabel(low, high)
}

func decimalText(x *big.Rat) string {
	digits, _ := x.FloatPrec()
	return x.FloatString(digits)
}

// EqualFrequencyPaths partitions numbers or points in time into groups with about equally many
// records. groups has the number of groups by level; each must be a multiple of the next
// coarser one. A group is named by its least and greatest leaf. The cuts depend on the data:
// they are quantiles of the table.
func EqualFrequencyPaths(c *Column, groups []int, show func(Value) string) ([][]string, error) {
	levels, err := nestedGroups("equal_frequency", groups)
	if err != nil {
		return nil, err
	}
	leaves, err := leavesOf(c)
	if err != nil {
		return nil, err
	}
	if !c.IsNumeric() {
		return nil, &DataError{fmt.Sprintf("column %s is not numeric: groups of equal frequency need numbers or dates", c.Name)}
	}
	middle, rows := quantiles(c, leaves)
	labels := make([][]string, len(levels))
	for level, n := range levels {
		labels[level] = rangeLabels(leaves, show, func(leaf int) int { return int(middle[leaf] * int64(n) / (2 * rows)) })
	}
	return pathsOf(leaves, len(levels), show, func(leaf, level int) string { return labels[level][leaf] }), nil
}

// nestedGroups returns the numbers of groups, descending, and verifies that each is a multiple of the next.
func nestedGroups(option string, groups []int) ([]int, error) {
	levels := slices.Sorted(slices.Values(groups))
	slices.Reverse(levels)
	for i, n := range levels {
		if n < 2 || i > 0 && (levels[i-1]%n != 0 || levels[i-1] == n) {
			return nil, &ParameterError{option, fmt.Sprint(n), "must be numbers of groups, at least 2, each a multiple of the next smaller one, such as 4,16"}
		}
	}
	if len(levels) == 0 {
		return nil, &ParameterError{option, "''", "must be numbers of groups such as 4,16"}
	}
	return levels, nil
}

// quantiles returns for every leaf twice the number of records below the middle of its own
// records. With it, n groups nest in multiples of n. A leaf that does not occur stays with the
// leaf before it.
func quantiles(c *Column, leaves []Value) (middle []int64, rows int64) {
	count := make(map[Value]int64)
	for code, n := range c.Histogram() {
		count[c.Dictionary[code]] = int64(n)
	}
	middle = make([]int64, len(leaves))
	for i, v := range leaves {
		if n := count[v]; n > 0 {
			middle[i] = 2*rows + n
			rows += n
		} else if i > 0 {
			middle[i] = middle[i-1]
		}
	}
	return middle, rows
}

// rangeLabels names the group of each leaf by the group's first and last leaf.
func rangeLabels(leaves []Value, show func(Value) string, groupOf func(leaf int) int) []string {
	labels := make([]string, len(leaves))
	for first := 0; first < len(leaves); {
		end := first + 1
		for end < len(leaves) && groupOf(end) == groupOf(first) {
			end++
		}
		label := rangeLabel(show(leaves[first]), show(leaves[end-1]))
		for ; first < end; first++ {
			labels[first] = label
		}
	}
	return labels
}

// levelsBelow returns what the levels keep, descending: different numbers from 1 to all-1. rule describes these two.
func levelsBelow(kind string, keep []int, all int, rule string) ([]int, error) {
	levels := slices.Sorted(slices.Values(keep))
	slices.Reverse(levels)
	for i, n := range levels {
		if n < 1 || n >= all || i > 0 && n == levels[i-1] {
			return nil, &ParameterError{kind, fmt.Sprint(n), fmt.Sprintf(rule, all-1, all)}
		}
	}
	return levels, nil
}

// pathsOf returns a path for each leaf.
func pathsOf(leaves []Value, levels int, show func(Value) string, label func(leaf, level int) string) [][]string {
	paths := make([][]string, len(leaves))
	for i, v := range leaves {
		paths[i] = make([]string, levels+2)
		paths[i][0], paths[i][levels+1] = show(v), rootLabel
		for level := range levels {
			paths[i][level+1] = label(i, level)
		}
	}
	return paths
}

// occurring returns the values of a column except NULL, ascending.
func occurring(c *Column) ([]Value, error) {
	var values []Value
	for code, n := range c.Histogram() {
		if v := c.Dictionary[code]; n > 0 && !v.IsNull() {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, &DataError{fmt.Sprintf("column %s has no values to make a taxonomy of", c.Name)}
	}
	return values, nil
}

// leavesOf returns all values from the least to the greatest if they can be listed, else the
// values that occur.
func leavesOf(c *Column) ([]Value, error) {
	values, err := occurring(c)
	if err != nil {
		return nil, err
	}
	if all := Listing(values); all != nil {
		return all, nil
	}
	return values, nil
}
