package documents

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Aggregates returns JSON_ARRAYAGG and JSON_OBJECTAGG.
func Aggregates() []sql.Function {
	return []sql.Function{
		sql.Function1{Name: "json_arrayagg", Fn: func(e sql.Expression) sql.Expression { return &arrayOf{aggregation.NewJsonArray(Element(e))} }},
		sql.Function2{Name: "json_objectagg", Fn: func(name, e sql.Expression) sql.Expression {
			return aggregation.NewJSONObjectAgg(nameOf.Call(name), Element(e))
		}},
	}
}

// Element converts the values of an expression to elements of a document.
func Element(e sql.Expression) sql.Expression {
	if types.IsJSON(e.Type()) {
		return e
	}
	return elementOf.Call(e)
}

var elementOf = &builtin.Definition{Name: "__anon_element", Type: isJSON, Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	made, err := Value(ctx, v[0], c.OperandType(0))
	return types.JSONDocument{Val: made}, err
}}

// nameOf converts a member name to a text. The engine adds a time of day to dates, and accepts no times as names.
var nameOf = &builtin.Definition{Name: "__anon_name", Type: builtin.Constant(types.LongText), Choose: memberName}

func memberName(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
	name, err := c.Argument(0, ctx, row)
	if name == nil && err == nil {
		err = errNullName
	}
	if err != nil {
		return nil, err
	}
	return coercion.Text(ctx, name, c.OperandType(0))
}

// arrayOf is JSON_ARRAYAGG. It is NULL for no rows.
type arrayOf struct{ *aggregation.JsonArray }

func (a *arrayOf) IsNullable() bool { return true }

func (a *arrayOf) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := a.JsonArray.WithChildren(children...)
	if err != nil {
		return nil, err
	}
	return &arrayOf{made.(*aggregation.JsonArray)}, nil
}

// WithId implements sql.IdExpression.
func (a *arrayOf) WithId(id sql.ColumnId) sql.IdExpression {
	return &arrayOf{a.JsonArray.WithId(id).(*aggregation.JsonArray)}
}

// WithWindow implements sql.WindowAdaptableExpression.
func (a *arrayOf) WithWindow(window *sql.WindowDefinition) sql.WindowAdaptableExpression {
	return &arrayOf{a.JsonArray.WithWindow(window).(*aggregation.JsonArray)}
}

// NewBuffer implements sql.Aggregation.
func (a *arrayOf) NewBuffer() (sql.AggregationBuffer, error) {
	inner, err := a.JsonArray.NewBuffer()
	return arrayBuffer{inner}, err
}

type arrayBuffer struct{ sql.AggregationBuffer }

// Eval implements sql.AggregationBuffer.
func (b arrayBuffer) Eval(ctx *sql.Context) (any, error) {
	v, err := b.AggregationBuffer.Eval(ctx)
	return unlessEmpty(v), err
}

func unlessEmpty(v any) any {
	if doc, ok := v.(types.JSONDocument); ok {
		if elements, ok := doc.Val.([]any); ok && len(elements) == 0 {
			return nil
		}
	}
	return v
}

// NewWindowFunction implements sql.WindowAdaptableExpression.
func (a *arrayOf) NewWindowFunction() (sql.WindowFunction, error) {
	inner, err := a.JsonArray.NewWindowFunction()
	if w := a.Window(); err == nil && w != nil && w.Frame != nil {
		framer, err := w.Frame.NewFramer(w)
		return arrayWindow{inner, framer}, err
	}
	return inner, err
}

// arrayWindow is JSON_ARRAYAGG over a frame, which the engine ignores.
type arrayWindow struct {
	sql.WindowFunction
	framer sql.WindowFramer
}

// DefaultFramer implements sql.WindowFunction.
func (w arrayWindow) DefaultFramer() sql.WindowFramer { return w.framer }

// Compute implements sql.WindowFunction.
func (w arrayWindow) Compute(ctx *sql.Context, frame sql.WindowInterval, rows sql.WindowBuffer) any {
	return unlessEmpty(w.WindowFunction.Compute(ctx, frame, rows))
}

// CastFunction is CAST(x AS JSON). It parses a text as a document.
const CastFunction = "__anon_json"

var cast = &builtin.Definition{Name: CastFunction, Least: 1, Most: 1, Type: isJSON, Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	_, isDocument := v[0].(sql.JSONWrapper)
	if isDocument {
		return v[0], nil
	}
	made, err := Value(ctx, v[0], c.OperandType(0))
	if text, ok := made.(string); ok && types.IsTextOnly(c.OperandType(0)) && err == nil {
		made, err = read(text, "cast_as_json", 1)
	}
	return types.JSONDocument{Val: made}, err
}}

// Stored parses a text as the document that the named column stores.
func Stored(e sql.Expression, column string) sql.Expression {
	return (&builtin.Definition{Name: "__anon_stored", Type: isJSON, Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		text, err := coercion.Text(ctx, v[0], c.OperandType(0))
		if err != nil {
			return nil, err
		}
		doc, err := Parse(text)
		if err != nil {
			return nil, sqlerror.New(invalidStored, fmt.Sprintf("Invalid JSON text: %v in value for column '%s'.", err, column))
		}
		return checked(doc)
	}}).Call(e)
}
