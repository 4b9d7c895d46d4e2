package estimates

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A Column of a relation. Type is the engine's, in lower case, such as varchar, decimal(10,2) or date.
type Column struct{ Name, Type string }

// read returns the expression for the release's values: the engine pads CHAR with spaces,
// returns REAL with fewer digits than it has, and does not compare UUID with texts.
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

// value converts an engine's value of the column.
func (c Column) value(v any) (anonymize.Value, error) {
	if value, ok := dialect.ReadValue(c.Type, v); ok {
		return value, nil
	}
	return anonymize.Value{}, fmt.Errorf("column %s of type %s has a value of type %T", c.Name, c.Type, v)
}

// literal writes a value of the expression of read in SQL. NULL has no literal: nothing is compared with it.
func (c Column) literal(d *dialect.Dialect, v anonymize.Value) (string, error) {
	typ := c.Type
	switch typ {
	case "boolean":
		typ = "bigint"
	case "real", "float":
		typ = "double"
	}
	if text, ok := d.Value(typ, v); ok {
		return text, nil
	}
	return "", fmt.Errorf("column %s of type %s cannot be compared with %s", c.Name, c.Type, v)
}
