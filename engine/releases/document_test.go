package releases_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestDocument plays the statements of docs/trino.md: the administrator's, and then the owner's.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/trino.md")
	if err != nil {
		t.Fatal(err)
	}
	c := enginetest.Need(t)
	for _, statement := range []string{"DROP SCHEMA IF EXISTS sales CASCADE", "CREATE SCHEMA sales",
		"DROP SCHEMA IF EXISTS sales_private CASCADE", "CREATE SCHEMA sales_private", "DROP SCHEMA IF EXISTS sales_published CASCADE", "CREATE SCHEMA sales_published",
		"CREATE TABLE sales.people AS SELECT n AS id, 20 + n * 7 % 60 AS age, concat('town ', CAST(n % 9 AS varchar)) AS town, concat('disease ', CAST(n * 31 % 7 AS varchar)) AS disease " +
			"FROM UNNEST(sequence(1, 1000)) AS t(n)"} {
		if _, err := c.Client.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	f := serve(t, c.URL, "sales", 0)
	blocks := regexp.MustCompile("(?s)```mysql\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 3 {
		t.Fatalf("the page has %d blocks of statements, want the administrator's and two of the owner's", len(blocks))
	}
	olga := f.Open(t, servertest.Account{User: "olga", Password: "a long password 7"})
	for _, play := range []struct {
		by         string
		statements string
	}{{"root", blocks[0][1]}, {"olga", blocks[1][1]}, {"olga", blocks[2][1]}} {
		db := f.owner
		if play.by == "olga" {
			db = olga
		}
		for _, statement := range strings.Split(strings.TrimSuffix(play.statements, ";\n"), ";\n") {
			rows, err := tries(db, statement)
			if err != nil || strings.HasPrefix(statement, "SELECT") && len(rows) == 0 {
				t.Errorf("%s: %s: %d rows, %v", play.by, statement, len(rows), err)
			}
		}
	}
}
