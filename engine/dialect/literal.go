package dialect

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Null is the literal NULL.
func (d *Dialect) Null() string { return "NULL" }

// Boolean is the literal TRUE or FALSE.
func (d *Dialect) Boolean(v bool) string { return strings.ToUpper(strconv.FormatBool(v)) }

// escapes escapes what Spark interprets in a literal. It puts variables of its own in place of ${...} everywhere in a statement before it parses it.
var escapes = strings.NewReplacer(`\`, `\\`, `'`, `\'`, variable, `\u0024{`)

// variable begins the name of a variable in a statement of Spark. Trino has none.
const variable = "${"

// Text is the literal of a text.
func (d *Dialect) Text(v string) string {
	if d == Spark {
		return "'" + escapes.Replace(v) + "'"
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'"
}

// exact matches a number without an exponent.
var exact = regexp.MustCompile(`^-?(\d+)(?:\.(\d+))?$`)

// maxDigits is the greatest number of digits of an exact number.
const maxDigits = 38

// Number returns a number as an SQL literal: with an exponent a DOUBLE, with a point or beyond BIGINT a
// DECIMAL, else an integer. It returns false for other texts and for exact numbers of more than 38 digits.
func (d *Dialect) Number(text string) (string, bool) {
	parts := exact.FindStringSubmatch(text)
	if parts == nil {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !strings.ContainsAny(text, "eE") {
			return "", false
		}
		return d.Double(v), true
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text, true
	}
	if len(strings.TrimLeft(parts[1], "0"))+len(parts[2]) > maxDigits {
		return "", false
	}
	if d == Spark {
		return text + "BD", true
	}
	return "DECIMAL '" + text + "'", true
}

// Double is the literal of a finite DOUBLE, with all digits.
func (d *Dialect) Double(v float64) string {
	text := strings.ToUpper(strconv.FormatFloat(v, 'e', -1, 64))
	if d == Spark {
		return text + "D"
	}
	return text
}

// Real is the literal of a finite REAL, Spark's FLOAT, from the number that the engine returns or from
// all digits. The engine would widen a column compared with a DOUBLE, and no REAL equals 36.6.
func (d *Dialect) Real(v float64) string {
	text := strings.ToUpper(strconv.FormatFloat(v, 'e', -1, 64))
	if d == Spark {
		return text + "F"
	}
	return "REAL '" + text + "'"
}

// Date is the literal of a moment's day.
func (d *Dialect) Date(v time.Time) string { return "DATE '" + v.Format(time.DateOnly) + "'" }

// Timestamp is the literal of a moment without a zone, with six fractional digits.
func (d *Dialect) Timestamp(v time.Time) string {
	text := "'" + v.Format("2006-01-02 15:04:05.000000") + "'"
	if d == Spark {
		return "TIMESTAMP_NTZ " + text
	}
	return "TIMESTAMP " + text
}
