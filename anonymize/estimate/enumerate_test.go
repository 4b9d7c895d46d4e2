package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A formula is a predicate in the plainest form: evaluated on a whole row.
type formula struct {
	op   string // "and", "or", "not", "=", "<", "null"
	args []*formula
	// fragment, column and constant of an atom
	fragment, column int
	constant         int64
}

// plainQuestion is what the oracle evaluates; it shares no code with Question.
type plainQuestion struct {
	where    *formula
	keys     [][2]int // fragment, column
	argument [][2]int // summed together; empty: COUNT(*)
}

type plainRow [][]anonymize.Value // fragment, column

// truth is SQL's three-valued logic: 1, 0, -1 for unknown.
func (f *formula) truth(row plainRow) int {
	switch f.op {
	case "unknown":
		return -1
	case "not":
		if t := f.args[0].truth(row); t >= 0 {
			return 1 - t
		}
		return -1
	case "and", "or":
		decisive := 0
		if f.op == "or" {
			decisive = 1
		}
		result := 1 - decisive
		for _, a := range f.args {
			switch t := a.truth(row); t {
			case decisive:
				return decisive
			case -1:
				result = -1
			}
		}
		return result
	}
	return f.atom(row[f.fragment][f.column])
}

func (f *formula) atom(v anonymize.Value) int {
	truth := false
	switch {
	case f.op == "null":
		truth = v.IsNull()
	case v.IsNull():
		return -1
	case f.op == "=":
		truth = v.Int == f.constant
	default:
		truth = v.Int < f.constant
	}
	if truth {
		return 1
	}
	return 0
}

func asValue(truth int) anonymize.Value {
	if truth < 0 {
		return anonymize.NullValue
	}
	return anonymize.IntegerValue(int64(truth))
}

func randomFormula(random *rand.Rand, r *anonymize.Release, depth int) *formula {
	if depth == 0 || random.IntN(3) == 0 {
		f := random.IntN(len(r.Fragments))
		return &formula{op: []string{"=", "<", "null"}[random.IntN(3)], fragment: f,
			column: random.IntN(len(r.Fragments[f].Columns)), constant: int64(random.IntN(4)) - 1}
	}
	op := []string{"and", "or", "not"}[random.IntN(3)]
	f := &formula{op: op, args: []*formula{randomFormula(random, r, depth-1)}}
	if op != "not" {
		f.args = append(f.args, randomFormula(random, r, depth-1))
	}
	return f
}

// leaves turns the atoms of f into leaves of q; combine evaluates f on them.
func (f *formula) leaves(q *Question, used *[]int) func([]anonymize.Value) int {
	if len(f.args) == 0 {
		q.Leaves = append(q.Leaves, Leaf{Fragment: f.fragment, Columns: []int{f.column}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			return asValue(f.atom(v[0])), nil
		}})
		at := len(*used)
		*used = append(*used, len(q.Leaves)-1)
		return func(v []anonymize.Value) int {
			if v[at].IsNull() {
				return -1
			}
			return int(v[at].Int)
		}
	}
	var parts []func([]anonymize.Value) int
	for _, a := range f.args {
		parts = append(parts, a.leaves(q, used))
	}
	return func(v []anonymize.Value) int {
		constants := &formula{op: f.op}
		for _, p := range parts {
			constants.args = append(constants.args, constantFormula(p(v)))
		}
		return constants.truth(nil)
	}
}

func constantFormula(truth int) *formula {
	switch truth {
	case 1:
		return &formula{op: "and"}
	case 0:
		return &formula{op: "or"}
	}
	return &formula{op: "unknown"}
}

// randomQuestion returns the same question for the estimator and the oracle.
func randomQuestion(random *rand.Rand, r *anonymize.Release) (*Question, *plainQuestion) {
	q, plain := &Question{}, &plainQuestion{where: &formula{op: "and"}}
	for range random.IntN(3) {
		f := randomFormula(random, r, 2)
		plain.where.args = append(plain.where.args, f)
		var used []int
		truth := f.leaves(q, &used)
		q.Where = append(q.Where, Expression{Leaves: used, Combine: func(v []anonymize.Value) (anonymize.Value, error) {
			return asValue(truth(v)), nil
		}})
	}
	pick := func() (int, int) {
		f := random.IntN(len(r.Fragments))
		return f, random.IntN(len(r.Fragments[f].Columns))
	}
	for range random.IntN(3) {
		f, c := pick()
		plain.keys = append(plain.keys, [2]int{f, c})
		q.Leaves = append(q.Leaves, ValueOf(f, c))
		q.Keys = append(q.Keys, Expression{Leaves: []int{len(q.Leaves) - 1}})
	}
	argument := &Expression{Combine: addValues}
	for range 1 + random.IntN(2) {
		f, c := pick()
		plain.argument = append(plain.argument, [2]int{f, c})
		q.Leaves = append(q.Leaves, ValueOf(f, c))
		argument.Leaves = append(argument.Leaves, len(q.Leaves)-1)
	}
	q.Aggregates = []Aggregate{{Kind: Count}, {Kind: Count, Argument: argument}, {Kind: Sum, Argument: argument}, {Kind: Average, Argument: argument}}
	return q, plain
}

func addValues(values []anonymize.Value) (anonymize.Value, error) {
	sum := int64(0)
	for _, v := range values {
		if v.IsNull() {
			return anonymize.NullValue, nil
		}
		sum += v.Int
	}
	return anonymize.IntegerValue(sum), nil
}

// expected holds COUNT(*), COUNT(x) and SUM(x) of one key.
type expected [3]float64

// enumerate visits every matching of every group, and every value of every
// cell, and adds up the share of each row.
func enumerate(r *anonymize.Release, q *plainQuestion) map[string]expected {
	answer := map[string]expected{}
	for g, size := range r.GroupSizes {
		matchings := allMatchings(len(r.Fragments), int(size))
		records := make([][]uint32, len(r.Fragments))
		for i, f := range r.Fragments {
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				for range f.Count[t] {
					records[i] = append(records[i], t)
				}
			}
		}
		for _, matching := range matchings {
			for record := range int(size) {
				row := make(plainRow, len(r.Fragments))
				tuples := make([]uint32, len(r.Fragments))
				for i, f := range r.Fragments {
					row[i] = make([]anonymize.Value, len(f.Columns))
					tuples[i] = records[i][matching[i][record]]
				}
				q.visitCells(r, row, tuples, 0, 0, 1/float64(len(matchings)), answer)
			}
		}
	}
	return answer
}

// visitCells expands the cells of a row from (fragment, column) on.
func (q *plainQuestion) visitCells(r *anonymize.Release, row plainRow, tuples []uint32, f, c int, p float64, answer map[string]expected) {
	if f == len(r.Fragments) {
		q.tally(row, p, answer)
		return
	}
	if c == len(r.Fragments[f].Columns) {
		q.visitCells(r, row, tuples, f+1, 0, p, answer)
		return
	}
	column := r.Fragments[f].Columns[c]
	code := column.Codes[tuples[f]]
	if column.Cells == nil {
		row[f][c] = column.Dictionary[code]
		q.visitCells(r, row, tuples, f, c+1, p, answer)
		return
	}
	cell := column.Cells[code]
	for i, member := range cell.Members {
		weight := 1 / float64(len(cell.Members))
		if cell.Weights != nil {
			weight = cell.Weights[i]
		}
		row[f][c] = column.Dictionary[member]
		q.visitCells(r, row, tuples, f, c+1, p*weight, answer)
	}
}

func (q *plainQuestion) tally(row plainRow, p float64, answer map[string]expected) {
	if q.where.truth(row) != 1 {
		return
	}
	var key []anonymize.Value
	for _, k := range q.keys {
		key = append(key, row[k[0]][k[1]])
	}
	e := answer[fmt.Sprint(key)]
	e[0] += p
	sum, null := 0.0, false
	for _, a := range q.argument {
		v := row[a[0]][a[1]]
		null = null || v.IsNull()
		sum += float64(v.Int)
	}
	if !null {
		e[1] += p
		e[2] += p * sum
	}
	answer[fmt.Sprint(key)] = e
}

// allMatchings lists, per fragment, the order of its records: fragment 0 as
// stored, the others in every permutation.
func allMatchings(fragments, size int) [][][]int {
	identity := anonymize.Ints(size)
	var permutations [][]int
	var permute func(int)
	current := slices.Clone(identity)
	permute = func(i int) {
		if i == size {
			permutations = append(permutations, slices.Clone(current))
			return
		}
		for j := i; j < size; j++ {
			current[i], current[j] = current[j], current[i]
			permute(i + 1)
			current[i], current[j] = current[j], current[i]
		}
	}
	permute(0)
	all := [][][]int{{identity}}
	for range fragments - 1 {
		var longer [][][]int
		for _, m := range all {
			for _, p := range permutations {
				longer = append(longer, append(slices.Clone(m), p))
			}
		}
		all = longer
	}
	return all
}

// keyed turns rows with COUNT(*) alone into the oracle's form.
func keyed(rows []AnswerRow) map[string]expected {
	m := map[string]expected{}
	for _, row := range rows {
		m[fmt.Sprint(row.Keys)] = expected{row.Figures[0].Float}
	}
	return m
}

// difference describes the first disagreement beyond 1e-9, or is empty.
func difference(answer *Answer, want map[string]expected, global bool) string {
	if global && len(want) == 0 {
		want = map[string]expected{"[]": {}}
	}
	if len(answer.Rows) != len(want) {
		return fmt.Sprintf("%d keys, enumeration has %d: %v against %v", len(answer.Rows), len(want), answer.Rows, want)
	}
	for _, row := range answer.Rows {
		e, ok := want[fmt.Sprint(row.Keys)]
		if !ok {
			return fmt.Sprintf("key %v is not in the enumeration", row.Keys)
		}
		for i, figure := range row.Figures {
			expect, null := 0.0, false
			switch i {
			case 0, 1:
				expect = e[i]
			case 2:
				expect, null = e[2], e[1] == 0
			case 3:
				expect, null = e[2]/e[1], e[1] == 0
			}
			if null != figure.IsNull() || !null && math.Abs(figure.Float-expect) > 1e-9 {
				return fmt.Sprintf("key %v aggregate %d: %v, enumeration %v", row.Keys, i, figure, expect)
			}
		}
	}
	return ""
}
