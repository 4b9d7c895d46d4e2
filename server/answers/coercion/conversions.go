package coercion

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/declared"
)

// Text is a value of a type as MySQL writes it: a DATE without a time of the day.
func Text(ctx *sql.Context, v any, t sql.Type) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case float32:
		return writtenFloat(declared.FloatAsWritten(v)), nil
	case float64:
		return writtenFloat(v), nil
	case time.Time:
		written := instantText(v, t)
		if types.IsDateType(t) {
			written = v.Format(time.DateOnly)
		}
		if v.Equal(ZeroTime) {
			written = strings.Replace(written, "-01-01", "-00-00", 1)
		}
		return written, nil
	}
	if v != nil && t != nil && t != types.Null {
		written, err := t.SQL(ctx, nil, v)
		if err == nil {
			return written.ToString(), nil
		}
	}
	converted, _, err := types.LongText.Convert(ctx, v)
	if err != nil || converted == nil {
		return "", err
	}
	s, _ := converted.(string)
	return s, nil
}

// instantText has the type's decimals of a second if these are fewer than six: many computed types have six because the decimals
// are unknown.
func instantText(v time.Time, t sql.Type) string {
	digits := 0
	if typed, ok := t.(sql.DatetimeType); ok {
		digits = typed.Precision()
	}
	switch {
	case digits == 0 && v.Nanosecond() != 0:
		digits = 6
	case digits == 0 || digits == 6 && v.Nanosecond() == 0:
		return v.Format("2006-01-02 15:04:05")
	}
	return v.Format("2006-01-02 15:04:05.000000"[:len("2006-01-02 15:04:05.")+digits])
}

// Padded is a time with at least the given decimals of a second.
func Padded(s string, decimals int) string {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(fraction) >= decimals {
		return s
	}
	return whole + "." + fraction + strings.Repeat("0", decimals-len(fraction))
}

// writtenFloat is the shortest text that parses to the number: with an exponent from 1e15 on, and below 1e-15.
func writtenFloat(v float64) string {
	if size := math.Abs(v); size == 0 || size >= 1e-15 && size < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e+", "e", 1)
}

// As converts a value to a type that Common has found.
func As(ctx *sql.Context, v any, from, to sql.Type) (any, error) {
	switch {
	case v == nil || from == to:
		return v, nil
	case types.IsDecimal(to):
		d, err := Exact(ctx, v, from)
		return d.Add(decimal.New(0, -int32(to.(sql.DecimalType).Scale()))), err // with its zeros
	case to == types.Float64:
		return Float(ctx, v, from)
	case to == types.Float32:
		f, err := Float(ctx, v, from)
		return float32(f), err
	case types.IsTextOnly(to):
		return Text(ctx, v, from)
	case types.IsBinaryType(to) && !types.IsJSON(to):
		if b, ok := v.([]byte); ok {
			return b, nil
		}
		s, err := Text(ctx, v, from)
		return []byte(s), err
	case IsInstant(to):
		t, ok := Instant(ctx, v, from)
		if !ok {
			return nil, nil
		}
		return t, nil
	case IsTimespan(to):
		span, ok := Timespan(ctx, v, from)
		if !ok {
			return nil, nil
		}
		return span, nil
	}
	if n, ok := v.(uint64); ok && to == types.Int64 && n > math.MaxInt64 {
		return nil, OutOfRange(false, strconv.FormatUint(n, 10))
	}
	converted, _, err := to.Convert(ctx, v)
	return converted, err
}
