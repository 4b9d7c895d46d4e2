package anonymize

import (
	"fmt"
	"strings"
)

// DidYouMean returns a question such as `; did you mean "slppa"?` with the name nearest to
// name, or "" if none is near. A near name differs by at most a third of name's letters and at
// most two edits (Levenshtein 1966); a swap of neighbours is one edit (Damerau 1964). Case does
// not count.
func DidYouMean(name string, names []string) string {
	name = strings.ToLower(name)
	limit := min(2, (len([]rune(name))+1)/3)
	nearest, best := "", limit+1
	for _, n := range names {
		if d := editDistance([]rune(name), []rune(strings.ToLower(n))); d < best {
			nearest, best = n, d
		}
	}
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}

// editDistance returns the number of edits between two words in O(len(a) len(b)).
func editDistance(a, b []rune) int {
	var before, last []int
	row := Ints(len(b) + 1)
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			other := 0
			if a[i-1] != b[j-1] {
				other = 1
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}
