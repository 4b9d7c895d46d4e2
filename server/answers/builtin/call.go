package builtin

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/tree"
)

// A Definition defines a function.
type Definition struct {
	Name string
	// Operator, if not empty, is the operator with which String writes a call of two arguments.
	Operator string
	// Unit is the unit of an interval whose number is the second argument. String includes it, because the binder identifies expressions by their texts.
	Unit string
	// Least and Most bound the number of arguments; a negative Most is no bound.
	Least, Most int
	// Type is the type of a call, which may change with those of its arguments.
	Type func(arguments []sql.Expression) sql.Type
	// Passing: the function returns the value of one of its arguments, with all its digits.
	Passing bool
	// OfDocuments: the function's texts come from a document; they compare byte for byte, except beside a column.
	OfDocuments bool
	// Value gets arguments that are not NULL; Choose evaluates its arguments itself.
	Value  func(c *Call, ctx *sql.Context, arguments []any) (any, error)
	Choose func(c *Call, ctx *sql.Context, row sql.Row) (any, error)
}

// Function is the engine's function of the definition.
func (d *Definition) Function() sql.Function {
	return sql.FunctionN{Name: d.Name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) < d.Least || d.Most >= 0 && len(arguments) > d.Most {
			return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(d.Name), d.Least, len(arguments))
		}
		return d.Call(arguments...), nil
	}}
}

// Call makes a call without checking the number of arguments.
func (d *Definition) Call(arguments ...sql.Expression) *Call {
	return &Call{tree.Nary{Operands: arguments}, d}
}

// A Call is a call of a function.
type Call struct {
	tree.Nary
	*Definition
}

var (
	_ sql.FunctionExpression = (*Call)(nil)
	_ sql.CollationCoercible = (*Call)(nil)
)

func (c *Call) FunctionName() string { return c.Name }

// Passes implements [arithmetic.Passing].
func (c *Call) Passes() bool { return c.Passing }

func (c *Call) Description() string { return "MySQL's function of that name" }

func (c *Call) String() string {
	if c.Operator != "" && len(c.Operands) == 2 {
		return "(" + c.Operands[0].String() + " " + c.Operator + " " + c.Operands[1].String() + ")"
	}
	if c.Unit != "" && len(c.Operands) == 2 {
		return c.Name + "(" + c.Operands[0].String() + ",INTERVAL " + c.Operands[1].String() + " " + c.Unit + ")"
	}
	return c.CallText(c.Name)
}

func (c *Call) Type() sql.Type { return c.Definition.Type(c.Operands) }

// CollationCoercibility implements sql.CollationCoercible: that of the texts among the
// arguments whose type the call has.
func (c *Call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if !coercion.IsText(c.Type()) {
		return sql.Collation_binary, 5
	}
	if c.OfDocuments {
		return sql.Collation_utf8mb4_bin, 3 // a literal has 4, a column 2
	}
	return coercion.Collation(ctx, c.Operands)
}

// IsNullable implements sql.Expression: a call without arguments is never NULL.
func (c *Call) IsNullable() bool { return len(c.Operands) > 0 }

func (c *Call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

func (c *Call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.value(ctx, row)
	if err == nil {
		err = values.Finite(v, c)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func (c *Call) value(ctx *sql.Context, row sql.Row) (any, error) {
	if c.Choose != nil {
		return c.Choose(c, ctx, row)
	}
	arguments := make([]any, len(c.Operands))
	for i := range c.Operands {
		v, err := c.Argument(i, ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		arguments[i] = v
	}
	return c.Value(c, ctx, arguments)
}

// Argument is the value of one argument.
func (c *Call) Argument(i int, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Operands[i].Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return sql.UnwrapAny(ctx, v)
}

// OperandType is the type of an argument.
func (c *Call) OperandType(i int) sql.Type { return c.Operands[i].Type() }

// Constant makes the type of a function that has always the same.
func Constant(t sql.Type) func([]sql.Expression) sql.Type {
	return func([]sql.Expression) sql.Type { return t }
}
