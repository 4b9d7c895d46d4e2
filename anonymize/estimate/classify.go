package estimate

import (
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
	// point says that every touched column has point cells.
	point bool
}

// A unit is a set of columns of a side that are looked at together: a single
// column, unless an expression reads several. Its code is the column's code,
// or a number per tuple.
type unit struct {
	columns []int
	codes   []uint32 // one per tuple: the unit's code
	// classOf maps a unit code to its class or to dead. For units with cells
	// that are not points it is nil and spread is set.
	classOf []uint32
	// spread maps a unit code to the classes its cells may fall into, with
	// their probabilities; mass that fails a condition is left out.
	spread  [][]share
	classes int
	// leaves are the leaves whose outcome the unit determines and somebody
	// above asks for; outcomes[class] has one value per leaf.
	leaves   []int
	outcomes [][]anonymize.Value
}

type share struct {
	class uint32
	mass  float64
}

// classify reduces a fragment to its classes.
func classify(r *anonymize.Release, q *Question, fragment int) (*side, error) {
	f := r.Fragments[fragment]
	s := &side{fragment: f, point: true}
	parts := q.partition(fragment)
	for _, p := range parts {
		for _, c := range p.columns {
			s.point = s.point && f.Columns[c].IsPoint()
		}
	}
	if !s.point {
		parts = mergeParts(parts)
	}
	if err := s.build(q, parts); err != nil {
		return nil, err
	}
	if s.classes > maxSideClasses && len(parts) > 1 {
		s.units = nil
		return s, s.build(q, mergeParts(parts))
	}
	return s, nil
}

func (s *side) build(q *Question, parts []part) error {
	s.classes = 1
	for _, p := range parts {
		u, err := newUnit(s.fragment, q, p)
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

// decode writes the outcomes of the side's leaves in a class into outcomes,
// which has one place per leaf of the question.
func (s *side) decode(class uint32, outcomes []anonymize.Value) {
	for _, u := range s.units {
		c := class % uint32(u.classes)
		class /= uint32(u.classes)
		for i, leaf := range u.leaves {
			outcomes[leaf] = u.outcomes[c][i]
		}
	}
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

// newUnit evaluates the part's leaves and conditions once per unit code.
func newUnit(f *anonymize.Fragment, q *Question, p part) (*unit, error) {
	u := &unit{columns: p.columns}
	wanted := q.wanted()
	for _, l := range p.leaves {
		if wanted[l] {
			u.leaves = append(u.leaves, l)
		}
	}
	e := &unitEvaluator{unit: u, question: q, part: p, fragment: f,
		outcomes: make([]anonymize.Value, len(q.Leaves)),
		classes:  newTupleNumbering(len(u.leaves))}
	if len(p.columns) == 1 && f.Columns[p.columns[0]].IsPoint() {
		return u, e.overDictionary()
	}
	return u, e.overCombinations()
}

// A unitEvaluator assigns classes to the codes of one unit.
type unitEvaluator struct {
	unit     *unit
	question *Question
	part     part
	fragment *anonymize.Fragment
	outcomes []anonymize.Value // one per leaf of the question
	buffer   []anonymize.Value
	classes  *tupleNumbering
}

// overDictionary handles a single column of points: a class per code.
func (e *unitEvaluator) overDictionary() error {
	column := e.fragment.Columns[e.part.columns[0]]
	e.unit.codes = column.Codes
	e.unit.classOf = make([]uint32, len(column.Dictionary))
	values := make([]anonymize.Value, 1)
	for code, v := range column.Dictionary {
		values[0] = v
		class, err := e.classify(values)
		if err != nil {
			return err
		}
		e.unit.classOf[code] = class
	}
	e.unit.classes = max(1, e.unit.classes) // an empty dictionary
	return nil
}

// overCombinations handles several columns, or cells: the combinations that
// occur are numbered in one pass over the tuples, and evaluated once each.
func (e *unitEvaluator) overCombinations() error {
	columns := e.part.columns
	numbering := newTupleNumbering(len(columns))
	codes := make([]uint32, len(columns))
	e.unit.codes = make([]uint32, e.fragment.Tuples())
	seen := 0
	point := true
	for _, c := range columns {
		point = point && e.fragment.Columns[c].IsPoint()
	}
	for t := range e.unit.codes {
		for i, c := range columns {
			codes[i] = e.fragment.Columns[c].Codes[t]
		}
		id := numbering.numberCodes(codes)
		e.unit.codes[t] = id
		if int(id) < seen {
			continue
		}
		seen++
		if err := e.addCombination(codes, point); err != nil {
			return err
		}
	}
	if e.unit.classes == 0 {
		e.unit.classes = 1
	}
	return nil
}

func (e *unitEvaluator) addCombination(codes []uint32, point bool) error {
	values := make([]anonymize.Value, len(codes))
	if point {
		for i, c := range e.part.columns {
			values[i] = e.fragment.Columns[c].Dictionary[codes[i]]
		}
		class, err := e.classify(values)
		e.unit.classOf = append(e.unit.classOf, class)
		return err
	}
	mass := make(map[uint32]float64)
	order := []uint32(nil)
	err := e.expand(codes, values, 0, 1, func(class uint32, p float64) {
		if _, ok := mass[class]; !ok {
			order = append(order, class)
		}
		mass[class] += p
	})
	shares := make([]share, len(order))
	for i, class := range order {
		shares[i] = share{class, mass[class]}
	}
	e.unit.spread = append(e.unit.spread, shares)
	return err
}

// expand visits every combination of members of the cells from position on.
func (e *unitEvaluator) expand(codes []uint32, values []anonymize.Value, position int, p float64, visit func(uint32, float64)) error {
	if position == len(codes) {
		class, err := e.classify(values)
		if err == nil && class != dead {
			visit(class, p)
		}
		return err
	}
	column := e.fragment.Columns[e.part.columns[position]]
	if column.IsPoint() {
		values[position] = column.Dictionary[codes[position]]
		return e.expand(codes, values, position+1, p, visit)
	}
	cell := &column.Cells[codes[position]]
	for i, member := range cell.Members {
		values[position] = column.Dictionary[member]
		if err := e.expand(codes, values, position+1, p*cell.Weight(i), visit); err != nil {
			return err
		}
	}
	return nil
}

// classify evaluates all leaves and conditions of the part on one combination
// of values (one per column of the part) and numbers the outcome.
func (e *unitEvaluator) classify(values []anonymize.Value) (uint32, error) {
	for _, l := range e.part.leaves {
		leaf := &e.question.Leaves[l]
		e.buffer = e.buffer[:0]
		for _, c := range leaf.Columns {
			e.buffer = append(e.buffer, values[position(e.part.columns, c)])
		}
		outcome, err := leaf.Eval(e.buffer)
		if err != nil {
			return dead, err
		}
		e.outcomes[l] = outcome
	}
	for _, condition := range e.part.conditions {
		truth, err := condition.evaluate(e.outcomes, nil)
		if err != nil {
			return dead, err
		}
		if !isTrue(truth) {
			e.unit.classes = max(e.unit.classes, 1)
			return dead, nil
		}
	}
	wanted := make([]anonymize.Value, len(e.unit.leaves))
	for i, l := range e.unit.leaves {
		wanted[i] = e.outcomes[l]
	}
	class := e.classes.number(wanted)
	if int(class) == len(e.unit.outcomes) {
		e.unit.outcomes = append(e.unit.outcomes, wanted)
	}
	e.unit.classes = max(1, len(e.unit.outcomes))
	return class, nil
}

func position(columns []int, column int) int {
	for i, c := range columns {
		if c == column {
			return i
		}
	}
	return -1
}
