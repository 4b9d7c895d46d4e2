package anontest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// A place is a column of a fragment.
type place struct{ fragment, column int }

// A record has the values of the columns that a question reads.
type record map[place]anonymize.Value

// Truth values of Kleene's logic and SQL: AND is the minimum, OR the maximum.
const (
	no = iota
	unknown
	yes
)

// An atom is a condition that is true for some values of a column, and unknown for NULL.
type atom struct {
	place
	name  string
	among map[anonymize.Value]bool
}

func (a atom) truth(v anonymize.Value) int {
	switch {
	case v.IsNull():
		return unknown
	case a.among[v]:
		return yes
	}
	return no
}

// Shapes of conditions over the atoms a, b and c.
const (
	everybody = "true"
	single    = "a"
	both      = "a AND b"
	either    = "a OR b"
	without   = "a AND NOT b"
	mixed     = "a AND b OR c"
)

var shapes = []string{everybody, single, both, either, without, mixed}

// A question is for both the estimator and the enumeration. It selects COUNT(*), and COUNT, SUM and AVG of a numeric
// column, over the records that meet a condition, grouped by at most one key.
type question struct {
	shape    string
	atoms    []atom
	key      *place
	argument *place
}

// randomQuestion draws a question about any columns of r.
func randomQuestion(random *rand.Rand, r *anonymize.Release) *question {
	var all, numeric []place
	for i, f := range r.Fragments {
		for c, column := range f.Columns {
			all = append(all, place{i, c})
			if isNumeric(column) {
				numeric = append(numeric, place{i, c})
			}
		}
	}
	q := &question{shape: shapes[random.IntN(len(shapes))]}
	for range map[string]int{everybody: 0, single: 1, mixed: 3, both: 2, either: 2, without: 2}[q.shape] {
		at := all[random.IntN(len(all))]
		column := r.Fragments[at.fragment].Columns[at.column]
		a := atom{place: at, name: column.Name, among: map[anonymize.Value]bool{}}
		for _, v := range column.Dictionary {
			a.among[v] = random.IntN(2) == 0
		}
		q.atoms = append(q.atoms, a)
	}
	if random.IntN(3) == 0 {
		q.key = &all[random.IntN(len(all))]
	}
	if len(numeric) > 0 {
		q.argument = &numeric[random.IntN(len(numeric))]
	}
	return q
}

func isNumeric(c *anonymize.FragmentColumn) bool {
	for _, v := range c.Dictionary {
		if _, ok := v.Number(); !ok && !v.IsNull() {
			return false
		}
	}
	return true
}

// reads returns the columns that the answer depends on.
func (q *question) reads() []place {
	var all []place
	for _, a := range q.atoms {
		all = append(all, a.place)
	}
	for _, p := range []*place{q.key, q.argument} {
		if p != nil {
			all = append(all, *p)
		}
	}
	return all
}

// keys returns the possible values of the key column, or a dummy value if there is no key.
func (q *question) keys(r *anonymize.Release) []anonymize.Value {
	if q.key == nil {
		return []anonymize.Value{anonymize.NullValue}
	}
	return r.Fragments[q.key.fragment].Columns[q.key.column].Dictionary
}

// condition combines the truths of the atoms.
func (q *question) condition(of []int) int {
	switch q.shape {
	case single:
		return of[0]
	case both:
		return min(of[0], of[1])
	case either:
		return max(of[0], of[1])
	case without:
		return min(of[0], yes-of[1])
	case mixed:
		return max(min(of[0], of[1]), of[2])
	}
	return yes
}

// tally counts and sums the selected rows.
func (q *question) tally(rows []record, key anonymize.Value) (t tally) {
	for _, row := range rows {
		truths := make([]int, len(q.atoms))
		for i, a := range q.atoms {
			truths[i] = a.truth(row[a.place])
		}
		if q.condition(truths) != yes || q.key != nil && row[*q.key] != key {
			continue
		}
		t.records++
		if q.argument != nil && !row[*q.argument].IsNull() {
			x, _ := row[*q.argument].Number()
			t.present++
			t.sum += x
		}
	}
	return t
}

// conjunctive reports whether the condition is a conjunction of conditions on single columns.
func (q *question) conjunctive() bool {
	return q.shape == everybody || q.shape == single || q.shape == both
}

// estimator returns the question for package estimate, with the conditions of a conjunction one by one, as the
// planner passes them.
func (q *question) estimator() *estimate.Question {
	asked := &estimate.Question{}
	leaf := func(l estimate.Leaf) int {
		asked.Leaves = append(asked.Leaves, l)
		return len(asked.Leaves) - 1
	}
	var atoms []int
	for _, a := range q.atoms {
		atoms = append(atoms, leaf(estimate.Leaf{Fragment: a.fragment, Columns: []int{a.column},
			Eval: func(v []anonymize.Value) (anonymize.Value, error) { return sqlTruth(a.truth(v[0])), nil }}))
	}
	switch {
	case q.shape == both:
		asked.Where = []estimate.Expression{{Leaves: atoms[:1]}, {Leaves: atoms[1:]}}
	case q.shape != everybody:
		asked.Where = []estimate.Expression{{Leaves: atoms, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			truths := make([]int, len(v))
			for i := range v {
				truths[i] = kleene(v[i])
			}
			return sqlTruth(q.condition(truths)), nil
		}}}
	}
	if q.key != nil {
		asked.Keys = []estimate.Expression{{Leaves: []int{leaf(estimate.ValueOf(q.key.fragment, q.key.column))}}}
	}
	asked.Aggregates = []estimate.Aggregate{{Kind: estimate.Count}}
	if q.argument != nil {
		x := &estimate.Expression{Leaves: []int{leaf(estimate.ValueOf(q.argument.fragment, q.argument.column))}}
		asked.Aggregates = append(asked.Aggregates, estimate.Aggregate{Kind: estimate.Count, Argument: x},
			estimate.Aggregate{Kind: estimate.Sum, Argument: x}, estimate.Aggregate{Kind: estimate.Average, Argument: x})
	}
	return asked
}

func sqlTruth(truth int) anonymize.Value {
	if truth == unknown {
		return anonymize.NullValue
	}
	return anonymize.IntegerValue(int64(truth / yes))
}

func kleene(v anonymize.Value) int {
	if v.IsNull() {
		return unknown
	}
	return int(v.Int) * yes
}

// String formats the question like SQL, for messages.
func (q *question) String() string {
	var names []string
	for i, a := range q.atoms {
		names = append(names, fmt.Sprintf("%c: %s in %v", 'a'+i, a.name, a.among))
	}
	return fmt.Sprintf("WHERE %s (%s), key %v, argument %v", q.shape, strings.Join(names, "; "), q.key, q.argument)
}
