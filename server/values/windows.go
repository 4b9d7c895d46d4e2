package values

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/ledger"
)

// Window is a function over a window whose texts are counted: the engine makes the
// value of every row before it gives the first. ok is false for functions that make
// no text. keeper and end are those of Bounds.Aggregate.
func Window(e sql.WindowAggregation, keeper func(*sql.Context) Keeper, end func(*sql.Context, error)) (_ sql.Expression, ok bool) {
	if _, done := e.(*keptWindow); done || !types.IsTextBlob(e.Type()) && e.Type() != types.JSON {
		return e, false
	}
	return &keptWindow{e, keeper, end}, true
}

type keptWindow struct {
	sql.WindowAggregation
	keeper func(*sql.Context) Keeper
	end    func(*sql.Context, error)
}

// WithChildren implements sql.Expression.
func (k *keptWindow) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := k.WindowAggregation.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	own, ok := made.(sql.WindowAggregation)
	if !ok {
		return nil, sql.ErrInvalidChildType.New(k, made, own)
	}
	return &keptWindow{own, k.keeper, k.end}, nil
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (k *keptWindow) NewWindowFunction() (sql.WindowFunction, error) {
	inner, err := k.WindowAggregation.NewWindowFunction()
	return &keptValues{inner, k}, err
}

type keptValues struct {
	sql.WindowFunction
	of *keptWindow
}

// Compute implements sql.WindowFunction.
func (v *keptValues) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	if ctx.Err() != nil { // the engine asks for all rows, also of a statement that has ended
		return nil
	}
	value := v.WindowFunction.Compute(ctx, frame, rows)
	if err := takeSmall(v.of.keeper(ctx), value); err != nil {
		v.of.end(ctx, err)
		return nil
	}
	return value
}

// takeSmall counts a value of a row that is kept; large ones are counted where they
// are made.
func takeSmall(keeper Keeper, value any) error {
	if size := sizeOf(value, ledger.Large); size > 0 && size < ledger.Large {
		return keeper.Take(size)
	}
	return nil
}
