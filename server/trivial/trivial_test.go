package trivial

import (
	"context"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"
)

func TestRule(t *testing.T) {
	for _, c := range []struct{ account, password, want string }{
		{"ana", "", "at least 8 characters"}, {"ana", "x", "at least 8 characters"}, {"ana", "ééééééé", "at least 8 characters"},
		{"ana", "banana-split", "account's name"}, {"Ana", "bANAna-split", "account's name"},
		{"bi", "aaaaaaaaaaaa", "again and again"}, {"bi", "éééééééé", "again and again"},
		{"bi", "password", "tries first"}, {"bi", "PassWord123", "tries first"}, {"bi", "12345678", "tries first"},
		{"bi", "a long word", ""}, {"", "a long word", ""}, {"bi", "aaaaaaab", ""},
	} {
		if got := Rule(c.account, c.password); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q of %q: %q, want %q", c.password, c.account, got, c.want)
		}
	}
}

func native(password string) string {
	hash := nativeHash(password)
	return "*" + strings.ToUpper(hex.EncodeToString(hash[:]))
}

func slow(t *testing.T, password string) string {
	t.Helper()
	hash, err := mysql.SerializeCachingSha2PasswordAuthString(password, []byte("abcdefghijklmnopqrst"), mysql.DefaultCachingSha2PasswordHashIterations)
	if err != nil {
		t.Fatal(err)
	}
	return string(hash)
}

// Hashes of passwords that everybody tries first are recognised, others are not.
func TestJudge(t *testing.T) {
	var j Judge
	for _, c := range []struct {
		password, want string
		slow           bool // that caching_sha2_password's is tried, too
	}{
		{"", "no password", true}, {"x", "tries first", true}, {"ab", "tries first", false}, {"0007", "tries first", false}, {"secret", "tries first", true},
		{"Secret", "tries first", false}, {"password", "tries first", true}, {"bi", "its own name", true}, {"Bi123", "its own name", true},
		{"bibi", "its own name", true}, {"a long word", "", true}, {"zq7", "", true},
	} {
		hash, slowHash := "", ""
		if c.password != "" {
			hash, slowHash = native(c.password), slow(t, c.password)
		}
		if c.password == "bi" { // a text of two characters, too
			c.want = "has"
		}
		if got := j.Weak(t.Context(), Stored{"bi", "mysql_native_password", hash}); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.password, got, c.want)
		}
		if got := j.Weak(t.Context(), Stored{"bi", "caching_sha2_password", slowHash}); c.slow && ((c.want == "") != (got == "") || !strings.Contains(got, c.want)) {
			t.Errorf("%q, slow: %q, want %q", c.password, got, c.want)
		}
	}
	for _, unusable := range []Stored{{"bi", "mysql_native_password", "*zz"}, {"bi", "caching_sha2_password", "$A$"}, {"bi", "another", "x"}} {
		if got := j.Weak(t.Context(), unusable); got != "" {
			t.Errorf("%v: %q", unusable, got)
		}
	}
}

// A statement that has been ended tries no more passwords, and no later one takes the password for a tried one.
func TestEndedStatementTriesNoPassword(t *testing.T) {
	var j Judge
	ended, end := context.WithCancel(t.Context())
	end()
	for password, want := range map[string]string{"a long word": "", "secret": guessed} {
		s := Stored{"bi", "caching_sha2_password", slow(t, password)}
		if got := j.Weak(ended, s); !strings.Contains(got, "was not tried") {
			t.Errorf("%s, ended: %q", password, got)
		}
		if got := j.Weak(t.Context(), s); got != want {
			t.Errorf("%s: %q", password, got)
		}
	}
}

// Every entry of the list has an effect.
func TestCommon(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range common {
		if seen[c] || c != strings.ToLower(c) {
			t.Errorf("%q is there twice, or not in lower case", c)
		}
		seen[c] = true
	}
	if len(common) < 2*slowTried {
		t.Errorf("%d are known", len(common))
	}
}
