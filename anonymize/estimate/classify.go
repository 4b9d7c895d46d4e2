package estimate

import (
	"context"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// dead marks codes whose tuples fail a condition inside their fragment.
const dead = ^uint32(0)

// maxSideClasses bounds the product of unit classes of one fragment; above it
// the touched columns are classified together, by what occurs.
const maxSideClasses = 1 << 16

// A side is one fragment as the question sees it: tuples reduced to classes.
type side struct {
	fragment *anonymize.Fragment
	units    []*unit
	// classes is the number of classes, the product of the units'.
	classes int
	// point says that every touched column has point cells; cells is the other
	// way to see the fragment, without units.
	point bool
	cells *cellSide
}

// A unit is a set of columns of a side that are looked at together: a single
// column, unless an expression reads several. Its code is the column's code,
// or a number per tuple.
type unit struct {
	columns []int
	// radix has the dictionary size of every column where the unit's code is
	// made of those of its columns, the first counting fastest; nil where
	// tuples are numbered by what occurs, or cells are not points.
	radix []int
	// codes has the unit's code per tuple. With a radix it is made when the
	// first one looks at single tuples: see number.
	codes []uint32
	// classOf maps a unit code to its class or to dead.
	classOf []uint32
	classes int
	// leaves are the leaves whose outcome the unit determines and somebody
	// above asks for; outcomes[class] has one entry per leaf, and a last one
	// for the error of a condition.
	leaves   []int
	outcomes [][]outcome
}

// A share is the probability that something drawn from a cell, or from the cells
// of a tuple, has a class.
type share struct {
	class uint32
	mass  float64
}

// classify reduces a fragment to its classes.
func classify(ctx context.Context, r *anonymize.Release, q *Question, fragment int) (*side, error) {
	f := r.Fragments[fragment]
	s := &side{fragment: f, point: true}
	parts := q.partition(fragment)
	for _, p := range parts {
		for _, c := range p.columns {
			s.point = s.point && f.Columns[c].IsPoint()
		}
	}
	if !s.point {
		var err error
		if s.cells, err = newCellSide(ctx, r, q, fragment, q.leavesOf(fragment), nil, nil); err == nil {
			s.classes = s.cells.classes
		}
		return s, err
	}
	err := s.build(ctx, q, parts)
	if err == nil && s.classes > maxSideClasses && len(parts) > 1 && !isElsewhere(f) {
		s.units = nil
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
func (s *side) decides() bool { return s.point || s.cells.decides() }

// decided reports whether the question is one to a single fragment that leaves
// nothing open: of the records, counterfeits included, its figures are known.
func decided(sides []*side) bool { return len(sides) == 1 && sides[0].decides() }

func (s *side) build(ctx context.Context, q *Question, parts []part) error {
	s.classes = 1
	for _, p := range parts {
		u, err := newUnit(ctx, s.fragment, q, p)
		if err != nil {
			return err
		}
		s.units = append(s.units, u)
		if s.classes *= u.classes; s.classes > 1<<40 {
			s.classes = 1 << 40 // the caller merges; avoid overflow
		}
	}
	return nil
}

// number makes the codes of all tuples, for those who look at single ones.
func (s *side) number() {
	for _, u := range s.units {
		if u.codes != nil {
			continue
		}
		u.codes = make([]uint32, s.fragment.Tuples())
		stride := uint32(1)
		for i, c := range u.columns {
			for t, code := range s.fragment.Columns[c].Codes {
				u.codes[t] += code * stride
			}
			stride *= uint32(u.radix[i])
		}
	}
}

// isConstant reports whether all columns that the question reads are constant in units.
func (s *side) isConstant() bool {
	if s.cells != nil {
		return !slices.ContainsFunc(s.cells.columns, func(c *cellColumn) bool { return !c.Constant })
	}
	return !slices.ContainsFunc(s.units, func(u *unit) bool {
		return slices.ContainsFunc(u.columns, func(c int) bool { return !s.fragment.Columns[c].Constant })
	})
}

// isEmpty reports whether no value of some unit satisfies its conditions.
func (s *side) isEmpty() bool {
	return slices.ContainsFunc(s.units, func(u *unit) bool { return len(u.outcomes) == 0 })
}

// decode writes the outcomes of the side's leaves in a class into outcomes,
// which has one place per leaf of the question. It returns the error of a
// condition that could not be decided.
func (s *side) decode(class uint32, outcomes []outcome) error {
	if s.cells != nil {
		decided := s.cells.outcomes[class]
		for i, leaf := range s.cells.wanted {
			outcomes[leaf] = decided[i]
		}
		return decided[len(s.cells.wanted)].err
	}
	var failure error
	for _, u := range s.units {
		c := class % uint32(u.classes)
		class /= uint32(u.classes)
		for i, leaf := range u.leaves {
			outcomes[leaf] = u.outcomes[c][i]
		}
		if err := u.outcomes[c][len(u.leaves)].err; err != nil {
			failure = err
		}
	}
	return failure
}

// A part is the plan of a unit: columns with the leaves that read them and the
// conditions that they decide.
type part struct {
	columns    []int
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
			if intersects(p.columns, columns) {
				merged.columns = append(merged.columns, p.columns...)
				merged.leaves = append(merged.leaves, p.leaves...)
				merged.conditions = append(merged.conditions, p.conditions...)
			} else {
				rest = append(rest, p)
			}
		}
		for _, c := range columns {
			if !intersects(merged.columns, []int{c}) {
				merged.columns = append(merged.columns, c)
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
		if q.fragmentOf(condition) == fragment {
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
		merged.columns = append(merged.columns, p.columns...)
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
		if q.fragmentOf(&q.Where[i]) < 0 {
			mark(&q.Where[i])
		}
	}
	return wanted
}
