package anonymize

import (
	"context"
	"fmt"
	"slices"
)

// A Completion is a number of completed tables of a release. A completed table picks,
// in every group, one matching of the fragments' tuples: as many rows as the group
// has records, each made of one tuple of every fragment. So every completed
// table agrees with the release. Package impute draws them from a model that it
// fits to the release; package estimate answers from them. It is immutable.
//
// The records of a group have places: its tuples of a fragment, repeated by their
// counts, in the order of publication. A row of a completed table is the place of
// its tuple of the first fragment, and one place more for each fragment beyond it.
//
// Memory: a byte a record, a table and a fragment beyond the first; two where a
// group has more than 256 records.
type Completion struct {
	// Tables is the number of completed tables, at least 1.
	Tables int
	// Narrow has, where no group has more than 256 records, a byte per record for
	// table d and fragment j >= 1 at Narrow[d][j-1]: with first the number of
	// records in the groups before g, the row of group g whose tuple of fragment 0
	// is at place i has its tuple of fragment j at place Narrow[d][j-1][first+i].
	Narrow [][][]uint8
	// Wide is the same where a group has more.
	Wide [][][]uint16
}

// widestNarrow is the largest size of a group whose places fit into a byte.
const widestNarrow = 1 << 8

// NewCompletion returns a completion of r with places of two bytes for every table
// and every fragment beyond the first, in bytes where they fit. It keeps no slice
// of places unless it is Wide.
func NewCompletion(r *Release, places [][][]uint16) *Completion {
	c := &Completion{Tables: len(places)}
	if HasWideGroups(r) {
		c.Wide = places
		return c
	}
	for _, table := range places {
		narrow := make([][]uint8, len(table))
		for j, wide := range table {
			narrow[j] = make([]uint8, len(wide))
			for slot, place := range wide {
				narrow[j][slot] = uint8(place)
			}
		}
		c.Narrow = append(c.Narrow, narrow)
	}
	return c
}

// BlankCompletion returns a completion of r that has room for some tables, which Put fills.
func BlankCompletion(r *Release, tables int) *Completion {
	c := &Completion{Tables: tables}
	fragments, wide := max(0, len(r.Fragments)-1), HasWideGroups(r)
	for range tables {
		if wide {
			c.Wide = append(c.Wide, rooms[uint16](fragments, r.Rows))
		} else {
			c.Narrow = append(c.Narrow, rooms[uint8](fragments, r.Rows))
		}
	}
	return c
}

func rooms[P uint8 | uint16](fragments, rows int) [][]P {
	table := make([][]P, fragments)
	for j := range table {
		table[j] = make([]P, rows)
	}
	return table
}

// Put sets places of table d and fragment j >= 1, those from record first on. Others
// may be put at the same time.
func (c *Completion) Put(d, j, first int, places []uint16) {
	if c.Wide != nil {
		copy(c.Wide[d][j-1][first:], places)
		return
	}
	narrow := c.Narrow[d][j-1][first:][:len(places)]
	for i, place := range places {
		narrow[i] = uint8(place)
	}
}

// HasWideGroups says that r has a group whose places do not fit into a byte.
func HasWideGroups(r *Release) bool {
	return slices.ContainsFunc(r.GroupSizes, func(size uint32) bool { return size > widestNarrow })
}

// Bytes returns the memory of the places.
func (c *Completion) Bytes() int64 {
	total := int64(0)
	for _, table := range c.Narrow {
		for _, places := range table {
			total += int64(len(places))
		}
	}
	for _, table := range c.Wide {
		for _, places := range table {
			total += 2 * int64(len(places))
		}
	}
	return total
}

// Check verifies that c completes r: in every table, group and fragment beyond the
// first every place occurs once. One pass. When the context ends, the error is the
// context's.
func (c *Completion) Check(ctx context.Context, r *Release) error {
	wide := HasWideGroups(r)
	if c.Tables < 1 {
		return fmt.Errorf("there are %d completed tables", c.Tables)
	}
	if wide && (len(c.Wide) != c.Tables || c.Narrow != nil) || !wide && (len(c.Narrow) != c.Tables || c.Wide != nil) {
		return fmt.Errorf("the places are not those of %d completed tables", c.Tables)
	}
	for d := range c.Tables {
		var err error
		if wide {
			err = checkPlaces(ctx, r, c.Wide[d])
		} else {
			err = checkPlaces(ctx, r, c.Narrow[d])
		}
		if err != nil {
			return fmt.Errorf("completed table %d: %w", d+1, err)
		}
	}
	return nil
}

func checkPlaces[P uint8 | uint16](ctx context.Context, r *Release, table [][]P) error {
	if len(table) != len(r.Fragments)-1 {
		return fmt.Errorf("it has places of %d fragments, the release has %d beyond the first", len(table), len(r.Fragments)-1)
	}
	var seen []int // by place: the last group that had it, from 1
	for j, places := range table {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(places) != r.Rows {
			return fmt.Errorf("it has %d places of fragment %s, the release has %d records", len(places), r.Fragments[j+1].Name, r.Rows)
		}
		first := 0
		clear(seen)
		for g, size := range r.GroupSizes {
			for len(seen) < int(size) {
				seen = append(seen, 0)
			}
			for _, place := range places[first : first+int(size)] {
				if uint32(place) >= size || seen[place] == g+1 {
					return fmt.Errorf("the places of fragment %s in group %d are no permutation of its %d records", r.Fragments[j+1].Name, g, size)
				}
				seen[place] = g + 1
			}
			first += int(size)
		}
	}
	return nil
}
