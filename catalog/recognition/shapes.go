package recognition

import (
	"math"
	"slices"
)

const (
	// enoughBits of surprise, in all, are asked for before tables are taken for
	// one by counts alone: a chance of one in 2^40.
	enoughBits = 40.0
	// classBits a class must bring after what was searched for it.
	classBits = 10.0
	// maxJoined bounds the values of a column of which all unions are tried.
	maxJoined = 24
	// maxOther bounds the values of a column whose classes are compared.
	maxOther = 1024
)

// compareClasses looks for the remembered classes of records, and for unions of
// them, among the table's: of columns with other values (sex as 0 and 1), or
// joined ones (ages as bands). It returns the share of the records in the classes
// of the column that has most of them.
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

// An informative class has the bits by which its numbers of records of every
// sensitive value would surprise in another table.
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

// countBits is how much it says, in bits, that another table has the same counts:
// independent counts n and n' of one expectation are equal with a probability of
// about 1 / sqrt(4 pi n). The greatest count follows from the others and the sum.
func countBits(counts map[uint32]int) float64 {
	bits, greatest := 0.0, 0.0
	for _, n := range counts {
		one := equalBits(n)
		bits, greatest = bits+one, math.Max(greatest, one)
	}
	return bits - greatest
}

func equalBits(n int) float64 { return math.Log2(4*math.Pi*float64(n)) / 2 }

// compareClasses returns the share of the records of the smaller table that are
// in classes that are, or are joined from, classes of the other one.
func compareClasses(known []class, own []informative, rows, others int) float64 {
	factor := uint64(1)
	if others > rows && others%rows == 0 {
		factor = uint64(others / rows) // every record as many times
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

// sumsOf lists the classes, and the unions of neighbours in the order of values.
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

// unions of any of a few classes: those of one half of them are kept, those of
// the other half are tried.
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

// compareSensitive looks at the number of records of every sensitive value: 1
// when it is the same in both, or nearly, and that says enough.
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
