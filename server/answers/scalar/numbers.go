package scalar

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// ModFunction is MOD(x, y). In trees it also replaces x % y.
const ModFunction = "mod"

func numbers() []*builtin.Definition {
	list := []*builtin.Definition{
		{Name: ModFunction, Operator: "%", Least: 2, Most: 2, Type: modType, Value: mod},
		{Name: "inet_aton", Least: 1, Most: 1, Type: builtin.Constant(types.Uint64), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			return address(s), err
		}},
		{Name: "inet_ntoa", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			n, err := coercion.NearestBigint(ctx, v[0], c.OperandType(0))
			if n < 0 || n > math.MaxUint32 || err != nil {
				return nil, err
			}
			return fmt.Sprintf("%d.%d.%d.%d", n>>24, n>>16&255, n>>8&255, n&255), nil
		}},
		{Name: "conv", Least: 3, Most: 3, Type: builtin.Constant(types.LongText), Value: conv},
		{Name: "bin", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: inBase(2)},
		{Name: "oct", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: inBase(8)},
		{Name: "crc32", Least: 1, Most: 1, Type: builtin.Constant(types.Uint32), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.OperandType(0))
			return crc32.ChecksumIEEE([]byte(s)), err
		}},
	}
	for name, of := range realFunctions {
		list = append(list, &builtin.Definition{Name: name, Least: 1, Most: 1, Type: builtin.Constant(types.Float64), Value: finite(of)})
	}
	for name, of := range realFunctionsOfTwo {
		list = append(list, &builtin.Definition{Name: name, Least: 2, Most: 2, Type: builtin.Constant(types.Float64), Value: finite(of)})
	}
	for _, name := range []string{"atan", "atan2"} {
		list = append(list, &builtin.Definition{Name: name, Least: 1, Most: 2, Type: builtin.Constant(types.Float64), Value: finite(arcTangent)})
	}
	return append(list, &builtin.Definition{Name: "log", Least: 1, Most: 2, Type: builtin.Constant(types.Float64), Value: finite(logarithm)})
}

// realFunctions are functions of a DOUBLE. The engine's convert a date to seconds since 1970.
var realFunctions = map[string]func(...float64) float64{
	"exp":     func(x ...float64) float64 { return math.Exp(x[0]) },
	"ln":      func(x ...float64) float64 { return logarithm(x...) },
	"log2":    func(x ...float64) float64 { return positive(x[0], math.Log2) },
	"log10":   func(x ...float64) float64 { return positive(x[0], math.Log10) },
	"sqrt":    func(x ...float64) float64 { return math.Sqrt(x[0]) },
	"sin":     func(x ...float64) float64 { return math.Sin(x[0]) },
	"cos":     func(x ...float64) float64 { return math.Cos(x[0]) },
	"tan":     func(x ...float64) float64 { return math.Tan(x[0]) },
	"cot":     func(x ...float64) float64 { return 1 / math.Tan(x[0]) },
	"asin":    func(x ...float64) float64 { return math.Asin(x[0]) },
	"acos":    func(x ...float64) float64 { return math.Acos(x[0]) },
	"degrees": func(x ...float64) float64 { return x[0] * (180 / math.Pi) },
	"radians": func(x ...float64) float64 { return x[0] * (math.Pi / 180) },
}

var realFunctionsOfTwo = map[string]func(...float64) float64{
	"pow":   func(x ...float64) float64 { return math.Pow(x[0], x[1]) },
	"power": func(x ...float64) float64 { return math.Pow(x[0], x[1]) },
}

// arcTangent is ATAN(x) or ATAN2(y, x).
func arcTangent(x ...float64) float64 {
	if len(x) == 1 {
		return math.Atan(x[0])
	}
	return math.Atan2(x[0], x[1])
}

// logarithm is LN(x) or LOG(base, x), NaN if undefined.
func logarithm(x ...float64) float64 {
	if len(x) == 1 {
		return positive(x[0], math.Log)
	}
	if x[0] == 1 {
		return math.NaN()
	}
	return positive(x[1], math.Log) / positive(x[0], math.Log)
}

// positive applies a function to a number above 0. It returns NaN for others.
func positive(x float64, of func(float64) float64) float64 {
	if x <= 0 {
		return math.NaN()
	}
	return of(x)
}

// modType keeps the digits of both sides. The engine computes with DOUBLEs, or calls the remainder of integers a DECIMAL.
func modType(arguments []sql.Expression) sql.Type {
	a, b := arguments[0].Type(), arguments[1].Type()
	for _, t := range []sql.Type{a, b} {
		if !coercion.IsNumber(t) && !coercion.IsInstant(t) && !coercion.IsTimespan(t) || types.IsFloat(t) {
			return types.Float64
		}
	}
	for _, side := range []*sql.Type{&a, &b} {
		if decimals := coercion.DecimalsOf(*side); decimals > 0 && !coercion.IsNumber(*side) {
			*side = types.MustCreateDecimalType(uint8(14+decimals), uint8(decimals))
		}
	}
	if types.IsDecimal(a) || types.IsDecimal(b) {
		return coercion.CommonNumber([]sql.Type{a, b})
	}
	if types.IsUnsigned(a) {
		return types.Uint64
	}
	return types.Int64
}

// mod returns the remainder, with the sign of the dividend; NULL for a divisor of 0.
func mod(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	typ := c.Type()
	if types.IsFloat(typ) {
		a, err := coercion.Float(ctx, v[0], c.OperandType(0))
		if err != nil {
			return nil, err
		}
		b, err := coercion.Float(ctx, v[1], c.OperandType(1))
		if b != 0 || err != nil {
			return math.Mod(a, b), err
		}
		ctx.Warn(1365, "Division by 0")
		return nil, nil
	}
	if typ == types.Int64 { // most are
		n, ok, err := smallRemainder(c, ctx, v)
		if ok || err != nil {
			return n, err
		}
	}
	a, b, places, err := division(c, ctx, v)
	if err != nil || b.IsZero() {
		return nil, err
	}
	n := new(big.Int).Rem(a.Shift(places).BigInt(), b.Shift(places).BigInt())
	switch {
	case types.IsDecimal(typ):
		return decimal.NewFromBigInt(n, -places), nil
	case types.IsUnsigned(typ):
		return n.Uint64(), nil
	}
	return n.Int64(), nil
}

// smallRemainder returns the remainder of two BIGINTs. ok is false for other types and for a divisor of 0.
func smallRemainder(c *builtin.Call, ctx *sql.Context, v []any) (n any, ok bool, err error) {
	left, err := coercion.Number(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, false, err
	}
	right, err := coercion.Number(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, false, err
	}
	a, first := left.(int64)
	b, second := right.(int64)
	switch {
	case !first || !second || b == 0:
		return nil, false, nil
	case b == -1: // avoids overflow for the least BIGINT
		return int64(0), true, nil
	}
	return a % b, true, nil
}

// finite makes an SQL function of a function of DOUBLEs. It returns NULL for NaN, except for POW.
func finite(of func(...float64) float64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		arguments := make([]float64, len(v))
		for i := range v {
			var err error
			if arguments[i], err = coercion.Float(ctx, v[i], c.OperandType(i)); err != nil {
				return nil, err
			}
		}
		result := of(arguments...)
		switch {
		case math.IsNaN(result) && (c.FunctionName() == "ln" || strings.HasPrefix(c.FunctionName(), "log")):
			ctx.Warn(3020, "Invalid argument for logarithm")
			return nil, nil
		case math.IsNaN(result) && !strings.HasPrefix(c.FunctionName(), "pow"):
			return nil, nil
		}
		return result, nil
	}
}

// conv converts a number from one base to another. A negative base is for signed numbers.
func conv(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := numeral(ctx, v[0], c.OperandType(0))
	if err != nil {
		return nil, err
	}
	from, err := coercion.NearestBigint(ctx, v[1], c.OperandType(1))
	if err != nil {
		return nil, err
	}
	to, err := coercion.NearestBigint(ctx, v[2], c.OperandType(2))
	if err != nil {
		return nil, err
	}
	return converted(s, from, to), nil
}

func inBase(base int64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		s, err := numeral(ctx, v[0], c.OperandType(0))
		return converted(s, 10, base), err
	}
}

// numeral returns the digits of a value. For a BIT it returns its number, not its bytes.
func numeral(ctx *sql.Context, v any, t sql.Type) (string, error) {
	if types.IsBit(t) {
		n, err := bits(ctx, v, t)
		return strconv.FormatUint(n, 10), err
	}
	return coercion.Text(ctx, v, t)
}

// converted converts the leading digits of a text to another base. It returns NULL for an empty text and invalid bases.
func converted(s string, from, to int64) any {
	valid := func(base int64) bool { return base >= 2 && base <= 36 || base <= -2 && base >= -36 }
	if s == "" || !valid(from) || !valid(to) {
		return nil
	}
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	n, most := new(big.Int), new(big.Int).SetUint64(math.MaxUint64)
	for i := 0; i < len(s) && n.Cmp(most) <= 0; i++ {
		digit, err := strconv.ParseUint(s[i:i+1], int(max(from, -from)), 8)
		if err != nil {
			break
		}
		n.Add(n.Mul(n, big.NewInt(max(from, -from))), new(big.Int).SetUint64(digit))
	}
	bits := uint64(math.MaxUint64) // beyond them
	switch {
	case from < 0 && negative && n.Cmp(new(big.Int).SetUint64(1<<63)) > 0:
		bits = 1 << 63
	case from < 0 && !negative && !n.IsInt64():
		bits = math.MaxInt64
	case n.IsUint64() && negative:
		bits = -n.Uint64()
	case n.IsUint64():
		bits = n.Uint64()
	}
	if to < 0 {
		return strings.ToUpper(strconv.FormatInt(int64(bits), int(-to)))
	}
	return strings.ToUpper(strconv.FormatUint(bits, int(to)))
}

// address returns the number of an IPv4 address. The last of fewer than four parts is the lowest byte. It returns NULL for an invalid part.
func address(s string) any {
	parts, n := strings.Split(s, "."), uint64(0)
	for _, part := range parts {
		b, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return nil
		}
		n = n<<8 + b
	}
	if missing := 4 - len(parts); missing > 0 && missing < 3 {
		host := n & 0xff
		n = (n-host)<<(8*missing) + host
	}
	return n
}
