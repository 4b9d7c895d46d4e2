package scalar

import (
	"math"
	"math/big"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/declared"
	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// The engine's casts return 0 for a text that continues after a number, round texts and
// decimals that MySQL truncates, and cannot convert between dates and numbers. In trees,
// these markers replace CAST(x AS ...).
const (
	SignedFunction   = "__anon_signed"
	UnsignedFunction = "__anon_unsigned"
	DecimalFunction  = "__anon_decimal"  // x, precision, scale
	DoubleFunction   = "__anon_double"   // x
	DateFunction     = "__anon_date"     // x
	DatetimeFunction = "__anon_datetime" // x, digits of a second
	TimeFunction     = "__anon_time"     // x, digits of a second
	CharFunction     = "__anon_char"     // x, characters
	BinaryFunction   = "__anon_binary"   // x, bytes
	DivFunction      = "__anon_div"      // x DIV y
	NotFunction      = "__anon_not"      // ~x
	BitsFunction     = "__anon_bits"     // a bit operator and its two operands
	ExactFunction    = "__anon_exact"    // a decimal literal
	NumberFunction   = "__anon_number"   // x, a date or a text, as a number
)

func casts() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: SignedFunction, Least: 1, Most: 1, Type: builtin.Constant(types.Int64), Value: castSigned},
		{Name: UnsignedFunction, Least: 1, Most: 1, Type: builtin.Constant(types.Uint64), Value: castUnsigned},
		{Name: DecimalFunction, Least: 3, Most: 3, Type: decimalType, Value: castDecimal},
		{Name: DateFunction, Least: 1, Most: 1, Type: builtin.Constant(types.Date), Value: castDate},
		{Name: "date", Least: 1, Most: 1, Type: builtin.Constant(types.Date), Value: castDate}, // the engine's returns texts
		DatetimeCast,
		{Name: TimeFunction, Least: 2, Most: 2, Type: timeType, Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			span, ok := coercion.Timespan(ctx, v[0], c.OperandType(0))
			if !ok {
				return nil, nil
			}
			unit := int64(math.Pow10(6 - min(LiteralNumber(c.Operands[1]), 6)))
			return types.Timespan((int64(span) + unit/2*sign(int64(span))) / unit * unit), nil
		}},
		{Name: CharFunction, Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: castChar},
		{Name: BinaryFunction, Least: 2, Most: 2, Type: builtin.Constant(types.LongBlob), Value: castBinary},
		{Name: DivFunction, Operator: "div", Least: 2, Most: 2, Type: divType, Value: div},
		{Name: BitsFunction, Least: 3, Most: 3, Type: builtin.Constant(types.Uint64), Value: bitOperation},
		{Name: NotFunction, Least: 1, Most: 1, Type: builtin.Constant(types.Uint64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			n, err := bits(ctx, v[0], c.OperandType(0))
			return ^n, err
		}},
	}
}

func castSigned(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	n, err := coercion.LargeWhole(ctx, v[0], c.OperandType(0))
	switch {
	case err != nil:
		return nil, err
	case n.IsInt64():
		return n.Int64(), nil
	case n.IsUint64() && coercion.IsText(c.OperandType(0)) || n.IsUint64() && !types.IsFloat(c.OperandType(0)) && !types.IsDecimal(c.OperandType(0)):
		return int64(n.Uint64()), nil
	}
	ctx.Warn(1292, "Truncated incorrect INTEGER value: '%v'", n)
	switch {
	case n.Sign() < 0:
		return int64(math.MinInt64), nil
	case coercion.IsText(c.OperandType(0)):
		return int64(-1), nil // 2^64 - 1
	}
	return int64(math.MaxInt64), nil
}

func castUnsigned(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	n, err := coercion.LargeWhole(ctx, v[0], c.OperandType(0))
	switch {
	case err != nil:
		return nil, err
	case n.IsUint64():
		return n.Uint64(), nil
	case n.Sign() < 0 && types.IsDecimal(c.OperandType(0)):
		ctx.Warn(1292, "Truncated incorrect INTEGER value: '%v'", n)
		return uint64(0), nil
	case n.IsInt64():
		return uint64(n.Int64()), nil
	}
	ctx.Warn(1292, "Truncated incorrect INTEGER value: '%v'", n)
	if n.Sign() < 0 {
		return uint64(1) << 63, nil
	}
	return uint64(math.MaxUint64), nil
}

// bits converts a value to 64 bits as MySQL's bit operators do.
func bits(ctx *sql.Context, v any, t sql.Type) (uint64, error) {
	n, err := coercion.LargeWhole(ctx, v, t)
	switch {
	case err != nil:
		return 0, err
	case n.IsUint64():
		return n.Uint64(), nil
	case n.IsInt64():
		return uint64(n.Int64()), nil
	case n.Sign() < 0:
		return 1 << 63, nil
	}
	return math.MaxUint64, nil
}

// Bits converts an expression to 64 bits as MySQL's bit operators do. Integers stay as they are.
func Bits(e sql.Expression) sql.Expression {
	if types.IsInteger(e.Type()) {
		return e
	}
	return bitsOf.Call(e)
}

var bitsOf = &builtin.Definition{
	Name: BitsFunction,
	Type: builtin.Constant(types.Uint64),
	Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		return bits(ctx, v[0], c.OperandType(0))
	},
}

// LiteralNumber returns the integer in a literal argument of a marker, 0 if it is not a number.
func LiteralNumber(e sql.Expression) int {
	v, err := e.Eval(nil, nil)
	if err != nil {
		return 0
	}
	d, err := coercion.Exact(nil, v, e.Type())
	if err != nil {
		return 0
	}
	return int(d.IntPart())
}

func decimalType(arguments []sql.Expression) sql.Type {
	precision, scale := LiteralNumber(arguments[1]), LiteralNumber(arguments[2])
	if precision == 0 {
		precision = 10
	}
	typ, err := types.CreateDecimalType(uint8(precision), uint8(scale))
	if err != nil {
		return types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, types.DecimalTypeMaxScale)
	}
	return typ
}

// castDecimal clamps values to the range of the type, with a warning.
func castDecimal(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	d, err := coercion.Exact(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	typ := c.Type().(sql.DecimalType)
	d = d.Round(int32(typ.Scale()))
	most := decimal.New(1, int32(typ.Precision())).Sub(decimal.New(1, 0)).Shift(-int32(typ.Scale()))
	if d.Abs().GreaterThan(most) {
		ctx.Warn(1264, "Out of range value for column 'CAST' at row 1")
		if d.Sign() < 0 {
			return most.Neg(), nil
		}
		return most, nil
	}
	return d, nil
}

func timeType(arguments []sql.Expression) sql.Type {
	return declared.TimeOf(LiteralNumber(arguments[1]))
}

func castDate(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	t, ok := coercion.Instant(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	return t.Truncate(coercion.Day), nil
}

var DatetimeCast = &builtin.Definition{Name: DatetimeFunction, Least: 2, Most: 2, Type: datetimeType, Value: castDatetime}

func datetimeType(arguments []sql.Expression) sql.Type {
	return coercion.DatetimeOf(LiteralNumber(arguments[1]))
}

func castDatetime(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	t, ok := coercion.Instant(ctx, v[0], c.OperandType(0))
	if !ok {
		return nil, nil
	}
	unit := math.Pow10(9 - LiteralNumber(c.Operands[1]))
	t = t.Round(time.Duration(unit))
	if t.Year() > 9999 {
		return nil, nil
	}
	return t, nil
}

func sign(n int64) int64 {
	if n < 0 {
		return -1
	}
	return 1
}

// castChar truncates a text to a number of characters, with a warning.
func castChar(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	most := LiteralNumber(c.Operands[1])
	for i := range s {
		if most == 0 {
			ctx.Warn(1292, "Truncated incorrect CHAR(%d) value: '%s'", LiteralNumber(c.Operands[1]), s)
			return s[:i], nil
		}
		most--
	}
	return s, nil
}

// castBinary truncates or zero-pads a value to a number of bytes.
func castBinary(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.OperandType(0))
	value := make([]byte, LiteralNumber(c.Operands[1]))
	if copied := copy(value, s); copied < len(s) {
		ctx.Warn(1292, "Truncated incorrect BINARY(%d) value: '%s'", len(value), s)
	}
	return value, err
}

func divType(arguments []sql.Expression) sql.Type {
	for _, a := range arguments {
		if types.IsUnsigned(a.Type()) {
			return types.Uint64
		}
	}
	return types.Int64
}

// division reads the operands of a division and the decimal places that make both integers. It warns of a divisor of 0, as MySQL does.
func division(c *builtin.Call, ctx *sql.Context, v []any) (a, b decimal.Decimal, places int32, err error) {
	if a, err = coercion.Exact(ctx, v[0], c.OperandType(0)); err != nil {
		return a, b, 0, err
	}
	if b, err = coercion.Exact(ctx, v[1], c.OperandType(1)); err != nil {
		return a, b, 0, err
	}
	if b.IsZero() {
		ctx.Warn(1365, "Division by 0")
	}
	return a, b, max(-a.Exponent(), -b.Exponent(), 0), nil
}

// div returns the quotient truncated to an integer, NULL for a divisor of 0.
func div(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	a, b, places, err := division(c, ctx, v)
	if err != nil || b.IsZero() {
		return nil, err
	}
	q := new(big.Int).Quo(a.Shift(places).BigInt(), b.Shift(places).BigInt())
	unsigned := types.IsUnsigned(c.Type())
	switch {
	case unsigned && q.IsUint64():
		return q.Uint64(), nil
	case !unsigned && q.IsInt64():
		return q.Int64(), nil
	}
	return nil, coercion.OutOfRange(unsigned, c.Operands[0].String()+" DIV "+c.Operands[1].String())
}

func bitOperation(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	operator, err := coercion.Text(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	a, err := bits(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	b, err := bits(ctx, v[2], c.OperandType(2))
	if err != nil {
		return nil, err
	}
	switch operator {
	case "&":
		return a & b, nil
	case "|":
		return a | b, nil
	case "^":
		return a ^ b, nil
	case "<<":
		return a << b, nil
	}
	return a >> b, nil
}
