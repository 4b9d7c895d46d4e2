package options

import "testing"

// TestBlanksInLists: in lists of JSON blanks around names do not count, and empty names are dropped. Values are literal.
func TestBlanksInLists(t *testing.T) {
	for text, want := range map[string]string{
		`{"qi": ["age", " sex"]}`: "age,sex", `{"qi": ["age", ""]}`: "age", `{"qi": ["town, region ", "age"]}`: "`town, region`,age", `{"qi": []}`: "",
		`{"not_sensitive": ["", " no"]}`: "``,` no`", `{"Age.Order ": [" low", "high"]}`: "` low`,high", `{"intervals": [5, 10]}`: "5,10",
	} {
		given, err := Parse([]string{text})
		for _, got := range given {
			if got != want {
				t.Errorf("%s is %q, want %q", text, got, want)
			}
		}
		if err != nil || len(given) != 1 {
			t.Errorf("%s: %v, %v", text, given, err)
		}
	}
}
