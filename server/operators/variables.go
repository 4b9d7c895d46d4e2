package operators

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/dialect"
	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/tree"
)

// Functions returns the functions that package dialect writes into statements.
func Functions() []sql.Function {
	return []sql.Function{
		sql.Function2{Name: dialect.Assignment, Fn: func(name, value sql.Expression) sql.Expression {
			return &assignment{tree.Nary{Operands: []sql.Expression{name, value}}}
		}},
		sql.Function2{Name: dialect.Variable, Fn: func(name, own sql.Expression) sql.Expression {
			return &variable{tree.Nary{Operands: []sql.Expression{name, own}}}
		}},
		comparison(dialect.Any, false),
		comparison(dialect.All, true),
	}
}

// An assignment sets a user variable. Its value is the assigned one.
type assignment struct{ tree.Nary }

var (
	_ sql.FunctionExpression         = (*assignment)(nil)
	_ sql.NonDeterministicExpression = (*assignment)(nil)
	_ sql.CollationCoercible         = (*assignment)(nil)
)

func (a *assignment) FunctionName() string { return dialect.Assignment }

func (a *assignment) Description() string { return "@variable := value" }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (a *assignment) IsNonDeterministic() bool { return true }

func (a *assignment) String() string {
	return fmt.Sprintf("@%s := %s", unquoted(a.Operands[0]), a.Operands[1])
}

func unquoted(name sql.Expression) string {
	value, _ := name.Eval(nil, nil) // a literal
	return fmt.Sprint(value)
}

func (a *assignment) Type() sql.Type { return a.Operands[1].Type() }

func (a *assignment) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	return sql.GetCoercibility(ctx, a.Operands[1])
}

func (a *assignment) IsNullable() bool { return a.Operands[1].IsNullable() }

func (a *assignment) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(a, children)
}

func (a *assignment) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := a.Operands[1].Eval(ctx, row)
	if err != nil {
		return nil, err
	}
	assigned := values.Assigned(ctx, a.Operands[1], value)
	return value, ctx.SetUserVariable(ctx, unquoted(a.Operands[0]), assigned, types.ApproximateTypeFromValue(value))
}

// A variable is a user variable that the same statement assigns. It has the type from before the statement, or is a
// text if the variable was not set.
type variable struct{ tree.Nary }

var (
	_ sql.FunctionExpression         = (*variable)(nil)
	_ sql.NonDeterministicExpression = (*variable)(nil)
	_ sql.CollationCoercible         = (*variable)(nil)
)

func (v *variable) FunctionName() string { return dialect.Variable }

func (v *variable) Description() string { return "@variable" }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (v *variable) IsNonDeterministic() bool { return true }

func (v *variable) String() string { return "@" + unquoted(v.Operands[0]) }

// ReadsAssigned implements tree.AssignedReader.
func (v *variable) ReadsAssigned() {}

// Type implements sql.Expression. A whole number is a BIGINT: the type of 0 is the narrowest of all, too narrow for sums.
func (v *variable) Type() sql.Type {
	own := v.Operands[1].Type()
	switch {
	case own == nil || own == types.Null:
		return types.LongText
	case types.IsInteger(own):
		return own.Promote()
	}
	return own
}

func (v *variable) CollationCoercibility(ctx *sql.Context) (sql.CollationID, byte) {
	collation, _ := v.Type().CollationCoercibility(ctx)
	return collation, 2
}

func (v *variable) IsNullable() bool { return true }

func (v *variable) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(v, children)
}

func (v *variable) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	value, err := v.Operands[1].Eval(ctx, row)
	if value == nil || err != nil {
		return nil, err
	}
	if types.IsNumber(v.Type()) && types.IsNumber(types.ApproximateTypeFromValue(value)) { // calculations see all digits
		return value, nil
	}
	converted, _, err := v.Type().Convert(ctx, value)
	if err != nil { // the variable has another type by now: return the value as it is
		return value, nil
	}
	return converted, nil
}
