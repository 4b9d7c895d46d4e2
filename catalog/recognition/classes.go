package recognition

// A class is the records that have one value of a column: how many, and the sum
// of the hashes of their sensitive values. The sum depends on how many records
// have each sensitive value, and not on what the column's value is: recoding the
// column one to one leaves the classes as they are, joining values adds their
// classes up.
type class struct {
	count uint64
	sum   uint64
}

// maxClasses bounds the values of a column whose classes are remembered.
const maxClasses = 256

// protected returns the first useful sensitive column.
func (t *Table) protected() *column {
	for _, c := range t.columns {
		if c.sensitive && c.useful() {
			return c
		}
	}
	return nil
}

// classify fills in the classes of the released columns of few values.
func (t *Table) classify(s *Sketch) {
	protected := t.protected()
	for i, c := range t.columns {
		if protected != nil && c != protected && c.released && c.useful() && c.distinct <= maxClasses {
			s.columns[i].classes = c.classes(protected.codes, protected.hashes)
		}
	}
}

// classes sums up hashes by the column's values, in their order.
func (c *column) classes(codes []uint32, hashes []uint64) []class {
	all := make([]class, len(c.counts))
	for row, code := range c.codes {
		all[code].sum += hashes[codes[row]]
	}
	var list []class
	for code, n := range c.counts {
		if n > 0 {
			list = append(list, class{uint64(n), all[code].sum})
		}
	}
	return list
}
