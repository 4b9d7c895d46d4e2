package loaddata

import (
	"context"
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// An integer is the range of a type, and the function that boxes its values.
type integer struct {
	min int64
	max uint64
	box func(magnitude uint64, negative bool) any
}

// signed negates in two's complement, so it also handles the least value.
func signed(magnitude uint64, negative bool) int64 {
	if negative {
		return int64(-magnitude)
	}
	return int64(magnitude)
}

// integers maps wire types. MEDIUMINT is held in 32 bits.
var integers = map[query.Type]*integer{
	query.Type_INT8:   {math.MinInt8, math.MaxInt8, func(m uint64, n bool) any { return int8(signed(m, n)) }},
	query.Type_INT16:  {math.MinInt16, math.MaxInt16, func(m uint64, n bool) any { return int16(signed(m, n)) }},
	query.Type_INT24:  {-1 << 23, 1<<23 - 1, func(m uint64, n bool) any { return int32(signed(m, n)) }},
	query.Type_INT32:  {math.MinInt32, math.MaxInt32, func(m uint64, n bool) any { return int32(signed(m, n)) }},
	query.Type_INT64:  {math.MinInt64, math.MaxInt64, func(m uint64, n bool) any { return signed(m, n) }},
	query.Type_UINT8:  {0, math.MaxUint8, func(m uint64, _ bool) any { return uint8(m) }},
	query.Type_UINT16: {0, math.MaxUint16, func(m uint64, _ bool) any { return uint16(m) }},
	query.Type_UINT24: {0, 1<<24 - 1, func(m uint64, _ bool) any { return uint32(m) }},
	query.Type_UINT32: {0, math.MaxUint32, func(m uint64, _ bool) any { return uint32(m) }},
	query.Type_UINT64: {0, math.MaxUint64, func(m uint64, _ bool) any { return m }},
}

var (
	wrongInteger = &problem{number: numberWrongValue, what: "integer"}
	wrongDecimal = &problem{number: numberWrongValue, what: "decimal"}
	outOfRange   = &problem{number: numberOutOfRange}
	truncated    = &problem{number: numberTruncated}
)

func (t *integer) convert(_ context.Context, b []byte) (any, *problem) {
	b = delimited.Trim(b)
	digits, negative := b, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		digits, negative = b[1:], b[0] == '-'
	}
	if len(digits) == 0 {
		return nil, wrongInteger
	}
	magnitude := uint64(0)
	for _, c := range digits {
		if c < '0' || c > '9' {
			return t.fraction(b)
		}
		if magnitude > (math.MaxUint64-9)/10 {
			return t.parseLong(digits, negative)
		}
		magnitude = magnitude*10 + uint64(c-'0')
	}
	return t.fit(magnitude, negative)
}

func (t *integer) fit(magnitude uint64, negative bool) (any, *problem) {
	if negative && magnitude > uint64(-t.min) || !negative && magnitude > t.max {
		return nil, outOfRange
	}
	return t.box(magnitude, negative), nil
}

// parseLong reads digits that may be beyond 64 bits.
func (t *integer) parseLong(digits []byte, negative bool) (any, *problem) {
	magnitude, err := strconv.ParseUint(string(digits), 10, 64)
	switch {
	case err == nil:
		return t.fit(magnitude, negative)
	case isNumeral(digits):
		return nil, outOfRange
	}
	return nil, wrongInteger
}

// fraction accepts whole numbers such as 12.0 and 1e3, and refuses to round 12.5.
func (t *integer) fraction(b []byte) (any, *problem) {
	d, p := parseDecimal(b, wrongInteger)
	switch {
	case p != nil:
		return nil, p
	case !d.IsInteger():
		return nil, truncated
	}
	whole := d.BigInt()
	negative := whole.Sign() < 0
	if whole.Abs(whole); !whole.IsUint64() {
		return nil, outOfRange
	}
	return t.fit(whole.Uint64(), negative)
}

// MySQL's decimals have at most 65 digits. maxNumeral bounds the length of a numeral in bytes: the time to read one grows with the square of it.
const (
	maxExponent = 100
	maxNumeral  = 1000
)

func parseDecimal(b []byte, wrong *problem) (decimal.Decimal, *problem) {
	if len(b) > maxNumeral || !isNumeral(b) {
		return decimal.Decimal{}, wrong
	}
	d, err := decimal.NewFromString(string(b))
	switch {
	case err != nil:
		return d, wrong
	case d.IsZero():
		return decimal.Zero, nil
	case d.Exponent() > maxExponent:
		return d, outOfRange
	case int(d.Exponent()) < -maxExponent-len(b):
		return d, truncated
	}
	return d, nil
}

// decimals refuses values that would lose a digit on either side of the point.
func decimals(t sql.DecimalType) func(context.Context, []byte) (any, *problem) {
	scale, bound := int32(t.Scale()), t.ExclusiveUpperBound()
	return func(ctx context.Context, b []byte) (any, *problem) {
		d, p := parseDecimal(delimited.Trim(b), wrongDecimal)
		switch {
		case p != nil:
			return nil, p
		case d.Abs().Cmp(bound) >= 0:
			return nil, outOfRange
		case d.Exponent() < -scale && !d.Equal(d.Truncate(scale)):
			return nil, truncated
		}
		v, in, err := t.Convert(ctx, d)
		if err != nil || !bool(in) {
			return nil, outOfRange
		}
		return v, nil
	}
}
