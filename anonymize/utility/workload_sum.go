package utility

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// summand returns the attribute that a workload adds up.
func (a *attributes) summand(name string) (*anonymize.Column, error) {
	const parameter = "the attribute of aggregate" // of=, or in its parentheses
	var names []string
	for _, c := range a.allColumns() {
		if !strings.EqualFold(c.Name, name) {
			names = append(names, c.Name)
			continue
		}
		if !summable(c) {
			return nil, &anonymize.ParameterError{Parameter: parameter, Value: "'" + name + "'", Rule: "must be numeric: SUM adds numbers up"}
		}
		return c, nil
	}
	return nil, &anonymize.ParameterError{Parameter: parameter, Value: "'" + name + "'",
		Rule: "must be one that the release publishes: " + strings.Join(names, ", ")}
}

// predicates draws one query of the workload of the paper on cross-bucket
// generalization, section 4.2,
//
//	SELECT SUM(of) FROM microdata WHERE pred(A_1) AND ... AND pred(A_n)
//
// over n random quasi-identifiers other than the one to add up. For a categorical one, pred(A)
// is A = v_1 OR ... OR A = v_m; for a numeric one A op v, with op one of <, <=, =, >=, >, <>.
// Every v is a uniformly random value of A's domain, that is of the values that occur. The
// paper does not define m: here it is uniform from 1 to the size of the domain, with different
// v_i. No record has to satisfy the query: the actual sum may be 0. NULL satisfies nothing.
func (a *attributes) predicates(random *rand.Rand, low, high int, of *anonymize.Column) query {
	others := slices.DeleteFunc(slices.Clone(a.quasi), func(c *anonymize.Column) bool { return c == of })
	q := query{argument: of}
	n := min(len(others), low+random.IntN(high-low+1))
	for _, i := range random.Perm(len(others))[:n] {
		q.where = append(q.where, a.predicate(random, others[i]))
	}
	return q
}

func (a *attributes) predicate(random *rand.Rand, c *anonymize.Column) selection {
	domain := a.domain(c)
	if len(domain) == 0 || !c.IsNumeric() {
		s := selection{column: c, keep: make([]bool, len(c.Dictionary))}
		for _, i := range random.Perm(len(domain))[:min(len(domain), 1+random.IntN(max(1, len(domain))))] {
			s.keep[domain[i]] = true
		}
		return s
	}
	v, _ := c.Dictionary[domain[random.IntN(len(domain))]].Number()
	holds := operators[random.IntN(len(operators))]
	return selectionOf(c, func(value anonymize.Value) bool {
		x, ok := value.Number()
		return ok && holds(x, v)
	})
}

var operators = []func(x, v float64) bool{
	func(x, v float64) bool { return x < v },
	func(x, v float64) bool { return x <= v },
	func(x, v float64) bool { return x == v },
	func(x, v float64) bool { return x >= v },
	func(x, v float64) bool { return x > v },
	func(x, v float64) bool { return x != v },
}

// domain lists the codes of a column's occurring values, without NULL.
func (a *attributes) domain(c *anonymize.Column) []uint32 {
	if domain, ok := a.domains[c]; ok {
		return domain
	}
	domain := []uint32{}
	for code, n := range c.Histogram() {
		if n > 0 && !c.Dictionary[code].IsNull() {
			domain = append(domain, uint32(code))
		}
	}
	a.domains[c] = domain
	return domain
}
