package scalar

import (
	"math"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

func rounding() []*definition {
	return []*definition{
		{name: "floor", least: 1, most: 1, typ: wholeType, value: cut(decimal.Decimal.Floor, math.Floor)},
		{name: "ceil", least: 1, most: 1, typ: wholeType, value: cut(decimal.Decimal.Ceil, math.Ceil)},
		{name: "ceiling", least: 1, most: 1, typ: wholeType, value: cut(decimal.Decimal.Ceil, math.Ceil)},
		{name: "abs", least: 1, most: 1, typ: absoluteType, value: absolute},
		{name: "sign", least: 1, most: 1, typ: constant(types.Int64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			d, err := exact(ctx, v[0], c.of(0))
			return int64(d.Sign()), err
		}},
	}
}

func absoluteType(arguments []sql.Expression) sql.Type {
	switch t := arguments[0].Type(); {
	case types.IsUnsigned(t):
		return types.Uint64
	case types.IsInteger(t):
		return types.Int64
	case types.IsDecimal(t):
		return t
	}
	return types.Float64
}

func absolute(c *call, ctx *sql.Context, v []any) (any, error) {
	typ := c.Type()
	if types.IsFloat(typ) {
		f, err := float(ctx, v[0], c.of(0))
		return math.Abs(f), err
	}
	d, err := exact(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	d = d.Abs()
	switch n := d.BigInt(); {
	case types.IsDecimal(typ):
		return d, nil
	case types.IsUnsigned(typ):
		return n.Uint64(), nil
	case n.IsInt64():
		return n.Int64(), nil
	}
	return nil, outOfRange(false, c.String())
}

// mostBigint is how many digits a BIGINT has in any case.
const mostBigint = 18

// wholeType is a BIGINT of whole numbers and of decimals that fit, else DECIMAL or DOUBLE.
func wholeType(arguments []sql.Expression) sql.Type {
	t := arguments[0].Type()
	given, isDecimal := t.(sql.DecimalType)
	switch {
	case types.IsUnsigned(t):
		return types.Uint64
	case types.IsInteger(t), isDecimal && given.Precision()-given.Scale() < mostBigint:
		return types.Int64
	case isDecimal:
		return types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, 0)
	}
	return types.Float64
}

// cut makes a number whole.
func cut(exactly func(decimal.Decimal) decimal.Decimal, nearly func(float64) float64) func(*call, *sql.Context, []any) (any, error) {
	return func(c *call, ctx *sql.Context, v []any) (any, error) {
		typ := c.Type()
		if types.IsFloat(typ) {
			f, err := float(ctx, v[0], c.of(0))
			return nearly(f), err
		}
		d, err := exact(ctx, v[0], c.of(0))
		if err != nil {
			return nil, err
		}
		d = exactly(d)
		switch n := d.BigInt(); {
		case types.IsDecimal(typ):
			return d, nil
		case types.IsUnsigned(typ):
			return n.Uint64(), nil
		case n.IsInt64():
			return n.Int64(), nil
		}
		return nil, outOfRange(false, c.String())
	}
}
