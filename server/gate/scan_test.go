package gate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// shape is a token as far as both scanners distinguish it.
func shape(typ int) kind {
	switch typ {
	case 0:
		return end
	case sqlparser.STRING:
		return text
	case ';':
		return semicolon
	case ',':
		return comma
	case '.':
		return dot
	case '(', '{', '[':
		return open
	case ')', '}', ']':
		return close
	}
	return sign
}

// The engine's tokenizer and the scanner see the same strings, names, commas and parentheses in the same order, in
// texts of all pieces that change how the rest is read.
func TestTokensAreTheEngines(t *testing.T) {
	pieces := []string{"'", "'", `"`, "`", "\\", "a", "not ", "NOT", "for ", "@", "@@", "@`", "--", "//", "#", "\n", "/*", "/*!", "/*!50000", "/*!123456",
		"*/", "*/",
		"*", "/", " ", " ", "\t", "1", "0x1f", "1e5", ".5", "1.", "1a",
		"x'", "b'", "x'4f'", "b'01'", ":", "::", ":=", ":a", "?", "(", ")", ",", ";", ".", "->", "->>",
		"<=>", "<<", ">=", "!=",
		"!", "&&", "||", "|", "\x00", "\xff", "$", "_utf8", "N'a'", "'a' ", "''", `\'`, "case", "end", "%", "\v", "{", "}", "-", "e", "enforced"}
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 300_000
	compared := 0
	for range trials {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		compared += compare(t, b.String(), random.IntN(2) == 0)
		if t.Failed() {
			return
		}
	}
	if compared < trials {
		t.Errorf("only %d tokens were compared", compared)
	}
}

// compare returns the number of equal tokens before the first invalid one.
func compare(t *testing.T, query string, ansi bool) (same int) {
	t.Helper()
	defer func() {
		if recover() != nil { // /*!123*/, over which the engine's tokenizer panics
			same = 0
		}
	}()
	theirs := sqlparser.NewStringTokenizer(query)
	if ansi {
		theirs = sqlparser.NewStringTokenizerForAnsiQuotes(query)
	}
	ours := newScanner(query, ansi, 1000)
	for same = 0; same < 1000; same++ {
		typ, value := theirs.Scan()
		for typ == sqlparser.COMMENT {
			typ, value = theirs.Scan()
		}
		if typ == sqlparser.LEX_ERROR {
			return same // neither reads the statement any further
		}
		k := ours.next()
		if k == sign || k == word || k == variable || k == quoted || k == number {
			k = sign
		}
		if typ == sqlparser.NOT_ENFORCED || typ == sqlparser.FOR_VERSION || typ == sqlparser.FOR_SYSTEM_TIME {
			ours.next() // two words in one token
		}
		if k != shape(typ) {
			t.Errorf("%q (ANSI %v): token %d is %d for the engine, %q, and ours of kind %d, %q",
				query, ansi, same, typ, value, k, query[ours.from:min(ours.at, len(query))])
			return same
		}
		if typ == 0 {
			return same
		}
	}
	return same
}

// Tokens are pieces of the text in order. Comments hide text; the text in a /*! comment counts.
func TestTokens(t *testing.T) {
	const text = "SELECT a.`b`, ('(') /* ( */ FROM t /*!40100 WHERE (1) */ -- (\n;"
	var got []string
	last := 0
	for token := range Tokens(text, false) {
		if token.From < last || token.To <= token.From {
			t.Fatalf("%+v follows byte %d", token, last)
		}
		last = token.To
		got = append(got, fmt.Sprintf("%d%s", token.Kind, strings.TrimSpace(text[token.From:token.To])))
	}
	want := "1SELECT 1a 8. 3`b` 7, 10( 4'(' 11) 1FROM 1t 1WHERE 10( 51 11) 9;"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	for range Tokens(text, false) {
		break // a reader may stop
	}
}

// A reading ends with its statement, and reports whether it contains a keyword of an extension.
func TestReading(t *testing.T) {
	limits := Limits{Nesting: 20, Terms: 20}
	for text, want := range map[string]Reading{
		"SELECT 1; SELECT MEDIAN(1)":           {9, false},
		"SELECT Median(1); SELECT 1":           {17, true},
		"SELECT percentile_cont FROM t":        {29, true},
		"SELECT 'ROLLUP', `median`, t.rollup":  {35, false},
		"SELECT 1 /* ROLLUP */":                {21, false},
		"SELECT 1 /*!40100 WITH ROLLUP */":     {32, true},
		"CREATE PROCEDURE p() BEGIN; ROLLUP; ": {36, true},
	} {
		if got, refused := Read(text, false, true, limits); refused != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, refused, want)
		}
	}
	if got, refused := Read("SELECT 1; SELECT MEDIAN(1)", false, false, limits); refused != nil || got != (Reading{26, true}) {
		t.Errorf("as one text: %+v, %v", got, refused)
	}
	if got, refused := Read("SELECT "+strings.Repeat("(", 30), false, true, limits); refused == nil || got != (Reading{}) {
		t.Errorf("what is refused: %+v, %v", got, refused)
	}
}
