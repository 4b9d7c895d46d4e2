package acceptance

import (
	"io"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// LOAD DATA reads the same values with REPLACE: escapes, the text NULL, a line break between quotes.
func TestLoadDataReplace(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	mysql.RegisterReaderHandler("escapes", func() io.Reader { return strings.NewReader("a\\tb\tNULL\n\"x\\ny\"\t\\N\n\"q\nr\"\t5\n") })
	defer mysql.DeregisterReaderHandler("escapes")
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (a VARCHAR(10) PRIMARY KEY, b VARCHAR(10))", "INSERT INTO d.t VALUES ('a\tb', 'old')",
		"LOAD DATA LOCAL INFILE 'Reader::escapes' REPLACE INTO TABLE d.t FIELDS OPTIONALLY ENCLOSED BY '\"'")
	got := one[string](t, db, "SELECT GROUP_CONCAT(HEX(a), '=', COALESCE(HEX(b), 'NULL') ORDER BY a) FROM d.t")
	if want := "610962=NULL,710A72=35,780A79=NULL"; got != want {
		t.Errorf("loaded %s, want %s", got, want)
	}
}
