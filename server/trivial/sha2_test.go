package trivial

import (
	"strings"
	"testing"
)

const saltAndDigest = "abcdefghijklmnopqrst" + "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"

// A hash whose rounds nobody can compute, or that occupies the cores for seconds, is none: no guess and no login tries it.
func TestRoundsOfHashes(t *testing.T) {
	for rounds, want := range map[string]bool{"005": true, "001": true, "014": true, "00A": true, "00a": false, "+05": false, "000": false, "-01": false, "015": false, "FFF": false, "xyz": false} {
		stored := "$A$" + rounds + "$" + saltAndDigest
		if got := IsSha2(stored); got != want {
			t.Errorf("%s: %t", rounds, got)
		}
		if _, ok := Sha2("a word", stored); ok != want {
			t.Errorf("%s: a hash %t", rounds, ok)
		}
		if want {
			continue
		}
		if got := new(Judge).Weak(t.Context(), Stored{"bi", "caching_sha2_password", stored}); got != "" {
			t.Errorf("%s: it %s", rounds, got)
		}
	}
	for _, stored := range []string{"", "$A$005$", "$B$005$" + saltAndDigest, "$A$005$" + saltAndDigest + "x"} {
		if IsSha2(stored) {
			t.Errorf("%q is a hash", stored)
		}
	}
}

func TestLongPasswordsAreNotHashed(t *testing.T) {
	for length, want := range map[int]bool{LongestPassword: true, LongestPassword + 1: false} {
		if _, ok := Sha2(strings.Repeat("z", length), "$A$005$"+saltAndDigest); ok != want {
			t.Errorf("%d bytes: a hash %t", length, ok)
		}
	}
}
