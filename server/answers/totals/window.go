package totals

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
)

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (t *Total) NewWindowFunction() (sql.WindowFunction, error) {
	a, _, err := t.adder()
	if err != nil {
		return nil, err
	}
	w := &window{adder: a}
	if frame := t.Window().Frame; frame != nil {
		w.framer, err = frame.NewFramer(t.Window())
	}
	return w, err
}

// A window keeps prefix totals of a partition. The total of a frame is the difference of two.
type window struct {
	adder
	framer sql.WindowFramer
	start  int
	totals []state // of the first i rows
}

// DefaultFramer implements sql.WindowFunction.
func (w *window) DefaultFramer() sql.WindowFramer {
	if w.framer != nil {
		return w.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// StartPartition implements sql.WindowFunction.
func (w *window) StartPartition(ctx *sql.Context, partition sql.WindowInterval, rows sql.WindowBuffer) error {
	w.start, w.totals = partition.Start, append(w.totals[:0], state{})
	for _, row := range rows[partition.Start:partition.End] {
		next := w.totals[len(w.totals)-1]
		v, err := w.argument.Eval(ctx, row)
		if err != nil {
			return err
		}
		if v != nil {
			if err := w.add(ctx, &next, v); err != nil {
				return err
			}
		}
		w.totals = append(w.totals, next)
	}
	return nil
}

// Compute implements sql.WindowFunction.
func (w *window) Compute(_ *sql.Context, frame sql.WindowInterval, _ sql.WindowBuffer) any {
	if frame.Start >= frame.End {
		return nil
	}
	first, last := &w.totals[frame.Start-w.start], &w.totals[frame.End-w.start]
	return w.total(&state{
		rows:   last.rows - first.rows,
		exact:  last.exact.subtract(first.exact, w.places),
		double: last.double - first.double,
	})
}

// Dispose implements sql.Disposable.
func (w *window) Dispose() { expression.Dispose(w.argument) }
