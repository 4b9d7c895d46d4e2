package datapackage

import (
	"encoding/base64"
	"math"
	"regexp"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
)

// A kind is the notation of a column's values. The texts are the same in CSV and behind
// Parquet's numbers, one per value.
type kind string

const (
	integerKind  kind = "integer" // of any size
	realKind     kind = "real"    // the shortest digits that identify the double
	decimalKind  kind = "decimal" // with all decimal places
	dateKind     kind = "date"
	instantKind  kind = "datetime"
	fractionKind kind = "datetime-microseconds"
	textKind     kind = "text"
	binaryKind   kind = "binary" // base64
)

// layouts of points in time. Years have four digits.
var layouts = map[kind]string{
	dateKind: "2006-01-02", instantKind: "2006-01-02T15:04:05Z", fractionKind: "2006-01-02T15:04:05.000000Z"}

// frictionless returns the type and the format of a field of the kind.
func (k kind) frictionless() (typ, format string) {
	switch k {
	case integerKind:
		return "integer", ""
	case realKind, decimalKind:
		return "number", ""
	case dateKind:
		return "date", ""
	case instantKind:
		return "datetime", ""
	case fractionKind:
		return "datetime", "any" // the default format has no fractions of a second
	case binaryKind:
		return "string", "binary"
	}
	return "string", ""
}

// kindOf returns the kind that can write all of the values. ok is false for values that no file
// format distinguishes.
func kindOf(values []anonymize.Value) (k kind, ok bool) {
	k = textKind
	seen := make(map[anonymize.ValueKind]bool)
	for _, v := range values {
		if !v.IsNull() {
			seen[v.Kind] = true
		}
	}
	switch {
	case len(seen) == 0:
	case seen[anonymize.Integer] && (len(seen) == 1 || len(seen) == 2 && seen[anonymize.Decimal]):
		k = integerKind
	case len(seen) > 1:
		return "", false
	case seen[anonymize.Real]:
		k = realKind
	case seen[anonymize.Decimal]:
		k = decimalKind
	case seen[anonymize.Instant]:
		k = instantKindOf(values)
	default:
		k = textKindOf(values)
	}
	for _, v := range values {
		if v.IsNull() {
			continue
		}
		if back, ok := k.parse(k.text(v)); !ok || back != v {
			return "", false
		}
	}
	return k, true
}

func textKindOf(values []anonymize.Value) kind {
	for _, v := range values {
		if !utf8.ValidString(v.Text) {
			return binaryKind
		}
	}
	return textKind
}

func instantKindOf(values []anonymize.Value) kind {
	const second, day = int64(time.Second / time.Microsecond), int64(24 * time.Hour / time.Microsecond)
	k := dateKind
	for _, v := range values {
		switch {
		case v.IsNull() || v.Int%day == 0:
		case v.Int%second == 0:
			k = instantKind
		default:
			return fractionKind
		}
	}
	return k
}

// text writes a value other than NULL.
func (k kind) text(v anonymize.Value) string {
	switch k {
	case dateKind, instantKind, fractionKind:
		return time.UnixMicro(v.Int).UTC().Format(layouts[k])
	case binaryKind:
		return base64.StdEncoding.EncodeToString([]byte(v.Text))
	case integerKind, realKind:
		return v.String()
	}
	return v.Text
}

// decimals matches numbers in the product's notation; a length limit bounds the work on foreign
// ones.
var decimals = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

const longestDecimal = 100

// parse accepts exactly the texts that text writes.
func (k kind) parse(text string) (v anonymize.Value, ok bool) {
	switch k {
	case integerKind:
		if i, err := strconv.ParseInt(text, 10, 64); err == nil {
			v = anonymize.IntegerValue(i)
		} else if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			v = anonymize.DecimalValue(strconv.FormatUint(u, 10))
		}
	case realKind:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return v, false
		}
		v = anonymize.RealValue(f)
	case decimalKind:
		if len(text) > longestDecimal || !decimals.MatchString(text) {
			return v, false
		}
		v = anonymize.DecimalValue(text)
	case dateKind, instantKind, fractionKind:
		at, err := time.Parse(layouts[k], text)
		if err != nil {
			return v, false
		}
		v = anonymize.InstantValue(at.UnixMicro())
	case textKind:
		return anonymize.TextValue(text), utf8.ValidString(text)
	case binaryKind:
		data, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil {
			return v, false
		}
		v = anonymize.TextValue(string(data))
	}
	return v, !v.IsNull() && k.text(v) == text
}

// isKnown reports whether k is one of the kinds.
func (k kind) isKnown() bool {
	switch k {
	case integerKind, realKind, decimalKind, dateKind, instantKind, fractionKind, textKind, binaryKind:
		return true
	}
	return false
}
