package dialect

import (
	"fmt"
	"strings"
	"time"

	"github.com/anonsql/anonsql/anonymize"
)

// Replaced is what engines return for bytes of a text that are no UTF-8. No literal equals such a text, and two of them may look the same.
const Replaced = "\uFFFD"

// ReadValue converts an engine's value of a column with this type, in lower case, such as
// varchar or decimal(10,2). It returns false for a value that no release can have.
func ReadValue(typ string, v any) (anonymize.Value, bool) {
	switch v := v.(type) {
	case nil:
		return anonymize.NullValue, true
	case bool:
		if v {
			return anonymize.IntegerValue(1), true
		}
		return anonymize.IntegerValue(0), true
	case int64:
		return anonymize.IntegerValue(v), true
	case float64:
		return anonymize.RealValue(v), true
	case time.Time:
		return anonymize.InstantValue(v.UnixMicro()), true
	case string:
		if strings.HasPrefix(typ, "decimal") {
			return anonymize.DecimalValue(v), true
		}
		return anonymize.TextValue(v), true
	}
	return anonymize.Value{}, false
}

// Value writes a value of a column with this type as a literal. It returns false for NULL and for exact numbers that Number refuses.
func (d *Dialect) Value(typ string, v anonymize.Value) (string, bool) {
	switch v.Kind {
	case anonymize.Integer:
		if typ == "boolean" {
			return d.Boolean(v.Int != 0), true
		}
		return fmt.Sprint(v.Int), true
	case anonymize.Real:
		if typ == "real" || typ == "float" {
			return d.Real(v.Float), true
		}
		return d.Double(v.Float), true
	case anonymize.Decimal:
		return d.Number(v.Text)
	case anonymize.Instant:
		if typ == "date" {
			return d.Date(time.UnixMicro(v.Int).UTC()), true
		}
		return d.Timestamp(time.UnixMicro(v.Int).UTC()), true
	case anonymize.Text:
		return d.Text(v.Text), true
	}
	return "", false
}
