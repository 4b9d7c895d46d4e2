package question

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// A CellColumn is a column of a fragment with cells, reduced to what a question needs: every
// value of its dictionary to a class, once, and every cell to the shares of its members in the
// classes. Within a tuple the columns are independent, so combinations of members need no
// evaluation.
type CellColumn struct {
	*anonymize.FragmentColumn
	position int // in the fragment
	// ClassOf has the class of every value, or Dead; Classes is the number of classes.
	ClassOf []uint32
	Classes int
	// Outcomes has, by class, those of the column's leaves and, last, one for the error of a
	// condition; example has a value of every class.
	leaves   []int
	Outcomes [][]Outcome
	example  []uint32
	// The shares of a code are Shares[Start[code]:Start[code+1]]. If Start is nil, the shares
	// are too many to keep and are computed when needed.
	Start  []uint32
	Shares []Share
	// Whole says, by code, that no member is dead; nil if shares are not kept.
	Whole []bool
	runs  []uint32 // by value: the end of its stretch of one class
	Count [][]uint32
	Scratch
}

// Scratch locates a class in a list of shares.
type Scratch struct {
	Found []uint32 // by class, 1-based
	list  []Share
}

// maxShares is the greatest number of shares that are kept, 16 bytes each.
const maxShares = 1 << 22

// If classes are few, differences of prefix counts give the numbers of a stretch's members, at
// 4 bytes per class and value; otherwise a walk over its changes of class does. Few means
// maxCountedClasses, or more if classes alternate and the counts do not exceed maxCounts.
const (
	maxCountedClasses = 4
	maxCounts         = 1 << 20
	runsPerClass      = 64
)

// Prepare computes the shares of all codes from the classes. counts is the greatest number of
// prefix counts to keep if classes are many. Cost: the values, and per cell its shares if its
// members are a stretch of equally likely neighbours, else its members.
func (c *CellColumn) Prepare(ctx context.Context, counts int) error {
	c.Found = make([]uint32, c.Classes)
	var runs int
	c.runs, runs = RunsOf(c.ClassOf)
	if c.Classes <= maxCountedClasses || c.Classes*len(c.ClassOf) <= counts && runs > runsPerClass*c.Classes {
		c.countClasses()
	}
	codes := len(c.Dictionary)
	if !c.IsPoint() {
		codes = len(c.Cells)
	}
	c.Start, c.Whole = make([]uint32, 1, codes+1), make([]bool, codes)
	at := Checkpoint{Ctx: ctx}
	for code := range codes {
		if err := at.Pass(c.WorkOf(uint32(code))); err != nil {
			return err
		}
		list, whole := c.find(uint32(code), &c.Scratch)
		c.Whole[code] = whole
		if c.Shares = append(c.Shares, list...); len(c.Shares) > maxShares {
			c.Start, c.Shares = nil, nil
			return nil
		}
		c.Start = append(c.Start, uint32(len(c.Shares)))
	}
	return nil
}

// RunsOf returns, by value, the end of its stretch of one class, and the number of stretches.
func RunsOf(classOf []uint32) (behind []uint32, runs int) {
	behind = make([]uint32, len(classOf))
	for v := len(classOf) - 1; v >= 0; v-- {
		if v+1 < len(classOf) && classOf[v] == classOf[v+1] {
			behind[v] = behind[v+1]
			continue
		}
		behind[v] = uint32(v + 1)
		runs++
	}
	return behind, runs
}

// WorkOf estimates the steps of computing the shares of a code.
func (c *CellColumn) WorkOf(code uint32) int {
	switch {
	case c.IsPoint():
		return 1
	case c.Count != nil && c.Cells[code].Weights == nil:
		return 1 + c.Classes
	}
	return len(c.Cells[code].Members)
}

// countClasses computes, by class and value, the number of earlier values of the class.
func (c *CellColumn) countClasses() {
	c.Count = make([][]uint32, c.Classes)
	for class := range c.Count {
		counts := make([]uint32, len(c.ClassOf)+1)
		for v, of := range c.ClassOf {
			counts[v+1] = counts[v]
			if of == uint32(class) {
				counts[v+1]++
			}
		}
		c.Count[class] = counts
	}
}

// SharesOf returns the shares of a code, each class once, and whether they cover the whole
// cell. The caller must not change the list; it is valid until the next use of s.
func (c *CellColumn) SharesOf(code uint32, s *Scratch) ([]Share, bool) {
	if c.Start != nil {
		return c.Shares[c.Start[code]:c.Start[code+1]], c.Whole[code]
	}
	for len(s.Found) < c.Classes {
		s.Found = append(s.Found, 0)
	}
	return c.find(code, s)
}

func (c *CellColumn) find(code uint32, s *Scratch) (list []Share, whole bool) {
	s.list = s.list[:0]
	if c.IsPoint() {
		if class := c.ClassOf[code]; class != Dead {
			s.list = append(s.list, Share{class, 1})
		}
		return s.list, len(s.list) == 1
	}
	cell := &c.Cells[code]
	members, alive := len(cell.Members), 0
	if cell.Weights != nil {
		alive = c.findWeighted(cell, s)
	} else {
		alive = c.findUniform(cell, s)
	}
	for i := range s.list {
		s.Found[s.list[i].Class] = 0
		if cell.Weights == nil {
			s.list[i].Mass /= float64(members)
		}
	}
	if whole = alive == members; whole && len(s.list) == 1 {
		s.list[0].Mass = 1 // exactly, despite rounding of the weights
	}
	return s.list, whole
}

func (s *Scratch) add(class uint32, mass float64) {
	if s.Found[class] == 0 {
		s.list = append(s.list, Share{Class: class})
		s.Found[class] = uint32(len(s.list))
	}
	s.list[s.Found[class]-1].Mass += mass
}

// findWeighted returns the number of members that are alive or have no weight.
func (c *CellColumn) findWeighted(cell *anonymize.Cell, s *Scratch) (alive int) {
	for i, v := range cell.Members {
		class := c.ClassOf[v]
		if class != Dead || cell.Weights[i] == 0 {
			alive++
		}
		if class != Dead && cell.Weights[i] > 0 {
			s.add(class, cell.Weights[i])
		}
	}
	return alive
}

// findUniform counts members by class and returns the number that are alive.
func (c *CellColumn) findUniform(cell *anonymize.Cell, s *Scratch) (alive int) {
	EachStretch(cell.Members, func(first, end uint32) {
		c.EachPart(first, end, func(class, _, _ uint32, n int) {
			s.add(class, float64(n))
			alive += n
		})
	})
	return alive
}

// EachStretch divides ascending members into stretches of neighbours. An interval is one
// stretch, found without a walk; with NULL, which sorts before all values, it is two.
func EachStretch(members []uint32, visit func(first, end uint32)) {
	for len(members) > 0 {
		n := len(members)
		if members[n-1]-members[0] != uint32(n-1) {
			for n = 1; n < len(members) && members[n] == members[n-1]+1; n++ {
			}
		}
		visit(members[0], members[0]+uint32(n))
		members = members[n:]
	}
}

// EachPart visits the live classes among the values first to end-1, with their n > 0 values, by
// class or by stretch. The visited bounds contain these values and no others of their class.
func (c *CellColumn) EachPart(first, end uint32, visit func(class, first, end uint32, n int)) {
	if c.Count != nil {
		for class, counts := range c.Count {
			if n := counts[end] - counts[first]; n > 0 {
				visit(uint32(class), first, end, int(n))
			}
		}
		return
	}
	for first < end {
		next := min(end, c.runs[first])
		if class := c.ClassOf[first]; class != Dead {
			visit(class, first, next, int(next-first))
		}
		first = next
	}
}

// decides reports whether no cell leaves anything open: its members are all in one class, or
// all dead.
func (c *CellColumn) decides() bool {
	for code := range c.Whole {
		list, whole := c.SharesOf(uint32(code), &c.Scratch)
		if len(list) > 1 || len(list) == 1 && !whole {
			return false
		}
	}
	return true
}

// A cellColumnBuilder evaluates the expressions that read a column.
type cellColumnBuilder struct {
	*CellColumn
	question   *Question
	conditions []*Expression
	// axes number the column's values by their effect on leaves over several columns.
	axes []axis
}

// classifyBy numbers the values by their outcomes of the given leaves.
func (b *cellColumnBuilder) classifyBy(ctx context.Context, evaluated []int) error {
	outcomes := make([]Outcome, len(b.question.Leaves))
	numbering := NewTupleNumbering(len(b.leaves) + 1 + len(b.axes))
	value := make([]anonymize.Value, 1)
	var arguments []anonymize.Value
	b.ClassOf = make([]uint32, len(b.Dictionary))
	at := Checkpoint{Ctx: ctx}
	for v := range b.Dictionary {
		if err := at.Pass(WorkPerEvaluation * (1 + len(evaluated))); err != nil {
			return err
		}
		value[0] = b.Dictionary[v]
		for _, l := range evaluated {
			leaf := &b.question.Leaves[l]
			arguments = arguments[:0]
			for range leaf.Columns {
				arguments = append(arguments, value[0])
			}
			outcomes[l] = leaf.Outcome(arguments)
		}
		failure, ok := hold(b.conditions, outcomes)
		if !ok {
			b.ClassOf[v] = Dead
			continue
		}
		wanted := make([]Outcome, 0, len(b.leaves)+1)
		for _, l := range b.leaves {
			wanted = append(wanted, outcomes[l])
		}
		wanted = append(wanted, Outcome{Err: failure})
		id := distinguish(wanted)
		for _, axis := range b.axes {
			id = append(id, anonymize.IntegerValue(int64(axis[v])))
		}
		class := numbering.Number(id)
		if int(class) == len(b.Outcomes) {
			b.Outcomes, b.example = append(b.Outcomes, wanted), append(b.example, uint32(v))
		}
		b.ClassOf[v] = class
	}
	b.Classes = max(1, len(b.Outcomes))
	return nil
}

func (l *Leaf) Outcome(values []anonymize.Value) Outcome {
	value, err := l.Eval(values)
	if err != nil {
		value = anonymize.NullValue
	}
	return Outcome{value, err}
}

// hold evaluates conditions. One that fails with an error passes; its error counts if all
// others hold.
func hold(conditions []*Expression, outcomes []Outcome) (failure error, ok bool) {
	for _, condition := range conditions {
		truth, err := condition.Evaluate(outcomes, nil)
		if err != nil {
			failure = err
		} else if !IsTrue(truth) {
			return nil, false
		}
	}
	return failure, true
}
