package gate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/gate"
)

func TestDigest(t *testing.T) {
	names := strings.Fields("published p t t`1 a b c2 marital status A user 患者 @@version")
	keeps := func(word string) bool { return slices.Contains(names, word) || word == "marital status" }
	for statement, want := range map[string]string{
		"SELECT COUNT(*) FROM published.p WHERE a = 'it''s' AND b = \"x\\\"y\"": "SELECT COUNT(*) FROM published.p WHERE a = ? AND b = ?",
		"select 1,-2.5e-3 ,0x4F, x'4f', _utf8mb4'a', N'b', .5":                  "select ?,-?, ...",
		"SELECT * FROM t WHERE c2 IN (1, 2,3 , 'x')":                            "SELECT * FROM t WHERE c2 IN (?, ...)",
		"INSERT INTO t VALUES (1, 'a'), (2, 'b'),\n(3, 'c')":                    "INSERT INTO t VALUES (?, ...), ...",
		"SELECT `a'b`, @x, a.b FROM `t``1` -- secret\nWHERE A = 1 # secret":     "SELECT _, @_, a.b FROM `t``1` WHERE A = ?",
		"SELECT /* secret */ /*+ MAX_EXECUTION_TIME(7) */ 1":                    "SELECT ?",
		"/*!50000 SELECT a */ FROM t":                                           "SELECT a FROM t",
		"CALL anonymize('d.t', 'slppa', 'beta=0.5')":                            "CALL anonymize(?, ...)",
		"CREATE USER a@'%' IDENTIFIED BY 'secret":                               "CREATE USER a@? IDENTIFIED BY ?",
		"SELECT 'a' 'b', a--1 secret":                                           "SELECT ?, a",
		"SELECT `marital status`, `患者`, `Ann Smith` FROM t AS `Eve`":            "SELECT `marital status`, `患者`, _ FROM t AS _",
		"SELECT a Ann, b AS Eve, `select`, `1`, 1st, _ann'x', _ann 'x'":         "SELECT a _, b AS _, `select`, _, _, ?, _ ?",
		"SELECT @@version, @@global.version, @@ann, @`ann eve`, :v1, ann":       "SELECT @@version, @@global.version, @@_, @_, :_, _",
		"SELECT a\u00e9ann, \x01":                                               "SELECT a___, _",
		"SELECT x'4fann', b'01eve', 0x4fann, 1e5ann":                            "SELECT ?_?_?",
		"SELECT a":      "SELECT a",
		"SELECT 'a\\":   "SELECT ?",
		"/* never ends": "",
		"":              "",
	} {
		if got := gate.Digest(statement, keeps, 1024); got != want {
			t.Errorf("%s\n%s, want\n%s", statement, got, want)
		}
	}
	long := gate.Digest("SELECT "+strings.Repeat("`größe`, ", 5000), func(string) bool { return true }, 1024)
	if len(long) > 1024 || !strings.HasSuffix(long, "...") {
		t.Errorf("%d bytes, %q", len(long), long[len(long)-20:])
	}
}

func TestWords(t *testing.T) {
	var got []string
	gate.Words("SELECT a, `b c`, 'd', @e, @@global.f FROM G -- h", func(word string) { got = append(got, word) })
	if want := []string{"b c", "@@f", "G"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A digest contains only SQL keywords, signs and masks, whatever the quotes in the text.
func FuzzDigest(f *testing.F) {
	f.Add("SELECT 'a', 1 FROM `t` /* x */ -- y")
	f.Add("SELECT \"a\\\", 'zzsecretzz' AS \"b\"")
	f.Add("x'zz zzsecretzz' \x00zzsecretzz")
	none := func(string) bool { return false }
	f.Fuzz(func(t *testing.T, text string) {
		for _, secret := range []string{"zzsecretzz", " 'zzsecretzz'", " `zzsecretzz`", "\"zzsecretzz", " @zzsecretzz", "\xe4zzsecretzz"} {
			got := gate.Digest(text+secret, none, 1024)
			if strings.Contains(strings.ToLower(got), "zzsecretzz") {
				t.Errorf("%q: %q", text+secret, got)
			}
			if len(got) > 1024 {
				t.Errorf("%d bytes", len(got))
			}
			if strings.ContainsFunc(got, func(r rune) bool { return r >= 0x80 || r < ' ' || r >= '0' && r <= '9' }) {
				t.Errorf("%q: %q", text+secret, got)
			}
		}
	})
}
