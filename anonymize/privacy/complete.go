package privacy

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// Complete verifies that r publishes all records of a table, given by its columns to publish:
// every record is in one group, every column is in one fragment, there is no other column, and
// every fragment has each tuple as often as the table does. Generalized cells must leave room
// for the table's values: at most as many records surely have a value as in the table, and at
// least as many possibly have it. Complete does not compare counts with noise.
//
// It cannot verify that the fragments' tuples in a group come from the same records, because
// the release does not say.
func Complete(r *anonymize.Release, columns []*anonymize.Column) error {
	if err := WellFormed(r); err != nil {
		return fmt.Errorf("the release is malformed: %w", err)
	}
	raw := make(map[string]*anonymize.Column, len(columns))
	for _, c := range columns {
		if c.Rows() != r.Rows {
			return fmt.Errorf("the release has %d records, the table %d", r.Rows, c.Rows())
		}
		raw[c.Name] = c
	}
	for _, f := range r.Fragments {
		if len(f.Columns) == 1 && r.Model.Hides(f.Columns[0].Name) && raw[f.Columns[0].Name] != nil {
			delete(raw, f.Columns[0].Name) // its counts have noise
			continue
		}
		if err := completeFragment(f, raw); err != nil {
			return fmt.Errorf("fragment %s: %w", f.Name, err)
		}
	}
	for _, c := range columns {
		if raw[c.Name] != nil {
			return fmt.Errorf("column %s is in no fragment", c.Name)
		}
	}
	return nil
}

// completeFragment removes the fragment's columns from raw.
func completeFragment(f *anonymize.Fragment, raw map[string]*anonymize.Column) error {
	n := newNumbering(f)
	for _, c := range f.Columns {
		source := raw[c.Name]
		if source == nil {
			return fmt.Errorf("column %s is published twice or not the table's", c.Name)
		}
		delete(raw, c.Name)
		codes, err := translate(source, c)
		if err != nil {
			return err
		}
		if !c.IsPoint() {
			if err := room(f, c, codes); err != nil {
				return err
			}
			continue
		}
		if n.raw == nil {
			n.raw = make([]uint32, len(codes))
		}
		n.refine(c, codes)
	}
	return n.compare(f)
}

// translate returns the table's codes in the fragment's dictionary.
func translate(source *anonymize.Column, c *anonymize.FragmentColumn) ([]uint32, error) {
	absent := uint32(len(c.Dictionary))
	to := anonymize.Translate(source.Dictionary, c.Dictionary, absent)
	for code, n := range source.Histogram() {
		if n > 0 && to[code] == absent {
			return nil, fmt.Errorf("%s = %s is not in its dictionary", c.Name, source.Dictionary[code])
		}
	}
	return anonymize.Gather(to, source.Codes), nil
}

// A numbering gives equal numbers to equal tuples of the point columns so far, in the table and
// in the fragment.
type numbering struct {
	raw, published []uint32
	distinct       int
}

func newNumbering(f *anonymize.Fragment) *numbering {
	return &numbering{published: make([]uint32, f.Tuples()), distinct: 1}
}

// denseCells is the greatest size of an array of pairs; beyond it, a map is used.
const denseCells = 1 << 20

// refine splits the numbers by the codes of one more column.
func (n *numbering) refine(c *anonymize.FragmentColumn, rawCodes []uint32) {
	width := uint64(len(c.Dictionary))
	number := pairNumbers(uint64(n.distinct) * width)
	next := uint32(0)
	for _, side := range []struct{ id, codes []uint32 }{{n.published, c.Codes}, {n.raw, rawCodes}} {
		for i, code := range side.codes {
			side.id[i] = number(uint64(side.id[i])*width+uint64(code), &next)
		}
	}
	n.distinct = int(next)
}

// pairNumbers returns a function that numbers keys below cells in order of occurrence.
func pairNumbers(cells uint64) func(key uint64, next *uint32) uint32 {
	if cells <= denseCells {
		plusOne := make([]uint32, cells)
		return func(key uint64, next *uint32) uint32 {
			if plusOne[key] == 0 {
				*next++
				plusOne[key] = *next
			}
			return plusOne[key] - 1
		}
	}
	numbers := make(map[uint64]uint32)
	return func(key uint64, next *uint32) uint32 {
		number, ok := numbers[key]
		if !ok {
			number = *next
			numbers[key] = number
			*next++
		}
		return number
	}
}

// compare requires equal counts of every tuple on both sides.
func (n *numbering) compare(f *anonymize.Fragment) error {
	if n.raw == nil { // no point columns
		return nil
	}
	missing := make([]int, n.distinct)
	for _, id := range n.raw {
		missing[id]++
	}
	for t, id := range n.published {
		missing[id] -= int(f.Count[t])
	}
	for t, id := range n.published {
		if missing[id] != 0 {
			return fmt.Errorf("%s: %d records more in the table than in the release", describePoints(f, uint32(t)), missing[id])
		}
	}
	for row, id := range n.raw {
		if missing[id] != 0 {
			return fmt.Errorf("row %d of the table, and %d like it in all, is not published", row, missing[id])
		}
	}
	return nil
}

func describePoints(f *anonymize.Fragment, tuple uint32) string {
	points := &anonymize.Fragment{}
	for _, c := range f.Columns {
		if c.IsPoint() {
			points.Columns = append(points.Columns, c)
		}
	}
	return describeTuple(points, tuple)
}

// room checks a generalized column, value by value.
func room(f *anonymize.Fragment, c *anonymize.FragmentColumn, rawCodes []uint32) error {
	table := make([]int, len(c.Dictionary))
	for _, code := range rawCodes {
		table[code]++
	}
	of := make([]int, len(c.Cells)) // records by cell
	for t, code := range c.Codes {
		of[code] += int(f.Count[t])
	}
	surely, possibly := make([]int, len(table)), make([]int, len(table))
	for code, records := range of {
		members := c.Cells[code].Members
		for _, m := range members {
			possibly[m] += records
		}
		if len(members) == 1 {
			surely[members[0]] += records
		}
	}
	for code, n := range table {
		if n < surely[code] || n > possibly[code] {
			return fmt.Errorf("%s is %d records of the table, the release leaves room for %d to %d",
				describeValue(c, uint32(code)), n, surely[code], possibly[code])
		}
	}
	return nil
}
