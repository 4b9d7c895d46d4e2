package recognition

import (
	"math"
	"slices"
)

const (
	// enoughBits is the total surprise at which counts alone identify a table: a chance of one
	// in 2^40.
	enoughBits = 40.0
	// classBits is the least surprise of a class, after the cost of the search for it.
	classBits = 10.0
	// maxJoined bounds the values of a column all of whose unions are tried.
	maxJoined = 24
	// maxOther bounds the values of a column whose classes are compared.
	maxOther = 1024
)

// compareClasses searches the table for the remembered classes of records and for unions of
// them: recoded columns (sex as 0 and 1) or merged values (ages as bands). It returns the
// greatest share of a column's records in such classes.
func (t *Table) compareClasses(s *Sketch, aligned []int) float64 {
	protected := slices.IndexFunc(s.columns, func(c columnSketch) bool { return c.sensitive && !c.counter && c.distinct > 1 })
	if protected < 0 || aligned[protected] < 0 {
		return 0
	}
	of := t.columns[aligned[protected]]
	most := 0.0
	for _, c := range t.columns {
		if c == of || !c.useful() || c.distinct > maxOther {
			continue
		}
		own := c.informative(of)
		for i := range s.columns {
			if len(s.columns[i].classes) > 1 {
				most = max(most, compareClasses(s.columns[i].classes, own, s.rows, t.rows))
			}
		}
	}
	return most
}

// An informative class has the surprise, in bits, of its record counts per sensitive value in
// another table.
type informative struct {
	class
	bits float64
}

func (c *column) informative(of *column) []informative {
	classes := c.classes(of.codes, of.hashes)
	place, next := make([]int, len(c.counts)), 0
	for code, n := range c.counts {
		if n > 0 {
			place[code] = next
			next++
		}
	}
	tables := make([]map[uint32]int, len(classes))
	for i := range tables {
		tables[i] = make(map[uint32]int)
	}
	for row, code := range c.codes {
		tables[place[code]][of.codes[row]]++
	}
	list := make([]informative, len(classes))
	for i, counts := range tables {
		list[i] = informative{classes[i], countBits(counts)}
	}
	return list
}

// countBits returns the evidence, in bits, of another table having the same counts: independent
// counts n and n' of one expectation are equal with a probability of about 1 / sqrt(4 pi n).
// The greatest count follows from the others and the sum.
func countBits(counts map[uint32]int) float64 {
	bits, greatest := 0.0, 0.0
	for _, n := range counts {
		one := equalBits(n)
		bits, greatest = bits+one, math.Max(greatest, one)
	}
	return bits - greatest
}

func equalBits(n int) float64 { return math.Log2(4*math.Pi*float64(n)) / 2 }

// compareClasses returns the share of the smaller table's records in classes that are, or are
// unions of, classes of the other table.
func compareClasses(known []class, own []informative, rows, others int) float64 {
	factor := uint64(1)
	if others > rows && others%rows == 0 {
		factor = uint64(others / rows) // every record that many times
	}
	whole, runs := sumsOf(known, factor)
	joined := newUnions(known, factor)
	bits, found := 0.0, 0
	for _, c := range own {
		left := 0.0
		switch {
		case whole[c.class]:
			left = c.bits - math.Log2(float64(len(known)))
		case runs[c.class]:
			left = c.bits - 2*math.Log2(float64(len(known)))
		case c.bits-float64(len(known)) >= classBits && joined.hasClass(c.class):
			left = c.bits - float64(len(known))
		}
		if left >= classBits {
			bits, found = bits+left, found+int(c.count)
		}
	}
	if bits < enoughBits {
		return 0
	}
	return min(1, float64(found)/float64(min(rows*int(factor), others)))
}

// sumsOf returns the classes, and the unions of neighbours in the order of values.
func sumsOf(known []class, factor uint64) (whole, runs map[class]bool) {
	whole, runs = make(map[class]bool), make(map[class]bool)
	for i := range known {
		run := class{}
		for _, next := range known[i:] {
			run = run.plus(next, factor)
			runs[run] = true
		}
		whole[class{known[i].count * factor, known[i].sum * factor}] = true
	}
	return whole, runs
}

func (c class) plus(other class, factor uint64) class {
	return class{c.count + other.count*factor, c.sum + other.sum*factor}
}

// unions are the unions of a few classes: kept has those of one half of the classes, tried
// those of the other half.
type unions struct {
	kept  map[class]bool
	tried []class
}

func newUnions(known []class, factor uint64) *unions {
	if len(known) > maxJoined {
		return &unions{}
	}
	half := len(known) / 2
	u := &unions{kept: make(map[class]bool), tried: subsets(known[half:], factor)}
	for _, c := range subsets(known[:half], factor) {
		u.kept[c] = true
	}
	return u
}

func subsets(known []class, factor uint64) []class {
	list := []class{{}}
	for _, c := range known {
		for _, before := range list[:len(list):len(list)] {
			list = append(list, before.plus(c, factor))
		}
	}
	return list
}

func (u *unions) hasClass(c class) bool {
	return slices.ContainsFunc(u.tried, func(part class) bool { return u.kept[class{c.count - part.count, c.sum - part.sum}] })
}

// compareSensitive compares the record counts of the sensitive values: 1 if they are nearly
// equal in both tables, and significant.
func (t *Table) compareSensitive(s *Sketch, aligned []int) float64 {
	for i := range s.columns {
		of := &s.columns[i]
		if !of.sensitive || of.counter || aligned[i] < 0 {
			continue
		}
		values := t.columns[aligned[i]].leastValues(of.bound)
		var both counts
		eachOf(of.values, values, both.add)
		if both.areEqual() {
			return 1
		}
	}
	return 0
}
