package scalar

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/tree"
)

// A definition is what a function is.
type definition struct {
	name string
	// least and most are numbers of arguments; most is any number below 0.
	least, most int
	// typ is the type of a call, which may change with those of its arguments.
	typ func(arguments []sql.Expression) sql.Type
	// value is of arguments that are not NULL; choose of those that it evaluates itself.
	value  func(c *call, ctx *sql.Context, arguments []any) (any, error)
	choose func(c *call, ctx *sql.Context, row sql.Row) (any, error)
}

// function is the definition as the engine has it.
func (d *definition) function() sql.Function {
	return sql.FunctionN{Name: d.name, Fn: func(arguments ...sql.Expression) (sql.Expression, error) {
		if len(arguments) < d.least || d.most >= 0 && len(arguments) > d.most {
			return nil, sql.ErrInvalidArgumentNumber.New(strings.ToUpper(d.name), d.least, len(arguments))
		}
		return &call{tree.Nary{Operands: arguments}, d}, nil
	}}
}

// A call is a call of a function.
type call struct {
	tree.Nary
	*definition
}

var (
	_ sql.FunctionExpression = (*call)(nil)
	_ sql.CollationCoercible = (*call)(nil)
)

// FunctionName implements sql.FunctionExpression.
func (c *call) FunctionName() string { return c.name }

// Description implements sql.FunctionExpression.
func (c *call) Description() string { return "MySQL's function of that name" }

// String implements sql.Expression.
func (c *call) String() string {
	list := make([]string, len(c.Operands))
	for i, a := range c.Operands {
		list[i] = a.String()
	}
	if c.name == DivFunction {
		return "(" + strings.Join(list, " div ") + ")"
	}
	if c.name == ModFunction && len(list) == 2 {
		return "(" + strings.Join(list, " % ") + ")"
	}
	return c.name + "(" + strings.Join(list, ",") + ")"
}

// Type implements sql.Expression.
func (c *call) Type() sql.Type { return c.typ(c.Operands) }

// CollationCoercibility implements sql.CollationCoercible: that of the texts among the
// arguments whose type the call has.
func (c *call) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	if !isText(c.Type()) {
		return sql.Collation_binary, 5
	}
	collation, coercibility := ctx.GetCollation(), byte(6)
	for _, a := range c.Operands {
		if isText(a.Type()) {
			other, rank := sql.GetCoercibility(ctx, a)
			if rank < coercibility {
				collation, coercibility = other, rank
			}
		}
	}
	return collation, min(coercibility, 4)
}

// IsNullable implements sql.Expression.
func (c *call) IsNullable() bool { return true }

// WithChildren implements sql.Expression.
func (c *call) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

// Eval implements sql.Expression.
func (c *call) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	if c.choose != nil {
		return c.choose(c, ctx, row)
	}
	values := make([]any, len(c.Operands))
	for i := range c.Operands {
		v, err := c.argument(i, ctx, row)
		if v == nil || err != nil {
			return nil, err
		}
		values[i] = v
	}
	return c.value(c, ctx, values)
}

// argument is the value of one argument.
func (c *call) argument(i int, ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Operands[i].Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	return sql.UnwrapAny(ctx, v)
}

// of is the type of an argument.
func (c *call) of(i int) sql.Type { return c.Operands[i].Type() }

// constant makes the type of a function that has always the same.
func constant(t sql.Type) func([]sql.Expression) sql.Type {
	return func([]sql.Expression) sql.Type { return t }
}
