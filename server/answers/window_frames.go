package answers

import (
	"io"
	"sort"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/calendar"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/answers/scalar"
)

// toLastPeer is the frame RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.
type toLastPeer struct{}

var _ sql.WindowFrame = toLastPeer{}

// NewFramer implements sql.WindowFrame.
func (f toLastPeer) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	return &rangeFramer{frame: f, order: w.OrderBy}, nil
}

func (toLastPeer) String() string                  { return "range between unbounded preceding and current row" }
func (toLastPeer) UnboundedPreceding() bool        { return true }
func (toLastPeer) UnboundedFollowing() bool        { return false }
func (toLastPeer) StartCurrentRow() bool           { return false }
func (toLastPeer) EndCurrentRow() bool             { return true }
func (toLastPeer) StartNPreceding() sql.Expression { return nil }
func (toLastPeer) StartNFollowing() sql.Expression { return nil }
func (toLastPeer) EndNPreceding() sql.Expression   { return nil }
func (toLastPeer) EndNFollowing() sql.Expression   { return nil }

// peersKey is a hash that a row shares with its peers.
func peersKey(ctx *sql.Context, order []sql.Expression, row sql.Row) (uint64, error) {
	key := make(sql.Row, len(order))
	for i, e := range order {
		var err error
		if key[i], err = e.Eval(ctx, row); err != nil {
			return 0, err
		}
	}
	return sql.HashOf(ctx, key)
}

// framedWithin restricts a frame to its partition.
func framedWithin(frame sql.WindowFrame) sql.WindowFrame {
	switch frame.(type) {
	case rangeFrame, rowsFrame, toLastPeer:
		return frame
	}
	if strings.HasPrefix(frame.String(), "RANGE") { // what the engine's 32 types have in common says its unit in its text alone
		return rangeFrame{frame}
	}
	return rowsFrame{frame}
}

// rowsFrame is a ROWS frame. The engine's may extend beyond the partition, where some functions then read rows.
type rowsFrame struct{ sql.WindowFrame }

// NewFramer implements sql.WindowFrame.
func (f rowsFrame) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	framer, err := f.WindowFrame.NewFramer(w)
	return &rowsFramer{WindowFramer: framer}, err
}

// rowsFramer gives each row of a partition its frame.
type rowsFramer struct {
	sql.WindowFramer
	partition, current sql.WindowInterval
}

// NewFramer implements sql.WindowFramer.
func (f *rowsFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	framer, err := f.WindowFramer.NewFramer(partition)
	return &rowsFramer{WindowFramer: framer, partition: partition}, err
}

// Next implements sql.WindowFramer.
func (f *rowsFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	frame, err := f.WindowFramer.Next(ctx, rows)
	if err != nil {
		return frame, err
	}
	start := min(max(frame.Start, f.partition.Start), f.partition.End)
	f.current = sql.WindowInterval{Start: start, End: min(max(frame.End, start), f.partition.End)}
	return f.current, nil
}

// FirstIdx, LastIdx and Interval implement sql.WindowFramer: they tell the current
// frame.
func (f *rowsFramer) FirstIdx() int { return f.current.Start }

func (f *rowsFramer) LastIdx() int { return f.current.End }

func (f *rowsFramer) Interval() (sql.WindowInterval, error) { return f.current, nil }

// rangeFrame is a RANGE frame. The engine's misses rows with NULLs or in descending
// order, and panics without rows.
type rangeFrame struct{ sql.WindowFrame }

// NewFramer implements sql.WindowFrame.
func (f rangeFrame) NewFramer(w *sql.WindowDefinition) (sql.WindowFramer, error) {
	if _, err := f.WindowFrame.NewFramer(w); err != nil { // for its errors
		return nil, err
	}
	framer := &rangeFramer{frame: f.WindowFrame, order: w.OrderBy}
	framer.start = framer.bound(f.StartNPreceding(), f.StartNFollowing())
	framer.end = framer.bound(f.EndNPreceding(), f.EndNFollowing())
	return framer, nil
}

// rangeFramer gives each row of a partition its frame.
type rangeFramer struct {
	frame sql.WindowFrame
	order sql.SortFields
	// start and end are the values at which the frame begins and ends, nil for a bound
	// that is not a value.
	start, end sql.Expression

	partition      sql.WindowInterval
	at             int // the next row
	first, last    int // of its peers: [first, last)
	from, to       int // the rows with a value: [from, to)
	current        sql.WindowInterval
	lookedForNulls bool
}

// digitsOfWhole is the number of digits of a BIGINT UNSIGNED.
const digitsOfWhole = 20

// bound is the value of a row plus or minus the frame's distance, nil without one.
func (f *rangeFramer) bound(preceding, following sql.Expression) sql.Expression {
	if preceding == nil && following == nil || len(f.order) == 0 {
		return nil
	}
	by, less := preceding, true
	if by == nil {
		by, less = following, false
	}
	if f.order[0].Order == sql.Descending {
		less = !less
	}
	if interval, ok := by.(*expression.Interval); ok { // the engine supports it for dates only
		return calendar.Shifted(f.order[0].Column, interval, less)
	}
	column := f.order[0].Column
	if types.IsInteger(column.Type()) || types.IsBit(column.Type()) { // the engine's integer sums wrap around
		column = scalar.As(column, types.MustCreateDecimalType(digitsOfWhole, 0))
	}
	if less {
		return expression.NewArithmetic(column, by, sqlparser.MinusStr)
	}
	return expression.NewArithmetic(column, by, sqlparser.PlusStr)
}

// NewFramer implements sql.WindowFramer.
func (f *rangeFramer) NewFramer(partition sql.WindowInterval) (sql.WindowFramer, error) {
	return &rangeFramer{frame: f.frame, order: f.order, start: f.start, end: f.end,
		partition: partition, at: partition.Start, first: partition.Start, last: partition.Start}, nil
}

// Next implements sql.WindowFramer.
func (f *rangeFramer) Next(ctx *sql.Context, rows sql.WindowBuffer) (sql.WindowInterval, error) {
	if f.at >= f.partition.End {
		return sql.WindowInterval{}, io.EOF
	}
	if f.at >= f.last {
		if err := f.nextPeers(ctx, rows); err != nil {
			return sql.WindowInterval{}, err
		}
	}
	f.at++
	return f.current, nil
}

// nextPeers finds the peers of the next row, and their frame.
func (f *rangeFramer) nextPeers(ctx *sql.Context, rows sql.WindowBuffer) error {
	order := f.order.ToExpressions()
	key, err := peersKey(ctx, order, rows[f.at])
	if err != nil {
		return err
	}
	f.first = f.at
	for f.last = f.at + 1; f.last < f.partition.End; f.last++ {
		next, err := peersKey(ctx, order, rows[f.last])
		if err != nil {
			return err
		}
		if next != key {
			break
		}
	}
	f.current = sql.WindowInterval{Start: f.first, End: f.last}
	switch {
	case f.frame.UnboundedPreceding():
		f.current.Start = f.partition.Start
	case f.start != nil:
		if f.current.Start, err = f.search(ctx, rows, f.start, f.first, false); err != nil {
			return err
		}
	}
	switch {
	case f.frame.UnboundedFollowing():
		f.current.End = f.partition.End
	case f.end != nil:
		if f.current.End, err = f.search(ctx, rows, f.end, f.last, true); err != nil {
			return err
		}
	}
	f.current.End = max(f.current.Start, f.current.End)
	return nil
}

// search returns the first row whose value is not before the bound of the row at f.at,
// or with past, after it; peers if the row has no value.
func (f *rangeFramer) search(ctx *sql.Context, rows sql.WindowBuffer, bound sql.Expression, peers int, past bool) (int, error) {
	by := f.order[0].Column
	if !f.lookedForNulls {
		f.lookedForNulls = true
		f.from, f.to = f.partition.Start, f.partition.End
		for ; f.from < f.to; f.from++ {
			if value, err := by.Eval(ctx, rows[f.from]); err != nil || value != nil {
				if err != nil {
					return 0, err
				}
				break
			}
		}
		for ; f.from < f.to; f.to-- {
			if value, err := by.Eval(ctx, rows[f.to-1]); err != nil || value != nil {
				if err != nil {
					return 0, err
				}
				break
			}
		}
	}
	if f.at < f.from || f.at >= f.to {
		return peers, nil
	}
	limit, err := bound.Eval(ctx, rows[f.at])
	if err != nil || limit == nil {
		return peers, err
	}
	edge := expression.NewLiteral(limit, bound.Type())
	if coercion.IsTimespan(by.Type()) {
		edge = expression.NewLiteral(limit, by.Type())
	}
	reached := func(value sql.Expression) sql.Expression { // in ascending order
		if past {
			return expression.NewGreaterThan(value, edge)
		}
		return expression.NewGreaterThanOrEqual(value, edge)
	}
	if f.order[0].Order == sql.Descending {
		reached = func(value sql.Expression) sql.Expression {
			if past {
				return expression.NewLessThan(value, edge)
			}
			return expression.NewLessThanOrEqual(value, edge)
		}
	}
	at := sort.Search(f.to-f.from, func(i int) bool {
		value, evalErr := by.Eval(ctx, rows[f.from+i])
		if evalErr != nil {
			err = evalErr
			return true
		}
		is, evalErr := reached(expression.NewLiteral(value, by.Type())).Eval(ctx, nil)
		if evalErr != nil {
			err = evalErr
		}
		return is == true
	})
	return f.from + at, err
}

// FirstIdx, LastIdx and Interval implement sql.WindowFramer: they tell the current
// frame.
func (f *rangeFramer) FirstIdx() int { return f.current.Start }

func (f *rangeFramer) LastIdx() int { return f.current.End }

func (f *rangeFramer) Interval() (sql.WindowInterval, error) { return f.current, nil }
