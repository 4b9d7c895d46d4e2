package delimited

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIdentifier is MySQL's limit, in characters.
const maxIdentifier = 64

// Identifiers makes column names from a header: runs of blanks, dots, dashes and other signs
// become one underscore, or nothing at the ends; letter case stays. A name that is empty, too
// long or a duplicate (case-insensitive, as in SQL) is an error that names the column.
func Identifiers(headers []string) ([]string, error) {
	names := make([]string, len(headers))
	first := make(map[string]int, len(headers))
	for i, h := range headers {
		name := identifier(h)
		if name == "" {
			return nil, fmt.Errorf("header: column %d has no usable name: %q. Say --name-empty to call it column_%d, or --names for all columns", i+1, h, i+1)
		}
		if n := utf8.RuneCountInString(name); n > maxIdentifier {
			return nil, fmt.Errorf("header: the name of column %d has %d characters, at most %d are allowed: %q. Say --names for all columns", i+1, n, maxIdentifier, name)
		}
		lower := strings.ToLower(name)
		if j, ok := first[lower]; ok {
			return nil, fmt.Errorf("header: columns %d (%q) and %d (%q) would both be named %q. Say --names for all columns", j+1, headers[j], i+1, h, name)
		}
		first[lower] = i
		names[i] = name
	}
	return names, nil
}

// IsName reports whether a header makes a column's name.
func IsName(header string) bool { return identifier(header) != "" }

func identifier(header string) string {
	var b strings.Builder
	gap := false
	for _, c := range header {
		if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('_')
		}
		gap = false
		b.WriteRune(c)
	}
	return b.String()
}

// shownFields is the number of shown fields of a line.
const shownFields = 4

// DataInHeader returns why the first record of a sample is data and not names, "" if it may be names: one of its fields
// is a number, a date or a boolean, and so are the fields below it, of which it checks up to a hundred.
func DataInHeader(sample []byte, format Format) string {
	r, err := NewReader(bytes.NewReader(sample), format)
	if err != nil {
		return ""
	}
	record, err := r.Read()
	if err != nil {
		return ""
	}
	names, shapes := make([]string, len(record)), make([]shape, len(record))
	for i, f := range record {
		names[i] = string(f.Bytes)
		if !f.Enclosed {
			shapes[i] = formOf(Trim(f.Bytes)).shape
		}
	}
	below := 0
	for ; below < 100; below++ {
		record, err := r.Read()
		if err != nil {
			break
		}
		for i, f := range record {
			if formOf(Trim(f.Bytes)).shape != shapes[i] {
				shapes[i] = shapeText
			}
		}
	}
	for i, s := range shapes {
		if s != shapeText && below > 0 {
			return fmt.Sprintf(
				"the first line begins with %s, and where it has %q all lines below have such values",
				strings.Join(names[:min(shownFields, len(names))], ", "),
				names[i],
			)
		}
	}
	return ""
}
