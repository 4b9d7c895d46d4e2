package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

var words = vocabulary{
	database:      func(n string) bool { return strings.EqualFold(n, "published") || strings.EqualFold(n, "anonsql") },
	procedure:     func(n string) bool { return slices.Contains([]string{"anonymize", "report"}, strings.ToLower(n)) },
	tableFunction: func(n string) bool { return slices.Contains([]string{"slppa", "anon_privacy"}, strings.ToLower(n)) },
	function:      func(n string) bool { return strings.EqualFold(n, "anon_actual") },
	variable:      func(n string) bool { return strings.EqualFold(n, "anon_estimator") },
}

// TestRecognise: the tokens of a statement decide who answers it; texts and comments do not.
func TestRecognise(t *testing.T) {
	for _, c := range []struct {
		text string
		want kind
	}{
		{"SELECT 1", passedOn},
		{"call anonymize('t', 'slppa')", answeredHere},
		{"/* a */ CALL -- b\n `anonymize` ('t')", answeredHere},
		{"CALL anonsql.report('p')", answeredHere},
		{"CALL mine.report('p')", passedOn},
		{"CALL other()", passedOn},
		{"SELECT COUNT(*) FROM published.p", answeredHere},
		{"SELECT COUNT(*) FROM `published` . p", answeredHere},
		{"SELECT 'published.p'", passedOn},
		{"SELECT \"published.p\" /* published.p */ -- published.p", passedOn},
		{"SELECT 'it''s \\' published.' , 1", passedOn},
		{"SELECT published FROM t", passedOn},
		{"SELECT t.published.x FROM t", passedOn},
		{"/*!50000 SELECT * FROM published.p */", answeredHere},
		{"SELECT * FROM slppa(t, 1)", answeredHere},
		{"SELECT * FROM a, SLPPA (t, 1)", answeredHere},
		{"SELECT * FROM a JOIN slppa(t)", answeredHere},
		{"SELECT slppa(1)", passedOn},
		{"SELECT slppa FROM slppa", passedOn},
		{"SELECT ANON_ACTUAL(COUNT(*)) FROM p", answeredHere},
		{"SELECT anon_x FROM t", passedOn},
		{"SELECT @anon_x", passedOn},
		{"SELECT @@anon_estimator, 1", answeredHere},
		{"SELECT @@session.anon_estimator", answeredHere},
		{"SET anon_estimator = 'independent'", answeredHere},
		{"SET autocommit = 0", passedOn},
		{"SHOW TABLES FROM published", answeredHere},
		{"SHOW FULL COLUMNS FROM p IN `anonsql`", answeredHere},
		{"USE published", useDatabase},
		{"use `shop`", useDatabase},
		{"SHOW WARNINGS LIMIT 3", warnings},
		{"SHOW COUNT(*) WARNINGS", warnings},
		{"SHOW ERRORS", warnings},
		{"GET DIAGNOSTICS @n = NUMBER", warnings},
		{"KILL 7", kill},
		{"KILL QUERY 7", kill},
		{"SHOW DATABASES", allDatabases},
		{"SHOW DATABASES LIKE 'p%'", passedOn},
		{"EXPLAIN SELECT COUNT(*) FROM published.p", answeredHere},
		{"DESCRIBE published.p", answeredHere},
		{"SELECT 1 -", passedOn},
		{"SELECT 'unended published.p", passedOn},
		{"SELECT `unended published.p", passedOn},
		{"/* unended published.p", passedOn},
	} {
		found := words.split(c.text, false, reading{})
		got := passedOn
		if len(found) > 0 {
			got = found[0].kind
		}
		if len(found) > 1 || got != c.want {
			t.Errorf("%s: %v, want one of kind %d", c.text, found, c.want)
		}
	}
}

// TestNamesThatBeginAlike: names that begin with anon_ are the owner's, except our functions and variables.
func TestNamesThatBeginAlike(t *testing.T) {
	for text, want := range map[string]kind{
		"CREATE TABLE anon_visits (id INT, KEY anon_k (id))": passedOn,
		"INSERT INTO anon_visits (id) VALUES (1)":            passedOn,
		"SHOW COLUMNS FROM anon_visits":                      passedOn,
		"SET anon_x = 1":                                     passedOn,
		"SELECT @@anon_x":                                    passedOn,
		"SELECT anon_actual (COUNT(*)) FROM p":               answeredHere,
		"SELECT 1 FROM a STRAIGHT_JOIN anon_privacy(t)":      answeredHere,
	} {
		if found := words.split(text, false, reading{}); len(found) != 1 || found[0].kind != want {
			t.Errorf("%s: %v, want one of kind %d", text, found, want)
		}
	}
}

// TestKilled: what is ended here has the number of a connection behind KILL, and nothing else.
func TestKilled(t *testing.T) {
	for text, want := range map[string]string{
		"KILL 57": "57", "KILL QUERY 57": "57", "KILL CONNECTION 57": "57", "KILL SOFT 57": "57", "KILL HARD QUERY 57": "57",
		"KILL QUERY ID 57": "", "KILL QUERY 5+1": "", "KILL USER 57": "", "KILL QUERY USER 'x'@57": "", "KILL": "", "KILL '57'": "", "KILL @a": "",
	} {
		if found := words.split(text, false, reading{}); len(found) != 1 || found[0].kind != kill || found[0].name != want {
			t.Errorf("%s: %v, want a KILL of %q", text, found, want)
		}
	}
}

// TestSplit: a text is cut at the semicolons between its statements.
func TestSplit(t *testing.T) {
	show := func(found []statement) string {
		var parts []string
		for _, s := range found {
			parts = append(parts, fmt.Sprintf("%d:%s", s.kind, strings.TrimSpace(s.text)))
		}
		return strings.Join(parts, "|")
	}
	for _, c := range []struct {
		text      string
		here      bool
		noEscapes bool
		want      string
	}{
		{"SELECT 1; SELECT 2", false, false, "0:SELECT 1|0:SELECT 2"},
		{";; SELECT ';' ;", false, false, "0:SELECT ';'"},
		{"SELECT 1; USE published; SELECT 2; USE shop; SELECT 3", false, false, "0:SELECT 1|2:USE published|1:SELECT 2|2:USE shop|0:SELECT 3"},
		{"SELECT 1", true, false, "1:SELECT 1"},
		{`SELECT '\'; SELECT 2; '`, false, false, `0:SELECT '\'; SELECT 2; '`},
		{`SELECT '\'; SELECT 2`, false, true, `0:SELECT '\'|0:SELECT 2`},
		{"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END", false, false, "0:CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END"},
		{"BEGIN NOT ATOMIC USE published; SELECT 2; END", false, false, "0:BEGIN NOT ATOMIC USE published; SELECT 2; END"},
		{"CREATE PROCEDURE p() IF 1 THEN KILL 7; END IF", false, false, "0:CREATE PROCEDURE p() IF 1 THEN KILL 7; END IF"},
		{"CREATE OR REPLACE TRIGGER a BEFORE INSERT ON t FOR EACH ROW WHILE 1 DO KILL 7; END WHILE", false, false,
			"0:CREATE OR REPLACE TRIGGER a BEFORE INSERT ON t FOR EACH ROW WHILE 1 DO KILL 7; END WHILE"},
		{"IF 1 THEN KILL 7; END IF; KILL 8", false, false, "0:IF 1 THEN KILL 7; END IF|4:KILL 8"},
		{"CREATE PROCEDURE p() SELECT 1; KILL 7", false, false, "0:CREATE PROCEDURE p() SELECT 1|4:KILL 7"},
		{"CREATE TABLE t (event INT); KILL 7; IF 1 THEN KILL 8; END IF", false, false, "0:CREATE TABLE t (event INT)|4:KILL 7|0:IF 1 THEN KILL 8; END IF"},
		{"BEGIN; SELECT COUNT(*) FROM published.p; COMMIT", false, false, "0:BEGIN|1:SELECT COUNT(*) FROM published.p|0:COMMIT"},
		{"", false, false, ""},
	} {
		if got := show(words.split(c.text, c.here, reading{noEscapes: c.noEscapes})); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// TestManySemicolons: the time of a cut grows with the text. Where each semicolon looked at all words before it, this took hours.
func TestManySemicolons(t *testing.T) {
	const many = 200_000
	for _, text := range []string{
		"CREATE " + strings.Repeat("a ", many) + "PROCEDURE " + strings.Repeat(";", many) + " END IF",
		"CREATE " + strings.Repeat("a ", many) + strings.Repeat(";", many) + " END IF",
		strings.Repeat("IF 1 THEN KILL 7; END IF; ", many/10),
	} {
		if found := words.split(text, false, reading{}); len(found) == 0 || !strings.HasPrefix(text, found[0].text) {
			t.Errorf("%.20q has %d statements", text, len(found))
		}
	}
}

// FuzzSplit: no text makes the lexer stop early, loop forever or lose bytes of a statement: between statements are only separators, spaces and comments.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"SELECT 1; USE published", "'", "\"\\", "`", "/*!", "--", "/*! */ ; #", "KILL", "@@.", "é;ü", ";/*M!1 ;*/;KILL 7; -- ;\n;#", "/*! KILL 7;*/;/**/;x"} {
		f.Add(seed, false, false)
	}
	f.Fuzz(func(t *testing.T, text string, noEscapes, ansiQuotes bool) {
		end := 0
		for _, s := range words.split(text, false, reading{noEscapes, ansiQuotes, wideSets["gbk"]}) {
			begun := int(uintptr(unsafe.Pointer(unsafe.StringData(s.text))) - uintptr(unsafe.Pointer(unsafe.StringData(text))))
			if s.text == "" || begun < end || begun+len(s.text) > len(text) {
				t.Fatalf("%q has no statement %q", text, s.text)
			}
			if lost := withoutComments(text[end:begun]); lost != "" {
				t.Errorf("%q loses %q before %q", text, lost, s.text)
			}
			end = begun + len(s.text)
		}
		if lost := withoutComments(text[end:]); lost != "" {
			t.Errorf("%q loses %q at its end", text, lost)
		}
	})
}

// withoutComments is a text from its first byte on that is no separator, space or comment; what /*! */ has is none.
func withoutComments(text string) string {
	for text != "" {
		switch {
		case strings.IndexByte("; \t\r\n\f\v\x00", text[0]) >= 0:
			text = text[1:]
		case text[0] == '#', text == "--", strings.HasPrefix(text, "--") && text[2] <= ' ':
			_, text, _ = strings.Cut(text, "\n")
		case strings.HasPrefix(text, "*/"):
			text = text[2:]
		case strings.HasPrefix(text, "/*!"), strings.HasPrefix(text, "/*M!"):
			_, text, _ = strings.Cut(text, "!")
			text = strings.TrimLeft(text, "0123456789")
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[2:], "*/")
		default:
			return text
		}
	}
	return ""
}

// TestWideCharacters: in a set in which the second byte of a character can be a backslash, a literal ends where the server ends it; where sets
// differ, that is known.
func TestWideCharacters(t *testing.T) {
	const gbk = "INSERT INTO t VALUES ('\xbf\x5c', 'x; CALL drop_release(1)')"
	for _, c := range []struct {
		text, set string
		want      int
		certain   bool
	}{
		{gbk, "", 2, false},
		{gbk, "gbk", 1, false},
		{gbk, "gb18030", 1, false},
		{gbk, "big5", 1, false},
		{gbk, "sjis", 2, false}, // 0xbf is a character of its own there
		{"SELECT '\x83\x5c; SELECT 1', 2", "sjis", 1, true},
		{"SELECT '\x83\x5c', '; SELECT 1'", "cp932", 1, false},
		{"SELECT `\x81\x60; SELECT 1`", "gbk", 1, false},
		{"SELECT 'é\\n'; SELECT 1", "", 2, true},
		{"SELECT '中'; CALL drop_release(1)", "", 2, true},
	} {
		found := words.split(c.text, false, reading{wide: wideSets[c.set]})
		if len(found) != c.want {
			t.Errorf("%q in %s has %d statements, want %d", c.text, c.set, len(found), c.want)
		}
		if got := words.isUnambiguous(c.text, false, false, words.split(c.text, false, reading{})); got != c.certain {
			t.Errorf("%q is the same in all sets: %v, want %v", c.text, got, c.certain)
		}
	}
}
