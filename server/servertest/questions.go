package servertest

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Questions asks the release published.measured for actual answers of its table. If possible, the server that has the table answers, and sends
// few rows. Otherwise anonsql reads the columns.
type Questions struct {
	*rand.Rand
	Comparison   func(q Questions) string // one condition, about which both servers agree
	Keys         []string                 // columns to group by; "" for none
	Counted      []string
	Ranked       []string // columns for MIN and MAX
	Added        []string
	Accompanying string // further output columns, each after a comma
	Ask          func(question string) ([]string, error)
	Sent         func() int // number of rows that the table's server has sent
}

// Choose returns one of some texts.
func (q Questions) Choose(of ...string) string { return of[q.IntN(len(of))] }

func (q Questions) condition(depth int) string {
	if depth == 0 || q.IntN(3) == 0 {
		return q.Comparison(q)
	}
	switch q.IntN(3) {
	case 0:
		return "NOT (" + q.condition(depth-1) + ")"
	case 1:
		return "(" + q.condition(depth-1) + " OR " + q.condition(depth-1) + ")"
	}
	return q.condition(depth-1) + " AND " + q.condition(depth-1)
}

func (q Questions) aggregate() string {
	switch q.IntN(5) {
	case 0:
		return "COUNT(*)"
	case 1:
		return "COUNT(" + q.Choose(q.Counted...) + ")"
	case 2:
		return q.Choose("MIN", "MAX") + "(" + q.Choose(q.Ranked...) + ")"
	}
	return q.Choose("SUM", "AVG") + "(" + q.Choose(q.Added...) + ")"
}

// Compare asks n questions, each in both ways. After the first question, no answer may need as many rows as the table has.
func (q Questions) Compare(t *testing.T, n, rows int) {
	t.Helper()
	filled := 0
	for i := range n {
		key := q.Choose(q.Keys...)
		selected, by := "ANON_ACTUAL("+q.aggregate()+"), ANON_ACTUAL("+q.aggregate()+")"+q.Accompanying, ""
		if key != "" {
			selected, by = key+", "+selected, " GROUP BY "+key+" ORDER BY "+key
		}
		// The table's server cannot evaluate this condition, so anonsql reads the columns.
		const read = " AND (age + 0 = age OR age IS NULL)"
		question := "SELECT " + selected + " FROM published.measured WHERE (" + q.condition(2) + ")"
		before := q.Sent()
		plain, err := q.Ask(question + by)
		if err != nil {
			if strings.Contains(err.Error(), "combinations") {
				continue // too many combinations for an estimate
			}
			t.Fatalf("%s: %v", question+by, err)
		}
		if sent := q.Sent() - before; sent >= rows && i > 0 {
			t.Errorf("%s: the table's server sent %d rows, the table was read", question+by, sent)
		}
		wanted, err := q.Ask(question + read + by)
		if err != nil || !SameAnswers(plain, wanted, 1e-12) {
			t.Errorf("%s:\n its server %q\n from its columns %q, %v", question+by, plain, wanted, err)
		}
		if len(plain) > 0 {
			filled++
		}
	}
	if filled < n/2 {
		t.Errorf("%d of %d answers had rows", filled, n)
	}
}
