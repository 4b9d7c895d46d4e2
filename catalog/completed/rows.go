package completed

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// someRows is about the number of rows that [Rows.Next] returns.
const someRows = 4096

// Rows iterates over the rows of completed tables first to end-1, one table after the other. It
// is not safe for concurrent use.
type Rows struct {
	release    *anonymize.Release
	completion *anonymize.Completion
	columns    []position
	table, end int
	group      int
	record     int        // records before the group
	places     [][]uint32 // by fragment: the tuple of every record of the current groups
	codes      [][]uint32 // by column
}

type position struct{ fragment, column int }

// NewRows returns the rows of a release's completed tables first to end-1, from 0, with the
// named columns.
func NewRows(r *anonymize.Release, c *anonymize.Completion, columns []string, first, end int) (*Rows, error) {
	if first < 0 || end > c.Tables || first > end {
		return nil, fmt.Errorf("completed tables %d to %d are asked for, there are 0 to %d", first, end-1, c.Tables-1)
	}
	rows := &Rows{release: r, completion: c, table: first, end: end,
		places: make([][]uint32, len(r.Fragments)), codes: make([][]uint32, len(columns))}
	for _, name := range columns {
		fragment, column, ok := r.Locate(name)
		if !ok {
			return nil, fmt.Errorf("column %s is in no fragment", name)
		}
		if !r.Fragments[fragment].Columns[column].IsPoint() {
			return nil, fmt.Errorf("cells of column %s stand for several values", name)
		}
		rows.columns = append(rows.columns, position{fragment, column})
	}
	return rows, nil
}

// Column returns the published column of the i-th column; codes refer to its dictionary.
func (s *Rows) Column(i int) *anonymize.FragmentColumn {
	return s.release.Fragments[s.columns[i].fragment].Columns[s.columns[i].column]
}

// Next returns the number of a table, from 0, and the codes of its next rows by column; rows is
// 0 after the last. The codes are valid until the next call.
func (s *Rows) Next() (table int, codes [][]uint32, rows int) {
	if s.group == len(s.release.GroupSizes) {
		s.table, s.group, s.record = s.table+1, 0, 0
	}
	if s.table >= s.end || len(s.release.GroupSizes) == 0 {
		return 0, nil, 0
	}
	from, first := s.group, s.record
	for s.group < len(s.release.GroupSizes) && s.record-first < someRows {
		s.record += int(s.release.GroupSizes[s.group])
		s.group++
	}
	for j := range s.release.Fragments {
		s.spread(j, from)
	}
	for i, at := range s.columns {
		s.codes[i] = s.gather(s.codes[i][:0], at, from, first)
	}
	return s.table, s.codes, s.record - first
}

// spread repeats the tuples of a fragment by their counts.
func (s *Rows) spread(fragment, from int) {
	f := s.release.Fragments[fragment]
	places := s.places[fragment][:0]
	for t := f.GroupStart[from]; t < f.GroupStart[s.group]; t++ {
		for range f.Count[t] {
			places = append(places, t)
		}
	}
	s.places[fragment] = places
}

// gather looks up a column's codes: in the first fragment row by row, in others at the table's
// places.
func (s *Rows) gather(codes []uint32, at position, from, first int) []uint32 {
	tuples, values := s.places[at.fragment], s.release.Fragments[at.fragment].Columns[at.column].Codes
	if at.fragment == 0 {
		for _, t := range tuples {
			codes = append(codes, values[t])
		}
		return codes
	}
	if s.completion.Narrow != nil {
		return gatherAt(codes, values, tuples, s.completion.Narrow[s.table][at.fragment-1][first:s.record], s.release.GroupSizes[from:s.group])
	}
	return gatherAt(codes, values, tuples, s.completion.Wide[s.table][at.fragment-1][first:s.record], s.release.GroupSizes[from:s.group])
}

func gatherAt[P uint8 | uint16](codes, values, tuples []uint32, places []P, sizes []uint32) []uint32 {
	for _, size := range sizes {
		group := tuples[:size]
		for _, place := range places[:size] {
			codes = append(codes, values[group[place]])
		}
		tuples, places = tuples[size:], places[size:]
	}
	return codes
}
