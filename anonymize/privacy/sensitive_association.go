package privacy

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// sensitiveAssociation is beta, Eq. (5), delta, Eq. (8), and lift, over every
// attribute that a sensitive fragment publishes.
func sensitiveAssociation(r *anonymize.Release) ([]figure, error) {
	a := &association{
		beta:  figure{name: "beta", group: -1},
		delta: figure{name: "delta", group: -1},
		lift:  figure{name: "lift", group: -1},
	}
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		for _, c := range f.Columns {
			s, err := newSpread(r, f, c)
			if err != nil {
				return nil, err
			}
			a.look(s)
		}
	}
	if a.beta.group < 0 {
		return nil, errors.New("no fragment has the sensitive attribute alone")
	}
	return []figure{a.beta, a.delta, a.lift}, nil
}

// A spread is how the records of groups fall on the values of one attribute. To
// stay with whole numbers a record counts as unit parts, and a cell of s values
// gives unit/s parts to each.
type spread struct {
	release  *anonymize.Release
	fragment *anonymize.Fragment
	column   *anonymize.FragmentColumn
	unit     uint64
	total    []uint64 // parts by code, over all groups
	order    []uint32 // codes by total, descending
	here     []uint64 // parts by code in the group at hand; else zero
	present  []uint32 // codes with parts in the group at hand
}

// greatestUnit keeps products of unit, group size and rows inside 64 bits.
const greatestUnit = 1 << 20

func newSpread(r *anonymize.Release, f *anonymize.Fragment, c *anonymize.FragmentColumn) (*spread, error) {
	s := &spread{release: r, fragment: f, column: c, unit: 1,
		total: make([]uint64, len(c.Dictionary)), here: make([]uint64, len(c.Dictionary))}
	for i := range c.Cells {
		if c.Cells[i].Weights != nil {
			return nil, fmt.Errorf("column %s of fragment %s has weighted cells", c.Name, f.Name)
		}
		s.unit = leastCommonMultiple(s.unit, uint64(len(c.Cells[i].Members)))
		if s.unit > greatestUnit {
			return nil, fmt.Errorf("column %s of fragment %s has cells of too many different sizes", c.Name, f.Name)
		}
	}
	size := uint64(slices.Max(r.GroupSizes))
	if over, product := bits.Mul64(uint64(r.Rows)*s.unit, size); over != 0 || product > 1<<63 {
		return nil, fmt.Errorf("column %s of fragment %s has too many records to count in parts of 1/%d", c.Name, f.Name, s.unit)
	}
	for t := range f.Tuples() {
		s.each(uint32(t), func(code uint32, parts uint64) { s.total[code] += parts })
	}
	s.order = make([]uint32, len(c.Dictionary))
	for code := range s.order {
		s.order[code] = uint32(code)
	}
	slices.SortStableFunc(s.order, func(x, y uint32) int { return cmp.Compare(s.total[y], s.total[x]) })
	return s, nil
}

func leastCommonMultiple(a, b uint64) uint64 {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// each calls yield with the values that a tuple may have and their parts.
func (s *spread) each(tuple uint32, yield func(code uint32, parts uint64)) {
	count, code := uint64(s.fragment.Count[tuple]), s.column.Codes[tuple]
	if s.column.IsPoint() {
		yield(code, count*s.unit)
		return
	}
	members := s.column.Cells[code].Members
	for _, m := range members {
		yield(m, count*(s.unit/uint64(len(members))))
	}
}

// enter counts a group, leave clears it.
func (s *spread) enter(group int) {
	s.present = s.present[:0]
	for t := s.fragment.GroupStart[group]; t < s.fragment.GroupStart[group+1]; t++ {
		s.each(t, func(code uint32, parts uint64) {
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

// mostAbsent returns the most frequent value that the group at hand lacks. Its
// share of the release is how far its share of the group, 0, is off.
func (s *spread) mostAbsent() (code uint32, ok bool) {
	for _, code := range s.order {
		if s.here[code] == 0 {
			return code, true
		}
	}
	return 0, false
}

// association is the worst of all attributes so far.
type association struct {
	beta, delta, lift figure
}

// look takes in one attribute, group by group.
func (a *association) look(s *spread) {
	rows := uint64(s.release.Rows)
	for g, groupSize := range s.release.GroupSizes {
		size := uint64(groupSize)
		s.enter(g)
		for _, code := range s.present {
			here, total := s.here[code], s.total[code]
			if a.beta.raise(quotient(here, size*s.unit), g) {
				a.beta.detail = s.describe(code, size, false)
			}
			if a.lift.raise(quotient(here*rows, total*size), g) {
				a.lift.detail = s.describe(code, size, true)
			}
			a.deviation(s, code, g, size, rows)
		}
		if code, ok := s.mostAbsent(); ok {
			a.deviation(s, code, g, size, rows)
		}
		s.leave()
	}
}

// deviation is |total/rows - here/size|, with both shares in parts of 1/unit.
func (a *association) deviation(s *spread, code uint32, group int, size, rows uint64) {
	prior, posterior := s.total[code]*size, s.here[code]*rows
	difference := max(prior, posterior) - min(prior, posterior)
	if a.delta.raise(quotient(difference, rows*size*s.unit), group) {
		a.delta.detail = s.describe(code, size, true)
	}
}

// describe writes "salary = 4500 is 2 of 4 records, 2 of 8 in the release".
func (s *spread) describe(code uint32, size uint64, withPrior bool) string {
	text := fmt.Sprintf("%s is %s of %d records", describeValue(s.column, code), s.records(s.here[code]), size)
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
