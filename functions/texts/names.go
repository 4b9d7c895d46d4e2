package texts

import (
	"slices"
	"strings"

	"github.com/anonsql/anonsql/quoting"
)

// SplitNames splits a comma-separated list. A name in backticks is literal: it may contain commas, two backticks for one, and blanks, or be empty. Other
// empty names are dropped.
func SplitNames(value string) (names []string) {
	for value = strings.TrimSpace(value); value != ""; value = strings.TrimSpace(value) {
		var name string
		literal := strings.HasPrefix(value, "`")
		if literal {
			name, value = quotedName(value[1:])
		} else {
			name, value, _ = strings.Cut(value, ",")
			name = strings.TrimSpace(name)
		}
		if literal || name != "" {
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
func JoinNames(names []string) string { return quoting.List(names) }

// DeleteNames deletes names from a list, in any case.
func DeleteNames(list, names []string) []string {
	return slices.DeleteFunc(list, func(one string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, one) })
	})
}
