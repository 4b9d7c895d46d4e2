package scalar

import (
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

func rounding() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: "floor", Least: 1, Most: 1, Type: wholeType, Value: cut(decimal.Decimal.Floor, math.Floor)},
		{Name: "ceil", Least: 1, Most: 1, Type: wholeType, Value: cut(decimal.Decimal.Ceil, math.Ceil)},
		{Name: "ceiling", Least: 1, Most: 1, Type: wholeType, Value: cut(decimal.Decimal.Ceil, math.Ceil)},
		{Name: "abs", Least: 1, Most: 1, Type: absoluteType, Value: cut(decimal.Decimal.Abs, math.Abs)},
		{Name: "sign", Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
			return int64(d.Sign()), err
		}},
		{Name: "truncate", Least: 2, Most: 2, Type: roundedType, Value: truncate},
	}
}

// rounded is ROUND that rounds halves away from zero: for exact numbers, and for DOUBLEs such as averages where MySQL has
// decimals. roundedDouble rounds halves of other DOUBLEs to even.
var (
	rounded       = &builtin.Definition{Name: "round", Least: 1, Most: 2, Type: roundedType, Value: round(halfAway)}
	roundedDouble = &builtin.Definition{Name: "round", Least: 1, Most: 2, Type: roundedType, Value: round(halfEven)}
)

// makeRound makes a call of ROUND.
func makeRound(arguments ...sql.Expression) (sql.Expression, error) {
	if len(arguments) < 1 || len(arguments) > 2 {
		return nil, sql.ErrInvalidArgumentNumber.New("ROUND", "1 or 2", len(arguments))
	}
	if ofTables(arguments[0]) {
		return roundedDouble.Call(arguments...), nil
	}
	return rounded.Call(arguments...), nil
}

// ofTables recognises expressions of table columns and constants only. If they are DOUBLEs here, they are DOUBLEs in MySQL.
func ofTables(e sql.Expression) bool {
	switch e := e.(type) {
	case *expression.GetField:
		return e.Database() != ""
	case *expression.Literal:
		return true
	case sql.Aggregation, sql.WindowAdaptableExpression:
		return false
	}
	children := e.Children()
	for _, child := range children {
		if !ofTables(child) {
			return false
		}
	}
	return len(children) > 0
}

// halfAway rounds the shortest decimal form of a DOUBLE, halves away from zero.
func halfAway(f float64, places int64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return f
	}
	result, _ := decimal.NewFromFloat(f).Round(int32(places)).Float64()
	return result
}

// halfEven rounds as MySQL's my_double_round does.
func halfEven(f float64, places int64) float64 { return scaled(f, places, math.RoundToEven) }

// roundedType has the requested decimals if their number is a literal, else the argument's.
func roundedType(arguments []sql.Expression) sql.Type {
	t := arguments[0].Type()
	given, isDecimal := t.(sql.DecimalType)
	switch {
	case types.IsUnsigned(t):
		return types.Uint64
	case types.IsInteger(t), types.IsDateType(t), types.IsYear(t):
		return types.Int64
	case !isDecimal:
		return types.Float64
	}
	places := int64(0)
	if len(arguments) > 1 {
		literal, ok := writtenPlaces(arguments[1])
		if !ok {
			return t
		}
		places = min(max(literal, 0), types.DecimalTypeMaxScale)
	}
	before := int64(given.Precision()-given.Scale()) + 1
	return types.MustCreateDecimalType(uint8(min(before+places, types.DecimalTypeMaxPrecision)), uint8(places))
}

// writtenPlaces returns a literal number of decimals.
func writtenPlaces(e sql.Expression) (int64, bool) {
	sign := int64(1)
	if minus, ok := e.(*expression.UnaryMinus); ok {
		e, sign = minus.Child, -1
	}
	literal, ok := e.(*expression.Literal)
	if !ok || literal.Value() == nil {
		return 0, false
	}
	d, err := coercion.Exact(nil, literal.Value(), literal.Type())
	return sign * d.Round(0).IntPart(), err == nil
}

func round(nearly func(float64, int64) float64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return toPlaces(c, ctx, v, decimal.Decimal.Round, nearly)
	}
}

// truncate rounds towards zero.
func truncate(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	exactly := func(d decimal.Decimal, places int32) decimal.Decimal {
		return d.Shift(places).Truncate(0).Shift(-places)
	}
	return toPlaces(c, ctx, v, exactly, func(f float64, places int64) float64 { return scaled(f, places, math.Trunc) })
}

// maxPlaces exceeds the digits of all numbers.
const maxPlaces = 400

// toPlaces rounds a number to as many decimals as the second argument says, 0 if there is none.
func toPlaces(
	c *builtin.Call,
	ctx *sql.Context,
	v []any,
	exactly func(decimal.Decimal, int32) decimal.Decimal,
	nearly func(float64, int64) float64,
) (any, error) {
	places := int64(0)
	if len(v) > 1 {
		var err error
		if places, err = coercion.NearestBigint(ctx, v[1], c.OperandType(1)); err != nil {
			return nil, err
		}
		places = min(max(places, -maxPlaces), maxPlaces)
	}
	typ := c.Type()
	if types.IsFloat(typ) {
		f, err := coercion.Float(ctx, v[0], c.OperandType(0))
		return nearly(f, places) + 0, err // the engine would group -0 apart from 0
	}
	d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	if places < -types.DecimalTypeMaxPrecision-1 {
		d = decimal.Zero
	} else {
		d = exactly(d, int32(min(places, types.DecimalTypeMaxScale)))
	}
	n := d.BigInt()
	switch {
	case types.IsDecimal(typ):
		return d.Add(decimal.New(0, -int32(typ.(sql.DecimalType).Scale()))), nil // with its zeros
	case types.IsUnsigned(typ) && n.IsUint64():
		return n.Uint64(), nil
	case !types.IsUnsigned(typ) && n.IsInt64():
		return n.Int64(), nil
	}
	return nil, coercion.OutOfRange(types.IsUnsigned(typ), c.String())
}

// scaled shifts a number by some decimals, rounds it with nearly, and shifts it back, unless the shift overflows.
func scaled(f float64, places int64, nearly func(float64) float64) float64 {
	power, _ := strconv.ParseFloat("1e"+strconv.FormatInt(max(places, -places), 10), 64) // math.Pow is not exact
	switch {
	case places < 0 && math.IsInf(power, 0):
		return 0
	case places < 0:
		return nearly(f/power) * power
	case math.IsInf(power, 0) || math.IsInf(f*power, 0):
		return f
	}
	return nearly(f*power) / power
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

// maxBigintDigits is the number of digits that always fit a BIGINT.
const maxBigintDigits = 18

// wholeType is BIGINT for integers and decimals that fit, else DECIMAL or DOUBLE.
func wholeType(arguments []sql.Expression) sql.Type {
	t := arguments[0].Type()
	given, isDecimal := t.(sql.DecimalType)
	switch {
	case types.IsUnsigned(t):
		return types.Uint64
	case types.IsInteger(t), isDecimal && given.Precision()-given.Scale() < maxBigintDigits:
		return types.Int64
	case isDecimal:
		return types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, 0)
	}
	return types.Float64
}

// cut makes an SQL function that rounds exact numbers with exactly and DOUBLEs with nearly.
func cut(exactly func(decimal.Decimal) decimal.Decimal, nearly func(float64) float64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		typ := c.Type()
		if types.IsFloat(typ) {
			f, err := coercion.Float(ctx, v[0], c.OperandType(0))
			return nearly(f) + 0, err // no -0
		}
		d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
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
		return nil, coercion.OutOfRange(false, c.String())
	}
}
