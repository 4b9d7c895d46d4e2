package question

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

func errNotANumber(v anonymize.Value) error {
	return fmt.Errorf("cannot add up %q: it is not a number", v)
}

// Advances counts up, with the first digit as the fastest; it returns false when it wraps around to 0.
func Advances(position, radix []int) bool {
	Advance(position, radix)
	for _, at := range position {
		if at != 0 {
			return true
		}
	}
	return false
}

// MaxDenseCombinations is the greatest length of the array of weights, one float64 per
// combination of classes; above it, combinations are numbered as they occur.
const MaxDenseCombinations = 1 << 20

// MaxCellCombinations is the greatest number of combinations of classes that are numbered, or
// that occur in one group, if a side has cells. With points, their number is at most that of
// matchings of tuples.
const MaxCellCombinations = 1 << 22

// TooManyOver returns the error for a question over cells; nil if all sides are points.
func TooManyOver(sides []*Side) error {
	for _, s := range sides {
		if !s.Point {
			return &TooManyCombinationsError{s.Fragment.Name, MaxCellCombinations}
		}
	}
	return nil
}

// Terms are what a record with a combination of one class per side adds to the figures. They
// are evaluated once per combination, however many groups have it.
type Terms struct {
	Question *Question
	Sides    []*Side
	Stride   []int // of the dense index; nil if combinations are too many
	dense    []int32
	sparse   *TupleNumbering
	// Key and Figures have an entry per combination that occurred: the number of its key, -1 if
	// a condition fails; and per aggregate what it adds to the number of records and to the
	// sum.
	Key     []int32
	Figures [][]Contribution
	// Values numbers the arguments of the aggregates that keep values.
	Values []ValueList
	// Keys has the values of every key.
	Keys      [][]anonymize.Value
	Numbering *TupleNumbering

	outcomes []Outcome
	buffer   []anonymize.Value
}

// A Contribution is what one record adds to an aggregate.
type Contribution struct{ Records, Sum float64 }

func NewTerms(q *Question, sides []*Side) *Terms {
	t := &Terms{Question: q, Sides: sides, Numbering: NewTupleNumbering(len(q.Keys)),
		outcomes: make([]Outcome, len(q.Leaves)), buffer: make([]anonymize.Value, 0, len(q.Leaves))}
	t.Values = make([]ValueList, len(q.Aggregates))
	for a := range t.Values {
		t.Values[a].Numbers = make(map[anonymize.Value]int)
	}
	size := 1
	for _, s := range sides {
		t.Stride = append(t.Stride, size)
		if size *= s.Classes; size > MaxDenseCombinations {
			t.Stride, t.sparse = nil, NewTupleNumbering(len(sides))
			return t
		}
	}
	t.dense = make([]int32, size)
	return t
}

// EntryOf returns the entry of a combination of classes and evaluates a new one.
func (t *Terms) EntryOf(classes []uint32) (entry int, err error) {
	if t.Stride == nil {
		if entry = int(t.sparse.NumberCodes(classes)); entry < len(t.Key) {
			return entry, nil
		}
		return entry, t.evaluate(classes)
	}
	index := 0
	for s, class := range classes {
		index += int(class) * t.Stride[s]
	}
	if t.dense[index] == 0 {
		if err := t.evaluate(classes); err != nil {
			return 0, err
		}
		t.dense[index] = int32(len(t.Key))
	}
	return int(t.dense[index]) - 1, nil
}

// evaluate appends the entry of a new combination.
func (t *Terms) evaluate(classes []uint32) error {
	var failure error
	for s, side := range t.Sides {
		if err := side.Decode(classes[s], t.outcomes); err != nil {
			failure = err
		}
	}
	ok, err := t.Question.Holds(t.outcomes, t.buffer)
	if err != nil {
		return err
	}
	if !ok {
		t.Key, t.Figures = append(t.Key, -1), append(t.Figures, nil)
		return nil
	}
	if failure != nil {
		return failure
	}
	keys := make([]anonymize.Value, len(t.Question.Keys))
	for i := range keys {
		if keys[i], err = t.Question.Keys[i].Evaluate(t.outcomes, t.buffer); err != nil {
			return err
		}
	}
	figures := make([]Contribution, len(t.Question.Aggregates))
	for a := range figures {
		if figures[a], err = t.contribution(a); err != nil {
			return err
		}
	}
	key := t.Numbering.Number(keys)
	if int(key) == len(t.Keys) {
		t.Keys = append(t.Keys, keys)
	}
	t.Key, t.Figures = append(t.Key, int32(key)), append(t.Figures, figures)
	return nil
}

// contribution returns what a record with the current outcomes adds to aggregate a. If the kind
// keeps values, the sum is the number of the value.
func (t *Terms) contribution(a int) (Contribution, error) {
	asked := &t.Question.Aggregates[a]
	if !asked.Kind.KeepsValues() {
		return t.Question.Contribution(a, t.outcomes, t.buffer)
	}
	v, err := asked.Argument.Evaluate(t.outcomes, t.buffer)
	if err != nil || v.IsNull() {
		return Contribution{}, err
	}
	return Contribution{1, float64(t.Values[a].Number(v))}, nil
}

// Contribution returns what one record with these outcomes adds to aggregate a.
func (q *Question) Contribution(a int, outcomes []Outcome, buffer []anonymize.Value) (Contribution, error) {
	argument := q.Aggregates[a].Argument
	if argument == nil {
		return Contribution{Records: 1}, nil
	}
	v, err := argument.Evaluate(outcomes, buffer)
	if err != nil || v.IsNull() {
		return Contribution{}, err
	}
	if q.Aggregates[a].Kind == Count {
		return Contribution{Records: 1}, nil
	}
	number, ok := v.Number()
	if !ok {
		return Contribution{}, errNotANumber(v)
	}
	return Contribution{1, number}, nil
}

// Advance counts up, with the first digit as the fastest.
func Advance(position, radix []int) {
	for i := range position {
		if position[i]++; position[i] < radix[i] {
			return
		}
		position[i] = 0
	}
}
