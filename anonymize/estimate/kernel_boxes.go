package estimate

import (
	"fmt"
	"math"
	"slices"
)

// A box is a set of combinations of classes that is a product of sets of
// classes, one a side: the records that count for one aggregate and key. In a
// group, what there is to know about their number X follows from the size m and
// the numbers a_1, ..., a_f of records whose class is in the sets: mean,
// variance, bounds, and the probability that there are none.
type box struct {
	aggregate Kind
	classSets
	// sets has, per side of the kernel, the index of the set among the counted
	// ones.
	sets []int
	// values are those of the argument of SUM and AVG, ascending, each with the
	// classes of one side that have it.
	values   []boxValue
	argument int // that side: of the question, then of the kernel
	steps    steps
	// worth has, per side and class, the argument of the records met, and
	// decides whether a side decides it, while the box is built.
	worth   [][]float64
	decides []bool
}

type boxValue struct {
	value   float64
	classes []int
	set     int
}

// steps are the values beside which the values of records are small enough to
// make a figure less, or large enough to make it more: for a sum 0, for a mean
// the mean so far.
type steps struct {
	low, high float64
	// further says that the moments are known: only bounds are looked for.
	further bool
}

// boxes are those of a question.
type boxes struct {
	terms *terms
	list  []*box
	// of has the box of every aggregate, by key; for Distinct by key and value.
	of []map[keyedValue]int
}

// newBoxes returns the boxes of the aggregates whose kind is asked. It is nil
// where records that count are no box, or where an expression fails for some
// combination, whether it occurs or not.
func newBoxes(q *Question, sides []*side, asked func(Kind) bool) *boxes {
	b := &boxes{terms: newTerms(q, sides), of: make([]map[keyedValue]int, len(q.Aggregates))}
	classes, position, radix := make([]uint32, len(sides)), make([]int, len(sides)), make([]int, len(sides))
	combinations := 1
	for s := range sides {
		radix[s] = sides[s].classes
		combinations *= radix[s]
		if sides[s].isEmpty() {
			return b
		}
	}
	for range combinations {
		for s, at := range position {
			classes[s] = uint32(at)
		}
		entry, err := b.terms.entryOf(classes)
		if err != nil {
			return nil
		}
		if key := b.terms.key[entry]; key >= 0 {
			b.meet(key, b.terms.figures[entry], position, radix, asked)
		}
		advance(position, radix)
	}
	if !b.finish() {
		return nil
	}
	return b
}

// meet puts a combination into the boxes of its key.
func (b *boxes) meet(key int32, figures []contribution, position, radix []int, asked func(Kind) bool) {
	for a, aggregate := range b.terms.question.Aggregates {
		if !asked(aggregate.Kind) || figures[a].records == 0 {
			continue
		}
		if b.of[a] == nil {
			b.of[a] = make(map[keyedValue]int)
		}
		id := keyedValue{key: key}
		if aggregate.Kind == Distinct {
			id.value = int32(figures[a].sum)
		}
		i, ok := b.of[a][id]
		if !ok {
			i = len(b.list)
			b.of[a][id] = i
			b.list = append(b.list, newBox(aggregate.Kind, radix))
		}
		b.list[i].meet(position, figures[a].sum)
	}
}

func newBox(aggregate Kind, radix []int) *box {
	x := &box{aggregate: aggregate}
	if aggregate == Average {
		x.steps = steps{low: math.Inf(1), high: math.Inf(-1)}
	}
	for _, classes := range radix {
		x.of = append(x.of, make([]bool, classes))
		if aggregate == Sum || aggregate == Average {
			x.worth = append(x.worth, make([]float64, classes))
			x.decides = append(x.decides, true)
		}
	}
	return x
}

func (x *box) meet(position []int, value float64) {
	x.combinations++
	for s, at := range position {
		if x.worth != nil {
			if x.of[s][at] && x.worth[s][at] != value {
				x.decides[s] = false
			}
			x.worth[s][at] = value
		}
		x.of[s][at] = true
	}
}

// finish reports whether all are boxes; equal ones become one.
func (b *boxes) finish() bool {
	known := make(map[string]int)
	renamed := make([]int, len(b.list))
	var list []*box
	for i, x := range b.list {
		if !x.isProduct() || x.worth != nil && !x.sortValues() {
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
	b.list = list
	for _, of := range b.of {
		for id, i := range of {
			of[id] = renamed[i]
		}
	}
	return true
}

// id is an unambiguous text of what the box counts or adds up.
func (x *box) id() string {
	id := []byte{byte(x.aggregate)}
	for _, set := range x.of {
		for _, in := range set {
			if in {
				id = append(id, '1')
			} else {
				id = append(id, '0')
			}
		}
	}
	if x.values != nil {
		id = fmt.Append(id, x.argument, x.values)
	}
	return string(id)
}

// sortValues lists the values of the argument; false when no side decides it.
func (x *box) sortValues() bool {
	x.argument = slices.Index(x.decides, true)
	if x.argument < 0 {
		return false
	}
	classes := make(map[float64][]int)
	for class, in := range x.of[x.argument] {
		if value := x.worth[x.argument][class]; in {
			classes[value] = append(classes[value], class)
		}
	}
	for value, list := range classes {
		x.values = append(x.values, boxValue{value: value, classes: list})
	}
	slices.SortFunc(x.values, func(a, b boxValue) int {
		if a.value < b.value {
			return -1
		}
		return 1
	})
	return true
}

// setBoxes makes k follow the boxes, whose sides are those of the question;
// false when groups are too large for it.
func (k *kernel) setBoxes(b *boxes) bool {
	if b == nil || !k.fitsLanes(b) {
		return false
	}
	known := make(map[string]int)
	for _, x := range b.list {
		x.sets = make([]int, len(k.sides))
		for s, side := range k.sides {
			var classes []int
			for class, in := range x.of[side.index] {
				if in {
					classes = append(classes, class)
				}
			}
			x.sets[s] = side.count(s, classes, known)
		}
		if x.values != nil {
			x.argument = slices.IndexFunc(k.sides, func(s *kernelSide) bool { return s.index == x.argument })
			for i := range x.values {
				x.values[i].set = k.sides[x.argument].count(x.argument, x.values[i].classes, known)
			}
		}
	}
	k.boxes = b
	return true
}

// count has a set of classes counted and returns its index.
func (s *kernelSide) count(side int, classes []int, known map[string]int) int {
	if len(classes) == 1 {
		return classes[0]
	}
	id := fmt.Sprint(side, classes)
	index, ok := known[id]
	if !ok {
		index = len(s.counted)
		known[id] = index
		s.counted = append(s.counted, classes)
	}
	return index
}
