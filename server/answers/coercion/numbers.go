package coercion

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"
)

// numeric matches the number at the beginning of a text.
var numeric = regexp.MustCompile(`^[ \t\r\n\f\v]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)`)

// prefix is the number that a text begins with, "0" where it begins with none.
func prefix(s string) string {
	if found := numeric.FindStringSubmatch(s); found != nil {
		return found[1]
	}
	return "0"
}

// maxDigits is more than the digits of any number.
const maxDigits = 1000

// maxExponent bounds the exponents of texts for DECIMALs: greater ones exceed every DECIMAL.
const maxExponent = 400

// ExactDecimal is a numeric text as a decimal.
func ExactDecimal(s string) decimal.Decimal {
	if len(s) > maxDigits { // conversion would take quadratic time
		f, _ := strconv.ParseFloat(s, 64)
		s = strconv.FormatFloat(min(max(f, -math.MaxFloat64), math.MaxFloat64), 'g', -1, 64)
	}
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		if exponent, err := strconv.Atoi(s[at+1:]); err != nil || exponent > maxExponent || exponent < -maxExponent {
			if strings.HasPrefix(s[at+1:], "-") {
				return decimal.Zero
			}
			s = s[:at] + "e" + strconv.Itoa(maxExponent)
		}
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return decimal.Zero
	}
	return d
}

// Number is a value of a type as int64, uint64, float64 or decimal.Decimal.
func Number(ctx *sql.Context, v any, t sql.Type) (any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case bool:
		if v {
			return int64(1), nil
		}
		return int64(0), nil
	case int, int8, int16, int32, int64:
		converted, _, err := types.Int64.Convert(ctx, v)
		return converted, err
	case uint, uint8, uint16, uint32, uint64:
		converted, _, err := types.Uint64.Convert(ctx, v)
		return converted, err
	case float32:
		return float64(v), nil
	case float64, decimal.Decimal:
		return v, nil
	case time.Time:
		return instantNumber(v, t), nil
	case types.Timespan:
		return timespanNumber(v), nil
	case sql.JSONWrapper:
		return documentNumber(ctx, v)
	}
	s, err := Text(ctx, v, t)
	if err != nil {
		return nil, err
	}
	if IsInstant(t) { // the engine's DATE() has texts
		if day, ok := parsedInstant(ctx, s); ok {
			return instantNumber(day, t), nil
		}
	}
	x, err := strconv.ParseFloat(prefix(s), 64)
	if err != nil && !math.IsInf(x, 0) {
		return 0.0, nil
	}
	return min(max(x, -math.MaxFloat64), math.MaxFloat64), nil
}

// documentNumber is the number of a document: a text's leading number, 0 for a document without a number.
func documentNumber(ctx *sql.Context, doc sql.JSONWrapper) (any, error) {
	switch v, err := doc.ToInterface(); v.(type) {
	case nil, []any, map[string]any:
		return int64(0), err
	default:
		return Number(ctx, v, types.LongText)
	}
}

// Exact is a value as a decimal.
func Exact(ctx *sql.Context, v any, t sql.Type) (decimal.Decimal, error) {
	switch v.(type) {
	case string, []byte:
		if !IsInstant(t) {
			s, err := Text(ctx, v, t)
			return ExactDecimal(prefix(s)), err
		}
	}
	n, err := Number(ctx, v, t)
	if err != nil {
		return decimal.Zero, err
	}
	switch n := n.(type) {
	case int64:
		return decimal.NewFromInt(n), nil
	case uint64:
		return ExactDecimal(strconv.FormatUint(n, 10)), nil
	case float64:
		return ExactDecimal(strconv.FormatFloat(n, 'g', -1, 64)), nil
	case decimal.Decimal:
		return n, nil
	}
	return decimal.Zero, nil
}

// Float is a value as a DOUBLE.
func Float(ctx *sql.Context, v any, t sql.Type) (float64, error) {
	n, err := Number(ctx, v, t)
	switch n := n.(type) {
	case int64:
		return float64(n), err
	case uint64:
		return float64(n), err
	case float64:
		return n, err
	case decimal.Decimal:
		f, _ := n.Float64()
		return f, err
	}
	return 0, err
}

// NearestBigint converts a value to the nearest BIGINT, after rounding.
func NearestBigint(ctx *sql.Context, v any, t sql.Type) (int64, error) {
	n, err := Number(ctx, v, t)
	switch n := n.(type) {
	case int64:
		return n, err
	case uint64:
		if n > math.MaxInt64 {
			return math.MaxInt64, err
		}
		return int64(n), err
	case float64:
		return Saturated(math.RoundToEven(n)), err
	case decimal.Decimal:
		f, _ := n.Round(0).Float64()
		if math.Abs(f) < 1<<53 {
			return n.Round(0).IntPart(), err
		}
		return Saturated(f), err
	}
	return 0, err
}

// Saturated converts a number to the nearest int64.
func Saturated(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

var wholeNumber = regexp.MustCompile(`^\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*$`)

// IsNumeral recognises a text that is a number and nothing else.
func IsNumeral(s string) bool { return wholeNumber.MatchString(s) }

// OutOfRange is the error for an integer out of the range of BIGINT, or of BIGINT UNSIGNED.
func OutOfRange(unsigned bool, expression string) error {
	kind := "BIGINT"
	if unsigned {
		kind = "BIGINT UNSIGNED"
	}
	return mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "%s value is out of range in '%s'", kind, expression)
}

// wholePrefix is the integer that a text begins with.
var wholePrefix = regexp.MustCompile(`^[ \t\r\n\f\v]*([-+]?[0-9]+)`)

// LargeWhole converts a value to an integer of any size: texts are truncated, numbers rounded.
func LargeWhole(ctx *sql.Context, v any, t sql.Type) (*big.Int, error) {
	switch v.(type) {
	case string, []byte:
		if IsInstant(t) {
			break
		}
		s, err := Text(ctx, v, t)
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
		f, err := Float(ctx, v, t)
		if err != nil {
			return nil, err
		}
		n, _ := new(big.Float).SetFloat64(math.RoundToEven(min(max(f, -1e300), 1e300))).Int(nil)
		return n, nil
	}
	d, err := Exact(ctx, v, t)
	if err != nil {
		return nil, err
	}
	return d.Round(0).BigInt(), nil
}

var wholly = regexp.MustCompile(`^\s*[-+]?[0-9]+\s*$`)
