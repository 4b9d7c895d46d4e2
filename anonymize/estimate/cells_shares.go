package estimate

import "slices"

// shareScratch is one core's space for the shares of a tuple.
type shareScratch struct {
	column        []scratch
	current, next []codeShare
	shares        []share
}

type codeShare struct {
	code uint64
	mass float64
}

// sharesOf returns the shares of a tuple in the classes of the side, and whether
// they are all of it. A class may come more than once. The list is scratch.
func (s *cellSide) sharesOf(t uint32, space *shareScratch) ([]share, bool) {
	if s.dense == nil && s.sparse == nil {
		for len(space.column) < 1 {
			space.column = append(space.column, scratch{})
		}
		return s.columns[0].sharesOf(s.columns[0].Codes[t], &space.column[0])
	}
	combinations, whole := s.combinations(t, space)
	space.shares = space.shares[:0]
	for _, x := range combinations {
		if class := s.class(x.code); class != dead {
			space.shares = append(space.shares, share{class, x.mass})
		} else {
			whole = false
		}
	}
	return space.shares, whole
}

// combinations returns those of the columns' classes that a tuple may have.
func (s *cellSide) combinations(t uint32, space *shareScratch) (list []codeShare, whole bool) {
	return s.combinationsOf(t, space, func(*cellColumn) bool { return true })
}

// combinationsOf returns those of some columns.
func (s *cellSide) combinationsOf(t uint32, space *shareScratch, isMeant func(*cellColumn) bool) (list []codeShare, whole bool) {
	for len(space.column) < len(s.columns) {
		space.column = append(space.column, scratch{})
	}
	space.current, whole = append(space.current[:0], codeShare{0, 1}), true
	stride := uint64(1)
	for i, c := range s.columns {
		if isMeant(c) {
			shares, all := c.sharesOf(c.Codes[t], &space.column[i])
			whole = whole && all
			space.next = space.next[:0]
			for _, x := range space.current {
				for _, share := range shares {
					space.next = append(space.next, codeShare{x.code + uint64(share.class)*stride, x.mass * share.mass})
				}
			}
			space.current, space.next = space.next, space.current
		}
		stride *= uint64(c.classes)
	}
	return space.current, whole
}

// countCombinations is how many combinations returns, or more than maxCellClasses:
// nothing is made of them.
func (s *cellSide) countCombinations(t uint32, space *shareScratch) int {
	for len(space.column) < len(s.columns) {
		space.column = append(space.column, scratch{})
	}
	n := 1
	for i, c := range s.columns {
		shares, _ := c.sharesOf(c.Codes[t], &space.column[i])
		if n *= len(shares); n > maxCellClasses {
			return n
		}
	}
	return n
}

// workOf is about the steps of finding the shares of a tuple, beside those that are
// found: of columns whose shares are not kept.
func (s *cellSide) workOf(t uint32) int {
	n := 1
	for _, c := range s.columns {
		if c.start == nil {
			n += c.workOf(c.Codes[t])
		}
	}
	return n
}

// decides reports whether the question leaves nothing open in any cell.
func (s *cellSide) decides() bool {
	return !slices.ContainsFunc(s.columns, func(c *cellColumn) bool { return !c.decides() })
}
