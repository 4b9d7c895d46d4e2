package values

import (
	"reflect"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/ledger"
)

// Function is f with a bound on what it makes. It is f itself where that needs none.
func (b *Bounds) Function(f sql.Function) sql.Function {
	c := classOf(f.FunctionName())
	if c.kind == small || c.kind == chosen || c.kind == aggregate {
		return f
	}
	return sql.FunctionN{Name: f.FunctionName(), Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		made, err := f.NewInstance(arguments)
		if err != nil {
			return nil, err
		}
		return b.bound(made, c), nil
	}}
}

// Expression is a call that was made without Function, with a bound; ok is false
// where it needs none, or has one.
func (b *Bounds) Expression(e sql.Expression) (_ sql.Expression, ok bool) {
	named, ok := e.(sql.FunctionExpression)
	if !ok {
		return e, false
	}
	switch e.(type) {
	case *call, sql.Aggregation:
		return e, false
	}
	c := classOf(named.FunctionName())
	if c.kind == small && widest(e.Children()) > 1 { // LENGTH writes the text out in its character set
		c = class{kind: text, works: 1}
	}
	if c.kind == small || c.kind == chosen || c.kind == aggregate {
		return e, false
	}
	return b.bound(e, c), true
}

// Cast is a cast to a text or to JSON, with a bound.
func (b *Bounds) Cast(e sql.Expression) sql.Expression {
	c := class{kind: text}
	if e.Type() == types.JSON {
		c = class{kind: document, works: 2}
	}
	return b.bound(e, c)
}

func (b *Bounds) bound(e sql.Expression, c class) sql.Expression {
	own := &bounded{Expression: e, bounds: b, class: c, wide: 1}
	if c.times > 0 || c.works > 0 {
		own.over, own.wide = slots(e.Children()), widest(e.Children())
		inner, err := e.WithChildren(own.over...)
		if err != nil { // what takes no other children evaluates its own
			own.over = nil
		}
		own.inner = inner
	}
	if _, ok := e.(sql.FunctionExpression); !ok {
		return own
	}
	return &call{own}
}

// bounded is an expression with a bound on its value.
type bounded struct {
	sql.Expression // as it was made
	bounds         *Bounds
	class          class
	// inner is the same over the row of its arguments' values, nil where the
	// arguments are not looked at; over are the places of that row.
	inner sql.Expression
	over  []sql.Expression
	// wide is how many bytes it may write for one of an argument's text.
	wide int64
}

var _ sql.CollationCoercible = (*bounded)(nil)

// call is bounded that has a name.
type call struct{ *bounded }

var _ sql.FunctionExpression = (*call)(nil)

// FunctionName implements sql.FunctionExpression.
func (c *call) FunctionName() string { return c.Expression.(sql.FunctionExpression).FunctionName() }

// Description implements sql.FunctionExpression.
func (c *call) Description() string { return c.Expression.(sql.FunctionExpression).Description() }

// CollationCoercibility implements sql.CollationCoercible.
func (e *bounded) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, e.Expression)
}

// WithChildren implements sql.Expression.
func (e *bounded) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := e.Expression.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return e.bounds.bound(made, e.class), nil
}

// Unbounded is the engine's expression within.
func (e *bounded) Unbounded() sql.Expression { return e.Expression }

// Eval implements sql.Expression.
func (e *bounded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if e.over == nil {
		v, err := e.Expression.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		return e.checked(ctx, v)
	}
	values := make(sql.Row, len(e.over))
	for i, argument := range e.Expression.Children() {
		var err error
		if values[i], err = argument.Eval(ctx, row); err != nil {
			return nil, err
		}
	}
	return e.of(ctx, values)
}

// unlooked is the size of arguments below which nothing can be too large, in bytes.
const unlooked = 1000

// of is the value for arguments.
func (e *bounded) of(ctx *sql.Context, values sql.Row) (any, error) {
	most := e.bounds.Most()
	size, memory, nested := int64(0), int64(0), false
	for _, v := range values {
		s, m, n := e.argument(v, most)
		size, memory, nested = size+s*e.wide, memory+m, nested || n
	}
	if size <= unlooked && !nested && e.class.times != inflated {
		v, err := e.inner.Eval(ctx, values)
		if err != nil {
			return nil, err
		}
		return e.checked(ctx, v)
	}
	if spreads := spread[e.class.kind]; spreads != nil {
		if size = spreads(values[0], most); size > most {
			return TooLong(ctx, e.name(), most)
		}
	} else if larger, known := e.before(values, size, most); larger && known {
		return TooLong(ctx, e.name(), most)
	}
	works := memory + size*e.class.works
	if e.wide > 1 {
		works += 2 * size // the text as it is written out, in a slice that grows
	}
	var holder *ledger.Session
	if works >= ledger.Large {
		holder = e.bounds.Holder(ctx)
		if err := holder.Take(works); err != nil {
			return nil, err
		}
		defer holder.Give(works)
	}
	if works+size >= ledger.Heavy {
		done, err := e.bounds.Holder(ctx).Work(ctx, works+size)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	v, err := e.inner.Eval(ctx, values)
	if err != nil {
		return nil, err
	}
	return e.checked(ctx, v)
}

// argument is how long a value's text is, what it takes in memory when the function
// reads it as a document, and whether it is one.
func (e *bounded) argument(v any, most int64) (size, memory int64, nested bool) {
	if e.class.kind != document && spread[e.class.kind] == nil {
		return sizeOf(v, most), 0, false
	}
	switch v := v.(type) {
	case string:
		if len(v) < unlooked {
			return int64(len(v)), 0, false
		}
		return int64(len(v)), parsedMemory(v), false
	case []byte:
		return int64(len(v)), parsedBytes(v), false
	case sql.JSONWrapper:
		size, memory = documentOf(v, most)
		return size, memory, true
	}
	return sizeOf(v, most), 0, false
}

// before tells whether the result is going to be larger than most, where that is
// known before it is made.
func (e *bounded) before(values sql.Row, size, most int64) (larger, known bool) {
	switch e.class.times {
	case 0:
		return false, false
	case inflated: // UNCOMPRESS: the length is written before what is compressed
		return uncompressedSize(values) > most, true
	}
	return size > most/e.class.times && exactly(e.name(), values, most/e.wide), true
}

func (e *bounded) name() string {
	if f, ok := e.Expression.(sql.FunctionExpression); ok {
		return f.FunctionName()
	}
	return "cast"
}

// checked is a value that was made.
func (e *bounded) checked(ctx *sql.Context, v any) (any, error) {
	switch v := v.(type) {
	case nil, int64, float64, bool, int8, int32:
		return v, nil
	case string:
		if len(v) > unlooked {
			if most := e.bounds.Most(); int64(len(v)) > most {
				return TooLong(ctx, e.name(), most)
			}
		}
		if len(v) < ledger.Large {
			return v, nil
		}
		return v, e.bounds.Holder(ctx).WatchText(v)
	case []byte:
		if len(v) > unlooked {
			if most := e.bounds.Most(); int64(len(v)) > most {
				return TooLong(ctx, e.name(), most)
			}
		}
		if cap(v) < ledger.Large {
			return v, nil
		}
		return v, e.bounds.Holder(ctx).WatchBytes(v)
	case types.GeometryValue:
		if most := e.bounds.Most(); sizeOf(v, most) > most {
			return TooLong(ctx, e.name(), most)
		}
	case sql.JSONWrapper:
		most := e.bounds.Most()
		size, memory := documentOf(v, most)
		if size > most {
			return TooLong(ctx, e.name(), most)
		}
		if at := anchor(v); memory >= ledger.Large && at != nil {
			return v, e.bounds.Holder(ctx).Watch(at, memory)
		}
	}
	return v, nil
}

// anchor is an address in what a document is made of, nil where there is none.
func anchor(doc sql.JSONWrapper) *byte {
	if lazy, ok := doc.(*types.LazyJSONDocument); ok {
		return (*byte)(reflect.ValueOf(lazy).UnsafePointer())
	}
	value, err := doc.ToInterface()
	if err != nil {
		return nil
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Map:
		return (*byte)(v.UnsafePointer())
	case reflect.Slice:
		if v.Cap() > 0 {
			return (*byte)(v.UnsafePointer())
		}
	}
	return nil
}
