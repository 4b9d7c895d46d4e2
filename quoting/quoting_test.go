package quoting

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
)

// hostile are texts that would end a literal or a name early, were they written as they are.
var hostile = []string{"", "plain", "O'Brien", `a\`, `\'`, `\\'`, `'; DROP TABLE t; -- `, `' OR 1 = 1 #`, "/*! SELECT 1 */", "*/", "a`b", "`", "``; SELECT 1",
	`"`, "\n\r\t", "中'", "\u00bf\\", "%_", "?", "X'27'", "\x1a"}

// A MySQL server reads back what was written. A backslash means itself where NO_BACKSLASH_ESCAPES is set, and Text is then two of them,
// but no more than a text.
func TestServerReadsWhatIsWritten(t *testing.T) {
	server := mariadbtest.Start(t, mariadbtest.Options{WithoutAccounts: true})
	db, err := sql.Open("mysql", "root@tcp("+server.Address+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, mode := range []string{"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"} {
		for _, set := range []string{"utf8mb4", "latin1"} {
			for _, text := range hostile {
				read(t, conn, mode, set, text)
			}
		}
	}
}

func read(t *testing.T, conn *sql.Conn, mode, set, text string) {
	t.Helper()
	for _, statement := range []string{"SET NAMES " + set, "SET sql_mode = " + Text(mode)} {
		if _, err := conn.ExecContext(context.Background(), statement); err != nil {
			t.Fatal(err)
		}
	}
	var texts, exact, named string
	const name = "n"
	statement := fmt.Sprintf("SELECT CONCAT_WS('|', %s), HEX(%s), %s FROM (SELECT 1 AS %s) AS t", Texts(text, "b"), Hex(text), Name("t", name+text), Name(name+text))
	if strings.HasSuffix(text, " ") || strings.ContainsAny(text, "\x1a") { // no name ends so
		statement = fmt.Sprintf("SELECT CONCAT_WS('|', %s), HEX(%s), 1", Texts(text, "b"), Hex(text))
	}
	if err := conn.QueryRowContext(context.Background(), statement).Scan(&texts, &exact, &named); err != nil {
		t.Errorf("%s, %s: %s: %v", mode, set, statement, err)
		return
	}
	want := text + "|b"
	if mode == "NO_BACKSLASH_ESCAPES" {
		want = strings.ReplaceAll(want, `\`, `\\`)
	}
	if texts != want || exact != fmt.Sprintf("%X", text) || named != "1" {
		t.Errorf("%s, %s: %s is %q, %s, %s", mode, set, statement, texts, exact, named)
	}
}

func TestNamesAreReadBack(t *testing.T) {
	for _, name := range hostile {
		if got := Unquoted(Name(name)); got != name {
			t.Errorf("%q is written %s and read as %q", name, Name(name), got)
		}
	}
	for _, name := range []string{"", "a", "`", "`a"} {
		if got := Unquoted(name); got != name {
			t.Errorf("%q without closing quotes is read as %q", name, got)
		}
	}
	if got := Name("shop", "a`b"); got != "`shop`.`a``b`" {
		t.Errorf("a path is %s", got)
	}
}
