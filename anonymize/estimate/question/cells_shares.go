package question

import "slices"

// ShareScratch is one core's scratch space for the shares of a tuple.
type ShareScratch struct {
	column        []Scratch
	current, next []codeShare
	shares        []Share
}

type codeShare struct {
	Code uint64
	Mass float64
}

// SharesOf returns the shares of a tuple in the classes of the side, and whether they cover the
// whole tuple. A class may occur more than once. The list is valid until the next use of space.
func (s *CellSide) SharesOf(t uint32, space *ShareScratch) ([]Share, bool) {
	if s.Dense == nil && s.sparse == nil {
		for len(space.column) < 1 {
			space.column = append(space.column, Scratch{})
		}
		return s.Columns[0].SharesOf(s.Columns[0].Codes[t], &space.column[0])
	}
	combinations, whole := s.combinations(t, space)
	space.shares = space.shares[:0]
	for _, x := range combinations {
		if class := s.Class(x.Code); class != Dead {
			space.shares = append(space.shares, Share{class, x.Mass})
		} else {
			whole = false
		}
	}
	return space.shares, whole
}

// combinations returns the combinations of the columns' classes that a tuple may have.
func (s *CellSide) combinations(t uint32, space *ShareScratch) (list []codeShare, whole bool) {
	return s.CombinationsOf(t, space, func(*CellColumn) bool { return true })
}

// CombinationsOf returns the combinations of the columns for which isMeant is true.
func (s *CellSide) CombinationsOf(t uint32, space *ShareScratch, isMeant func(*CellColumn) bool) (list []codeShare, whole bool) {
	for len(space.column) < len(s.Columns) {
		space.column = append(space.column, Scratch{})
	}
	space.current, whole = append(space.current[:0], codeShare{0, 1}), true
	stride := uint64(1)
	for i, c := range s.Columns {
		if isMeant(c) {
			shares, all := c.SharesOf(c.Codes[t], &space.column[i])
			whole = whole && all
			space.next = space.next[:0]
			for _, x := range space.current {
				for _, share := range shares {
					space.next = append(space.next, codeShare{x.Code + uint64(share.Class)*stride, x.Mass * share.Mass})
				}
			}
			space.current, space.next = space.next, space.current
		}
		stride *= uint64(c.Classes)
	}
	return space.current, whole
}

// countCombinations returns the length of combinations' result, or a number above
// maxCellClasses, without making them.
func (s *CellSide) countCombinations(t uint32, space *ShareScratch) int {
	for len(space.column) < len(s.Columns) {
		space.column = append(space.column, Scratch{})
	}
	n := 1
	for i, c := range s.Columns {
		shares, _ := c.SharesOf(c.Codes[t], &space.column[i])
		if n *= len(shares); n > maxCellClasses {
			return n
		}
	}
	return n
}

// WorkOf estimates the steps of computing a tuple's shares from columns whose shares are not
// kept.
func (s *CellSide) WorkOf(t uint32) int {
	n := 1
	for _, c := range s.Columns {
		if c.Start == nil {
			n += c.WorkOf(c.Codes[t])
		}
	}
	return n
}

// Decides reports whether the question leaves nothing open in any cell.
func (s *CellSide) Decides() bool {
	return !slices.ContainsFunc(s.Columns, func(c *CellColumn) bool { return !c.decides() })
}
