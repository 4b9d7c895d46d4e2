package dialect

import (
	"fmt"
	"strings"
)

// LongestStatement is about the greatest length of a statement: engines read at most 1,000,000 characters.
const LongestStatement = 800_000

// A Dialect is an engine's SQL dialect, Trino's or Spark's.
type Dialect struct {
	engine string
	quote  string // around names
	types  map[Type]string
}

// String is the engine's name.
func (d *Dialect) String() string { return d.engine }

// A Type is a target type of casts.
type Type int

// The types of casts. Text has any length; Timestamp has six fractional digits and no zone.
const (
	Text Type = iota
	BigInt
	Double
	Date
	Timestamp
)

// The dialects. Spark's is for version 3.4 and later with escaped string literals off, the
// default. CI runs Trino's; tests run Spark's on demand (ANONSQL_SPARK).
var (
	Trino = &Dialect{engine: "trino", quote: `"`,
		types: map[Type]string{Text: "VARCHAR", BigInt: "BIGINT", Double: "DOUBLE", Date: "DATE", Timestamp: "TIMESTAMP(6)"}}
	Spark = &Dialect{engine: "spark", quote: "`",
		types: map[Type]string{Text: "STRING", BigInt: "BIGINT", Double: "DOUBLE", Date: "DATE", Timestamp: "TIMESTAMP_NTZ"}}
)

// Name quotes a name, such as "catalog"."schema"."table".
func (d *Dialect) Name(parts ...string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = d.quote + strings.ReplaceAll(p, d.quote, d.quote+d.quote) + d.quote
	}
	return strings.Join(quoted, ".")
}

// CheckName refuses a name that a statement cannot hold: nothing can escape a variable in a quoted name.
func (d *Dialect) CheckName(name string) error {
	if d == Spark && strings.Contains(name, variable) {
		return fmt.Errorf("a statement of Spark replaces ${...} in the name %q: name it otherwise, or ask a view that does", name)
	}
	return nil
}

// Cast casts an expression. A value that cannot be cast fails the statement in Trino, and in Spark in ANSI mode.
func (d *Dialect) Cast(expression string, to Type) string {
	return "CAST(" + expression + " AS " + d.types[to] + ")"
}

// CastDecimal casts an expression to an exact number with precision digits, scale of them after the point.
func (d *Dialect) CastDecimal(expression string, precision, scale int) string {
	return fmt.Sprintf("CAST(%s AS DECIMAL(%d,%d))", expression, precision, scale)
}

// HashText is a keyed 32-byte hash of a text's UTF-8. The key is an expression of 32 bytes. It
// must be a table's column, because the engine shows the text of statements to other users.
func (d *Dialect) HashText(expression, key string) string {
	if d == Spark {
		return d.hash("encode("+expression+", 'UTF-8')", key)
	}
	return d.hash("to_utf8("+expression+")", key)
}

// hash is HMAC in Trino. Spark has none; there it is the hash of key and the hash of key and bytes.
func (d *Dialect) hash(bytes, key string) string {
	if d == Spark {
		inner := "unhex(sha2(concat(" + key + ", " + bytes + "), 256))"
		return "unhex(sha2(concat(" + key + ", " + inner + "), 256))"
	}
	return "hmac_sha256(" + bytes + ", " + key + ")"
}
