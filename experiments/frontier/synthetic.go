package frontier

import (
	"context"
	"math"
)

// An answer is an estimate with its interval, which is NaN to NaN if there is none.
type answer struct{ estimate, low, high float64 }

// An asker answers a question, by cell. Cells without an answer are absent.
type asker func(ctx context.Context, q *question) (map[string]answer, error)

// asked answers from another tool's table: its counts, scaled to the number of original records.
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
