package anontest

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Linked returns nil if gidOf, which a method passed to Input.Assigned, fits its release. Every group must have its
// size. Every fragment of points must have the tuples of the group's records, with their frequencies. Every
// generalized cell of a group must have room for some record's value.
func Linked(r *anonymize.Release, in *anonymize.Input, gidOf []uint32) error {
	if len(gidOf) != in.Rows {
		return fmt.Errorf("%d records were told their group, the table has %d", len(gidOf), in.Rows)
	}
	members := make([][]int, r.Groups())
	for record, g := range gidOf {
		if int(g) >= r.Groups() {
			return fmt.Errorf("record %d is in group %d of %d", record, g, r.Groups())
		}
		members[g] = append(members[g], record)
	}
	columns := slices.Concat(in.QuasiIdentifiers, in.Sensitive)
	for g, records := range members {
		if len(records) != int(r.GroupSizes[g]) {
			return fmt.Errorf("group %d has %d records, its size is %d", g, len(records), r.GroupSizes[g])
		}
		for _, f := range r.Fragments {
			if err := fits(f, g, records, columns); err != nil {
				return fmt.Errorf("group %d, fragment %s: %w", g, f.Name, err)
			}
		}
	}
	return nil
}

// fits compares the tuples of a group with the tuples of its records in columns of points, and checks the other cells
// against the records' values.
func fits(f *anonymize.Fragment, g int, records []int, columns []*anonymize.Column) error {
	left := map[string]int{}
	for _, record := range records {
		text := ""
		for _, c := range f.Columns {
			if c.IsPoint() {
				text += fmt.Sprintf("%#v,", valueOf(columns, c.Name, record))
			}
		}
		left[text]++
	}
	for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
		text := ""
		for _, c := range f.Columns {
			if c.IsPoint() {
				text += fmt.Sprintf("%#v,", c.Dictionary[c.Codes[t]])
				continue
			}
			cell := c.Cells[c.Codes[t]]
			if !slices.ContainsFunc(records, func(record int) bool {
				v := valueOf(columns, c.Name, record)
				return slices.ContainsFunc(cell.Members, func(m uint32) bool { return c.Dictionary[m] == v })
			}) {
				return fmt.Errorf("%s = %s is no record's", c.Name, cell.Label)
			}
		}
		left[text] -= int(f.Count[t])
	}
	for tuple, n := range left {
		if n != 0 {
			return fmt.Errorf("the tuple %s is there %d times too few", tuple, n)
		}
	}
	return nil
}

func valueOf(columns []*anonymize.Column, name string, record int) anonymize.Value {
	for _, c := range columns {
		if c.Name == name {
			return c.Value(record)
		}
	}
	return anonymize.Value{}
}
