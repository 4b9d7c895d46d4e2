package cells

import (
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A cellArgument is an argument that reads one column of a fragment with cells. It holds what a
// record is expected to add to the aggregate, by share of a cell.
type cellArgument struct {
	column int // index into the side's columns
	// numbers has the argument of every value, NaN for NULL; for Least, Greatest and Distinct,
	// its position in list.
	numbers []float64
	list    []anonymize.Value
	// shares has an entry for every share of the column.
	shares []shareMoments
}

// shareMoments are the moments of an argument within a share: the probability that it is not
// NULL, and the expectations of it and of its square, with NULL as 0.
type shareMoments struct {
	present, sum, square float64
	least, greatest      float64
	always               bool // never NULL
}

// newCellArgument evaluates an argument for the values of a column. ok is false if it fails for
// a value that may count.
func newCellArgument(ctx context.Context, q *question.Question, a *question.Aggregate, s *question.CellSide) (argument *cellArgument, ok bool, err error) {
	argument = &cellArgument{column: s.ColumnOf(a.Argument)}
	c := s.Columns[argument.column]
	outcomes := make([]question.Outcome, len(q.Leaves))
	values := make([]anonymize.Value, len(c.Dictionary))
	var arguments []anonymize.Value
	at := question.Checkpoint{Ctx: ctx}
	for v := range c.Dictionary {
		if err := at.Pass(question.WorkPerEvaluation * len(a.Argument.Leaves)); err != nil {
			return nil, false, err
		}
		if c.ClassOf[v] == question.Dead {
			continue // NULL
		}
		for _, l := range a.Argument.Leaves {
			arguments = arguments[:0]
			for range q.Leaves[l].Columns {
				arguments = append(arguments, c.Dictionary[v])
			}
			outcomes[l] = q.Leaves[l].Outcome(arguments)
		}
		if values[v], err = a.Argument.Evaluate(outcomes, nil); err != nil {
			return nil, false, nil
		}
	}
	switch {
	case a.Kind == question.Distinct:
		argument.number(values)
		return argument, true, nil
	case a.Kind.KeepsValues():
		ok, err := argument.rank(ctx, a, values)
		return argument, ok, err
	}
	argument.numbers = make([]float64, len(values))
	for v, value := range values {
		number, ok := value.Number()
		switch {
		case value.IsNull():
			number = math.NaN()
		case a.Kind == question.Count:
			number = 0
		case !ok || math.IsNaN(number) || math.IsInf(number, 0):
			return nil, false, nil
		}
		argument.numbers[v] = number
	}
	return argument, true, nil
}

// number numbers the values in order of appearance, so that different neighbours have
// neighbouring numbers.
func (x *cellArgument) number(values []anonymize.Value) {
	list := question.ValueList{Numbers: make(map[anonymize.Value]int)}
	for _, v := range values {
		number := math.NaN()
		if !v.IsNull() {
			number = float64(list.Number(v))
		}
		x.numbers = append(x.numbers, number)
	}
	x.list = list.List
}

// rank numbers the values in the aggregate's order; see running.addExtreme.
func (x *cellArgument) rank(ctx context.Context, a *question.Aggregate, values []anonymize.Value) (ok bool, err error) {
	ok = true
	work := question.Checkpoint{Ctx: ctx}
	for _, v := range values {
		if !v.IsNull() {
			x.list = append(x.list, v)
		}
	}
	slices.SortFunc(x.list, func(u, v anonymize.Value) int {
		if err == nil {
			err = work.Pass(question.WorkPerEvaluation)
		}
		if err != nil {
			return 0 // irrelevant: an error ended the comparison
		}
		order, failure := a.Order(u, v)
		ok = ok && failure == nil
		if order != 0 {
			return order
		}
		if a.Kind == question.Greatest { // of equal values, the bytewise first is the greatest
			return anonymize.Compare(v, u)
		}
		return anonymize.Compare(u, v)
	})
	x.list = slices.CompactFunc(x.list, func(u, v anonymize.Value) bool { return u == v })
	place := make(map[anonymize.Value]int, len(x.list))
	for i, v := range x.list {
		place[v] = i
	}
	for _, v := range values {
		number := math.NaN()
		if !v.IsNull() {
			number = float64(place[v])
		}
		x.numbers = append(x.numbers, number)
	}
	return ok, err
}

// equals reports whether two arguments are the same.
func (x *cellArgument) equals(other *cellArgument) bool {
	return x.column == other.column && x.list == nil && other.list == nil &&
		slices.EqualFunc(x.numbers, other.numbers, func(a, b float64) bool { return a == b || a != a && b != b })
}

// measure computes the moments of all shares of the column. Cost: one pass over the values; per
// cell, its shares if its members are equally likely neighbours.
func (x *cellArgument) measure(ctx context.Context, c *question.CellColumn) error {
	x.shares = make([]shareMoments, len(c.Shares))
	profiles := make([]*profile, max(1, len(c.Count)))
	for class := range profiles {
		of := question.Dead // any
		if c.Count != nil {
			of = uint32(class)
		}
		profiles[class] = newProfile(c, x.numbers, of)
	}
	masses := make([]float64, c.Classes)
	at := question.Checkpoint{Ctx: ctx}
	for code := range c.Whole {
		if err := at.Pass(c.WorkOf(uint32(code))); err != nil {
			return err
		}
		first, end := c.Start[code], c.Start[code+1]
		for i := first; i < end; i++ {
			x.shares[i] = shareMoments{least: math.Inf(1), greatest: math.Inf(-1), always: true}
			c.Found[c.Shares[i].Class] = i
			masses[c.Shares[i].Class] = 0
		}
		switch {
		case first == end:
		case c.IsPoint():
			x.shares[first].addOne(x.numbers[code], 1)
			masses[c.Shares[first].Class] = 1
		case c.Cells[code].Weights != nil:
			for i, v := range c.Cells[code].Members {
				if class, w := c.ClassOf[v], c.Cells[code].Weights[i]; class != question.Dead && w > 0 {
					x.shares[c.Found[class]].addOne(x.numbers[v], w)
					masses[class] += w
				}
			}
		default:
			question.EachStretch(c.Cells[code].Members, func(low, high uint32) {
				c.EachPart(low, high, func(class, low, high uint32, n int) {
					p := profiles[0]
					if c.Count != nil {
						p = profiles[class]
					}
					p.add(&x.shares[c.Found[class]], low, high, n)
					masses[class] += float64(n)
				})
			})
		}
		for i := first; i < end; i++ {
			x.shares[i].divide(masses[c.Shares[i].Class])
		}
	}
	clear(c.Found)
	return nil
}

func (m *shareMoments) addOne(number, weight float64) {
	if math.IsNaN(number) {
		m.always = false
		return
	}
	m.present += weight
	m.sum += weight * number
	m.square += weight * number * number
	m.least, m.greatest = min(m.least, number), max(m.greatest, number)
}

func (m *shareMoments) divide(mass float64) {
	if m.always {
		m.present = 1
	} else {
		m.present /= mass
	}
	m.sum /= mass
	m.square /= mass
}

// decided reports whether the argument is the same for all records of the share.
func (m *shareMoments) decided() bool {
	return m.present == 0 || m.always && m.least == m.greatest
}
