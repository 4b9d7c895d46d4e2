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

// Identifiers makes column names of a header: blanks, dots, dashes and other
// signs become one underscore, and none at the ends; letter case is kept. A
// name that is empty, too long or occurs twice (case-insensitive, as in SQL)
// is an error that names the column.
func Identifiers(headers []string) ([]string, error) {
	names := make([]string, len(headers))
	first := make(map[string]int, len(headers))
	for i, h := range headers {
		name := identifier(h)
		if name == "" {
			return nil, fmt.Errorf("header: column %d has no usable name: %q. Say --name-empty to call it column_%d, or --names for all columns", i+1, h, i+1)
		}
		if n := utf8.RuneCountInString(name); n > maxIdentifier {
			return nil, fmt.Errorf("header: the name of column %d has %d characters, at most %d are allowed: %q", i+1, n, maxIdentifier, name)
		}
		lower := strings.ToLower(name)
		if j, ok := first[lower]; ok {
			return nil, fmt.Errorf("header: columns %d (%q) and %d (%q) would both be named %q", j+1, headers[j], i+1, h, name)
		}
		first[lower] = i
		names[i] = name
	}
	return names, nil
}

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

// shownFields is how many fields of a line are shown.
const shownFields = 4

// DataInHeader says why the first record of a sample of a text is data rather than names, "" if it may be names: a field of it is a number, a
// date or a boolean, and all below it, up to a hundred, are of the same sort.
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
