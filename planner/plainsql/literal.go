package plainsql

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/quoting"
)

// literal writes a value. It refuses backslashes in texts: they escape in one dialect only.
func literal(value any, typ sql.Type) (string, error) {
	switch v := value.(type) {
	case nil:
		return "NULL", nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	case string:
		if strings.ContainsAny(v, "\\\x00") {
			return "", refusePlain("a text with a backslash")
		}
		return quoting.Text(v), nil
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64), nil // without an exponent it is a DECIMAL
	case float32:
		return strconv.FormatFloat(float64(v), 'e', -1, 64), nil
	case time.Time:
		return "'" + instantText(v, isDay(typ)) + "'", nil
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), nil
	}
	if types.IsDecimal(typ) {
		if text, ok := value.(fmt.Stringer); ok {
			return text.String(), nil
		}
	}
	return "", refusePlain("a value of the type %s", typ)
}

// instantText formats a date or a moment as external engines store it.
func instantText(v time.Time, day bool) string {
	if day {
		return v.Format("2006-01-02")
	}
	return v.Format("2006-01-02 15:04:05.999999")
}

// isDay reports whether a type is DATE.
func isDay(typ sql.Type) bool { return typ != nil && typ.Type() == query.Type_DATE }

// A valueClass is the part of a type that matters to comparisons.
type valueClass uint8

const (
	otherClass valueClass = iota
	nullClass
	numberClass
	textClass
	dayClass
	momentClass // DATETIME and TIMESTAMP in whole seconds
)

func classOf(typ sql.Type) valueClass {
	switch {
	case typ == nil:
		return otherClass
	case typ == types.Null:
		return nullClass
	case types.IsYear(typ), types.IsBit(typ):
		return otherClass
	case types.IsNumber(typ):
		return numberClass
	case isDay(typ):
		return dayClass
	case types.IsDatetimeType(typ):
		if t, ok := typ.(sql.DatetimeType); ok && t.Precision() > 0 {
			return otherClass // the number of decimals in its texts varies
		}
		return momentClass
	case types.IsTextOnly(typ):
		return textClass
	}
	return otherClass
}

// className names the class of a type in a refusal.
func className(c valueClass) string {
	return map[valueClass]string{nullClass: "NULL", numberClass: "a number", textClass: "a text", dayClass: "a date", momentClass: "a date with a time"}[c]
}

// decimalPlaces returns the number of decimals of an exact number; false for DOUBLE.
func decimalPlaces(typ sql.Type) (int, bool) {
	if d, ok := typ.(sql.DecimalType); ok {
		return int(d.Scale()), true
	}
	return 0, types.IsInteger(typ) || types.IsBoolean(typ)
}
