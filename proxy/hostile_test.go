package proxy

import (
	"context"
	"database/sql"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	_ "github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server/gate"
)

// hostileTexts have quotes, escapes and comments in which a reader may lose the end of a statement. Each has the number of its statements for
// an upstream server, and for the server's own parser, 0 where that reads no further: where these differ, no scanner can serve both.
var hostileTexts = []struct {
	mode, set, text string
	upstream, own   int
}{
	{"", "", "SELECT 'it''s;', \"say \"\"so;\"\"\"; SELECT 2", 2, 2},
	{"", "", `SELECT 'a' '; SELECT 2'`, 1, 1},
	{"", "", `SELECT '\'; SELECT 2; -- '`, 1, 1},
	{"", "", `SELECT "\"; SELECT 2; -- "`, 1, 1},
	{"", "", `SELECT '\\'; SELECT 2`, 2, 2},
	{"NO_BACKSLASH_ESCAPES", "", `SELECT '\'; SELECT 2 -- '`, 2, 1},
	{"NO_BACKSLASH_ESCAPES", "", `SELECT "\"; SELECT 2 -- "`, 2, 1},
	{"", "", "SELECT 1 AS `a\\`; SELECT 2", 2, 2},
	{"", "", "SELECT 1 AS `a``;`; SELECT 2", 2, 2},
	{"ANSI_QUOTES", "", `SELECT 1 AS "a;b"`, 1, 1},
	{"ANSI_QUOTES", "", `SELECT 1 AS "a\"; SELECT 2 AS "b"`, 2, 2},
	{"ANSI_QUOTES", "", `SELECT 1 AS "a\", 2 AS "; CALL drop_release(1); "`, 1, 1},
	{"ANSI_QUOTES", "", `SELECT 1 AS "a""; b"; SELECT '"'; SELECT '\'; "'`, 3, 3},
	{"", "", "SELECT 1 /* ; */; SELECT 2 -- ; x\n", 2, 2},
	{"", "", "SELECT 1 # ; '\n; SELECT 2", 2, 2},
	{"", "", "SELECT 1 --\t; '\n; SELECT 2", 2, 2},
	{"", "", "SELECT 2--1; SELECT 3", 2, 1},
	{"", "", "SELECT 1 /* /* ' */; SELECT 2 -- */", 2, 2},
	{"", "", "SELECT 1 /*!40100 + 1 */; SELECT 2", 2, 2},
	{"", "", "SELECT 1 /*! /* ; */ + 1 */; SELECT 2", 2, 0},
	{"", "", "SELECT 1 /*! + '*/;' */; SELECT 2", 2, 0},
	{"", "", "SELECT 1 /*M! + 1 */; SELECT 2", 2, 2},
	{"", "", "SELECT x'3b27', 0x3b27, b'00100111', 0b0; SELECT 2", 2, 2},
	{"", "", "SELECT N'a;', _utf8mb4'b;', _utf8mb4 X'3b'; SELECT 2", 2, 2},
	{"", "", "SELECT @`a;b`, @'c;d'; SELECT 2", 2, 0},
	{"", "gbk", "SELECT '\xbf\x5c', ';'", 1, 0},
	{"", "gbk", "SELECT 1 AS `\x81\x60`; SELECT 2", 2, 0},
	{"", "big5", "SELECT '\xa5\x5c', ';'", 1, 0},
	{"", "sjis", "SELECT '\x83\x5c', ';'", 1, 0},
	{"", "sjis", "SELECT '\xb1\\', '; SELECT 2", 2, 2},
	{"NO_BACKSLASH_ESCAPES", "gbk", "SELECT '\xbf\x5c', ';'", 1, 0},
	{"ANSI_QUOTES", "gbk", "SELECT 1 AS \"\x81\x5c\"; SELECT '\x81\x5c;'", 2, 2},
}

// Each lexer finds as many statements as the parser that it stands for: ours as MariaDB, the gate's as the server's own.
func TestHostileTexts(t *testing.T) {
	server := mariadbtest.Start(t, mariadbtest.Options{WithoutAccounts: true})
	db, err := sql.Open("mysql", "root@tcp("+server.Address+")/?multiStatements=true")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, h := range hostileTexts {
		ansi := h.mode == "ANSI_QUOTES"
		set := h.set
		if set == "" {
			set = "utf8mb4"
		}
		if _, err := conn.ExecContext(context.Background(), "SET NAMES "+set+"; SET sql_mode = '"+h.mode+"'"); err != nil {
			t.Fatal(err)
		}
		if got := countResults(t, conn, h.text); got != h.upstream {
			t.Errorf("%s %s %q: MariaDB has %d results, want %d", h.mode, set, h.text, got, h.upstream)
		}
		if got := len(words.split(h.text, false, reading{h.mode == "NO_BACKSLASH_ESCAPES", ansi, wideSets[h.set]})); got != h.upstream {
			t.Errorf("%s %s %q: the lexer has %d statements, want %d", h.mode, set, h.text, got, h.upstream)
		}
		if got := countParsed(h.text, ansi); got != h.own {
			t.Errorf("%s %s %q: the parser's tokenizer has %d statements, want %d", h.mode, set, h.text, got, h.own)
		}
		got := 0
		gate.Statements(h.text, ansi, 1000, func(tokens []gate.Token) bool {
			got += min(len(tokens), 1)
			return true
		})
		if h.own > 0 && got != h.own {
			t.Errorf("%s %s %q: the gate has %d statements, want %d", h.mode, set, h.text, got, h.own)
		}
	}
}

// countResults is how many statements a server runs.
func countResults(t *testing.T, conn *sql.Conn, text string) int {
	t.Helper()
	rows, err := conn.QueryContext(context.Background(), text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return 0
	}
	defer rows.Close()
	n := 1
	for rows.NextResultSet() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%q, after %d: %v", text, n, err)
	}
	return n
}

// countParsed is how many statements the tokenizer of the server's parser finds, 0 for a text that it does not read to its end.
func countParsed(text string, ansi bool) (n int) {
	tokenizer := sqlparser.NewStringTokenizer(text)
	if ansi {
		tokenizer = sqlparser.NewStringTokenizerForAnsiQuotes(text)
	}
	begun := false
	for {
		switch typ, _ := tokenizer.Scan(); {
		case typ == sqlparser.LEX_ERROR:
			return 0
		case typ == 0:
			return n
		case typ == ';':
			begun = false
		case typ != sqlparser.COMMENT && !begun:
			begun, n = true, n+1
		}
	}
}

// The router recognises a text that ANSI_QUOTES splits differently, and asks upstream for the mode.
func TestQuotesThatHangOnTheMode(t *testing.T) {
	for text, certain := range map[string]bool{
		`SELECT 1 AS "a\", 2 AS "; CALL drop_release(1); "`: false,
		`SELECT COUNT(*) FROM "published".p`:                false,
		`SELECT "it\"s; "`:                                  false,
		`SELECT "a", 'b'`:                                   true,
		`USE "published"`:                                   false,
	} {
		if got := words.isUnambiguous(text, false, false, words.split(text, false, reading{})); got != certain {
			t.Errorf("%s is the same in both modes: %v, want %v", text, got, certain)
		}
	}
}
