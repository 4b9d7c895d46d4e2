package utility

import (
	"math"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
)

// ranges draws one query of the workload of Xiao and Tao (Anatomy, VLDB 2006), section 6,
//
//	SELECT COUNT(*) FROM microdata WHERE pred(A_1) AND ... AND pred(A_n) AND pred(S)
//
// over n random quasi-identifiers and every sensitive attribute, N predicates in total. pred(A)
// keeps b = |A| s^(1/N) values of A's domain, rounded up, for the selectivity s, so that about
// the share s satisfies the query if attributes are independent and values evenly distributed.
// In the paper the b values are random; here those of a number are adjacent. No record has to
// satisfy the query: the actual answer may be 0. NULL satisfies nothing.
func (a *attributes) ranges(random *rand.Rand, low, high int, selectivity float64) query {
	chosen := random.Perm(len(a.quasi))[:low+random.IntN(high-low+1)]
	share := math.Pow(selectivity, 1/float64(len(chosen)+len(a.sensitive)))
	var q query
	for _, i := range chosen {
		q.where = append(q.where, a.keeping(random, a.quasi[i], share))
	}
	for _, c := range a.sensitive {
		q.where = append(q.where, a.keeping(random, c, share))
	}
	return q
}

// keeping selects a share of the values of a column.
func (a *attributes) keeping(random *rand.Rand, c *anonymize.Column, share float64) selection {
	domain := a.domain(c)
	b := int(math.Ceil(share * float64(len(domain))))
	if b > 0 && c.IsNumeric() {
		first := random.IntN(len(domain) - b + 1)
		low, _ := c.Dictionary[domain[first]].Number()
		high, _ := c.Dictionary[domain[first+b-1]].Number()
		return selectionOf(c, func(v anonymize.Value) bool {
			x, ok := v.Number()
			return ok && low <= x && x <= high
		})
	}
	s := selection{column: c, keep: make([]bool, len(c.Dictionary))}
	for _, i := range random.Perm(len(domain))[:b] {
		s.keep[domain[i]] = true
	}
	return s
}
