package texts

import (
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// SplitNames splits a comma-separated list. A name in backticks may contain commas, and two backticks for one. Empty names are dropped.
func SplitNames(value string) (names []string) {
	for value = strings.TrimSpace(value); value != ""; value = strings.TrimSpace(value) {
		var name string
		if strings.HasPrefix(value, "`") {
			name, value = quotedName(value[1:])
		} else {
			name, value, _ = strings.Cut(value, ",")
		}
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// quotedName reads a name up to its closing backtick. rest is what follows the next comma.
func quotedName(value string) (name, rest string) {
	var b strings.Builder
	for {
		before, after, closed := strings.Cut(value, "`")
		b.WriteString(before)
		if again, two := strings.CutPrefix(after, "`"); closed && two {
			b.WriteByte('`')
			value = again
			continue
		}
		_, rest, _ = strings.Cut(after, ",")
		return b.String(), rest
	}
}

// JoinNames is the inverse of SplitNames.
func JoinNames(names []string) string {
	written := make([]string, len(names))
	for i, name := range names {
		written[i] = name
		if strings.ContainsAny(name, ",`") {
			written[i] = quoting.Name(name)
		}
	}
	return strings.Join(written, ",")
}
