package estimate

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// newUnit evaluates the part's leaves and conditions once per unit code.
func newUnit(ctx context.Context, f *anonymize.Fragment, q *Question, p part) (*unit, error) {
	u := &unit{columns: p.columns}
	wanted := q.wanted()
	for _, l := range p.leaves {
		if wanted[l] {
			u.leaves = append(u.leaves, l)
		}
	}
	e := &unitEvaluator{unit: u, question: q, part: p, fragment: f, work: checkpoint{ctx: ctx},
		outcomes: make([]outcome, len(q.Leaves)),
		classes:  newTupleNumbering(len(u.leaves) + 1)}
	switch product := e.product(); {
	case len(p.columns) == 1:
		e.overDictionary()
	case product > 0 && product <= mostProduct(f):
		e.overProduct(product)
	case product > 0 && isElsewhere(f): // what occurs is not known
		return nil, &TooManyCombinationsError{f.Name, maxDistantProduct}
	default:
		e.overCombinations()
	}
	return u, e.err
}

// Several columns of points are evaluated on the product of their dictionaries
// when that is small, absolutely or beside the tuples: finding what occurs is a
// look-up per tuple, some 50 ns; an evaluation is about 20 of these.
const (
	minProduct       = 1 << 10
	maxProduct       = 1 << 16
	tuplesPerProduct = 8
)

// mostProduct is how many combinations of values are evaluated, whether they occur or not.
func mostProduct(f *anonymize.Fragment) int {
	if isElsewhere(f) {
		return maxDistantProduct
	}
	return max(minProduct, min(maxProduct, f.Tuples()/tuplesPerProduct))
}

// product is the number of combinations of values of the part's columns, or one
// that is too large; 0 where there are no values.
func (e *unitEvaluator) product() int {
	product := 1
	for _, c := range e.part.columns {
		if product *= len(e.fragment.Columns[c].Dictionary); product > maxDistantProduct {
			return product
		}
	}
	return product
}

// A unitEvaluator assigns classes to the codes of one unit.
type unitEvaluator struct {
	unit     *unit
	question *Question
	part     part
	fragment *anonymize.Fragment
	outcomes []outcome // one per leaf of the question
	buffer   []anonymize.Value
	classes  *tupleNumbering
	// filter is the class of what passes a unit that only filters, once met.
	filtered bool
	filter   uint32
	work     checkpoint
	err      error // the context's end
}

// overDictionary handles a single column of points: a class per code.
func (e *unitEvaluator) overDictionary() {
	column := e.fragment.Columns[e.part.columns[0]]
	e.unit.codes, e.unit.radix = column.Codes, []int{len(column.Dictionary)}
	e.unit.classOf = make([]uint32, len(column.Dictionary))
	values := make([]anonymize.Value, 1)
	for code, v := range column.Dictionary {
		if e.ended() {
			return
		}
		values[0] = v
		e.unit.classOf[code] = e.classify(values)
	}
	e.unit.classes = max(1, e.unit.classes) // an empty dictionary
}

// overProduct handles several columns of points with few combinations of values:
// a class per combination, whether it occurs or not. Classes that occur nowhere
// have no weight, so that an error of theirs is nobody's.
func (e *unitEvaluator) overProduct(product int) {
	columns := e.part.columns
	for _, c := range columns {
		e.unit.radix = append(e.unit.radix, len(e.fragment.Columns[c].Dictionary))
	}
	e.unit.classOf = make([]uint32, product)
	values := make([]anonymize.Value, len(columns))
	for combination := range e.unit.classOf {
		if e.ended() {
			return
		}
		code := combination
		for i, c := range columns {
			values[i] = e.fragment.Columns[c].Dictionary[code%e.unit.radix[i]]
			code /= e.unit.radix[i]
		}
		e.unit.classOf[combination] = e.classify(values)
	}
}

// overCombinations handles several columns with many: the combinations that occur
// are numbered in one pass over the tuples, and evaluated once each.
func (e *unitEvaluator) overCombinations() {
	columns := e.part.columns
	numbering := newTupleNumbering(len(columns))
	codes := make([]uint32, len(columns))
	e.unit.codes = make([]uint32, e.fragment.Tuples())
	values := make([]anonymize.Value, len(columns))
	for t := range e.unit.codes {
		for i, c := range columns {
			codes[i] = e.fragment.Columns[c].Codes[t]
		}
		id := numbering.numberCodes(codes)
		e.unit.codes[t] = id
		if int(id) < len(e.unit.classOf) {
			continue
		}
		if e.ended() {
			return
		}
		for i, c := range columns {
			values[i] = e.fragment.Columns[c].Dictionary[codes[i]]
		}
		e.unit.classOf = append(e.unit.classOf, e.classify(values))
	}
	e.unit.classes = max(1, e.unit.classes) // no tuples
}

// ended counts an evaluation.
func (e *unitEvaluator) ended() bool {
	e.err = e.work.pass(workPerEvaluation * (1 + len(e.part.leaves)))
	return e.err != nil
}

// classify evaluates all leaves and conditions of the part on one combination
// of values (one per column of the part) and numbers the outcome.
func (e *unitEvaluator) classify(values []anonymize.Value) uint32 {
	e.evaluateLeaves(values)
	failure, ok := hold(e.part.conditions, e.outcomes)
	if !ok {
		e.unit.classes = max(e.unit.classes, 1)
		return dead
	}
	plain := failure == nil && len(e.unit.leaves) == 0 // a filter: one class for all
	if plain && e.filtered {
		return e.filter
	}
	wanted := make([]outcome, 0, len(e.unit.leaves)+1)
	for _, l := range e.unit.leaves {
		wanted = append(wanted, e.outcomes[l])
	}
	wanted = append(wanted, outcome{err: failure})
	class := e.classes.number(distinguish(wanted))
	if int(class) == len(e.unit.outcomes) {
		e.unit.outcomes = append(e.unit.outcomes, wanted)
	}
	e.unit.classes = max(1, len(e.unit.outcomes))
	if plain {
		e.filtered, e.filter = true, class
	}
	return class
}

func (e *unitEvaluator) evaluateLeaves(values []anonymize.Value) {
	for _, l := range e.part.leaves {
		leaf := &e.question.Leaves[l]
		e.buffer = e.buffer[:0]
		for _, c := range leaf.Columns {
			e.buffer = append(e.buffer, values[position(e.part.columns, c)])
		}
		e.outcomes[l] = leaf.outcome(e.buffer)
	}
}

// distinguish returns values that differ where the outcomes do: those of the
// leaves, and one text of all errors.
func distinguish(outcomes []outcome) []anonymize.Value {
	values := make([]anonymize.Value, len(outcomes))
	text := ""
	for i, o := range outcomes[:len(outcomes)-1] {
		values[i] = o.value
		if o.err != nil {
			text += fmt.Sprintf("leaf %d: %v\n", i, o.err)
		}
	}
	if err := outcomes[len(outcomes)-1].err; err != nil {
		text += err.Error()
	}
	if text != "" {
		values[len(values)-1] = anonymize.TextValue(text)
	}
	return values
}

func position(columns []int, column int) int {
	for i, c := range columns {
		if c == column {
			return i
		}
	}
	return -1
}
