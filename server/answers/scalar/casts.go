package scalar

import (
	"math"
	"math/big"
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// The engine's casts take 0 for a text with more than a number, round texts and decimals
// that MySQL cuts, know no numbers of dates and no dates of numbers. A marker stands for
// CAST(x AS ...) in trees.
const (
	SignedFunction   = "__anon_signed"
	UnsignedFunction = "__anon_unsigned"
	DecimalFunction  = "__anon_decimal"  // x, precision, scale
	DoubleFunction   = "__anon_double"   // x
	DateFunction     = "__anon_date"     // x
	DatetimeFunction = "__anon_datetime" // x, digits of a second
	TimeFunction     = "__anon_time"     // x, digits of a second
	CharFunction     = "__anon_char"     // x, characters
	DivFunction      = "__anon_div"      // x DIV y
	NotFunction      = "__anon_not"      // ~x
	BitsFunction     = "__anon_bits"     // an operator of bits and its operands
	ExactFunction    = "__anon_exact"    // a decimal as it is written
	NumberFunction   = "__anon_number"   // x as a number, where it is a date or a text
)

func casts() []*definition {
	return []*definition{
		{name: SignedFunction, least: 1, most: 1, typ: constant(types.Int64), value: castSigned},
		{name: UnsignedFunction, least: 1, most: 1, typ: constant(types.Uint64), value: castUnsigned},
		{name: DecimalFunction, least: 3, most: 3, typ: decimalType, value: castDecimal},
		{name: DateFunction, least: 1, most: 1, typ: constant(types.Date), value: castDate},
		{name: "date", least: 1, most: 1, typ: constant(types.Date), value: castDate}, // the engine's has texts
		datetimeCast,
		{name: TimeFunction, least: 2, most: 2, typ: constant(types.Time), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			span, ok := timespan(ctx, v[0], c.of(0))
			if !ok {
				return nil, nil
			}
			unit := int64(math.Pow10(6 - min(size(c.Operands[1]), 6)))
			return types.Timespan((int64(span) + unit/2*sign(int64(span))) / unit * unit), nil
		}},
		{name: CharFunction, least: 2, most: 2, typ: constant(types.LongText), value: castChar},
		{name: DivFunction, least: 2, most: 2, typ: divType, value: div},
		{name: BitsFunction, least: 3, most: 3, typ: constant(types.Uint64), value: bitOperation},
		{name: NotFunction, least: 1, most: 1, typ: constant(types.Uint64), value: func(c *call, ctx *sql.Context, v []any) (any, error) {
			n, err := bits(ctx, v[0], c.of(0))
			return ^n, err
		}},
	}
}

// wholePrefix is the whole number that a text begins with.
var wholePrefix = regexp.MustCompile(`^[ \t\r\n\f\v]*([-+]?[0-9]+)`)

// wholeOf is a value as a whole number of any size: texts are cut, numbers rounded.
func wholeOf(ctx *sql.Context, v any, t sql.Type) (*big.Int, error) {
	switch v.(type) {
	case string, []byte:
		if isInstant(t) {
			break
		}
		s, err := text(ctx, v, t)
		if err != nil {
			return nil, err
		}
		n := new(big.Int)
		if found := wholePrefix.FindStringSubmatch(s); found != nil {
			if len(found[1]) > 100 {
				found[1] = found[1][:100] // beyond all types
			}
			n.SetString(found[1], 10)
		}
		if !wholly.MatchString(s) {
			ctx.Warn(1292, "Truncated incorrect INTEGER value: '%s'", s)
		}
		return n, nil
	case float64, float32:
		f, err := float(ctx, v, t)
		if err != nil {
			return nil, err
		}
		n, _ := new(big.Float).SetFloat64(math.RoundToEven(min(max(f, -1e300), 1e300))).Int(nil)
		return n, nil
	}
	d, err := exact(ctx, v, t)
	if err != nil {
		return nil, err
	}
	return d.Round(0).BigInt(), nil
}

var wholly = regexp.MustCompile(`^\s*[-+]?[0-9]+\s*$`)

func castSigned(c *call, ctx *sql.Context, v []any) (any, error) {
	n, err := wholeOf(ctx, v[0], c.of(0))
	switch {
	case err != nil:
		return nil, err
	case n.IsInt64():
		return n.Int64(), nil
	case n.IsUint64() && isText(c.of(0)) || n.IsUint64() && !types.IsFloat(c.of(0)) && !types.IsDecimal(c.of(0)):
		return int64(n.Uint64()), nil
	}
	ctx.Warn(1292, "Truncated incorrect INTEGER value: '%v'", n)
	switch {
	case n.Sign() < 0:
		return int64(math.MinInt64), nil
	case isText(c.of(0)):
		return int64(-1), nil // 2^64 - 1
	}
	return int64(math.MaxInt64), nil
}

func castUnsigned(c *call, ctx *sql.Context, v []any) (any, error) {
	n, err := wholeOf(ctx, v[0], c.of(0))
	switch {
	case err != nil:
		return nil, err
	case n.IsUint64():
		return n.Uint64(), nil
	case n.Sign() < 0 && types.IsDecimal(c.of(0)):
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

// bits are a value's 64 bits, as in MySQL's operators.
func bits(ctx *sql.Context, v any, t sql.Type) (uint64, error) {
	n, err := wholeOf(ctx, v, t)
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

// size is a literal argument of a marker.
func size(e sql.Expression) int {
	v, err := e.Eval(nil, nil)
	if err != nil {
		return 0
	}
	d, err := exact(nil, v, e.Type())
	if err != nil {
		return 0
	}
	return int(d.IntPart())
}

func decimalType(arguments []sql.Expression) sql.Type {
	precision, scale := size(arguments[1]), size(arguments[2])
	if precision == 0 {
		precision = 10
	}
	typ, err := types.CreateDecimalType(uint8(precision), uint8(scale))
	if err != nil {
		return types.MustCreateDecimalType(types.DecimalTypeMaxPrecision, types.DecimalTypeMaxScale)
	}
	return typ
}

// castDecimal takes the nearest value of the type where there is none.
func castDecimal(c *call, ctx *sql.Context, v []any) (any, error) {
	d, err := exact(ctx, v[0], c.of(0))
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

func castDate(c *call, ctx *sql.Context, v []any) (any, error) {
	t, ok := instant(ctx, v[0], c.of(0))
	if !ok {
		return nil, nil
	}
	return t.Truncate(day), nil
}

var datetimeCast = &definition{name: DatetimeFunction, least: 2, most: 2, typ: datetimeType, value: castDatetime}

func datetimeType(arguments []sql.Expression) sql.Type {
	return datetimeOf(size(arguments[1]))
}

func castDatetime(c *call, ctx *sql.Context, v []any) (any, error) {
	t, ok := instant(ctx, v[0], c.of(0))
	if !ok {
		return nil, nil
	}
	unit := math.Pow10(9 - size(c.Operands[1]))
	t = t.Round(timeUnit(unit))
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

// castChar cuts a text at a number of characters.
func castChar(c *call, ctx *sql.Context, v []any) (any, error) {
	s, err := text(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	most := size(c.Operands[1])
	for i := range s {
		if most == 0 {
			ctx.Warn(1292, "Truncated incorrect CHAR(%d) value: '%s'", size(c.Operands[1]), s)
			return s[:i], nil
		}
		most--
	}
	return s, nil
}

func divType(arguments []sql.Expression) sql.Type {
	for _, a := range arguments {
		if types.IsUnsigned(a.Type()) {
			return types.Uint64
		}
	}
	return types.Int64
}

// division reads the two numbers of a division, and how many decimal places make both whole. A divisor of 0 gets MySQL's warning.
func division(c *call, ctx *sql.Context, v []any) (a, b decimal.Decimal, places int32, err error) {
	if a, err = exact(ctx, v[0], c.of(0)); err != nil {
		return a, b, 0, err
	}
	if b, err = exact(ctx, v[1], c.of(1)); err != nil {
		return a, b, 0, err
	}
	if b.IsZero() {
		ctx.Warn(1365, "Division by 0")
	}
	return a, b, max(-a.Exponent(), -b.Exponent(), 0), nil
}

// div is the quotient without its fraction; NULL by 0.
func div(c *call, ctx *sql.Context, v []any) (any, error) {
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
	return nil, outOfRange(unsigned, c.Operands[0].String()+" DIV "+c.Operands[1].String())
}

func bitOperation(c *call, ctx *sql.Context, v []any) (any, error) {
	operator, err := text(ctx, v[0], c.of(0))
	if err != nil {
		return nil, err
	}
	a, err := bits(ctx, v[1], c.of(1))
	if err != nil {
		return nil, err
	}
	b, err := bits(ctx, v[2], c.of(2))
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

func outOfRange(unsigned bool, expression string) error {
	kind := "BIGINT"
	if unsigned {
		kind = "BIGINT UNSIGNED"
	}
	return mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "%s value is out of range in '%s'", kind, expression)
}
