package estimates

import (
	"fmt"
	"strings"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A Column of a relation has the engine's type, in lower case, such as varchar, decimal(10,2) or date.
type Column struct{ Name, Type string }

// read is the expression whose values are those of the release. A CHAR is padded with spaces in the engine, a REAL is told with fewer digits than
// it has, and a UUID is compared with no text.
func (c Column) read(d *dialect.Dialect) string {
	name := d.Name(c.Name)
	switch kind, _, _ := strings.Cut(c.Type, "("); kind {
	case "char":
		return "trim(TRAILING ' ' FROM " + d.Cast(name, dialect.Text) + ")"
	case "uuid":
		return d.Cast(name, dialect.Text)
	case "boolean":
		return d.Cast(name, dialect.BigInt)
	case "real", "float":
		return d.Cast(name, dialect.Double)
	}
	return name
}

// value is what the engine returned of the column.
func (c Column) value(v any) (anonymize.Value, error) {
	switch v := v.(type) {
	case nil:
		return anonymize.NullValue, nil
	case int64:
		return anonymize.IntegerValue(v), nil
	case float64:
		return anonymize.RealValue(v), nil
	case time.Time:
		return anonymize.InstantValue(v.UnixMicro()), nil
	case string:
		if strings.HasPrefix(c.Type, "decimal") {
			return anonymize.DecimalValue(v), nil
		}
		return anonymize.TextValue(v), nil
	}
	return anonymize.Value{}, fmt.Errorf("column %s of type %s has a value of type %T", c.Name, c.Type, v)
}

// literal is a value of the column in SQL. NULL has none: it is not compared.
func (c Column) literal(d *dialect.Dialect, v anonymize.Value) (string, error) {
	switch v.Kind {
	case anonymize.Integer:
		return fmt.Sprint(v.Int), nil
	case anonymize.Real:
		return d.Double(v.Float), nil
	case anonymize.Decimal:
		if text, ok := d.Number(v.Text); ok {
			return text, nil
		}
	case anonymize.Instant:
		if at := time.UnixMicro(v.Int).UTC(); c.Type == "date" {
			return d.Date(at), nil
		} else {
			return d.Timestamp(at), nil
		}
	case anonymize.Text:
		return d.Text(v.Text), nil
	}
	return "", fmt.Errorf("column %s of type %s cannot be compared with %s", c.Name, c.Type, v)
}
