package estimate

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// A cellColumn is a column of a fragment with cells, as a question sees it:
// every value of its dictionary is reduced to a class, once, and every cell to
// the shares of its members in the classes. Inside a tuple the columns are
// independent, so that nothing has to be evaluated for combinations of members.
type cellColumn struct {
	*anonymize.FragmentColumn
	position int // in the fragment
	// classOf has the class of every value, or dead; classes counts them.
	classOf []uint32
	classes int
	// outcomes has, by class, those of the column's leaves, and a last one for
	// the error of a condition; example a value of every class.
	leaves   []int
	outcomes [][]outcome
	example  []uint32
	// shares of a code are shares[start[code]:start[code+1]]. nil start: there
	// would be too many, they are found as they are needed.
	start  []uint32
	shares []share
	// whole says of every code that no member is dead; where shares are kept.
	whole []bool
	runs  []uint32 // by value, the first value behind its stretch of one class
	count [][]uint32
	scratch
}

// scratch finds the place of a class in a list of shares.
type scratch struct {
	place []uint32 // by class, 1-based
	list  []share
}

// maxShares bounds the shares that are kept: 16 bytes each.
const maxShares = 1 << 22

// Where classes are few, a stretch of members is counted by the differences of
// their numbers, 4 bytes per class and value; else by walking over the changes of
// class in it. Few are maxCountedClasses, and more where classes alternate and
// the numbers are no more than maxCounts.
const (
	maxCountedClasses = 4
	maxCounts         = 1 << 20
	runsPerClass      = 64
)

// prepare finds the shares of all codes once the classes are known; counts is the
// most numbers of members to be kept, beside those of few classes. Cost: the values, and per cell its shares where its members are a stretch of equally
// likely neighbours, its members else.
func (c *cellColumn) prepare(ctx context.Context, counts int) error {
	c.place = make([]uint32, c.classes)
	var runs int
	c.runs, runs = runsOf(c.classOf)
	if c.classes <= maxCountedClasses || c.classes*len(c.classOf) <= counts && runs > runsPerClass*c.classes {
		c.countClasses()
	}
	codes := len(c.Dictionary)
	if !c.IsPoint() {
		codes = len(c.Cells)
	}
	c.start, c.whole = make([]uint32, 1, codes+1), make([]bool, codes)
	at := checkpoint{ctx: ctx}
	for code := range codes {
		if err := at.pass(c.workOf(uint32(code))); err != nil {
			return err
		}
		list, whole := c.find(uint32(code), &c.scratch)
		c.whole[code] = whole
		if c.shares = append(c.shares, list...); len(c.shares) > maxShares {
			c.start, c.shares = nil, nil
			return nil
		}
		c.start = append(c.start, uint32(len(c.shares)))
	}
	return nil
}

// runsOf has by value the first one behind its stretch of one class.
func runsOf(classOf []uint32) (behind []uint32, runs int) {
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

// workOf is about the steps of finding the shares of a code.
func (c *cellColumn) workOf(code uint32) int {
	switch {
	case c.IsPoint():
		return 1
	case c.count != nil && c.Cells[code].Weights == nil:
		return 1 + c.classes
	}
	return len(c.Cells[code].Members)
}

// countClasses makes, for every class, the numbers of its values before each.
func (c *cellColumn) countClasses() {
	c.count = make([][]uint32, c.classes)
	for class := range c.count {
		counts := make([]uint32, len(c.classOf)+1)
		for v, of := range c.classOf {
			counts[v+1] = counts[v]
			if of == uint32(class) {
				counts[v+1]++
			}
		}
		c.count[class] = counts
	}
}

// sharesOf returns the shares of a code, each class once, and whether they are
// all of it. The list is scratch, or not to be changed.
func (c *cellColumn) sharesOf(code uint32, s *scratch) ([]share, bool) {
	if c.start != nil {
		return c.shares[c.start[code]:c.start[code+1]], c.whole[code]
	}
	for len(s.place) < c.classes {
		s.place = append(s.place, 0)
	}
	return c.find(code, s)
}

func (c *cellColumn) find(code uint32, s *scratch) (list []share, whole bool) {
	s.list = s.list[:0]
	if c.IsPoint() {
		if class := c.classOf[code]; class != dead {
			s.list = append(s.list, share{class, 1})
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
		s.place[s.list[i].class] = 0
		if cell.Weights == nil {
			s.list[i].mass /= float64(members)
		}
	}
	if whole = alive == members; whole && len(s.list) == 1 {
		s.list[0].mass = 1 // whatever the weights add up to
	}
	return s.list, whole
}

func (s *scratch) add(class uint32, mass float64) {
	if s.place[class] == 0 {
		s.list = append(s.list, share{class: class})
		s.place[class] = uint32(len(s.list))
	}
	s.list[s.place[class]-1].mass += mass
}

// findWeighted returns how many members are alive or have no weight.
func (c *cellColumn) findWeighted(cell *anonymize.Cell, s *scratch) (alive int) {
	for i, v := range cell.Members {
		class := c.classOf[v]
		if class != dead || cell.Weights[i] == 0 {
			alive++
		}
		if class != dead && cell.Weights[i] > 0 {
			s.add(class, cell.Weights[i])
		}
	}
	return alive
}

// findUniform counts members by class and returns how many are alive.
func (c *cellColumn) findUniform(cell *anonymize.Cell, s *scratch) (alive int) {
	eachStretch(cell.Members, func(first, end uint32) {
		c.eachPart(first, end, func(class, _, _ uint32, n int) {
			s.add(class, float64(n))
			alive += n
		})
	})
	return alive
}

// eachStretch cuts ascending members into stretches of neighbours. An interval
// is one, found without a walk; one with NULL, which is before all values, two.
func eachStretch(members []uint32, visit func(first, end uint32)) {
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

// eachPart visits the n > 0 values of each class alive from first to end-1, by
// class or by stretch: the bounds that it tells contain them, and nothing else
// of their class.
func (c *cellColumn) eachPart(first, end uint32, visit func(class, first, end uint32, n int)) {
	if c.count != nil {
		for class, counts := range c.count {
			if n := counts[end] - counts[first]; n > 0 {
				visit(uint32(class), first, end, int(n))
			}
		}
		return
	}
	for first < end {
		next := min(end, c.runs[first])
		if class := c.classOf[first]; class != dead {
			visit(class, first, next, int(next-first))
		}
		first = next
	}
}

// decides reports whether no cell leaves anything open: all members are of one
// class, or none is alive.
func (c *cellColumn) decides() bool {
	for code := range c.whole {
		list, whole := c.sharesOf(uint32(code), &c.scratch)
		if len(list) > 1 || len(list) == 1 && !whole {
			return false
		}
	}
	return true
}

// A cellColumnBuilder evaluates what reads a column.
type cellColumnBuilder struct {
	*cellColumn
	question   *Question
	conditions []*Expression
	// axes number the column's values by what leaves over several columns make
	// of them.
	axes []axis
}

// classifyBy numbers the values by their outcomes, having evaluated the given
// leaves.
func (b *cellColumnBuilder) classifyBy(ctx context.Context, evaluated []int) error {
	outcomes := make([]outcome, len(b.question.Leaves))
	numbering := newTupleNumbering(len(b.leaves) + 1 + len(b.axes))
	value := make([]anonymize.Value, 1)
	var arguments []anonymize.Value
	b.classOf = make([]uint32, len(b.Dictionary))
	at := checkpoint{ctx: ctx}
	for v := range b.Dictionary {
		if err := at.pass(workPerEvaluation * (1 + len(evaluated))); err != nil {
			return err
		}
		value[0] = b.Dictionary[v]
		for _, l := range evaluated {
			leaf := &b.question.Leaves[l]
			arguments = arguments[:0]
			for range leaf.Columns {
				arguments = append(arguments, value[0])
			}
			outcomes[l] = leaf.outcome(arguments)
		}
		failure, ok := hold(b.conditions, outcomes)
		if !ok {
			b.classOf[v] = dead
			continue
		}
		wanted := make([]outcome, 0, len(b.leaves)+1)
		for _, l := range b.leaves {
			wanted = append(wanted, outcomes[l])
		}
		wanted = append(wanted, outcome{err: failure})
		id := distinguish(wanted)
		for _, axis := range b.axes {
			id = append(id, anonymize.IntegerValue(int64(axis[v])))
		}
		class := numbering.number(id)
		if int(class) == len(b.outcomes) {
			b.outcomes, b.example = append(b.outcomes, wanted), append(b.example, uint32(v))
		}
		b.classOf[v] = class
	}
	b.classes = max(1, len(b.outcomes))
	return nil
}

func (l *Leaf) outcome(values []anonymize.Value) outcome {
	value, err := l.Eval(values)
	if err != nil {
		value = anonymize.NullValue
	}
	return outcome{value, err}
}

// hold decides conditions. One that cannot be decided passes with its error,
// which counts where all others hold.
func hold(conditions []*Expression, outcomes []outcome) (failure error, ok bool) {
	for _, condition := range conditions {
		truth, err := condition.evaluate(outcomes, nil)
		if err != nil {
			failure = err
		} else if !isTrue(truth) {
			return nil, false
		}
	}
	return failure, true
}
