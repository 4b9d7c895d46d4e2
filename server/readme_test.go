package server_test

import (
	"context"
	dbsql "database/sql"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// analystPassword is what the README gives the account bi.
var analystPassword = regexp.MustCompile(`(?:create_analyst\('bi', |'bi'@'%' IDENTIFIED BY )'([^']*)'`)

var sqlBlock = regexp.MustCompile("(?s)```sql( analyst)?\n(.*?)```")

// Every SQL statement of the README runs as it stands, in its order, on the
// sample people; those of the analyst's block with the analyst's account.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, server.Config{Extend: server.Product})
	importTo(t, s.Addr, writePeople(t, 5000))
	password := analystPassword.FindStringSubmatch(string(text))
	if password == nil {
		t.Fatal("the README makes no account bi")
	}
	statements := 0
	var analyst *dbsql.DB
	owner := s.Open(t, servertest.Root)
	for _, block := range sqlBlock.FindAllStringSubmatch(string(text), -1) {
		db := owner
		if block[1] != "" {
			if analyst == nil {
				analyst = s.Open(t, servertest.Account{User: "bi", Password: password[1], Database: "published"})
			}
			db = analyst
		}
		for _, statement := range strings.Split(strings.TrimSpace(block[2]), ";\n") {
			statements++
			rows, err := db.QueryContext(context.Background(), strings.TrimSuffix(statement, ";"))
			if err != nil {
				t.Fatalf("%s\n%v", statement, err)
			}
			n := 0
			for rows.Next() {
				n++
			}
			if err := rows.Err(); err != nil {
				t.Fatalf("%s\n%v", statement, err)
			}
			rows.Close()
			if n == 0 && (strings.HasPrefix(statement, "SELECT") || strings.HasPrefix(statement, "CALL")) {
				t.Errorf("%s\nhas no rows", statement)
			}
		}
	}
	if statements < 10 {
		t.Fatalf("only %d statements were found in the README", statements)
	}
}
