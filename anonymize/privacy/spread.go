package privacy

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A sensitiveColumn is a published sensitive attribute: any column of a sensitive fragment, or
// the last column of a mixed one.
type sensitiveColumn struct {
	release  *anonymize.Release
	fragment *anonymize.Fragment
	column   *anonymize.FragmentColumn
}

func sensitiveColumns(r *anonymize.Release) ([]sensitiveColumn, error) {
	var found []sensitiveColumn
	for _, f := range r.Fragments {
		if err := linksUnits(r, f); err != nil {
			return nil, err
		}
		switch {
		case f.Role == anonymize.Sensitive:
			for _, c := range f.Columns {
				found = append(found, sensitiveColumn{r, f, c})
			}
		case f.Role == anonymize.Mixed && len(f.Columns) > 0:
			found = append(found, sensitiveColumn{r, f, f.Columns[len(f.Columns)-1]})
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no fragment has the sensitive attribute")
	}
	return found, nil
}

// linked returns the columns that the fragment publishes with the sensitive one of the same
// record.
func (s sensitiveColumn) linked() []*anonymize.FragmentColumn {
	if s.fragment.Role != anonymize.Mixed {
		return nil
	}
	return s.fragment.Columns[:len(s.fragment.Columns)-1]
}

// A class is a set of records that the sensitive fragment distinguishes only by the sensitive
// attribute: a group, or in a mixed fragment those of its records whose other cells are equal.
// Its tuples are first .. end-1: stored tuples ascend by their codes, and the sensitive column
// is the last.
type class struct {
	group      int
	first, end uint32
	size       uint64 // records
}

// classes calls yield with every class, by group.
func (s sensitiveColumn) classes(yield func(c class)) {
	f, linked := s.fragment, s.linked()
	for g, size := range s.release.GroupSizes {
		first, end := f.GroupStart[g], f.GroupStart[g+1]
		if linked == nil {
			yield(class{g, first, end, uint64(size)})
			continue
		}
		for first < end {
			c := class{g, first, first + 1, uint64(f.Count[first])}
			for c.end < end && agree(linked, first, c.end) {
				c.size += uint64(f.Count[c.end])
				c.end++
			}
			yield(c)
			first = c.end
		}
	}
}

func agree(columns []*anonymize.FragmentColumn, a, b uint32) bool {
	for _, c := range columns {
		if c.Codes[a] != c.Codes[b] {
			return false
		}
	}
	return true
}

// condition returns " with age = 30 and sex = 'F'" for a class of a mixed fragment.
func (s sensitiveColumn) condition(c class) string {
	linked := s.linked()
	if linked == nil {
		return ""
	}
	return " with " + describeTuple(&anonymize.Fragment{Columns: linked}, c.first)
}

// A spread is the distribution of classes' records over the values of one attribute. To use
// integers, a record counts as unit parts, which a cell divides among its values by its
// distribution.
type spread struct {
	sensitiveColumn
	unit    uint64
	parts   [][]uint64 // by cell, by member; nil for points
	total   []uint64   // parts by code, over all groups
	order   []uint32   // codes by total, descending
	here    []uint64   // parts by code in the current class; 0 between classes
	present []uint32   // codes with parts in the current class
}

// greatestUnit keeps products of unit, group size and rows below 64 bits.
const greatestUnit = 1 << 20

func newSpread(column sensitiveColumn) (*spread, error) {
	r, f, c := column.release, column.fragment, column.column
	s := &spread{sensitiveColumn: column, unit: 1,
		total: make([]uint64, len(c.Dictionary)), here: make([]uint64, len(c.Dictionary))}
	if err := s.divideCells(); err != nil {
		return nil, fmt.Errorf("column %s of fragment %s %w", c.Name, f.Name, err)
	}
	size := uint64(slices.Max(r.GroupSizes))
	if over, product := bits.Mul64(uint64(r.Rows)*s.unit, size); over != 0 || product > 1<<63 {
		return nil, fmt.Errorf("column %s of fragment %s has too many records to count in parts of 1/%d", c.Name, f.Name, s.unit)
	}
	for t := range f.Tuples() {
		s.visitValues(uint32(t), func(code uint32, parts uint64) { s.total[code] += parts })
	}
	s.order = anonymize.Indices(len(c.Dictionary))
	slices.SortStableFunc(s.order, func(x, y uint32) int { return cmp.Compare(s.total[y], s.total[x]) })
	return s, nil
}

// divideCells finds the unit of which all cells' distributions are multiples.
func (s *spread) divideCells() error {
	whole := make([]uint64, len(s.column.Cells))
	for i := range s.column.Cells {
		parts, of, ok := shares(&s.column.Cells[i])
		if !ok {
			return fmt.Errorf("has a cell, %q, whose weights have no common denominator up to %d", s.column.Cells[i].Label, greatestUnit)
		}
		s.parts, whole[i] = append(s.parts, parts), of
		s.unit = leastCommonMultiple(s.unit, of)
		if s.unit > greatestUnit {
			return errors.New("has cells of too many different sizes")
		}
	}
	for i, parts := range s.parts {
		for j := range parts {
			parts[j] *= s.unit / whole[i]
		}
	}
	return nil
}

// visitValues calls yield for the values that a tuple may have, with their parts.
func (s *spread) visitValues(tuple uint32, yield func(code uint32, parts uint64)) {
	count, code := uint64(s.fragment.Count[tuple]), s.column.Codes[tuple]
	if s.column.IsPoint() {
		yield(code, count*s.unit)
		return
	}
	for i, m := range s.column.Cells[code].Members {
		if parts := s.parts[code][i]; parts > 0 {
			yield(m, count*parts)
		}
	}
}

// enter counts a class; leave clears the counts.
func (s *spread) enter(c class) {
	s.present = s.present[:0]
	for t := c.first; t < c.end; t++ {
		s.visitValues(t, func(code uint32, parts uint64) {
			if s.here[code] == 0 {
				s.present = append(s.present, code)
			}
			s.here[code] += parts
		})
	}
}

func (s *spread) leave() {
	for _, code := range s.present {
		s.here[code] = 0
	}
}

// mostAbsent returns the most frequent value that the current class lacks. Since its share of
// the class is 0, the deviation is its share of the release.
func (s *spread) mostAbsent() (code uint32, ok bool) {
	for _, code := range s.order {
		if s.here[code] == 0 {
			return code, true
		}
	}
	return 0, false
}

// describe returns "salary = 4500 is 2 of 4 records, 2 of 8 in the release".
func (s *spread) describe(code uint32, c class, withPrior bool) string {
	text := fmt.Sprintf("%s is %s of %d %s%s", describeValue(s.column, code), s.records(s.here[code]), c.size, counted(s.release), s.condition(c))
	if withPrior {
		text += fmt.Sprintf(", %s of %d in the release", s.records(s.total[code]), s.release.Rows)
	}
	return text
}

func (s *spread) records(parts uint64) string {
	if parts%s.unit == 0 {
		return fmt.Sprint(parts / s.unit)
	}
	return fmt.Sprintf("%.4g (expected)", float64(parts)/float64(s.unit))
}
