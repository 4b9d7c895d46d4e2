package question

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Touched returns the fragments that q reads, ascending.
func (q *Question) Touched() []int {
	var fragments []int
	for _, leaf := range q.Leaves {
		if !slices.Contains(fragments, leaf.Fragment) {
			fragments = append(fragments, leaf.Fragment)
		}
	}
	slices.Sort(fragments)
	return fragments
}

// Holds evaluates the conditions that no side decides: those across fragments, and constants.
// An error counts only if all others hold.
func (q *Question) Holds(outcomes []Outcome, buffer []anonymize.Value) (bool, error) {
	var failure error
	for i := range q.Where {
		if q.FragmentOf(&q.Where[i]) >= 0 {
			continue
		}
		truth, err := q.Where[i].Evaluate(outcomes, buffer)
		if err != nil {
			failure = err
		} else if !IsTrue(truth) {
			return false, nil
		}
	}
	return failure == nil, failure
}

// RestrictedTo returns the question for some of the aggregates, with the leaves that it reads.
func (q *Question) RestrictedTo(aggregates []int) *Question {
	part := &Question{MaxKeys: q.MaxKeys}
	number := make(map[int]int)
	moved := func(e *Expression) Expression {
		leaves := make([]int, len(e.Leaves))
		for i, l := range e.Leaves {
			n, ok := number[l]
			if !ok {
				n = len(part.Leaves)
				number[l] = n
				part.Leaves = append(part.Leaves, q.Leaves[l])
			}
			leaves[i] = n
		}
		return Expression{Leaves: leaves, Combine: e.Combine, Chosen: e.Chosen}
	}
	for i := range q.Where {
		part.Where = append(part.Where, moved(&q.Where[i]))
	}
	for i := range q.Keys {
		part.Keys = append(part.Keys, moved(&q.Keys[i]))
	}
	arguments := make(map[*Expression]*Expression)
	for _, a := range aggregates {
		aggregate := q.Aggregates[a]
		if at := aggregate.Argument; at != nil {
			if arguments[at] == nil {
				argument := moved(at)
				arguments[at] = &argument
			}
			aggregate.Argument = arguments[at]
		}
		part.Aggregates = append(part.Aggregates, aggregate)
	}
	return part
}

// ReadsNoise reports whether the question reads an attribute that the release publishes through
// noise only. Then no table is excluded, and no figure has hard bounds.
func (q *Question) ReadsNoise(r *anonymize.Release) bool {
	if r.Model == nil || !r.Model.Hides(r.Model.Sensitive) {
		return false
	}
	at, _, ok := r.Locate(r.Model.Sensitive)
	return ok && slices.Contains(q.Touched(), at)
}

// ReadsCells reports whether a question reads columns whose cells may stand for
// several values.
func ReadsCells(r *anonymize.Release, q *Question) bool {
	return slices.ContainsFunc(q.Leaves, func(l Leaf) bool {
		return slices.ContainsFunc(l.Columns, func(c int) bool { return !r.Fragments[l.Fragment].Columns[c].IsPoint() })
	})
}

// AsksDistinct reports whether an aggregate counts values.
func (q *Question) AsksDistinct() bool {
	return slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return a.Kind == Distinct })
}

// A Leaf is an expression over attributes of one fragment. It is evaluated once per distinct
// combination of values, never per row.
type Leaf struct {
	Fragment int   // index into Release.Fragments
	Columns  []int // indexes into the fragment's Columns; at least one
	// Eval receives one value per column, in the order of Columns; it must not keep the slice.
	// A condition returns Integer 1 (or any number except 0) for true, 0 for false, NULL for
	// unknown.
	Eval func(values []anonymize.Value) (anonymize.Value, error)
	// Parts are what a leaf over one column is made of where each of them only ascends, or only descends, with the column's values: they
	// say what it makes of numbers between two. nil: nobody has looked. See [Question.ReadsBetween].
	Parts []func(values []anonymize.Value) (anonymize.Value, error)
}

// An Expression is a value computed from leaves of one or several fragments.
type Expression struct {
	Leaves []int // indexes into Question.Leaves
	// Combine receives one value per leaf. If it is nil, the expression is its only leaf. An
	// expression without leaves is a constant: Combine receives no values.
	Combine func(values []anonymize.Value) (anonymize.Value, error)
	// Chosen are the positions in Leaves of those that Combine returns as they are, or does not look at. See [Question.ReadsBetween].
	Chosen []int
}

// An Aggregate is one figure per key.
type Aggregate struct {
	Kind Kind
	// Argument is nil for COUNT(*).
	Argument *Expression
	// Truths says that all values of the argument are 1, 0 or NULL, so that their SUM is a number of records.
	Truths bool
	// Compare orders the argument's values for Least and Greatest; nil means anonymize.Compare.
	Compare func(a, b anonymize.Value) (int, error)
}

// A Question asks for aggregates over the records of a release that satisfy all conditions, by
// distinct combination of keys.
type Question struct {
	Leaves []Leaf
	// Where is a conjunction. A condition within one fragment costs a look-up; one across
	// fragments is evaluated per combination of classes.
	Where      []Expression
	Keys       []Expression
	Aggregates []Aggregate
	// Quotients of COUNTs and SUMs; [Completed.AskWithSpread] answers them.
	Quotients []Quotient
	// Coarse says that some argument is known only approximately, so that even an exact answer of [Completed.AskWithSpread] has scatters.
	Coarse bool
	// MaxKeys is the greatest number of keys; with more, the error is ErrTooManyKeys. 0 means
	// no limit.
	MaxKeys int
}

// Check refuses questions that do not fit the release. The planner never makes one, but a Go
// caller may.
func (q *Question) Check(r *anonymize.Release) error {
	for i, leaf := range q.Leaves {
		if leaf.Fragment < 0 || leaf.Fragment >= len(r.Fragments) {
			return fmt.Errorf("leaf %d asks fragment %d of a release with %d", i, leaf.Fragment, len(r.Fragments))
		}
		if len(leaf.Columns) == 0 {
			return fmt.Errorf("leaf %d reads no column: make it a constant expression", i)
		}
		for _, c := range leaf.Columns {
			if c < 0 || c >= len(r.Fragments[leaf.Fragment].Columns) {
				return fmt.Errorf("leaf %d reads column %d of fragment %s, which has %d",
					i, c, r.Fragments[leaf.Fragment].Name, len(r.Fragments[leaf.Fragment].Columns))
			}
		}
	}
	for _, e := range q.expressions() {
		for _, l := range e.Leaves {
			if l < 0 || l >= len(q.Leaves) {
				return fmt.Errorf("an expression reads leaf %d of %d", l, len(q.Leaves))
			}
		}
		if e.Combine == nil && len(e.Leaves) != 1 {
			return fmt.Errorf("an expression over %d leaves has no Combine", len(e.Leaves))
		}
	}
	for i, a := range q.Aggregates {
		if a.Kind != Count && a.Argument == nil {
			return fmt.Errorf("aggregate %d has no argument", i)
		}
	}
	for i, quotient := range q.Quotients {
		for _, a := range []int{quotient.Numerator, quotient.Denominator} {
			if a < 0 || a >= len(q.Aggregates) || q.Aggregates[a].Kind > Sum {
				return fmt.Errorf("quotient %d is not of COUNTs and SUMs", i)
			}
		}
	}
	return nil
}

// expressions lists all expressions of q.
func (q *Question) expressions() []*Expression {
	var all []*Expression
	for i := range q.Where {
		all = append(all, &q.Where[i])
	}
	return append(all, q.asked()...)
}

// asked lists the expressions whose values the answer needs: keys and arguments, without
// conditions.
func (q *Question) asked() []*Expression {
	var asked []*Expression
	for i := range q.Keys {
		asked = append(asked, &q.Keys[i])
	}
	for i := range q.Aggregates {
		if a := q.Aggregates[i].Argument; a != nil {
			asked = append(asked, a)
		}
	}
	return asked
}

// FragmentOf returns the only fragment that e reads, or -1 if it reads none or several.
func (q *Question) FragmentOf(e *Expression) int {
	fragment := -1
	for _, l := range e.Leaves {
		f := q.Leaves[l].Fragment
		if fragment >= 0 && f != fragment {
			return -1
		}
		fragment = f
	}
	return fragment
}

// An Outcome is the result of a leaf. A leaf is evaluated for all values of its columns, also
// for those of excluded records; so its error is an error of the question only if the outcome
// is used.
type Outcome struct {
	Value anonymize.Value
	Err   error
}

// Evaluate computes e from the outcomes of all leaves of the question; buffer has capacity for
// len(e.Leaves) values.
func (e *Expression) Evaluate(outcomes []Outcome, buffer []anonymize.Value) (anonymize.Value, error) {
	buffer = buffer[:0]
	for _, l := range e.Leaves {
		if outcomes[l].Err != nil {
			return anonymize.NullValue, outcomes[l].Err
		}
		buffer = append(buffer, outcomes[l].Value)
	}
	if e.Combine == nil {
		return buffer[0], nil
	}
	return e.Combine(buffer)
}

// IsTrue is the truth of a value in SQL: a number other than 0. Unknown is not true.
func IsTrue(v anonymize.Value) bool {
	number, ok := v.Number()
	return ok && number != 0
}

// True and False are the outcomes of conditions.
var (
	True  = anonymize.IntegerValue(1)
	False = anonymize.IntegerValue(0)
)

// ValueLeaf returns a leaf that is true if keep accepts the value of one attribute; it is for
// Go callers.
func ValueLeaf(fragment, column int, keep func(anonymize.Value) bool) Leaf {
	return Leaf{Fragment: fragment, Columns: []int{column}, Eval: func(values []anonymize.Value) (anonymize.Value, error) {
		if keep(values[0]) {
			return True, nil
		}
		return False, nil
	}}
}

// ValueOf returns a leaf that is the value of one attribute.
func ValueOf(fragment, column int) Leaf {
	value := func(values []anonymize.Value) (anonymize.Value, error) { return values[0], nil }
	return Leaf{Fragment: fragment, Columns: []int{column}, Eval: value, Parts: []func([]anonymize.Value) (anonymize.Value, error){value}}
}

// AsksValues reports whether an aggregate has an argument.
func (q *Question) AsksValues() bool {
	return slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return a.Argument != nil })
}

// AddsUp reports whether an aggregate adds up values.
func (q *Question) AddsUp() bool {
	return slices.ContainsFunc(q.Aggregates, func(a Aggregate) bool { return a.Kind == Sum || a.Kind == Average })
}
