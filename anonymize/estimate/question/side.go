package question

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// SharesOf returns the shares of a tuple in the classes of the side, and whether they cover the whole tuple.
func (s *Side) SharesOf(t uint32, space *ShareScratch) ([]Share, bool) {
	if !s.Point {
		return s.Cells.SharesOf(t, space)
	}
	space.shares = space.shares[:0]
	if class := s.ClassOf(t); class != Dead {
		space.shares = append(space.shares, Share{class, 1})
	}
	return space.shares, true
}

// A CodeScratch is one core's scratch space for codes of tuples.
type CodeScratch struct{ unit, side []uint32 }

// ClassOfCode returns the class of every code of CodesBetween, Dead if no record counts.
func (s *Side) ClassOfCode() []uint32 {
	if len(s.Units) == 1 {
		return s.Units[0].ClassOf
	}
	classes := anonymize.Indices(s.Classes + 1)
	classes[s.Classes] = Dead
	return classes
}

// CodesBetween returns the codes of the tuples from to end-1: those of the only unit, else the classes, with s.Classes for dead tuples.
func (s *Side) CodesBetween(from, end uint32, space *CodeScratch) []uint32 {
	if len(s.Units) == 1 {
		return s.Units[0].codesBetween(s.Fragment, from, end, space)
	}
	codes, dead, stride := Resized(space.side, int(end-from)), uint32(s.Classes), uint32(1)
	space.side = codes
	clear(codes)
	for _, u := range s.Units {
		classOf := u.ClassOf
		for t, code := range u.codesBetween(s.Fragment, from, end, space) {
			if class := classOf[code]; class == Dead {
				codes[t] = dead
			} else if codes[t] != dead {
				codes[t] += class * stride
			}
		}
		stride *= uint32(u.Classes)
	}
	return codes
}

// codesBetween returns the unit's codes, composed of its columns' codes if Number was not called.
func (u *Unit) codesBetween(f *anonymize.Fragment, from, end uint32, space *CodeScratch) []uint32 {
	if u.Codes != nil {
		return u.Codes[from:end]
	}
	space.unit = Resized(space.unit, int(end-from))
	clear(space.unit)
	u.combine(f, from, space.unit)
	return space.unit
}

// combine adds the codes of the unit's columns to codes, for len(codes) tuples.
func (u *Unit) combine(f *anonymize.Fragment, from uint32, codes []uint32) {
	stride := uint32(1)
	for i, c := range u.Columns {
		for t, code := range f.Columns[c].Codes[from:][:len(codes)] {
			codes[t] += code * stride
		}
		stride *= uint32(u.Radix[i])
	}
}

// ClassOf returns the class of a tuple of points, Dead if it fails a condition.
func (s *Side) ClassOf(t uint32) uint32 {
	class, stride := uint32(0), uint32(1)
	for _, u := range s.Units {
		c := u.ClassOf[u.Codes[t]]
		if c == Dead {
			return Dead
		}
		class += c * stride
		stride *= uint32(u.Classes)
	}
	return class
}

// Filters reports whether some values of the unit fail a condition.
func (u *Unit) Filters() bool { return slices.Contains(u.ClassOf, Dead) }
