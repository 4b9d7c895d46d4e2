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

// maxSideClasses bounds the product of the unit classes of one fragment; above it, the touched
// columns are classified together, by the combinations that occur.
const maxSideClasses = 1 << 16

// A Side is one fragment, reduced to what a question needs: its tuples have classes.
type Side struct {
	Fragment *anonymize.Fragment
	Units    []*Unit
	// Classes is the number of classes, the product of the units'.
	Classes int
	// Point says that every touched column has point cells. Otherwise Cells replaces Units.
	Point bool
	Cells *CellSide
}

// A Unit is a set of columns of a side that are classified together: a single column, unless an
// expression reads several. Its code is the column's code or a number per tuple.
type Unit struct {
	Columns []int
	// Radix has the dictionary size of every column if the unit's code is composed of the
	// columns' codes, with the first as the fastest digit. It is nil if the occurring tuples
	// are numbered, or if cells are not points.
	Radix []int
	// Codes has the unit's code per tuple. With a radix, Number makes it when single tuples are
	// first read.
	Codes []uint32
	// ClassOf maps a unit code to its class or to Dead.
	ClassOf []uint32
	Classes int
	// leaves are the leaves that the unit decides and that keys, arguments or conditions across
	// fragments need. outcomes[class] has one entry per leaf, and a last one for the error of a
	// condition.
	leaves   []int
	outcomes [][]Outcome
}

// A Share is the probability that a draw from a cell, or from the cells of a tuple, has a
// class.
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

// decides reports whether the fragment determines the classes of all its records, because its
// cells leave nothing open.
func (s *Side) decides() bool { return s.Point || s.Cells.Decides() }

// Decided reports whether the question touches a single fragment that leaves nothing open: its
// figures over all records, counterfeits included, are known.
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
			s.Classes = 1 << 40 // the caller then merges; this avoids overflow
		}
	}
	return nil
}

// Number computes the codes of all tuples, for callers that read single tuples.
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

// IsEmpty reports whether no value of some unit satisfies the unit's conditions.
func (s *Side) IsEmpty() bool {
	return slices.ContainsFunc(s.Units, func(u *Unit) bool { return len(u.outcomes) == 0 })
}

// Decode sets the outcomes of the side's leaves in a class; outcomes has one entry per leaf of
// the question. It returns the error of a condition that could not be evaluated.
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

// partition groups the touched columns of a fragment into the smallest sets such that every
// leaf, and every condition within the fragment, reads one set.
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

// wanted reports, by leaf, whether keys, arguments or conditions across fragments read it.
// Outcomes of other leaves are not needed after the conditions that they decide.
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

// NoClass marks tuples without a class; they are not counted.
const NoClass = Dead

// IsElsewhere reports whether another engine keeps the fragment's tuples.
func IsElsewhere(f *anonymize.Fragment) bool { return f.GroupStart == nil }
