package columns

import (
	"fmt"
	"math/big"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/values"
	"github.com/anonsql/anonsql/tree"
)

// CheckedNumbers makes sums, differences and products of integers errors where they
// are no BIGINT, and those of DOUBLEs where they are none, as in MySQL; the engine's wrap around, or are +Inf.
func CheckedNumbers(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	switch e.(type) {
	case *expression.Arithmetic, *expression.Div:
		if types.IsFloat(e.Type()) {
			return &finite{tree.NewStandin(e)}, transform.NewTree, nil
		}
	}
	operation, ok := e.(*expression.Arithmetic)
	if !ok || operation.Op != "+" && operation.Op != "-" && operation.Op != "*" || !types.IsInteger(operation.LeftChild.Type()) ||
		!types.IsInteger(operation.RightChild.Type()) ||
		!types.IsInteger(operation.Type()) {
		return e, transform.SameTree, nil
	}
	return newChecked(operation), transform.NewTree, nil
}

// folded computes a constant sum, difference or product of integers in a filter: the engine computes constants there before the plan is finished.
func folded(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
	if !tree.Constant(e) {
		return e, transform.SameTree, nil
	}
	made, _, err := CheckedNumbers(ctx, e)
	if _, ok := made.(*checked); !ok || err != nil {
		return e, transform.SameTree, err
	}
	v, err := made.Eval(ctx, nil)
	if err != nil {
		return nil, transform.SameTree, err
	}
	return expression.NewLiteral(v, made.Type()), transform.NewTree, nil
}

// unsignedSum is a sum, difference or product of integers with MySQL's signedness (unsigned if one operand is), where the
// engine's differs; nil for others.
func unsignedSum(e sql.Expression) sql.Expression {
	operation, ok := e.(*expression.Arithmetic)
	if !ok || operation.Op != "+" && operation.Op != "-" && operation.Op != "*" || !types.IsInteger(operation.LeftChild.Type()) ||
		!types.IsInteger(operation.RightChild.Type()) {
		return nil
	}
	if made := newChecked(operation); made.typ != operation.Type() {
		return made
	}
	return nil
}

// isUnsigned recognises integers without a sign. One that is written has one unless it is beyond BIGINT, though the engine
// gives it the narrowest type.
func isUnsigned(e sql.Expression) bool {
	return types.IsUnsigned(e.Type()) && (!isLiteral(e) || e.Type() == types.Uint64)
}

// checked is an operation on integers. It caches the types below, which the engine
// would compute again at every level of a long sum.
type checked struct {
	tree.Standin
	typ      sql.Type
	unsigned bool
}

func newChecked(e *expression.Arithmetic) *checked {
	switch {
	case isUnsigned(e.LeftChild) || isUnsigned(e.RightChild):
		return &checked{tree.NewStandin(e), types.Uint64, true}
	case types.IsUnsigned(e.Type()):
		return &checked{tree.NewStandin(e), types.Int64, false}
	}
	return &checked{tree.NewStandin(e), e.Type(), false}
}

func (c *checked) Type() sql.Type { return c.typ }

// Children are the operands, so that nothing comes between them and the check.
func (c *checked) Children() []sql.Expression { return c.Child.Children() }

func (c *checked) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	made, err := c.Child.WithChildren(children...)
	if operation, ok := made.(*expression.Arithmetic); ok && err == nil {
		return newChecked(operation), nil
	}
	return made, err
}

// Eval implements sql.Expression. It evaluates each operand once.
func (c *checked) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	operation := c.Child.(*expression.Arithmetic)
	left, err := operation.LeftChild.Eval(ctx, row)
	if left == nil || err != nil {
		return nil, err
	}
	right, err := operation.RightChild.Eval(ctx, row)
	if right == nil || err != nil {
		return nil, err
	}
	a, known := new(big.Int).SetString(wholeDigits(left), 10)
	b, also := new(big.Int).SetString(wholeDigits(right), 10)
	if !known || !also {
		return c.Child.Eval(ctx, row)
	}
	switch operation.Op {
	case "+":
		a.Add(a, b)
	case "-":
		a.Sub(a, b)
	case "*":
		a.Mul(a, b)
	default:
		return c.Child.Eval(ctx, row)
	}
	kind := "BIGINT"
	switch {
	case c.unsigned && a.IsUint64():
		return a.Uint64(), nil
	case !c.unsigned && a.IsInt64():
		result, _, err := c.typ.Convert(ctx, a.Int64())
		return result, err
	case c.unsigned:
		kind = "BIGINT UNSIGNED"
	}
	return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "%s value is out of range in '%s'", kind, operation)
}

// finite is an operation on DOUBLEs.
type finite struct{ tree.Standin }

func (f *finite) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(f, children)
}

func (f *finite) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := f.Child.Eval(ctx, row)
	if err == nil {
		err = values.Finite(v, f.Child)
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// wholeDigits is an integer in digits; truth is 1 or 0.
func wholeDigits(v any) string {
	if truth, ok := v.(bool); ok {
		if truth {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(v)
}
