package coding

import (
	"context"
	"database/sql/driver"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/catalog/fault"
)

// A Codec encodes and decodes the stored values of one type.
type Codec struct {
	Type  sql.Type
	base  querypb.Type
	Kind  Kind
	scale int32 // decimal places of KindDecimal
	clock Clock // shows the values
}

// New returns the codec of a type.
func New(typ sql.Type) Codec {
	c := Codec{Type: typ, base: typ.Type(), Kind: KindOf(typ)}
	if d, ok := typ.(sql.DecimalType); ok {
		c.scale = int32(d.Scale())
	}
	return c
}

// Encode returns the stored form of an engine value of the type.
func (c Codec) Encode(v any) (driver.Value, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case string:
		if c.Kind == KindText {
			return c.encodeText(v), nil
		}
	case int8, int16, int32, int64, uint8, uint16, uint32, uint64:
		if i, ok := c.encodeInteger(v); ok {
			return i, nil
		}
	case float32:
		if c.Kind == KindFloat32 {
			return float64(v), nil
		}
	case float64:
		if c.Kind == KindFloat64 {
			return v, nil
		}
	case decimal.Decimal:
		if c.Kind == KindDecimal {
			return v.StringFixed(c.scale), nil
		}
	case time.Time:
		if c.Kind == KindInstant {
			return c.clock.Moment(v).UnixMicro(), nil
		}
	case types.Timespan:
		if c.Kind == KindTime {
			return int64(v), nil
		}
	case []byte:
		if c.Kind == KindBinary {
			return append([]byte{}, v...), nil
		}
	}
	return c.encodeOther(v)
}

// encodeText returns a text as its type stores it: CHAR loses trailing spaces.
func (c Codec) encodeText(s string) string {
	if c.base == querypb.Type_CHAR {
		return strings.TrimRight(s, " ")
	}
	return s
}

// encodeInteger encodes an integer of the column type's Go type; others must pass the type's
// range check.
func (c Codec) encodeInteger(v any) (int64, bool) {
	switch v := v.(type) {
	case int8:
		return int64(v), c.base == querypb.Type_INT8
	case int16:
		return int64(v), c.base == querypb.Type_INT16 || c.base == querypb.Type_YEAR
	case int32:
		return int64(v), c.base == querypb.Type_INT32 || c.base == querypb.Type_INT24
	case int64:
		return v, c.base == querypb.Type_INT64
	case uint8:
		return int64(v), c.base == querypb.Type_UINT8
	case uint16:
		return int64(v), c.base == querypb.Type_UINT16 || c.base == querypb.Type_ENUM
	case uint32:
		return int64(v), c.base == querypb.Type_UINT32 || c.base == querypb.Type_UINT24
	case uint64:
		return int64(v), c.base == querypb.Type_UINT64 || c.base == querypb.Type_BIT || c.base == querypb.Type_SET
	}
	return 0, false
}

// encodeOther encodes the rare forms: JSON, wrapped values, and values of another Go type,
// which the type converts first.
func (c Codec) encodeOther(v any) (driver.Value, error) {
	v, err := sql.UnwrapAny(context.Background(), v)
	if err != nil {
		return nil, err
	}
	if c.Kind == KindJSON {
		return encodeJSON(v)
	}
	converted, inRange, err := c.Type.Convert(context.Background(), v)
	if err != nil {
		return nil, err
	}
	if inRange != sql.InRange {
		return nil, sql.ErrValueOutOfRange.New(v, c.Type)
	}
	if converted, err = sql.UnwrapAny(context.Background(), converted); err != nil {
		return nil, err
	}
	if reflect.TypeOf(converted) == reflect.TypeOf(v) && c.Kind != KindText && c.Kind != KindBinary {
		return nil, fmt.Errorf("a %T is no value of type %s", v, c.Type)
	}
	return c.Encode(converted)
}

func encodeJSON(v any) (driver.Value, error) {
	converted, _, err := types.JSON.Convert(context.Background(), v)
	if err != nil {
		return nil, err
	}
	wrapper, ok := converted.(sql.JSONWrapper)
	if !ok {
		return nil, fmt.Errorf("a %T is no JSON document", v)
	}
	plain, err := wrapper.ToInterface()
	if err != nil {
		return nil, err
	}
	return writeDocument(plain)
}

// Decode returns the engine value of a stored value.
func (c Codec) Decode(v driver.Value) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch c.Kind {
	case KindSigned, KindUnsigned:
		if i, ok := v.(int64); ok {
			return c.integer(i), nil
		}
	case KindFloat32:
		if f, ok := v.(float64); ok {
			return float32(f), nil
		}
	case KindFloat64:
		if f, ok := v.(float64); ok {
			return f, nil
		}
	case KindDecimal:
		if s, ok := v.(string); ok {
			d, err := decimal.NewFromString(s)
			return d, fault.Damaged("a number", err)
		}
	case KindText:
		if s, ok := v.(string); ok {
			return s, nil
		}
	case KindBinary:
		if b, ok := v.([]byte); ok {
			return append([]byte{}, b...), nil
		}
	case KindInstant:
		if i, ok := v.(int64); ok {
			return c.clock.WallTime(time.UnixMicro(i)), nil
		}
	case KindTime:
		if i, ok := v.(int64); ok {
			return types.Timespan(i), nil
		}
	case KindJSON:
		if s, ok := v.(string); ok {
			plain, err := ReadDocument(s)
			return types.JSONDocument{Val: plain}, fault.Damaged("a document", err)
		}
	}
	return nil, fmt.Errorf("%w: a stored %T is no value of type %s", fault.ErrDamaged, v, c.Type)
}

func (c Codec) integer(i int64) any {
	switch c.base {
	case querypb.Type_INT8:
		return int8(i)
	case querypb.Type_INT16, querypb.Type_YEAR:
		return int16(i)
	case querypb.Type_INT24, querypb.Type_INT32:
		return int32(i)
	case querypb.Type_INT64:
		return i
	case querypb.Type_UINT8:
		return uint8(i)
	case querypb.Type_UINT16, querypb.Type_ENUM:
		return uint16(i)
	case querypb.Type_UINT24, querypb.Type_UINT32:
		return uint32(i)
	}
	return uint64(i) // bigint unsigned, bit, set
}

// EncodeRow appends the stored form of row to args.
func EncodeRow(args []driver.Value, codecs []Codec, row sql.Row) ([]driver.Value, error) {
	for i, c := range codecs {
		v, err := c.Encode(row[i])
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	return args, nil
}
