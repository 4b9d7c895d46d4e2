package privacy

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// A composition has the probability of each value of a sensitive attribute for one record:
// counts[i] of whole for codes[i]. A column of points has a composition for every class. A
// column of cells has one for every cell. Its probabilities bound those in the record's class:
// the share of a value in a class is a mean of its shares in the class's cells.
type composition struct {
	sensitiveColumn
	codes  []uint32 // valid during the call only
	counts []uint64 // all positive
	whole  uint64
	group  int
	cell   *anonymize.Cell // nil for a class
	class  class
}

// mostLikely returns the index of the first most likely value.
func (c *composition) mostLikely() int {
	most := 0
	for i, n := range c.counts {
		if n > c.counts[most] {
			most = i
		}
	}
	return most
}

// mostLikelyBut is mostLikely among the values that are not harmless; some is false if there are none.
func (c *composition) mostLikelyBut(harmless []bool) (most int, some bool) {
	for i, n := range c.counts {
		if !harmless[c.codes[i]] && (!some || n > c.counts[most]) {
			most, some = i, true
		}
	}
	return most, some
}

// describe returns "in sa, salary = 4500 is 2 of 4 records".
func (c *composition) describe(i int) string {
	return fmt.Sprintf("in %s, %s is %s", c.fragment.Name, describeValue(c.column, c.codes[i]), c.share(c.counts[i]))
}

// share returns "2 of 4 records" or "1/3 of the cell {a,b,c}".
func (c *composition) share(count uint64) string {
	if c.cell != nil {
		p := anonymize.NewRatio(count, c.whole)
		if p.Den > greatestUnit {
			return fmt.Sprintf("%.4g of the cell %s", p.Float(), c.cell.Label)
		}
		return fmt.Sprintf("%d/%d of the cell %s", p.Num, p.Den, c.cell.Label)
	}
	return fmt.Sprintf("%d of %d %s%s", count, c.whole, counted(c.release), c.condition(c.class))
}

// eachComposition calls look for every composition of every published sensitive attribute.
func eachComposition(r *anonymize.Release, look func(c *composition)) error {
	columns, err := sensitiveColumns(r)
	if err != nil {
		return err
	}
	for _, column := range columns {
		if !column.column.IsPoint() {
			eachCell(column, look)
			continue
		}
		s, err := newSpread(column)
		if err != nil {
			return err
		}
		eachClass(s, look)
	}
	return nil
}

func eachClass(s *spread, look func(c *composition)) {
	it := &composition{sensitiveColumn: s.sensitiveColumn}
	s.classes(func(c class) {
		s.enter(c)
		it.codes, it.counts = s.present, it.counts[:0]
		for _, code := range s.present {
			it.counts = append(it.counts, s.here[code])
		}
		it.whole, it.group, it.class = c.size, c.group, c
		look(it)
		s.leave()
	})
}

// eachCell visits every cell once, in its first group.
func eachCell(column sensitiveColumn, look func(c *composition)) {
	seen := make([]bool, len(column.column.Cells))
	it := &composition{sensitiveColumn: column}
	column.classes(func(c class) {
		for t := c.first; t < c.end; t++ {
			code := column.column.Codes[t]
			if seen[code] {
				continue
			}
			seen[code] = true
			it.cell, it.group, it.class = &column.column.Cells[code], c.group, c
			it.fill()
			look(it)
		}
	})
}

func (c *composition) fill() {
	var parts []uint64
	parts, c.whole = roundedShares(c.cell)
	c.codes, c.counts = c.codes[:0], c.counts[:0]
	for i, n := range parts {
		if n > 0 {
			c.codes, c.counts = append(c.codes, c.cell.Members[i]), append(c.counts, n)
		}
	}
}
