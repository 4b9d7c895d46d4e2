package delimited

import (
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
			return nil, fmt.Errorf("header: column %d has no usable name: %q", i+1, h)
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
