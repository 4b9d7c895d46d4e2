package planner

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"
)

// A decimalCast is a number as a DECIMAL of a given type. The engine's own cast has
// another type where no digits stand after the point.
type decimalCast struct {
	child sql.Expression
	typ   sql.DecimalType
}

var (
	_ sql.Expression         = (*decimalCast)(nil)
	_ sql.CollationCoercible = (*decimalCast)(nil)
)

// Resolved implements sql.Expression.
func (c *decimalCast) Resolved() bool { return c.child.Resolved() }

// String implements sql.Expression.
func (c *decimalCast) String() string { return fmt.Sprintf("CAST(%s AS %s)", c.child, c.typ) }

// Type implements sql.Expression.
func (c *decimalCast) Type() sql.Type { return c.typ }

// IsNullable implements sql.Expression.
func (c *decimalCast) IsNullable() bool { return c.child.IsNullable() }

// Children implements sql.Expression.
func (c *decimalCast) Children() []sql.Expression { return []sql.Expression{c.child} }

// CollationCoercibility implements sql.CollationCoercible.
func (c *decimalCast) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

// WithChildren implements sql.Expression.
func (c *decimalCast) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(c, len(children), 1)
	}
	return &decimalCast{children[0], c.typ}, nil
}

// Eval implements sql.Expression.
func (c *decimalCast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	converted, _, err := c.typ.Convert(ctx, v)
	if number, ok := converted.(decimal.Decimal); ok && err == nil {
		return number.Round(int32(c.typ.Scale())), nil // with all digits of its scale
	}
	return converted, err
}
