package acceptance

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// panicked matches the server's error for a statement that panicked, and Go's messages for panics.
var panicked = regexp.MustCompile(`(?i)internal error|panic|runtime error|interface conversion|nil pointer|out of range \[`)

// Every shape of a statement gets an answer, or an error with a reason, on one lasting connection.
func TestShapesThatPanicked(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/panics.sql")
	if err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE d")
	root := servertest.Root
	root.Database = "d"
	conn := s.Connect(t, root)
	answered := 0
	for line := range bytes.Lines(script) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "--") {
			continue
		}
		rows, err := conn.QueryContext(t.Context(), text)
		if err == nil {
			for rows.Next() {
				answered++
			}
			err = rows.Err()
			rows.Close()
		}
		var known *mysql.MySQLError
		switch {
		case err == nil:
		case !errors.As(err, &known):
			t.Fatalf("%s: the connection is lost: %v", text, err)
		case panicked.MatchString(known.Message):
			t.Errorf("%s: %v", text, err)
		}
	}
	if answered < 100 {
		t.Errorf("%d rows were answered", answered)
	}
}

// Statements that MySQL does not prepare, or whose text the engine would take from EXECUTE, are error 1295, in SQL and in the protocol.
func TestWhatIsNotPrepared(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	servertest.Exec(t, db, "CREATE DATABASE d", "USE d", "PREPARE one FROM 'SELECT 1'")
	number := func(err error) uint16 {
		var known *mysql.MySQLError
		errors.As(err, &known)
		return known.Number
	}
	for _, text := range []string{"EXECUTE one", "PREPARE two FROM 'SELECT 2'", " /* x */ DEALLOCATE PREPARE one"} {
		if _, err := db.Prepare(text); err == nil || number(err) != 1295 {
			t.Errorf("%s was prepared: %v", text, err)
		}
	}
	for _, text := range []string{"EXECUTE one", "CREATE PROCEDURE p() SELECT 1", "CREATE VIEW v AS SELECT 1 AS a"} {
		servertest.Exec(t, db, "SET @text = '"+text+"'", "PREPARE two FROM @text")
		if _, err := db.Exec("EXECUTE two"); err == nil || number(err) != 1295 {
			t.Errorf("%s was executed by its name: %v", text, err)
		}
	}
	if _, err := db.Exec("EXECUTE one"); err != nil {
		t.Error(err)
	}
}
