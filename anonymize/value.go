package anonymize

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"
)

// A ValueKind says which field of a Value is set. Values of different kinds compare as their
// kinds.
type ValueKind uint8

const (
	Null    ValueKind = iota // SQL NULL: a value of its own, equal to itself
	Integer                  // Int
	Real                     // Float
	Decimal                  // Text is the exact decimal, Float the nearest float64
	Instant                  // Int: microseconds since 1970-01-01T00:00:00Z
	Text                     // Text, compared bytewise
)

// A Value is one attribute value. It is comparable with ==, so it can be a map key: values are
// equal if their kinds and contents are. Its SQL type is that of the column ([Column].Type).
type Value struct {
	Kind  ValueKind
	Int   int64
	Float float64
	Text  string
}

// NullValue is the SQL NULL.
var NullValue = Value{}

// IntegerValue returns the value of an integer.
func IntegerValue(i int64) Value { return Value{Kind: Integer, Int: i} }

// RealValue returns the value of a finite float64. It turns negative zero into zero, so that ==
// is equality of numbers.
func RealValue(f float64) Value { return Value{Kind: Real, Float: f + 0} }

// TextValue returns the value of a string.
func TextValue(s string) Value { return Value{Kind: Text, Text: s} }

// InstantValue returns the value of a point in time in microseconds since the
// Unix epoch, UTC.
func InstantValue(micros int64) Value { return Value{Kind: Instant, Int: micros} }

// DecimalValue returns the value of an exact decimal written as text, such as "-12.50".
// Numerically equal texts of one column must be identical.
func DecimalValue(text string) Value {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f = math.NaN()
	}
	return Value{Kind: Decimal, Text: text, Float: f}
}

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.Kind == Null }

// Number returns the position of v on the number line and whether it has one.
// Texts and NULL have none; instants are their microseconds.
func (v Value) Number() (float64, bool) {
	switch v.Kind {
	case Integer, Instant:
		return float64(v.Int), true
	case Real, Decimal:
		return v.Float, true
	}
	return 0, false
}

// String returns v as a person would write it, for messages and for the cells of a release; not
// for storage.
func (v Value) String() string {
	switch v.Kind {
	case Null:
		return "NULL"
	case Integer:
		return strconv.FormatInt(v.Int, 10)
	case Real:
		return strconv.FormatFloat(v.Float, 'g', -1, 64)
	case Instant:
		return instantText(v.Int)
	}
	return v.Text
}

// instantText omits the time of day at midnight.
func instantText(micros int64) string {
	at := time.UnixMicro(micros).UTC()
	if at.Equal(at.Truncate(24 * time.Hour)) {
		return at.Format("2006-01-02")
	}
	return at.Format("2006-01-02 15:04:05.999999")
}

// Compare orders values by kind, and within a kind by number, by time or bytewise. It is a
// total order in which equal means ==.
func Compare(a, b Value) int {
	if a.Kind != b.Kind {
		return cmp.Compare(a.Kind, b.Kind)
	}
	switch a.Kind {
	case Integer, Instant:
		return cmp.Compare(a.Int, b.Int)
	case Real:
		return cmp.Compare(a.Float, b.Float)
	case Decimal:
		if c := cmp.Compare(a.Float, b.Float); c != 0 || a.Text == b.Text {
			return c
		}
		return compareDecimals(a.Text, b.Text)
	}
	return strings.Compare(a.Text, b.Text)
}

// compareDecimals orders decimals with the same nearest float64.
func compareDecimals(a, b string) int {
	switch negative := strings.HasPrefix(a, "-"); {
	case negative != strings.HasPrefix(b, "-"):
		return strings.Compare(a, b) // a minus is before all digits
	case negative:
		a, b = b[1:], a[1:]
	}
	whole, _, _ := strings.Cut(a, ".")
	other, _, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(len(whole), len(other)), strings.Compare(a, b))
}
