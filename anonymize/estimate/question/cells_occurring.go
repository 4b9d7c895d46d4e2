package question

import (
	"context"
	"slices"
)

// mergeOccurring numbers the combinations that some tuple may have. Cost: a look-up for each
// combination of every tuple with different cells, and an evaluation per combination; if there
// are too many, it evaluates nothing.
func (s *CellSide) mergeOccurring(ctx context.Context, product uint64) error {
	codes, err := s.occurring(ctx, product)
	if err != nil {
		return err
	}
	if product <= maxCellCodes {
		s.Dense = slices.Repeat([]uint32{Dead}, int(product))
	} else {
		s.sparse = make(map[uint64]uint32, len(codes))
	}
	work := Checkpoint{Ctx: ctx}
	for _, code := range codes {
		if err := work.Pass(WorkPerEvaluation * (len(s.asked) + len(s.across) + 1)); err != nil {
			return err
		}
		class := s.evaluate(code)
		if s.Dense != nil {
			s.Dense[code] = class
		} else {
			s.sparse[code] = class
		}
	}
	s.Classes = max(1, len(s.Outcomes))
	return nil
}

// occurring lists the combinations that some tuple may have, in the order of tuples.
func (s *CellSide) occurring(ctx context.Context, product uint64) (list []uint64, err error) {
	var space ShareScratch
	met := newCodeSet(product)
	tuples, cells, next := NewTupleNumbering(len(s.Columns)), make([]uint32, len(s.Columns)), uint32(0)
	steps, work := 0, Checkpoint{Ctx: ctx}
	for t := range uint32(s.Fragment.Tuples()) {
		for i, c := range s.Columns {
			cells[i] = c.Codes[t]
		}
		if tuples.NumberCodes(cells) < next {
			if err := work.Pass(1); err != nil {
				return nil, err
			}
			continue
		}
		next++
		n := s.countCombinations(t, &space)
		if steps += met.cost * (n + 1); n > maxCellClasses || steps > maxCellSteps {
			return nil, &TooManyCombinationsError{s.Fragment.Name, maxCellClasses}
		}
		combinations, _ := s.combinations(t, &space)
		if err := work.Pass(s.WorkOf(t) + min(WorkPerCheck, n)); err != nil {
			return nil, err
		}
		for _, x := range combinations {
			if !met.add(x.Code) {
				continue
			}
			if len(list) == maxCellClasses {
				return nil, &TooManyCombinationsError{s.Fragment.Name, maxCellClasses}
			}
			list = append(list, x.Code)
		}
	}
	return list, nil
}

// A codeSet is a set of numbers below a bound; it is a bitmap if the bound is low enough.
type codeSet struct {
	bits  []uint64
	codes map[uint64]struct{}
	cost  int // of add, in steps
}

// maxCodeBits is the greatest size of the bitmap: 16 megabytes.
const maxCodeBits = 1 << 27

func newCodeSet(bound uint64) *codeSet {
	if bound <= maxCodeBits {
		return &codeSet{bits: make([]uint64, (bound+63)/64), cost: 1}
	}
	return &codeSet{codes: make(map[uint64]struct{}), cost: 4}
}

// add adds a number and reports whether it is new.
func (c *codeSet) add(code uint64) bool {
	if c.bits != nil {
		word, bit := &c.bits[code/64], uint64(1)<<(code%64)
		isNew := *word&bit == 0
		*word |= bit
		return isNew
	}
	before := len(c.codes)
	c.codes[code] = struct{}{}
	return len(c.codes) > before
}
