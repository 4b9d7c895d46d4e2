package scalar

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// A quotient of exact numbers has four decimals more than what is divided, where it is a result. What is calculated of it sees
// more: its digits are kept in words of nine. The engine rounds it for every function that it is an argument of.

// Unrounded is a calculation of exact numbers with the digits that its quotients have in MySQL; nil where it has none.
func Unrounded(e sql.Expression) sql.Expression {
	if !divides(e) || !types.IsDecimal(e.Type()) {
		return nil
	}
	return unrounded.Call(e)
}

var unrounded = &builtin.Definition{
	Name: "__anon_unrounded", Least: 1, Most: 1,
	Type: func(arguments []sql.Expression) sql.Type { return arguments[0].Type() },
	Choose: func(c *builtin.Call, ctx *sql.Context, row sql.Row) (any, error) {
		d, ok, err := calculated(ctx, row, c.Operands[0])
		if !ok || err != nil {
			return nil, err
		}
		return d, nil
	},
}

// divides tells of sums and products of quotients.
func divides(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Div:
		return true
	case *expression.Arithmetic:
		return (e.Op == "+" || e.Op == "-" || e.Op == "*") && (divides(e.LeftChild) || divides(e.RightChild))
	}
	return false
}

// calculated is the value of an expression; ok is false for NULL.
func calculated(ctx *sql.Context, row sql.Row, e sql.Expression) (d decimal.Decimal, ok bool, err error) {
	if !divides(e) {
		v, err := e.Eval(ctx, row)
		if v == nil || err != nil {
			return d, false, err
		}
		d, err = coercion.Exact(ctx, v, e.Type())
		return d, err == nil, err
	}
	operands := e.Children()
	a, ok, err := calculated(ctx, row, operands[0])
	if !ok || err != nil {
		return d, false, err
	}
	b, ok, err := calculated(ctx, row, operands[1])
	if !ok || err != nil {
		return d, false, err
	}
	if operation, ok := e.(*expression.Arithmetic); ok {
		switch operation.Op {
		case "+":
			return a.Add(b), true, nil
		case "-":
			return a.Sub(b), true, nil
		}
		return a.Mul(b), true, nil
	}
	if b.IsZero() {
		ctx.Warn(1365, "Division by 0")
		return d, false, nil
	}
	return Quotient(a, b), true, nil
}

// word is how many digits MySQL keeps together, more how many a quotient has more than what is divided.
const (
	word = 9
	more = 4
)

// Quotient has the digits that MySQL's do_div_mod gives it, cut.
func Quotient(a, b decimal.Decimal) decimal.Decimal {
	words := func(digits int32) int32 { return (digits + word - 1) / word * word }
	first, second := max(-a.Exponent(), 0), max(-b.Exponent(), 0)
	left := max(more-(words(first)-first)-(words(second)-second), 0)
	places := words(words(first) + words(second) + left)
	return a.DivRound(b, places+2).Truncate(places)
}
