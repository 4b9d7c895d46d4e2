package frontier

import (
	"context"
	"math"
)

// An answer is an estimate with its interval; without one, the ends are NaN.
type answer struct{ estimate, low, high float64 }

// An asker answers a question, by cell. Cells that it has none of are absent.
type asker func(ctx context.Context, q *question) (map[string]answer, error)

// asked is another tool's table as an answer: its counts, scaled to the records of the original.
func (t *Table) asked(records int) asker {
	scale := float64(records) / float64(t.Rows)
	return func(_ context.Context, q *question) (map[string]answer, error) {
		answers := make(map[string]answer)
		for key := range q.actual {
			answers[key] = answer{0, math.NaN(), math.NaN()}
		}
		for key, c := range t.cells(q.columns, q.average) {
			a := answer{scale * c.count, math.NaN(), math.NaN()}
			if q.average >= 0 {
				a.estimate = c.sum / c.count
			}
			answers[key] = a
		}
		return answers, nil
	}
}
