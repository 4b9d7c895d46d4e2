package values

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/ledger"
)

// A Keeper counts what a statement keeps until it ends, in bytes (ledger.Tally).
type Keeper interface {
	Take(bytes int64) error
	Give(bytes int64)
}

// Aggregate is an aggregate that keeps what it is given, with a bound; ok is false
// for every other expression. It must be called once for an expression, when nothing
// replaces its children any more. keeper is of a statement; end ends it with an error
// where the engine takes none.
func (b *Bounds) Aggregate(e sql.Expression, keeper func(*sql.Context) Keeper, end func(*sql.Context, error)) (_ sql.Expression, ok bool) {
	own, isAggregate := e.(sql.Aggregation)
	if !isAggregate {
		return e, false
	}
	if _, done := e.(*accumulating); done {
		return e, false
	}
	named, isNamed := e.(sql.FunctionExpression)
	if !isNamed {
		return e, false
	}
	made := &accumulating{Aggregation: own, name: named.FunctionName(), bounds: b, keeper: keeper, end: end}
	switch classOf(made.name).kind {
	case aggregate:
		return made, true
	case chosen:
		made.one = types.IsTextBlob(own.Type())
	}
	if !made.one {
		return e, false
	}
	return made, true
}

type accumulating struct {
	sql.Aggregation
	name   string
	bounds *Bounds
	keeper func(*sql.Context) Keeper
	end    func(*sql.Context, error)
	one    bool // it keeps one of the texts that it is given, as MAX
}

// WithChildren implements sql.Expression.
func (a *accumulating) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := a.Aggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	own, ok := made.(sql.Aggregation)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(a, made, own)
	}
	changed := *a
	changed.Aggregation = own
	return &changed, nil
}

// tooLong is the error of an aggregate.
func (a *accumulating) tooLong(most int64) error {
	return mysql.NewSQLError(numberTooLarge, mysql.SSUnknownSQLState,
		"%s", fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d); aggregate fewer rows, or texts that are shorter", a.name, most))
}

// NewBuffer implements sql.Aggregation. GROUP_CONCAT cuts its text by itself, and
// keeps the rows; the others' elements are their arguments.
func (a *accumulating) NewBuffer() (sql.AggregationBuffer, error) {
	if a.name == "group_concat" {
		inner, err := a.Aggregation.NewBuffer()
		return &accumulated{AggregationBuffer: inner, of: a}, err
	}
	children := a.Aggregation.Children()
	over, err := a.Aggregation.WithChildren(slots(children)...)
	if err != nil {
		return nil, err
	}
	inner, err := over.(sql.Aggregation).NewBuffer()
	return &accumulated{AggregationBuffer: inner, of: a, arguments: children}, err
}

// accumulated is the buffer of one group.
type accumulated struct {
	sql.AggregationBuffer
	of        *accumulating
	arguments []sql.Expression // nil: it is given rows
	size      int64            // of the text
	kept      int64            // bytes
	keeper    Keeper
}

// Update implements sql.AggregationBuffer.
func (b *accumulated) Update(ctx *sql.Context, row sql.Row) error {
	if b.keeper == nil {
		b.keeper = b.of.keeper(ctx)
	}
	if b.arguments != nil {
		values := make(sql.Row, len(b.arguments))
		for i, argument := range b.arguments {
			var err error
			if values[i], err = argument.Eval(ctx, row); err != nil {
				return err
			}
		}
		row = values
	}
	if b.of.one {
		if err := b.keepOne(row); err != nil {
			return err
		}
		return b.AggregationBuffer.Update(ctx, row)
	}
	most := b.of.bounds.Most()
	size, memory := int64(0), int64(nodeMemory)
	for _, v := range row {
		if doc, ok := v.(sql.JSONWrapper); ok {
			s, m := documentOf(doc, most)
			size, memory = size+s+2, memory+m
			continue
		}
		s := sizeOf(v, most)
		size, memory = size+s+2, memory+s+nodeMemory/2
	}
	if b.arguments != nil {
		if b.size += size; b.size > most {
			return b.of.tooLong(most)
		}
	}
	if err := b.keeper.Take(memory); err != nil {
		return err
	}
	b.kept += memory
	return b.AggregationBuffer.Update(ctx, row)
}

// keepOne counts the longest text that the buffer may keep; large ones are counted
// where they are made.
func (b *accumulated) keepOne(values sql.Row) error {
	size := int64(0)
	for _, v := range values {
		if s := sizeOf(v, ledger.Large); s < ledger.Large {
			size += s
		}
	}
	if size <= b.kept {
		return nil
	}
	err := b.keeper.Take(size - b.kept)
	b.kept = size
	return err
}

// Dispose implements sql.Disposable.
func (b *accumulated) Dispose() {
	if b.keeper != nil {
		b.keeper.Give(b.kept)
		b.kept = 0
	}
	b.AggregationBuffer.Dispose()
}

// NewWindowFunction implements sql.WindowAdaptableExpression. Each row of a window
// has an array of its own.
func (a *accumulating) NewWindowFunction() (sql.WindowFunction, error) {
	inner, err := a.Aggregation.NewWindowFunction()
	return &accumulatedWindow{inner, a}, err
}

type accumulatedWindow struct {
	sql.WindowFunction
	of *accumulating
}

// Compute implements sql.WindowFunction.
func (w *accumulatedWindow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	if ctx.Err() != nil { // the engine asks for all rows, also of a statement that has ended
		return nil
	}
	if err := w.of.keeper(ctx).Take(int64(max(frame.End-frame.Start, 0)) * nodeMemory); err != nil {
		w.of.end(ctx, err)
		return nil
	}
	v := w.WindowFunction.Compute(ctx, frame, rows)
	most := w.of.bounds.Most()
	if sizeOf(v, most) > most {
		w.of.end(ctx, w.of.tooLong(most))
		return nil
	}
	if err := takeSmall(w.of.keeper(ctx), v); err != nil {
		w.of.end(ctx, err)
		return nil
	}
	return v
}

// A DistinctCount is COUNT(DISTINCT ...), which keeps a number for each value that it
// has seen.
type DistinctCount struct {
	sql.Aggregation
	keeper func(*sql.Context) Keeper
}

// Distinct makes a DistinctCount of the engine's.
func Distinct(e sql.Aggregation, keeper func(*sql.Context) Keeper) *DistinctCount {
	return &DistinctCount{e, keeper}
}

// seenMemory is what a value that was seen takes in the engine's map, in bytes.
const seenMemory = 48

// WithChildren implements sql.Expression.
func (d *DistinctCount) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := d.Aggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	own, ok := made.(sql.Aggregation)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(d, made, own)
	}
	return &DistinctCount{own, d.keeper}, nil
}

// NewBuffer implements sql.Aggregation.
func (d *DistinctCount) NewBuffer() (sql.AggregationBuffer, error) {
	inner, err := d.Aggregation.NewBuffer()
	return &distinctBuffer{AggregationBuffer: inner, of: d}, err
}

type distinctBuffer struct {
	sql.AggregationBuffer
	of     *DistinctCount
	keeper Keeper
	seen   int64
}

// Update implements sql.AggregationBuffer.
func (b *distinctBuffer) Update(ctx *sql.Context, row sql.Row) error {
	if err := b.AggregationBuffer.Update(ctx, row); err != nil {
		return err
	}
	v, err := b.AggregationBuffer.Eval(ctx)
	seen, ok := v.(int64)
	if err != nil || !ok || seen == b.seen {
		return err
	}
	if b.keeper == nil {
		b.keeper = b.of.keeper(ctx)
	}
	err = b.keeper.Take(seenMemory * (seen - b.seen))
	b.seen = seen
	return err
}

// Dispose implements sql.Disposable.
func (b *distinctBuffer) Dispose() {
	if b.keeper != nil {
		b.keeper.Give(seenMemory * b.seen)
		b.seen = 0
	}
	b.AggregationBuffer.Dispose()
}
