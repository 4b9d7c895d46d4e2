package recognition

// A class is the set of records with one value of a column: their number, and the sum of the
// hashes of their sensitive values. The sum depends only on the number of records of each
// sensitive value, not on the column's value: recoding a column one to one keeps the classes,
// merging values adds their classes.
type class struct {
	count uint64
	sum   uint64
}

// maxClasses bounds the values of a column whose classes are kept.
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

// classify computes the classes of the released columns with few values.
func (t *Table) classify(s *Sketch) {
	protected := t.protected()
	for i, c := range t.columns {
		if protected != nil && c != protected && c.released && c.useful() && c.distinct <= maxClasses {
			s.columns[i].classes = c.classes(protected.codes, protected.hashes)
		}
	}
}

// classes adds up hashes by the column's values, in their order.
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
