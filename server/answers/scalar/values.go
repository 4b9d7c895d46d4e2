package scalar

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// numeric is what a text begins with that is a number.
var numeric = regexp.MustCompile(`^[ \t\r\n\f\v]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)`)

// prefix is the number that a text begins with, "0" where it begins with none.
func prefix(s string) string {
	if found := numeric.FindStringSubmatch(s); found != nil {
		return found[1]
	}
	return "0"
}

// mostDigits are more than any number has.
const mostDigits = 1000

// mostExponent bounds what a DECIMAL is made of: a greater one is beyond all of them.
const mostExponent = 400

// exactly is a numeric text as a decimal.
func exactly(s string) decimal.Decimal {
	if len(s) > mostDigits { // which would take a time that grows with their square
		f, _ := strconv.ParseFloat(s, 64)
		s = strconv.FormatFloat(min(max(f, -math.MaxFloat64), math.MaxFloat64), 'g', -1, 64)
	}
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		if exponent, err := strconv.Atoi(s[at+1:]); err != nil || exponent > mostExponent || exponent < -mostExponent {
			if strings.HasPrefix(s[at+1:], "-") {
				return decimal.Zero
			}
			s = s[:at] + "e" + strconv.Itoa(mostExponent)
		}
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return decimal.Zero
	}
	return d
}

// number is a value of a type as int64, uint64, float64 or decimal.Decimal.
func number(ctx *sql.Context, v any, t sql.Type) (any, error) {
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
		return strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', -1, 32), 64)
	case float64, decimal.Decimal:
		return v, nil
	case time.Time:
		return instantNumber(v, t), nil
	case types.Timespan:
		return timespanNumber(v), nil
	}
	s, err := text(ctx, v, t)
	if err != nil {
		return nil, err
	}
	if isInstant(t) { // the engine's DATE() has texts
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

// instantNumber is 20241231 of a DATE, 20241231235959 of a DATETIME, with its fraction.
func instantNumber(v time.Time, t sql.Type) any {
	day := int64(v.Year())*10000 + int64(v.Month())*100 + int64(v.Day())
	if types.IsDateType(t) {
		return day
	}
	n := day*1000000 + int64(v.Hour())*10000 + int64(v.Minute())*100 + int64(v.Second())
	if micro := v.Nanosecond() / 1000; micro != 0 {
		return decimal.New(n*1000000+int64(micro), -6)
	}
	return n
}

// timespanNumber is 235959 of a TIME, with its fraction.
func timespanNumber(v types.Timespan) any {
	micro := int64(v)
	sign := int64(1)
	if micro < 0 {
		sign, micro = -1, -micro
	}
	seconds := micro / 1e6
	n := sign * (seconds/3600*10000 + seconds/60%60*100 + seconds%60)
	if micro%1e6 != 0 {
		return decimal.New(n*1e6+sign*(micro%1e6), -6)
	}
	return n
}

// exact is a value as a decimal.
func exact(ctx *sql.Context, v any, t sql.Type) (decimal.Decimal, error) {
	switch v.(type) {
	case string, []byte:
		if !isInstant(t) {
			s, err := text(ctx, v, t)
			return exactly(prefix(s)), err
		}
	}
	n, err := number(ctx, v, t)
	if err != nil {
		return decimal.Zero, err
	}
	switch n := n.(type) {
	case int64:
		return decimal.NewFromInt(n), nil
	case uint64:
		return exactly(strconv.FormatUint(n, 10)), nil
	case float64:
		return exactly(strconv.FormatFloat(n, 'g', -1, 64)), nil
	case decimal.Decimal:
		return n, nil
	}
	return decimal.Zero, nil
}

// float is a value as a DOUBLE.
func float(ctx *sql.Context, v any, t sql.Type) (float64, error) {
	n, err := number(ctx, v, t)
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

// whole is a value as a whole number: a text's whole beginning, other numbers rounded.
func whole(ctx *sql.Context, v any, t sql.Type) (int64, error) {
	n, err := number(ctx, v, t)
	switch n := n.(type) {
	case int64:
		return n, err
	case uint64:
		if n > math.MaxInt64 {
			return math.MaxInt64, err
		}
		return int64(n), err
	case float64:
		return saturated(math.RoundToEven(n)), err
	case decimal.Decimal:
		f, _ := n.Round(0).Float64()
		if math.Abs(f) < 1<<53 {
			return n.Round(0).IntPart(), err
		}
		return saturated(f), err
	}
	return 0, err
}

func saturated(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// text is a value of a type as MySQL writes it: a DATE without a time of the day.
func text(ctx *sql.Context, v any, t sql.Type) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case float64:
		if size := math.Abs(v); size == 0 || size >= 1e-15 && size < 1e15 {
			return strconv.FormatFloat(v, 'f', -1, 64), nil
		}
		return strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e+", "e", 1), nil
	case time.Time:
		if types.IsDateType(t) {
			return v.Format("2006-01-02"), nil
		}
		if v.Nanosecond() != 0 {
			digits := 6
			if typed, ok := t.(sql.DatetimeType); ok && typed.Precision() > 0 {
				digits = typed.Precision()
			}
			return v.Format("2006-01-02 15:04:05.000000"[:len("2006-01-02 15:04:05.")+digits]), nil
		}
		return v.Format("2006-01-02 15:04:05"), nil
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

// instant is a value as a date and time; false where it is none, which is NULL in MySQL
// with a warning.
func instant(ctx *sql.Context, v any, t sql.Type) (time.Time, bool) {
	switch v := v.(type) {
	case time.Time:
		return v, true
	case types.Timespan:
		now := ctx.QueryTime()
		day := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
		return day.Add(time.Duration(v) * time.Microsecond), true
	case string:
		return parsedInstant(ctx, v)
	case []byte:
		return parsedInstant(ctx, string(v))
	}
	d, err := exact(ctx, v, t)
	if err != nil {
		return time.Time{}, false
	}
	return numberedInstant(ctx, d)
}

func warnInstant(ctx *sql.Context, v any) {
	ctx.Warn(1292, "Incorrect datetime value: '%v'", v)
}

// written is a date as MySQL reads it: any sign between its parts, a year of two digits
// from 1970 to 2069, with or without a time of the day.
var written = regexp.MustCompile(`^\s*(\d{1,4})[-/.:^@](\d{1,2})[-/.:^@](\d{1,2})(?:(?:[T\s]+)(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9})\d*)?)?)?)?`)

// dated is the beginning of a date, which no time has.
var dated = regexp.MustCompile(`^\s*\d{1,4}[-/.]\d{1,2}[-/.]\d`)

var digitsOnly = regexp.MustCompile(`^\s*(\d+)(?:\.(\d+))?`)

func parsedInstant(ctx *sql.Context, s string) (time.Time, bool) {
	if found := written.FindStringSubmatch(s); found != nil {
		part := func(i int) int { n, _ := strconv.Atoi(found[i]); return n }
		year := part(1)
		if len(found[1]) <= 2 {
			year = century(year)
		}
		fraction := (found[7] + "000000000")[:6]
		micro, _ := strconv.Atoi(fraction)
		return valid(ctx, s, year, part(2), part(3), part(4), part(5), part(6), micro)
	}
	if found := digitsOnly.FindStringSubmatch(s); found != nil {
		n := found[1]
		switch len(n) {
		case 6, 8, 12, 14:
		case 5, 7, 11, 13:
			n = "0" + n
		default:
			warnInstant(ctx, s)
			return time.Time{}, false
		}
		d := exactly(n)
		if found[2] != "" {
			d = exactly(n + "." + found[2])
		}
		return numberedInstant(ctx, d)
	}
	warnInstant(ctx, s)
	return time.Time{}, false
}

func century(year int) int {
	if year < 70 {
		return year + 2000
	}
	return year + 1900
}

// numberedInstant reads 20241231, 241231, 20241231235959 and 241231235959.
func numberedInstant(ctx *sql.Context, d decimal.Decimal) (time.Time, bool) {
	n, micro := d.IntPart(), d.Sub(d.Truncate(0)).Shift(6).IntPart()
	if d.Sign() < 0 || d.GreaterThan(decimal.New(99991231235959999, -3)) {
		warnInstant(ctx, d)
		return time.Time{}, false
	}
	clock := int64(0)
	if n > 99991231 {
		n, clock = n/1000000, n%1000000
	} else {
		micro = 0
	}
	year := int(n / 10000)
	if n < 1000000 {
		year = century(year)
	}
	return valid(ctx, d, year, int(n/100%100), int(n%100), int(clock/10000), int(clock/100%100), int(clock%100), int(micro))
}

// valid is false where there is no such day or time. The zero date is none.
func valid(ctx *sql.Context, of any, year, month, day, hour, minute, second, micro int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), day, hour, minute, second, micro*1000, time.UTC)
	if year > 9999 || int(t.Month()) != month || t.Day() != day || hour > 23 || minute > 59 || second > 59 {
		warnInstant(ctx, of)
		return time.Time{}, false
	}
	return t, true
}

// as is a value of one type as one of another that Common has found.
func as(ctx *sql.Context, v any, from, to sql.Type) (any, error) {
	switch {
	case v == nil || from == to:
		return v, nil
	case types.IsDecimal(to):
		d, err := exact(ctx, v, from)
		return d.Add(decimal.New(0, -int32(to.(sql.DecimalType).Scale()))), err // with its zeros
	case types.IsFloat(to):
		return float(ctx, v, from)
	case types.IsTextOnly(to):
		return text(ctx, v, from)
	case types.IsBinaryType(to) && !types.IsJSON(to):
		if b, ok := v.([]byte); ok {
			return b, nil
		}
		s, err := text(ctx, v, from)
		return []byte(s), err
	case isInstant(to):
		t, ok := instant(ctx, v, from)
		if !ok {
			return nil, nil
		}
		return t, nil
	}
	if n, ok := v.(uint64); ok && to == types.Int64 && n > math.MaxInt64 {
		return nil, outOfRange(false, strconv.FormatUint(n, 10))
	}
	converted, _, err := to.Convert(ctx, v)
	return converted, err
}

var wholeNumber = regexp.MustCompile(`^\s*[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*$`)

// IsNumber tells of a text that is a number and nothing else.
func IsNumber(s string) bool { return wholeNumber.MatchString(s) }
