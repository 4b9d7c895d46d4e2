package arithmetic

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/tree"
)

// As a result, a quotient of exact numbers has four decimals more than the dividend. Calculations with it see more digits,
// because MySQL keeps them in words of nine. The engine rounds it for every function that takes it as an argument.

// An Unrounded is a calculation with exact numbers whose quotients have as many digits as in MySQL.
type Unrounded struct {
	tree.Unary
	exact Exact
}

// Exact converts a value of a type to an exact number.
type Exact func(ctx *sql.Context, v any, typ sql.Type) (decimal.Decimal, error)

// NewUnrounded wraps a calculation, or each alternative of a choice; it returns nil if the expression divides nothing.
func NewUnrounded(e sql.Expression, exact Exact) sql.Expression {
	if !divides(e) || !types.IsDecimal(e.Type()) {
		return nil
	}
	if shown, ok := e.(*DecimalCast); ok {
		return NewUnrounded(shown.Child, exact)
	}
	children := slices.Clone(e.Children())
	for i, child := range children {
		switch made := NewUnrounded(child, exact).(type) {
		case nil:
		case *Unrounded:
			if children[i] = made; !Passes(e) { // made covers everything below itself
				children[i] = made.Child
			}
		default:
			children[i] = made
		}
	}
	made, err := e.WithChildren(children...)
	if err != nil {
		return nil
	}
	if Passes(e) {
		return made
	}
	return &Unrounded{tree.Unary{Child: made}, exact}
}

// Passing is an expression that returns one of its operands.
type Passing interface{ Passes() bool }

// Passes reports whether an expression returns one of its operands, with all digits.
func Passes(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Case:
		return true
	case Passing:
		return e.Passes()
	}
	return false
}

// Figure returns the operand of an aggregate, with all digits of its quotients.
func Figure(e sql.Expression) sql.Expression {
	if e == nil {
		return nil
	}
	if unrounded := NewUnrounded(e, exactNumber); unrounded != nil {
		return unrounded
	}
	return e
}

func exactNumber(ctx *sql.Context, v any, _ sql.Type) (decimal.Decimal, error) {
	converted, _, err := types.InternalDecimalType.Convert(ctx, v)
	d, _ := converted.(decimal.Decimal)
	return d, err
}

var _ sql.CollationCoercible = (*Unrounded)(nil)

func (u *Unrounded) String() string { return u.Child.String() }

func (u *Unrounded) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (u *Unrounded) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(u, children)
}

func (u *Unrounded) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	d, ok, err := u.calculated(ctx, row, u.Child)
	if !ok || err != nil {
		return nil, err
	}
	return d, nil
}

// divides recognises quotients, and sums, products and choices of them.
func divides(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.Div:
		return true
	case *DecimalCast: // it only rounds the shown value
		return divides(e.Child)
	case *expression.Arithmetic:
		return (e.Op == "+" || e.Op == "-" || e.Op == "*") && (divides(e.LeftChild) || divides(e.RightChild))
	}
	return Passes(e) && slices.ContainsFunc(e.Children(), divides)
}

// calculated returns the value of an expression; ok is false for NULL.
func (u *Unrounded) calculated(ctx *sql.Context, row sql.Row, e sql.Expression) (d decimal.Decimal, ok bool, err error) {
	if Passes(e) || !divides(e) {
		v, err := e.Eval(ctx, row)
		if v == nil || err != nil {
			return d, false, err
		}
		d, err = u.exact(ctx, v, e.Type())
		return d, err == nil, err
	}
	operands := e.Children()
	a, ok, err := u.calculated(ctx, row, operands[0])
	if !ok || err != nil {
		return d, false, err
	}
	b, ok, err := u.calculated(ctx, row, operands[1])
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

// word is the number of digits in one of MySQL's words. more is the number of decimals that a quotient has more than its dividend.
const (
	word = 9
	more = 4
)

// Quotient computes as many digits as MySQL's do_div_mod, and truncates the rest.
func Quotient(a, b decimal.Decimal) decimal.Decimal {
	words := func(digits int32) int32 { return (digits + word - 1) / word * word }
	first, second := max(-a.Exponent(), 0), max(-b.Exponent(), 0)
	left := max(more-(words(first)-first)-(words(second)-second), 0)
	places := words(words(first) + words(second) + left)
	return a.DivRound(b, places+2).Truncate(places)
}
