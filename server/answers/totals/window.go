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

// A window keeps prefix totals of a partition. The total of a frame is the difference of two. DOUBLEs are added up again, as
// MySQL does: a difference has lost the digits that a huge number before the frame left no room for.
type window struct {
	adder
	framer  sql.WindowFramer
	start   int
	totals  []state   // of the first i rows
	doubles []float64 // of each row, 0 for NULL
	blocks  []float64 // sums of blockRows rows each, so that long frames are not added up row by row
}

const blockRows = 1024

// DefaultFramer implements sql.WindowFunction.
func (w *window) DefaultFramer() sql.WindowFramer {
	if w.framer != nil {
		return w.framer
	}
	return aggregation.NewUnboundedPrecedingToCurrentRowFramer()
}

// StartPartition implements sql.WindowFunction.
func (w *window) StartPartition(ctx *sql.Context, partition sql.WindowInterval, rows sql.WindowBuffer) error {
	w.start, w.totals, w.doubles, w.blocks = partition.Start, append(w.totals[:0], state{}), w.doubles[:0], w.blocks[:0]
	for _, row := range rows[partition.Start:partition.End] {
		next := w.totals[len(w.totals)-1]
		before := next.double
		next.double = 0
		v, err := w.argument.Eval(ctx, row)
		if err != nil {
			return err
		}
		if v != nil {
			if err := w.add(ctx, &next, v); err != nil {
				return err
			}
		}
		if w.doubles = append(w.doubles, next.double); len(w.doubles)%blockRows == 0 {
			w.blocks = append(w.blocks, w.sum(len(w.doubles)-blockRows, len(w.doubles)))
		}
		next.double += before
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
	of := state{rows: last.rows - first.rows, exact: last.exact.subtract(first.exact, w.places), double: last.double}
	if !w.isExact && frame.Start > w.start {
		of.double = w.sum(frame.Start-w.start, frame.End-w.start)
	}
	return w.total(&of)
}

// sum adds up the DOUBLEs of the rows first..end-1 of the partition.
func (w *window) sum(first, end int) (sum float64) {
	for i := first; i < end; {
		if block := i / blockRows; i%blockRows == 0 && i+blockRows <= end && block < len(w.blocks) {
			sum += w.blocks[block]
			i += blockRows
			continue
		}
		sum += w.doubles[i]
		i++
	}
	return sum
}

// Dispose implements sql.Disposable.
func (w *window) Dispose() { expression.Dispose(w.argument) }
