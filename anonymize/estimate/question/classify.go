package question

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// SidesOf classifies the fragments that q touches.
func SidesOf(ctx context.Context, r *anonymize.Release, q *Question) ([]*Side, error) {
	var sides []*Side
	for _, f := range q.Touched() {
		s, err := Classify(ctx, r, q, f)
		if err != nil {
			return nil, err
		}
		sides = append(sides, s)
	}
	return sides, nil
}

// Dead marks codes whose tuples fail a condition inside their fragment.
const Dead = ^uint32(0)

// maxSideClasses bounds the product of unit classes of one fragment; above it
// the touched columns are classified together, by what occurs.
const maxSideClasses = 1 << 16

// A Side is one fragment as the question sees it: tuples reduced to classes.
type Side struct {
	Fragment *anonymize.Fragment
	Units    []*Unit
	// Classes is the number of classes, the product of the units'.
	Classes int
	// Point says that every touched column has point cells; cells is the other
	// way to see the fragment, without units.
	Point bool
	Cells *CellSide
}

// A Unit is a set of columns of a side that are looked at together: a single
// column, unless an expression reads several. Its code is the column's code,
// or a number per tuple.
type Unit struct {
	Columns []int
	// Radix has the dictionary size of every column where the unit's code is
	// made of those of its columns, the first counting fastest; nil where
	// tuples are numbered by what occurs, or cells are not points.
	Radix []int
	// Codes has the unit's code per tuple. With a radix it is made when the
	// first one looks at single tuples: see number.
	Codes []uint32
	// ClassOf maps a unit code to its class or to dead.
	ClassOf []uint32
	Classes int
	// leaves are the leaves whose outcome the unit determines and somebody
	// above asks for; outcomes[class] has one entry per leaf, and a last one
	// for the error of a condition.
	leaves   []int
	outcomes [][]Outcome
}

// A Share is the probability that something drawn from a cell, or from the cells
// of a tuple, has a class.
type Share struct {
	Class uint32
	Mass  float64
}

// Classify reduces a fragment to its classes.
func Classify(ctx context.Context, r *anonymize.Release, q *Question, fragment int) (*Side, error) {
	f := r.Fragments[fragment]
	s := &Side{Fragment: f, Point: true}
	parts := q.partition(fragment)
	for _, p := range parts {
		for _, c := range p.Columns {
			s.Point = s.Point && f.Columns[c].IsPoint()
		}
	}
	if !s.Point {
		var err error
		if s.Cells, err = NewCellSide(ctx, r, q, fragment, q.leavesOf(fragment), nil, nil); err == nil {
			s.Classes = s.Cells.Classes
		}
		return s, err
	}
	err := s.build(ctx, q, parts)
	if err == nil && s.Classes > maxSideClasses && len(parts) > 1 && !IsElsewhere(f) {
		s.Units = nil
		err = s.build(ctx, q, mergeParts(parts))
	}
	return s, err
}

// leavesOf lists the leaves that read a fragment.
func (q *Question) leavesOf(fragment int) []int {
	var leaves []int
	for i := range q.Leaves {
		if q.Leaves[i].Fragment == fragment {
			leaves = append(leaves, i)
		}
	}
	return leaves
}

// decides reports whether the fragment alone tells the classes of all records:
// its cells leave nothing open.
func (s *Side) decides() bool { return s.Point || s.Cells.Decides() }

// Decided reports whether the question is one to a single fragment that leaves
// nothing open: of the records, counterfeits included, its figures are known.
func Decided(sides []*Side) bool { return len(sides) == 1 && sides[0].decides() }

func (s *Side) build(ctx context.Context, q *Question, parts []part) error {
	s.Classes = 1
	for _, p := range parts {
		u, err := newUnit(ctx, s.Fragment, q, p)
		if err != nil {
			return err
		}
		s.Units = append(s.Units, u)
		if s.Classes *= u.Classes; s.Classes > 1<<40 {
			s.Classes = 1 << 40 // the caller merges; avoid overflow
		}
	}
	return nil
}

// Number makes the codes of all tuples, for those who look at single ones.
func (s *Side) Number() {
	for _, u := range s.Units {
		if u.Codes != nil {
			continue
		}
		u.Codes = make([]uint32, s.Fragment.Tuples())
		u.combine(s.Fragment, 0, u.Codes)
	}
}

// IsConstant reports whether all columns that the question reads are constant in units.
func (s *Side) IsConstant() bool {
	if s.Cells != nil {
		return !slices.ContainsFunc(s.Cells.Columns, func(c *CellColumn) bool { return !c.Constant })
	}
	return !slices.ContainsFunc(s.Units, func(u *Unit) bool {
		return slices.ContainsFunc(u.Columns, func(c int) bool { return !s.Fragment.Columns[c].Constant })
	})
}

// IsEmpty reports whether no value of some unit satisfies its conditions.
func (s *Side) IsEmpty() bool {
	return slices.ContainsFunc(s.Units, func(u *Unit) bool { return len(u.outcomes) == 0 })
}

// Decode writes the outcomes of the side's leaves in a class into outcomes,
// which has one place per leaf of the question. It returns the error of a
// condition that could not be decided.
func (s *Side) Decode(class uint32, outcomes []Outcome) error {
	if s.Cells != nil {
		decided := s.Cells.Outcomes[class]
		for i, leaf := range s.Cells.wanted {
			outcomes[leaf] = decided[i]
		}
		return decided[len(s.Cells.wanted)].Err
	}
	var failure error
	for _, u := range s.Units {
		c := class % uint32(u.Classes)
		class /= uint32(u.Classes)
		for i, leaf := range u.leaves {
			outcomes[leaf] = u.outcomes[c][i]
		}
		if err := u.outcomes[c][len(u.leaves)].Err; err != nil {
			failure = err
		}
	}
	return failure
}

// A part is the plan of a unit: columns with the leaves that read them and the
// conditions that they decide.
type part struct {
	Columns    []int
	leaves     []int
	conditions []*Expression
}

// partition groups the touched columns of a fragment into the smallest sets
// such that every leaf and every condition inside the fragment reads one set.
func (q *Question) partition(fragment int) []part {
	var parts []part
	join := func(columns []int) *part {
		merged := part{}
		rest := parts[:0:0]
		for _, p := range parts {
			if intersects(p.Columns, columns) {
				merged.Columns = append(merged.Columns, p.Columns...)
				merged.leaves = append(merged.leaves, p.leaves...)
				merged.conditions = append(merged.conditions, p.conditions...)
			} else {
				rest = append(rest, p)
			}
		}
		for _, c := range columns {
			if !intersects(merged.Columns, []int{c}) {
				merged.Columns = append(merged.Columns, c)
			}
		}
		parts = append(rest, merged)
		return &parts[len(parts)-1]
	}
	for i, leaf := range q.Leaves {
		if leaf.Fragment == fragment {
			p := join(leaf.Columns)
			p.leaves = append(p.leaves, i)
		}
	}
	for i := range q.Where {
		condition := &q.Where[i]
		if q.FragmentOf(condition) == fragment {
			var columns []int
			for _, l := range condition.Leaves {
				columns = append(columns, q.Leaves[l].Columns...)
			}
			p := join(columns)
			p.conditions = append(p.conditions, condition)
		}
	}
	return parts
}

func mergeParts(parts []part) []part {
	merged := part{}
	for _, p := range parts {
		merged.Columns = append(merged.Columns, p.Columns...)
		merged.leaves = append(merged.leaves, p.leaves...)
		merged.conditions = append(merged.conditions, p.conditions...)
	}
	return []part{merged}
}

func intersects(a, b []int) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// wanted reports which leaves are read by keys, arguments or conditions across
// fragments; the outcomes of the others end with the conditions they decide.
func (q *Question) wanted() []bool {
	wanted := make([]bool, len(q.Leaves))
	mark := func(e *Expression) {
		for _, l := range e.Leaves {
			wanted[l] = true
		}
	}
	for _, e := range q.asked() {
		mark(e)
	}
	for i := range q.Where {
		if q.FragmentOf(&q.Where[i]) < 0 {
			mark(&q.Where[i])
		}
	}
	return wanted
}

// NoClass marks tuples that have no class: they are not counted.
const NoClass = Dead

// IsElsewhere tells fragments without tuples of their own.
func IsElsewhere(f *anonymize.Fragment) bool { return f.GroupStart == nil }
