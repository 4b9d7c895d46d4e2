package scalar

import (
	"slices"
	"strings"
	"testing"
)

// A search finds the first occurrence, and asks for the weight of each character once.
func TestSearchIsLinear(t *testing.T) {
	asked := 0
	weight := func(r rune) int32 { asked++; return r | 0x20 }
	for _, c := range []struct {
		in, of string
		start  int
		want   int
	}{
		{"abcabcd", "ABCD", 0, 3},
		{"aabaabaaab", "aaab", 0, 6},
		{"ababac", "abac", 0, 2},
		{"xabab", "ab", 2, 3},
		{"aaa", "aaaa", 0, -1},
		{"aaa", "", 0, 0},
		{"", "", 0, 0},
		{"", "a", 0, -1},
		{"aaa", "", 3, 3},
		{strings.Repeat("a", 1<<14), strings.Repeat("a", 1<<13) + "b", 0, -1},
		{strings.Repeat("aab", 1<<12) + "aac", strings.Repeat("aab", 1<<11) + "aac", 0, 3 << 11},
	} {
		asked = 0
		in, of := []rune(c.in), []rune(c.of)
		if got := indexOf(in[c.start:], of, weight, c.start); got != c.want || asked > len(in)+len(of) {
			t.Errorf("%.10s in %.10s is at %d, want %d; %d weights", c.of, c.in, got, c.want, asked)
		}
		if !slices.Equal(of, []rune(c.of)) {
			t.Errorf("a search changes %.10s", c.of)
		}
	}
}
