package texts

import (
	"slices"
	"testing"
)

// TestSplitNames: a column may be called anything that SQL calls one.
func TestSplitNames(t *testing.T) {
	for text, want := range map[string][]string{
		"age, sex": {"age", "sex"}, "": nil, " , ": nil, "a,,b": {"a", "b"}, "`town, region`,age": {"town, region", "age"},
		"`a``b` , `c`": {"a`b", "c"}, "age,`x": {"age", "x"}, "`a`,": {"a"},
		"``": {""}, "a, `` ,b": {"a", "", "b"}, "` `,` a `, b ": {" ", " a ", "b"},
	} {
		if got := SplitNames(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	names := []string{"age", "town, region", "a`b", "", " ", " c"}
	if got := SplitNames(JoinNames(names)); !slices.Equal(got, names) {
		t.Errorf("%q come back as %q", names, got)
	}
}
