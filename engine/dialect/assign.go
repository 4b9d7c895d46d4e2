package dialect

import (
	"fmt"
	"strings"
)

// HashInteger converts a hash to a BIGINT from 0 to 2^56-1.
func (d *Dialect) HashInteger(hash string) string {
	if d == Spark {
		return "CAST(conv(hex(substring(" + hash + ", 1, 7)), 16, 10) AS BIGINT)"
	}
	return "from_big_endian_64(concat(X'00', substr(" + hash + ", 1, 7)))"
}

// Joined concatenates several expressions with U+001F between them, without NULLs.
func (d *Dialect) Joined(expressions ...string) string {
	texts := []string{"chr(31)"}
	for _, e := range expressions {
		texts = append(texts, d.Cast(e, Text))
	}
	return "concat_ws(" + strings.Join(texts, ", ") + ")"
}

// Row encodes several expressions injectively as a text: the length and the text of each, n for NULL.
func (d *Dialect) Row(expressions ...string) string {
	var texts []string
	for _, e := range expressions {
		text := d.Cast(e, Text)
		texts = append(texts, fmt.Sprintf("coalesce(concat(%s, ':', %s), 'n')", d.Cast("length("+text+")", Text), text))
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "concat(" + strings.Join(texts, ", ") + ")"
}

// Digest is an unkeyed 32-byte hash of a text's UTF-8.
func (d *Dialect) Digest(text string) string {
	if d == Spark {
		return "unhex(sha2(encode(" + text + ", 'UTF-8'), 256))"
	}
	return "sha256(to_utf8(" + text + "))"
}

// SumOfDigests exactly adds up records times seven bytes of a digest, from first on: a number
// of at most 38 digits for 10^21 records. Both are expressions; records is a BIGINT.
func (d *Dialect) SumOfDigests(digest string, first int, records string) string {
	return fmt.Sprintf("sum(%s * %s)", d.CastDecimal(records, 19, 0), d.CastDecimal(d.HashInteger(fmt.Sprintf("substr(%s, %d, 7)", digest, first)), 19, 0))
}

// RandomKey is an expression of 32 new unguessable bytes; false if the engine has no such generator.
func (d *Dialect) RandomKey() (string, bool) {
	if d == Spark {
		return "", false // its uuid() has a seed of 64 bits
	}
	return "sha256(to_utf8(concat(CAST(uuid() AS VARCHAR), CAST(uuid() AS VARCHAR))))", true
}

// Lookup returns the value at the place of an expression's value among literal keys; NULL for other values, and for NULL.
func (d *Dialect) Lookup(expression string, keys, values []string) string {
	function, begin, end := "map", "ARRAY[", "]"
	if d == Spark {
		function, begin, end = "map_from_arrays", "array(", ")"
	}
	return fmt.Sprintf("element_at(%s(%s%s%s, %s%s%s), %s)", function, begin, strings.Join(keys, ", "), end, begin, strings.Join(values, ", "), end, expression)
}

// Pairs writes a query whose rows are pairs of integers with the given names. The numbers are
// in one text: engines read it faster than one literal row each, and refuse many rows.
func (d *Dialect) Pairs(first, second string, pairs [][2]int64) string {
	var b strings.Builder
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d:%d", p[0], p[1])
	}
	from := "UNNEST(split(" + d.Text(b.String()) + ", ' ')) AS list(pair)"
	if d == Spark {
		from = "(SELECT explode(split(" + d.Text(b.String()) + ", ' ')) AS pair)"
	}
	part := func(i int, name string) string {
		return fmt.Sprintf("%s AS %s", d.Cast(fmt.Sprintf("split_part(pair, ':', %d)", i), BigInt), d.Name(name))
	}
	return "SELECT " + part(1, first) + ", " + part(2, second) + " FROM " + from
}

// ApproximatelyDistinct is about the number of distinct values of an expression, within a few percent, in little memory.
func (d *Dialect) ApproximatelyDistinct(expression string) string {
	if d == Spark {
		return "approx_count_distinct(" + expression + ")"
	}
	return "approx_distinct(" + expression + ")"
}

// Tables returns a statement that lists a schema's tables, and the position of the names' column.
func (d *Dialect) Tables(catalog, schema string) (text string, column int) {
	if d == Spark {
		return "SHOW TABLES IN " + d.Name(catalog, schema), 1
	}
	return "SHOW TABLES FROM " + d.Name(catalog, schema), 0
}
