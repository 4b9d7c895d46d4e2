package acceptance

import (
	"io"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// LOAD DATA with REPLACE reads the same values: escapes, the text NULL, a line break in quotes.
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

// SET converts as INSERT does, in order.
func TestLoadDataSet(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	mysql.RegisterReaderHandler("assigned", func() io.Reader { return strings.NewReader("1\ty\t2024-05-06\n") })
	defer mysql.DeregisterReaderHandler("assigned")
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (a INT, e ENUM('x','y'), w DATE, u VARCHAR(9), v ENUM('y','x'), n INT, q DECIMAL(9,6), z INT, o INT)",
		"LOAD DATA LOCAL INFILE 'Reader::assigned' INTO TABLE d.t (a, e, w) SET u = e, v = e, n = w, q = a / 3, z = 7, o = z + a, a = 9")
	if got := one[string](t, db, "SELECT CONCAT_WS('|', u, v, n, q, o, a) FROM d.t"); got != "y|y|20240506|0.333333|8|9" {
		t.Errorf("loaded %s", got)
	}
}
