package coding

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/anonymize"
)

// ValueOf returns an engine's value of a type as a value of microdata. The way
// back is SQLValue, without loss:
//
//	integers, year, bit          Integer; above 2^63-1 Decimal, which sorts behind
//	float, double                Real
//	decimal                      Decimal, with all decimal places
//	char, varchar, text, json    Text
//	binary, varbinary, blob      Text of the bytes
//	date, datetime, timestamp    Instant
//	time                         Integer, microseconds
//	enum, set                    Text of the members; Integer where that is ambiguous
func ValueOf(typ sql.Type, v any) (anonymize.Value, error) {
	c := New(typ)
	stored, err := c.Encode(v)
	if err != nil {
		return anonymize.NullValue, err
	}
	return c.Value(stored)
}

// Value is ValueOf for a stored value.
func (c Codec) Value(stored driver.Value) (anonymize.Value, error) {
	switch v := stored.(type) {
	case nil:
		return anonymize.NullValue, nil
	case int64:
		return c.integerValue(v), nil
	case float64:
		return anonymize.RealValue(v), nil
	case []byte:
		return anonymize.TextValue(string(v)), nil
	case string:
		if c.Kind == KindDecimal {
			return anonymize.DecimalValue(v), nil
		}
		return anonymize.TextValue(v), nil
	}
	return anonymize.NullValue, fmt.Errorf("a stored %T is no value of type %s", stored, c.Type)
}

func (c Codec) integerValue(i int64) anonymize.Value {
	switch c.base {
	case querypb.Type_DATE, querypb.Type_DATETIME, querypb.Type_TIMESTAMP:
		return anonymize.InstantValue(i)
	case querypb.Type_ENUM:
		label, ok := c.Type.(sql.EnumType).At(int(i))
		if ok && c.memberBits(label) == i {
			return anonymize.TextValue(label)
		}
	case querypb.Type_SET:
		label, err := c.Type.(sql.SetType).BitsToString(uint64(i))
		if err == nil && c.memberBits(label) == i {
			return anonymize.TextValue(label)
		}
	}
	if c.Kind == KindUnsigned && i < 0 {
		return anonymize.DecimalValue(strconv.FormatUint(uint64(i), 10))
	}
	return anonymize.IntegerValue(i)
}

// memberBits returns the number of an enum's or set's text, -1 for none.
func (c Codec) memberBits(text string) int64 {
	if e, ok := c.Type.(sql.EnumType); ok {
		for i, member := range e.Values() {
			if member == text {
				return int64(i + 1)
			}
		}
		if text == "" {
			return 0
		}
		return -1
	}
	bits, _, err := c.Type.Convert(context.Background(), text)
	if err != nil {
		return -1
	}
	if n, ok := bits.(uint64); ok {
		return int64(n)
	}
	return -1
}

// SQLValue inverts ValueOf.
func SQLValue(typ sql.Type, v anonymize.Value) (any, error) { return New(typ).sqlValue(v) }

func (c Codec) sqlValue(v anonymize.Value) (any, error) {
	wrong := func() (any, error) { return nil, fmt.Errorf("%s is no value of type %s", v, c.Type) }
	switch v.Kind {
	case anonymize.Null:
		return nil, nil
	case anonymize.Integer:
		switch c.Kind {
		case KindSigned, KindUnsigned, KindTime:
			return c.Decode(v.Int)
		}
		return wrong()
	case anonymize.Real:
		return c.Decode(v.Float)
	case anonymize.Instant:
		if c.Kind != KindInstant {
			return wrong()
		}
		return c.Decode(v.Int)
	case anonymize.Decimal:
		if c.Kind == KindUnsigned {
			u, err := strconv.ParseUint(v.Text, 10, 64)
			if err != nil || u <= math.MaxInt64 {
				return wrong()
			}
			return c.Decode(int64(u))
		}
		if c.Kind != KindDecimal {
			return wrong()
		}
		return c.Decode(v.Text)
	}
	switch c.Kind {
	case KindBinary:
		return c.Decode([]byte(v.Text))
	case KindText, KindJSON:
		return c.Decode(v.Text)
	case KindUnsigned:
		if bits := c.memberBits(v.Text); (c.base == querypb.Type_ENUM && bits >= 0) || c.base == querypb.Type_SET {
			return c.Decode(bits)
		}
	}
	return wrong()
}
