package detection

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

const (
	day64         = 24 * 60 * 60 * 1_000_000 // in microseconds
	longSpan      = 5 * 365 * day64          // half a table's spans are longer: ages
	maxSpanRows   = 5_000                    // greatest number of examined rows
	minOrderShare = 0.99                     // of the rows have the earlier date first
)

// A Span is the time between two columns of a row: a duration, or an age.
type Span struct {
	What       string // "how long" or "how old"
	Column     string // a name for it
	Expression string // in SQL
}

// spans finds, for a column of days or times, the nearest earlier column of the same rows, and
// describes a column of the time between them: a duration, or an age. Two generalized columns
// answer questions about that time badly. Other columns get the zero value.
func spans(t *anonymize.Microdata) []Span {
	said, least := make([]Span, len(t.Columns)), make([]int64, len(t.Columns))
	for i, later := range t.Columns {
		for j, earlier := range t.Columns {
			if i == j || !isInstants(earlier) || !isInstants(later) {
				continue
			}
			median, ordered := medianSpan(earlier, later)
			if !ordered || said[i].What != "" && median >= least[i] {
				continue
			}
			least[i] = median
			from, to := earlier.Name, later.Name
			said[i] = Span{"how long", "days_to_" + later.Name, fmt.Sprintf("DATEDIFF(%s, %s)", to, from)}
			if median >= longSpan {
				said[i] = Span{"how old", "age_at_" + later.Name, fmt.Sprintf("TIMESTAMPDIFF(YEAR, %s, %s)", from, to)}
			}
		}
	}
	return said
}

func isInstants(c *anonymize.Column) bool {
	return len(c.Dictionary) > 1 && !slices.ContainsFunc(c.Dictionary, func(v anonymize.Value) bool { return v.Kind != anonymize.Instant && !v.IsNull() })
}

// medianSpan returns the median time from one column to the other in microseconds, and whether nearly all rows with both have them in this order.
func medianSpan(earlier, later *anonymize.Column) (median int64, ordered bool) {
	var found []int64
	inOrder := 0
	for row := 0; row < len(earlier.Codes) && len(found) < maxSpanRows; row++ {
		from, to := earlier.Value(row), later.Value(row)
		if from.IsNull() || to.IsNull() {
			continue
		}
		if found = append(found, to.Int-from.Int); to.Int >= from.Int {
			inOrder++
		}
	}
	if len(found) < minSpans || float64(inOrder) < minOrderShare*float64(len(found)) {
		return 0, false
	}
	slices.Sort(found)
	median = found[len(found)/2]
	return median, median > 0
}

// minSpans is the number of rows from which on an order is no accident.
const minSpans = 10
