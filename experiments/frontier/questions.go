package frontier

import (
	"math/rand/v2"
	"slices"
)

// The kinds of questions.
const (
	Pairs    = "pairs"     // a quasi-identifier and the sensitive attribute
	ThreeWay = "three-way" // two quasi-identifiers and the sensitive attribute, of a random record
	TwoKeys  = "two keys"  // all cells of two quasi-identifiers and the sensitive attribute
	Averages = "averages"  // of a number, by the sensitive attribute and a quasi-identifier
	minCell  = 20          // least number of records of a compared cell
	drawn    = 200         // number of three-way conjunctions
)

// Kinds lists the kinds in the order of the columns.
var Kinds = []string{Pairs, ThreeWay, TwoKeys, Averages}

// A question is a statement that returns a row for each cell. actual has the compared cells.
type question struct {
	kind    string
	columns []int
	average int // the attribute whose average is asked for, -1 for counts
	actual  map[string]float64
	times   map[string]int // for ThreeWay, how often each cell was drawn; otherwise nil
}

// questions returns the questions for a table. They depend only on the table and the random source.
func (t *Table) questions(random *rand.Rand) (list []*question) {
	sensitive := t.sensitive()
	for q := range sensitive {
		list = append(list, t.ask(Pairs, []int{q, sensitive}, -1))
	}
	for q := range sensitive {
		for p := range q {
			list = append(list, t.ask(TwoKeys, []int{p, q, sensitive}, -1))
		}
	}
	for a := range sensitive {
		if t.numbers[a] == nil {
			continue
		}
		list = append(list, t.ask(Averages, []int{sensitive}, a))
		for q := range sensitive {
			if q != a {
				list = append(list, t.ask(Averages, []int{q, sensitive}, a))
			}
		}
	}
	return append(list, t.conjunctions(list, random)...)
}

func (t *Table) ask(kind string, columns []int, average int) *question {
	q := &question{kind: kind, columns: columns, average: average, actual: make(map[string]float64)}
	for key, c := range t.cells(columns, average) {
		switch {
		case c.count < minCell:
		case average < 0:
			q.actual[key] = c.count
		case c.sum != 0:
			q.actual[key] = c.sum / c.count
		}
	}
	return q
}

// conjunctions draws records, and two quasi-identifiers for each; their cell is compared.
func (t *Table) conjunctions(of []*question, random *rand.Rand) (list []*question) {
	of = slices.DeleteFunc(slices.Clone(of), func(q *question) bool { return q.kind != TwoKeys || len(q.actual) == 0 })
	if len(of) == 0 {
		return nil
	}
	by := make(map[*question]*question)
	for found, tries := 0, 0; found < drawn && tries < 100*drawn; tries++ {
		q, row := of[random.IntN(len(of))], random.IntN(t.Rows)
		key := join([]string{t.keys[q.columns[0]][row], t.keys[q.columns[1]][row], t.keys[q.columns[2]][row]})
		n, compared := q.actual[key]
		if !compared {
			continue
		}
		found++
		three := by[q]
		if three == nil {
			three = &question{kind: ThreeWay, columns: q.columns, average: -1, actual: make(map[string]float64), times: make(map[string]int)}
			by[q], list = three, append(list, three)
		}
		three.actual[key] = n
		three.times[key]++
	}
	return list
}
