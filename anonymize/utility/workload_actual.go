package utility

import (
	"cmp"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A query asks for COUNT(*), and SUM and AVG of the argument if there is one, over the records
// that satisfy a conjunction.
type query struct {
	where    []selection
	argument *anonymize.Column
}

// A selection keeps some codes of one column of the raw table.
type selection struct {
	column *anonymize.Column
	keep   []bool // by code
	// holds decides about values that the raw table no longer has; nil excludes them.
	holds func(anonymize.Value) bool
}

// selectionOf keeps the values that satisfy a condition.
func selectionOf(column *anonymize.Column, holds func(anonymize.Value) bool) selection {
	s := selection{column, make([]bool, len(column.Dictionary)), holds}
	for code, v := range column.Dictionary {
		s.keep[code] = holds(v)
	}
	return s
}

// scanBlock is the number of rows that are filtered together: their numbers stay in the
// first-level cache.
const scanBlock = 4096

// scan visits the rows that satisfy all selections, in ascending blocks. Every selection
// shortens a block's list of rows without branches, because a branch that is right half of the
// time costs more than the look-up. rows is reused. Cost: a look-up per row, and one per
// further selection and remaining row; the selection that keeps the fewest values comes first.
func scan(where []selection, rows int, visit func(rows []uint32)) {
	where = slices.Clone(where)
	slices.SortStableFunc(where, func(a, b selection) int { return cmp.Compare(a.share(), b.share()) })
	buffer := make([]uint32, scanBlock)
	for first := 0; first < rows; first += scanBlock {
		left := buffer[:min(scanBlock, rows-first)]
		if len(where) == 0 {
			for i := range left {
				left[i] = uint32(first + i)
			}
		}
		for i := range where {
			if i == 0 {
				left = where[i].find(left, first)
			} else {
				left = where[i].filter(left)
			}
		}
		if len(left) > 0 {
			visit(left)
		}
	}
}

// share returns the share of kept values, as an estimate of the share of rows.
func (s *selection) share() float64 {
	kept := 0
	for _, keep := range s.keep {
		if keep {
			kept++
		}
	}
	return float64(kept) / float64(max(1, len(s.keep)))
}

// find lists the kept rows from first on; len(list) is the number of rows to check.
func (s *selection) find(list []uint32, first int) []uint32 {
	keep, n := s.keep, 0
	for i, code := range s.column.Codes[first : first+len(list)] {
		list[n] = uint32(first + i)
		kept := 0
		if keep[code] {
			kept = 1
		}
		n += kept
	}
	return list[:n]
}

// filter moves the kept rows to the front of the list.
func (s *selection) filter(rows []uint32) []uint32 {
	codes, keep, n := s.column.Codes, s.keep, 0
	for _, row := range rows {
		rows[n] = row
		kept := 0
		if keep[codes[row]] {
			kept = 1
		}
		n += kept
	}
	return rows[:n]
}

// actual returns the query's figures in the raw table: COUNT(*), SUM and AVG of the argument.
// AVG over no record is NaN, SUM over none is 0.
func (q query) actual(rows int) []float64 {
	count, known, sum := 0, 0, 0.0
	numbers := numbersOf(q.argument)
	scan(q.where, rows, func(rows []uint32) {
		count += len(rows)
		if numbers == nil {
			return
		}
		for _, row := range rows {
			if number := numbers[q.argument.Codes[row]]; !math.IsNaN(number) {
				known++
				sum += number
			}
		}
	})
	return []float64{float64(count), sum, sum / float64(known)}
}

// numbersOf returns the numbers of a column by code, NaN for NULL; nil if there is no column.
func numbersOf(c *anonymize.Column) []float64 {
	if c == nil {
		return nil
	}
	numbers := make([]float64, len(c.Dictionary))
	for code, v := range c.Dictionary {
		numbers[code] = math.NaN()
		if number, ok := v.Number(); ok {
			numbers[code] = number
		}
	}
	return numbers
}
