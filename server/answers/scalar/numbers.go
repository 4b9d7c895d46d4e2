package scalar

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/server/answers/builtin"
	"github.com/anonsql/anonsql/server/answers/coercion"
)

// ModFunction is MOD(x, y), and stands for x % y in trees.
const ModFunction = "mod"

func numbers() []*builtin.Definition {
	return []*builtin.Definition{
		{Name: ModFunction, Operator: "%", Least: 2, Most: 2, Type: modType, Value: mod},
		{Name: "exp", Least: 1, Most: 1, Type: builtin.Constant(types.Float64), Value: finite(func(v ...float64) float64 { return math.Exp(v[0]) })},
		{Name: "pow", Least: 2, Most: 2, Type: builtin.Constant(types.Float64), Value: finite(func(v ...float64) float64 { return math.Pow(v[0], v[1]) })},
		{Name: "power", Least: 2, Most: 2, Type: builtin.Constant(types.Float64), Value: finite(func(v ...float64) float64 { return math.Pow(v[0], v[1]) })},
		{
			Name:  "degrees",
			Least: 1,
			Most:  1,
			Type:  builtin.Constant(types.Float64),
			Value: finite(func(v ...float64) float64 { return v[0] * (180 / math.Pi) }),
		},
		{
			Name:  "radians",
			Least: 1,
			Most:  1,
			Type:  builtin.Constant(types.Float64),
			Value: finite(func(v ...float64) float64 { return v[0] * (math.Pi / 180) }),
		},
		{Name: "inet_ntoa", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			n, err := coercion.Whole(ctx, v[0], c.Of(0))
			if n < 0 || n > math.MaxUint32 || err != nil {
				return nil, err
			}
			return fmt.Sprintf("%d.%d.%d.%d", n>>24, n>>16&255, n>>8&255, n&255), nil
		}},
		{Name: "conv", Least: 3, Most: 3, Type: builtin.Constant(types.LongText), Value: conv},
		{Name: "bin", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: inBase(2)},
		{Name: "oct", Least: 1, Most: 1, Type: builtin.Constant(types.LongText), Value: inBase(8)},
		{Name: "crc32", Least: 1, Most: 1, Type: builtin.Constant(types.Uint32), Value: func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
			s, err := coercion.Text(ctx, v[0], c.Of(0))
			return crc32.ChecksumIEEE([]byte(s)), err
		}},
	}
}

// modType has the digits of both sides: the engine calculates with DOUBLEs, or says a DECIMAL of whole numbers.
func modType(arguments []sql.Expression) sql.Type {
	a, b := arguments[0].Type(), arguments[1].Type()
	for _, t := range []sql.Type{a, b} {
		if !coercion.IsNumber(t) && !coercion.IsInstant(t) && !coercion.IsTimespan(t) || types.IsFloat(t) {
			return types.Float64
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

// mod is the remainder, of the sign of the first side; NULL by 0.
func mod(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	typ := c.Type()
	if types.IsFloat(typ) {
		a, err := coercion.Float(ctx, v[0], c.Of(0))
		if err != nil {
			return nil, err
		}
		b, err := coercion.Float(ctx, v[1], c.Of(1))
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

// smallRemainder is that of two BIGINTs; ok is false for others.
func smallRemainder(c *builtin.Call, ctx *sql.Context, v []any) (n any, ok bool, err error) {
	left, err := coercion.Number(ctx, v[0], c.Of(0))
	if err != nil {
		return nil, false, err
	}
	right, err := coercion.Number(ctx, v[1], c.Of(1))
	if err != nil {
		return nil, false, err
	}
	a, first := left.(int64)
	b, second := right.(int64)
	switch {
	case !first || !second || b == 0:
		return nil, false, nil
	case b == -1: // of the least BIGINT, too
		return int64(0), true, nil
	}
	return a % b, true, nil
}

// finite is a function of DOUBLEs, an error where it is beyond them, NULL where it is no number.
func finite(of func(...float64) float64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		arguments := make([]float64, len(v))
		for i := range v {
			var err error
			if arguments[i], err = coercion.Float(ctx, v[i], c.Of(i)); err != nil {
				return nil, err
			}
		}
		result := of(arguments...)
		switch {
		case math.IsNaN(result):
			return nil, nil
		case math.IsInf(result, 0):
			return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "DOUBLE value is out of range in '%s'", c)
		}
		return result, nil
	}
}

// conv writes a number of one base in another. A base below 0 is one of signed numbers.
func conv(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
	s, err := coercion.Text(ctx, v[0], c.Of(0))
	if err != nil {
		return nil, err
	}
	from, err := coercion.Whole(ctx, v[1], c.Of(1))
	if err != nil {
		return nil, err
	}
	to, err := coercion.Whole(ctx, v[2], c.Of(2))
	if err != nil {
		return nil, err
	}
	return converted(s, from, to), nil
}

func inBase(base int64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		s, err := coercion.Text(ctx, v[0], c.Of(0))
		return converted(s, 10, base), err
	}
}

// converted reads the digits that a text begins with; NULL of an empty text, and of bases that are none.
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

// formatted is FORMAT with English signs, formattedDouble that of what roundedDouble is for.
var (
	formatted       = &builtin.Definition{Name: "format", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: format(halfAway)}
	formattedDouble = &builtin.Definition{Name: "format", Least: 2, Most: 2, Type: builtin.Constant(types.LongText), Value: format(halfEven)}
)

// inLocale is FORMAT: of a locale the engine knows the signs, but neither how DOUBLEs are rounded nor large numbers.
func inLocale(arguments ...sql.Expression) (sql.Expression, error) {
	switch len(arguments) {
	case 2:
		if ofTables(arguments[0]) {
			return formattedDouble.Call(arguments...), nil
		}
		return formatted.Call(arguments...), nil
	case 3:
		first, err := makeRound(arguments[:2:2]...)
		if err != nil {
			return nil, err
		}
		return function.NewFormat(first, arguments[1], arguments[2])
	}
	return nil, sql.ErrInvalidArgumentNumber.New("FORMAT", "2 or 3", len(arguments))
}

func format(nearly func(float64, int64) float64) func(*builtin.Call, *sql.Context, []any) (any, error) {
	return func(c *builtin.Call, ctx *sql.Context, v []any) (any, error) {
		places, err := coercion.Whole(ctx, v[1], c.Of(1))
		if err != nil {
			return nil, err
		}
		places = min(max(places, 0), types.DecimalTypeMaxScale)
		if t := c.Of(0); types.IsInteger(t) || types.IsDecimal(t) {
			d, err := coercion.Exact(ctx, v[0], t)
			return separated(d.StringFixed(int32(places))), err
		}
		f, err := coercion.Float(ctx, v[0], c.Of(0))
		return separated(strconv.FormatFloat(nearly(f, places), 'f', int(places), 64)), err
	}
}

// separated has commas between thousands.
func separated(number string) string {
	if strings.Trim(number, "-0.") == "" {
		number = strings.TrimPrefix(number, "-")
	}
	before, after, _ := strings.Cut(number, ".")
	var out strings.Builder
	for i := range before {
		if left := len(before) - i; i > 0 && left%3 == 0 && before[i-1] != '-' {
			out.WriteByte(',')
		}
		out.WriteByte(before[i])
	}
	if after != "" {
		out.WriteString("." + after)
	}
	return out.String()
}
