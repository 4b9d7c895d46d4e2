package question

import (
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A TooManyCombinationsError reports a question that distinguishes more combinations of values
// of one fragment's columns, some with cells that stand for several values, than the estimator
// can follow.
type TooManyCombinationsError struct {
	Fragment string
	Limit    int
}

func (e *TooManyCombinationsError) Error() string {
	return fmt.Sprintf(
		"the keys, arguments and conditions over several columns of fragment %s tell more than %d combinations of values apart: use coarser expressions, one column each",
		e.Fragment,
		e.Limit,
	)
}

// Limits of a CellSide: the number of numbered combinations; the steps to find those that
// occur, about 10 ns each; and the combinations that have a place in an array whether they
// occur or not, 4 bytes each.
const (
	maxCellClasses = 1 << 21
	maxCellSteps   = 1 << 26
	maxCellCodes   = 1 << 23
)

// A CellSide is a fragment with cells, reduced to what a question needs. The class of a tuple
// is random: each column's class is drawn independently from its cell's shares. A combination
// of columns' classes has one class of the side, or is dead.
type CellSide struct {
	Fragment *anonymize.Fragment
	question *Question
	Columns  []*CellColumn
	// wide has the leaves over several columns, across the conditions over several; both are
	// evaluated once per combination of classes.
	wide   []int
	across []*Expression
	// asked are the expressions whose outcomes make classes; if nil, the wanted leaves do.
	asked  []*Expression
	wanted []int
	// Dense has the class of every combination, or Dead if it does not occur; sparse has only
	// those that occur. With one column whose classes are the side's, both are nil.
	Dense    []uint32
	sparse   map[uint64]uint32
	Classes  int
	Outcomes [][]Outcome // by class: what is asked, then the error of a condition
	// scratch of the evaluation:
	numbering *TupleNumbering
	all       []Outcome
	values    []anonymize.Value
}

// NewCellSide classifies a fragment with cells by some leaves. asked: see CellSide. extra are
// further columns to include. Cost: the values of the columns, their cells and the combinations
// of classes; beyond 65,536 combinations also a pass over the tuples. A single column has no
// combinations, whatever its values.
func NewCellSide(ctx context.Context, r *anonymize.Release, q *Question, fragment int, leaves []int, asked []*Expression, extra []int) (*CellSide, error) {
	s := &CellSide{Fragment: r.Fragments[fragment], question: q, asked: asked, all: make([]Outcome, len(q.Leaves))}
	wanted := q.wanted()
	builders, err := s.addColumns(ctx, leaves, extra)
	if err != nil {
		return nil, err
	}
	for _, l := range leaves {
		if asked == nil && wanted[l] {
			s.wanted = append(s.wanted, l)
		}
	}
	for i := range q.Where {
		if condition := &q.Where[i]; q.FragmentOf(condition) == fragment {
			s.place(condition, builders)
		}
	}
	for _, b := range builders {
		// Leaves that only decide conditions of this column are no longer needed.
		kept := b.leaves
		b.leaves = nil
		for _, l := range kept {
			if asked == nil && wanted[l] || s.isRead(l) {
				b.leaves = append(b.leaves, l)
			}
		}
		if err := b.classifyBy(ctx, kept); err != nil {
			return nil, err
		}
		if err := b.Prepare(ctx, maxCounts); err != nil {
			return nil, err
		}
	}
	return s, s.merge(ctx)
}

// addColumns adds the columns that the leaves read, and others.
func (s *CellSide) addColumns(ctx context.Context, leaves, others []int) ([]*cellColumnBuilder, error) {
	var builders []*cellColumnBuilder
	of := func(column int) *cellColumnBuilder {
		for _, b := range builders {
			if b.position == column {
				return b
			}
		}
		b := &cellColumnBuilder{question: s.question, CellColumn: &CellColumn{
			FragmentColumn: s.Fragment.Columns[column], position: column}}
		builders = append(builders, b)
		s.Columns = append(s.Columns, b.CellColumn)
		return b
	}
	for _, l := range leaves {
		leaf := &s.question.Leaves[l]
		if leaf.IsOfOneColumn() {
			b := of(leaf.Columns[0])
			b.leaves = append(b.leaves, l)
			continue
		}
		s.wide = append(s.wide, l)
		axes, err := leaf.axesOf(ctx, s.Fragment)
		if err != nil {
			return nil, err
		}
		for i, axis := range axes {
			b := of(leaf.Columns[i])
			b.axes = append(b.axes, axis)
		}
	}
	for _, column := range others {
		of(column)
	}
	return builders, nil
}

func (l *Leaf) IsOfOneColumn() bool {
	return !slices.ContainsFunc(l.Columns, func(c int) bool { return c != l.Columns[0] })
}

// place gives a condition to the only column that it reads, or to the side.
func (s *CellSide) place(condition *Expression, builders []*cellColumnBuilder) {
	if i := s.ColumnOf(condition); i >= 0 {
		builders[i].conditions = append(builders[i].conditions, condition)
		return
	}
	s.across = append(s.across, condition)
}

// ColumnOf returns the index of the only column that e reads, or -1.
func (s *CellSide) ColumnOf(e *Expression) int {
	column := -1
	for _, l := range e.Leaves {
		leaf := &s.question.Leaves[l]
		if !leaf.IsOfOneColumn() || column >= 0 && leaf.Columns[0] != column {
			return -1
		}
		column = leaf.Columns[0]
	}
	return slices.IndexFunc(s.Columns, func(c *CellColumn) bool { return c.position == column })
}

// isRead reports whether the side itself evaluates something over the leaf.
func (s *CellSide) isRead(leaf int) bool {
	reads := func(e *Expression) bool { return slices.Contains(e.Leaves, leaf) }
	return slices.ContainsFunc(s.across, reads) || slices.ContainsFunc(s.asked, reads)
}

// merge numbers the combinations of the columns' classes.
func (s *CellSide) merge(ctx context.Context) error {
	if len(s.Columns) == 1 && s.asked == nil && len(s.across) == 0 && len(s.wide) == 0 {
		s.Classes, s.Outcomes = s.Columns[0].Classes, s.Columns[0].Outcomes
		s.wanted = s.Columns[0].leaves
		return nil
	}
	n := len(s.wanted)
	if s.asked != nil {
		n = len(s.asked)
	}
	s.numbering = NewTupleNumbering(n + 1)
	product := uint64(1)
	for _, c := range s.Columns {
		if product *= uint64(c.Classes); product > 1<<40 {
			return &TooManyCombinationsError{s.Fragment.Name, maxCellClasses}
		}
	}
	if product <= maxSideClasses || len(s.Columns) == 1 && product <= maxCellClasses {
		s.Dense = make([]uint32, product)
		work := Checkpoint{Ctx: ctx}
		for at := range s.Dense {
			if err := work.Pass(WorkPerEvaluation * (len(s.asked) + len(s.across) + 1)); err != nil {
				return err
			}
			s.Dense[at] = s.evaluate(uint64(at))
		}
		s.Classes = max(1, len(s.Outcomes))
		return nil
	}
	return s.mergeOccurring(ctx, product)
}

// evaluate returns the class of a combination of the columns' classes.
func (s *CellSide) evaluate(code uint64) uint32 {
	failure, ok := s.decodeColumns(code)
	if !ok {
		return Dead
	}
	if undecided, ok := hold(s.across, s.all); !ok {
		return Dead
	} else if undecided != nil {
		failure = undecided
	}
	var asked []Outcome
	for _, l := range s.wanted {
		asked = append(asked, s.all[l])
	}
	for _, e := range s.asked {
		value, err := e.Evaluate(s.all, nil)
		asked = append(asked, Outcome{value, err})
	}
	asked = append(asked, Outcome{Err: failure})
	class := s.numbering.Number(distinguish(asked))
	if int(class) == len(s.Outcomes) {
		s.Outcomes = append(s.Outcomes, asked)
	}
	return class
}

// decodeColumns sets the outcomes of all leaves for a combination; ok is false if a column has
// no class.
func (s *CellSide) decodeColumns(code uint64) (failure error, ok bool) {
	examples := make([]uint32, len(s.Columns))
	for i, c := range s.Columns {
		class := code % uint64(c.Classes)
		code /= uint64(c.Classes)
		if len(c.Outcomes) == 0 {
			return nil, false
		}
		for j, l := range c.leaves {
			s.all[l] = c.Outcomes[class][j]
		}
		if err := c.Outcomes[class][len(c.leaves)].Err; err != nil {
			failure = err
		}
		examples[i] = c.example[class]
	}
	for _, l := range s.wide {
		leaf := &s.question.Leaves[l]
		s.values = s.values[:0]
		for _, column := range leaf.Columns {
			i := slices.IndexFunc(s.Columns, func(c *CellColumn) bool { return c.position == column })
			s.values = append(s.values, s.Columns[i].Dictionary[examples[i]])
		}
		s.all[l] = leaf.Outcome(s.values)
	}
	return failure, true
}

// Class returns the class of a combination of the columns' classes.
func (s *CellSide) Class(code uint64) uint32 {
	switch {
	case s.Dense != nil:
		return s.Dense[code]
	case s.sparse != nil:
		return s.sparse[code]
	}
	return uint32(code)
}
