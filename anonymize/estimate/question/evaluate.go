package question

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// Limits of questions over relations that are elsewhere: combinations of the values of one
// unit's columns, and classes of a fragment. The engine limits the combinations of classes.
const (
	maxDistantProduct = 1 << 20
	MaxDistantClasses = 1 << 31
)

// newUnit evaluates the part's leaves and conditions once per unit code.
func newUnit(ctx context.Context, f *anonymize.Fragment, q *Question, p part) (*Unit, error) {
	u := &Unit{Columns: p.Columns}
	wanted := q.wanted()
	for _, l := range p.leaves {
		if wanted[l] {
			u.leaves = append(u.leaves, l)
		}
	}
	e := &unitEvaluator{unit: u, question: q, Part: p, Fragment: f, work: Checkpoint{Ctx: ctx},
		outcomes: make([]Outcome, len(q.Leaves)),
		classes:  NewTupleNumbering(len(u.leaves) + 1)}
	switch product := e.Product(); {
	case len(p.Columns) == 1:
		u.Codes = f.Columns[p.Columns[0]].Codes
		e.overProduct(product)
	case product > 0 && product <= mostProduct(f):
		e.overProduct(product)
	case product > 0 && IsElsewhere(f): // what occurs is not known
		return nil, &TooManyCombinationsError{f.Name, maxDistantProduct}
	default:
		e.overCombinations()
	}
	return u, e.err
}

// Several columns of points are evaluated on the product of their dictionaries if it is small,
// absolutely or compared to the tuples. Finding what occurs takes a look-up per tuple, about 50
// ns; an evaluation takes about 20 times as long.
const (
	minProduct       = 1 << 10
	maxProduct       = 1 << 16
	tuplesPerProduct = 8
)

// mostProduct returns the greatest number of combinations of values that are evaluated regardless of whether they occur.
func mostProduct(f *anonymize.Fragment) int {
	if IsElsewhere(f) {
		return maxDistantProduct
	}
	return max(minProduct, min(maxProduct, f.Tuples()/tuplesPerProduct))
}

// Product returns the number of combinations of values of the part's columns, or a number above
// maxDistantProduct; 0 if a dictionary is empty.
func (e *unitEvaluator) Product() int {
	product := 1
	for _, c := range e.Part.Columns {
		if product *= len(e.Fragment.Columns[c].Dictionary); product > maxDistantProduct {
			return product
		}
	}
	return product
}

// A unitEvaluator assigns classes to the codes of one unit.
type unitEvaluator struct {
	unit     *Unit
	question *Question
	Part     part
	Fragment *anonymize.Fragment
	outcomes []Outcome // one per leaf of the question
	buffer   []anonymize.Value
	classes  *TupleNumbering
	// filtered says that filter is set: the class of whatever passes a unit that only filters.
	filtered bool
	filter   uint32
	work     Checkpoint
	err      error // the context's
}

// overProduct handles one column of points, or several with few combinations of values: every
// combination has a class, whether it occurs or not. A class that does not occur has no weight,
// so its errors have no effect.
func (e *unitEvaluator) overProduct(product int) {
	columns := e.Part.Columns
	for _, c := range columns {
		e.unit.Radix = append(e.unit.Radix, len(e.Fragment.Columns[c].Dictionary))
	}
	e.unit.ClassOf = make([]uint32, product)
	values := make([]anonymize.Value, len(columns))
	for combination := range e.unit.ClassOf {
		if e.ended() {
			return
		}
		code := combination
		for i, c := range columns {
			values[i] = e.Fragment.Columns[c].Dictionary[code%e.unit.Radix[i]]
			code /= e.unit.Radix[i]
		}
		e.unit.ClassOf[combination] = e.classify(values)
	}
	e.unit.Classes = max(1, e.unit.Classes) // an empty dictionary
}

// overCombinations handles several columns with many combinations: one pass over the tuples
// numbers those that occur, and each is evaluated once.
func (e *unitEvaluator) overCombinations() {
	columns := e.Part.Columns
	numbering := NewTupleNumbering(len(columns))
	codes := make([]uint32, len(columns))
	e.unit.Codes = make([]uint32, e.Fragment.Tuples())
	values := make([]anonymize.Value, len(columns))
	for t := range e.unit.Codes {
		for i, c := range columns {
			codes[i] = e.Fragment.Columns[c].Codes[t]
		}
		id := numbering.NumberCodes(codes)
		e.unit.Codes[t] = id
		if int(id) < len(e.unit.ClassOf) {
			continue
		}
		if e.ended() {
			return
		}
		for i, c := range columns {
			values[i] = e.Fragment.Columns[c].Dictionary[codes[i]]
		}
		e.unit.ClassOf = append(e.unit.ClassOf, e.classify(values))
	}
	e.unit.Classes = max(1, e.unit.Classes) // no tuples
}

// ended counts an evaluation and reports whether the context ended.
func (e *unitEvaluator) ended() bool {
	e.err = e.work.Pass(WorkPerEvaluation * (1 + len(e.Part.leaves)))
	return e.err != nil
}

// classify evaluates all leaves and conditions of the part on one combination of values, one
// per column of the part, and numbers the outcome.
func (e *unitEvaluator) classify(values []anonymize.Value) uint32 {
	e.evaluateLeaves(values)
	failure, ok := hold(e.Part.conditions, e.outcomes)
	if !ok {
		e.unit.Classes = max(e.unit.Classes, 1)
		return Dead
	}
	plain := failure == nil && len(e.unit.leaves) == 0 // only a filter: one class for all
	if plain && e.filtered {
		return e.filter
	}
	wanted := make([]Outcome, 0, len(e.unit.leaves)+1)
	for _, l := range e.unit.leaves {
		wanted = append(wanted, e.outcomes[l])
	}
	wanted = append(wanted, Outcome{Err: failure})
	class := e.classes.Number(distinguish(wanted))
	if int(class) == len(e.unit.outcomes) {
		e.unit.outcomes = append(e.unit.outcomes, wanted)
	}
	e.unit.Classes = max(1, len(e.unit.outcomes))
	if plain {
		e.filtered, e.filter = true, class
	}
	return class
}

func (e *unitEvaluator) evaluateLeaves(values []anonymize.Value) {
	for _, l := range e.Part.leaves {
		leaf := &e.question.Leaves[l]
		e.buffer = e.buffer[:0]
		for _, c := range leaf.Columns {
			e.buffer = append(e.buffer, values[position(e.Part.Columns, c)])
		}
		e.outcomes[l] = leaf.Outcome(e.buffer)
	}
}

// distinguish returns values that differ if the outcomes do: those of the leaves, and a text of
// all errors.
func distinguish(outcomes []Outcome) []anonymize.Value {
	values := make([]anonymize.Value, len(outcomes))
	text := ""
	for i, o := range outcomes[:len(outcomes)-1] {
		values[i] = o.Value
		if o.Err != nil {
			text += fmt.Sprintf("leaf %d: %v\n", i, o.Err)
		}
	}
	if err := outcomes[len(outcomes)-1].Err; err != nil {
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
