package values

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
)

// Aggregate bounds an aggregate that returns a JSON document or a DOUBLE; ok is false for others. GROUP_CONCAT cuts
// its text itself.
func Aggregate(e sql.Aggregation) (_ sql.Aggregation, ok bool) {
	if _, done := e.(*accumulating); done || e.Type() != types.JSON && e.Type() != types.Float64 {
		return e, false
	}
	return &accumulating{e}, true
}

type accumulating struct{ sql.Aggregation }

func (a *accumulating) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := a.Aggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	own, ok := made.(sql.Aggregation)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(a, made, own)
	}
	return &accumulating{own}, nil
}

func (a *accumulating) name() string {
	if named, ok := a.Aggregation.(sql.FunctionExpression); ok {
		return named.FunctionName()
	}
	return "aggregate"
}

// NewBuffer implements sql.Aggregation.
func (a *accumulating) NewBuffer() (sql.AggregationBuffer, error) {
	inner, err := a.Aggregation.NewBuffer()
	return &accumulated{inner, a}, err
}

// accumulated is the buffer of one group.
type accumulated struct {
	sql.AggregationBuffer
	of *accumulating
}

// Eval implements sql.AggregationBuffer.
func (b *accumulated) Eval(ctx *sql.Context) (any, error) {
	v, err := b.AggregationBuffer.Eval(ctx)
	if err != nil {
		return nil, err
	}
	if err := Finite(v, b.of); err != nil {
		return nil, err
	}
	if most := MaxPacket(); SizeOf(v, most) > most {
		return nil, mysql.NewSQLError(numberTooLarge, mysql.SSUnknownSQLState, "%s", fmt.Sprintf(
			"Result of %s() was larger than max_allowed_packet (%d); aggregate fewer rows, or texts that are shorter", b.of.name(), most))
	}
	return v, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *accumulating) NewWindowFunction() (sql.WindowFunction, error) {
	inner, err := a.Aggregation.NewWindowFunction()
	return &accumulatedWindow{inner, a}, err
}

type accumulatedWindow struct {
	sql.WindowFunction
	of *accumulating
}

// Compute implements sql.WindowFunction. It cannot return an error: a value beyond the bounds is NULL, with the warning.
func (w *accumulatedWindow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	v := w.WindowFunction.Compute(ctx, frame, rows)
	if err := Finite(v, w.of); err != nil {
		ctx.Warn(mysql.ERDataOutOfRange, "DOUBLE value is out of range in '%s'", w.of)
		return nil
	}
	if most := MaxPacket(); SizeOf(v, most) > most {
		v, _ = TooLong(ctx, w.of.name(), most)
	}
	return v
}
