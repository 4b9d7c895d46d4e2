package anonymize

import (
	"context"
	"fmt"
	"slices"
)

// A Completion holds the completed tables of a release. A completed table picks, in every
// group, one matching of the fragments' tuples: it has as many rows as the group has records,
// and each row has one tuple of every fragment. So every completed table agrees with the
// release. Package impute draws the tables from a model that it fits to the release; package
// estimate answers from them. A Completion is immutable.
//
// Within a group, the tuples of a fragment, repeated by their counts and in the order of
// publication, take places 0, 1, 2... A row of a completed table is a place in the first
// fragment with one place in each further fragment.
//
// Memory: one byte per record, table and fragment beyond the first; two bytes if any group has
// more than 256 records.
type Completion struct {
	// Tables is the number of completed tables, at least 1.
	Tables int
	// Narrow is set if no group has more than 256 records. Narrow[d][j-1] has a byte per record
	// for table d and fragment j >= 1. Let first be the number of records in the groups before
	// g: the row of group g whose tuple of fragment 0 is at place i has its tuple of fragment j
	// at place Narrow[d][j-1][first+i].
	Narrow [][][]uint8
	// Wide has the same with two bytes, if a group has more records.
	Wide [][][]uint16
}

// widestNarrow is the size of the largest group whose places fit into a byte.
const widestNarrow = 1 << 8

// NewCompletion returns a completion of r from two-byte places, by table and by fragment beyond
// the first. It narrows them to bytes if they fit; otherwise it keeps places itself.
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

// BlankCompletion returns a completion of r with zero places in this number of tables; the caller fills them with Put.
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

// Put sets the places of table d and fragment j >= 1 for the records from first on. Concurrent
// calls for disjoint records are safe.
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

// HasWideGroups reports whether r has a group whose places do not fit into a byte.
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

// Check verifies in one pass that c completes r: in every table, group and fragment beyond the
// first, every place occurs once. If ctx ends, Check returns its cause.
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
	var seen []int // by place: 1 + the last group that had it
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
					return fmt.Errorf("the places of fragment %s in group %d are no permutation of its %d records", r.Fragments[j+1].Name, g+1, size)
				}
				seen[place] = g + 1
			}
			first += int(size)
		}
	}
	return nil
}
