package arithmetic

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/tree"
)

// A DecimalCast casts a number to a given DECIMAL type. The engine's own cast has another type if the scale is 0.
type DecimalCast struct {
	tree.Unary
	typ sql.DecimalType
}

// NewDecimalCast casts a number to a DECIMAL type.
func NewDecimalCast(number sql.Expression, typ sql.DecimalType) *DecimalCast {
	return &DecimalCast{tree.Unary{Child: number}, typ}
}

var (
	_ sql.Expression         = (*DecimalCast)(nil)
	_ sql.CollationCoercible = (*DecimalCast)(nil)
)

func (c *DecimalCast) String() string { return fmt.Sprintf("CAST(%s AS %s)", c.Child, c.typ) }

func (c *DecimalCast) Type() sql.Type { return c.typ }

func (c *DecimalCast) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (c *DecimalCast) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(c, children)
}

func (c *DecimalCast) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	v, err := c.Child.Eval(ctx, row)
	if v == nil || err != nil {
		return nil, err
	}
	converted, _, err := c.typ.Convert(ctx, v)
	if number, ok := converted.(decimal.Decimal); ok && err == nil {
		return number.Round(int32(c.typ.Scale())), nil // with all digits of the scale
	}
	return converted, err
}
