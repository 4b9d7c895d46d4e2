package server_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// analystPassword is what a document gives the account bi.
var analystPassword = regexp.MustCompile(`create_analyst\('bi', '([^']*)'`)

// sqlBlock is a block of SQL: by whom, the error that it must end with, and the
// statements.
var sqlBlock = regexp.MustCompile("(?s)```sql( analyst)?(?: error (\\d+))?\n(.*?)```")

// Every SQL statement of the README and of docs runs as it stands, in its order,
// on the sample people, and has an answer; those of analysts with the analyst's
// account. A block that must fail fails with its number.
func TestDocuments(t *testing.T) {
	oneClient(t)
	documents, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, path := range append(documents, "../README.md", "../SECURITY.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		blocks := sqlBlock.FindAllStringSubmatch(string(text), -1)
		if len(blocks) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			playDocument(t, string(text), blocks)
		})
		total += len(blocks)
	}
	if total < 40 {
		t.Errorf("only %d blocks of SQL were found", total)
	}
}

func playDocument(t *testing.T, text string, blocks [][]string) {
	s := servertest.Start(t, server.Config{Extend: server.Product, ExportDir: t.TempDir()})
	importTo(t, s.Addr, writePeople(t, 1500))
	owner := s.Open(t, servertest.Root)
	var analyst *dbsql.DB
	for _, block := range blocks {
		db := owner
		if block[1] != "" {
			if analyst == nil {
				password := analystPassword.FindStringSubmatch(text)
				if password == nil {
					t.Fatal("it makes no account bi")
				}
				analyst = s.Open(t, servertest.Account{User: "bi", Password: password[1], Database: "published"})
				analyst.SetMaxOpenConns(1) // SHOW WARNINGS is of the session
			}
			db = analyst
		}
		for _, statement := range strings.Split(strings.TrimSpace(block[3]), ";\n") {
			playStatement(t, db, strings.TrimSuffix(statement, ";"), block[2])
		}
	}
}

// playStatement runs one statement to its end. number is the error that it must
// give, "" for none.
func playStatement(t *testing.T, db *dbsql.DB, statement, number string) {
	t.Helper()
	rows, err := rowsOf(db, statement)
	if number != "" {
		var refusal *mysql.MySQLError
		if !errors.As(err, &refusal) || strconv.Itoa(int(refusal.Number)) != number {
			t.Errorf("%s\nmust fail with %s: %v", statement, number, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s\n%v", statement, err)
	}
	verb, _, _ := strings.Cut(statement, " ")
	if rows == 0 && (verb == "SELECT" || verb == "CALL" || verb == "SHOW" || verb == "EXPLAIN") {
		t.Errorf("%s\nhas no rows", statement)
	}
}

func rowsOf(db *dbsql.DB, statement string) (n int, err error) {
	rows, err := db.QueryContext(context.Background(), statement)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		n++
	}
	return n, rows.Err()
}
