package figures

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

type KeyedValue struct{ Key, Value int32 }

// ClassSets has, per side, the positions of the classes that occur with a value, and the number
// of combinations that occur.
type ClassSets struct {
	KeyedValue
	Of           [][]bool
	Combinations int
}

// IsProduct reports whether all combinations of the sets occurred.
func (c *ClassSets) IsProduct() bool {
	product := 1
	for _, set := range c.Of {
		n := 0
		for _, in := range set {
			if in {
				n++
			}
		}
		product *= n
	}
	return product == c.Combinations
}

// FillExpected sets figure a of every row to the expectation of the row's key.
func FillExpected(t *question.Terms, a int, expected []float64, rows []question.AnswerRow) {
	for _, row := range rows {
		total := 0.0
		if key := int(t.Numbering.Number(row.Keys)); key < len(expected) {
			total = expected[key]
		}
		row.Figures[a] = anonymize.RealValue(total)
	}
}

// A Box is the set of combinations of classes of the records that count for one aggregate and
// key; it must be a product of sets of classes, one per side. In a group, the distribution of
// their number X (mean, variance, bounds, probability of 0) follows from the group's size m and
// the numbers a_1, ..., a_f of records whose class is in the sets.
type Box struct {
	Aggregate question.Kind
	ClassSets
	// Sets has, per side of the kernel, the index of the box's set among the counted sets.
	Sets     []int
	Argument int // the side that determines the argument of SUM and AVG
	// Worth has, per side and class, the argument of the records. decides, used while the box
	// is built, says whether a side determines the argument.
	Worth   [][]float64
	decides []bool
}

// Boxes are the boxes of a question.
type Boxes struct {
	terms *question.Terms
	List  []*Box
	// of has the box of every aggregate by key; for Distinct by key and value.
	of []map[KeyedValue]int
}

// NewBoxes returns the boxes of the aggregates whose kind is asked. It returns nil if the
// counting records are no box, or if an expression fails for a combination, even one that does
// not occur.
func NewBoxes(q *question.Question, sides []*question.Side, asked func(question.Kind) bool) *Boxes {
	b := &Boxes{terms: question.NewTerms(q, sides), of: make([]map[KeyedValue]int, len(q.Aggregates))}
	classes, position, radix := make([]uint32, len(sides)), make([]int, len(sides)), make([]int, len(sides))
	combinations := 1
	for s := range sides {
		radix[s] = sides[s].Classes
		combinations *= radix[s]
		if sides[s].IsEmpty() {
			return b
		}
	}
	for range combinations {
		for s, at := range position {
			classes[s] = uint32(at)
		}
		entry, err := b.terms.EntryOf(classes)
		if err != nil {
			return nil
		}
		if key := b.terms.Key[entry]; key >= 0 {
			b.meet(key, b.terms.Figures[entry], position, radix, asked)
		}
		question.Advance(position, radix)
	}
	if !b.finish() {
		return nil
	}
	return b
}

// meet adds a combination to the boxes of its key.
func (b *Boxes) meet(key int32, figures []question.Contribution, position, radix []int, asked func(question.Kind) bool) {
	for a, aggregate := range b.terms.Question.Aggregates {
		if !asked(aggregate.Kind) || figures[a].Records == 0 {
			continue
		}
		if b.of[a] == nil {
			b.of[a] = make(map[KeyedValue]int)
		}
		id := KeyedValue{Key: key}
		if aggregate.Kind == question.Distinct {
			id.Value = int32(figures[a].Sum)
		}
		i, ok := b.of[a][id]
		if !ok {
			i = len(b.List)
			b.of[a][id] = i
			b.List = append(b.List, newBox(aggregate.Kind, radix))
		}
		b.List[i].meet(position, figures[a].Sum)
	}
}

func newBox(aggregate question.Kind, radix []int) *Box {
	x := &Box{Aggregate: aggregate}
	for _, classes := range radix {
		x.Of = append(x.Of, make([]bool, classes))
		if aggregate == question.Sum || aggregate == question.Average {
			x.Worth = append(x.Worth, make([]float64, classes))
			x.decides = append(x.decides, true)
		}
	}
	return x
}

func (x *Box) meet(position []int, value float64) {
	x.Combinations++
	for s, at := range position {
		if x.Worth != nil {
			if x.Of[s][at] && x.Worth[s][at] != value {
				x.decides[s] = false
			}
			x.Worth[s][at] = value
		}
		x.Of[s][at] = true
	}
}

// finish reports whether all are boxes, and merges equal ones.
func (b *Boxes) finish() bool {
	known := make(map[string]int)
	renamed := make([]int, len(b.List))
	var list []*Box
	for i, x := range b.List {
		if !x.IsProduct() || x.Worth != nil && !x.findArgument() {
			return false
		}
		id := x.id()
		at, ok := known[id]
		if !ok {
			at = len(list)
			known[id] = at
			list = append(list, x)
		}
		renamed[i] = at
	}
	b.List = list
	for _, of := range b.of {
		for id, i := range of {
			of[id] = renamed[i]
		}
	}
	return true
}

// id returns a text that identifies what the box counts or adds up.
func (x *Box) id() string {
	id := []byte{byte(x.Aggregate)}
	for _, set := range x.Of {
		id = append(id, setText(set)...)
	}
	if x.Worth != nil {
		id = fmt.Append(id, x.Argument, x.Worth[x.Argument])
	}
	return string(id)
}

// findArgument returns false if no side determines the argument.
func (x *Box) findArgument() bool {
	x.Argument = slices.Index(x.decides, true)
	return x.Argument >= 0
}
