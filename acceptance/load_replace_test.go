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

// A variable that LOAD DATA fills is a text in SET: a quotient of it is a DOUBLE, whose half an INT rounds to the even number.
func TestLoadDataSetOfVariables(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	mysql.RegisterReaderHandler("variables", func() io.Reader { return strings.NewReader("1\t5\n2\t7\n3\t-5\n4\t\\N\n5\t9\n") })
	defer mysql.DeregisterReaderHandler("variables")
	for _, before := range []string{"NULL", "1", "'x'", "1.5"} {
		servertest.Exec(t, db, "DROP DATABASE IF EXISTS d", "CREATE DATABASE d", "CREATE TABLE d.t (a INT, d INT, e DECIMAL(6,3), f INT, g VARCHAR(9), h INT)", "SET @d = "+before,
			"LOAD DATA LOCAL INFILE 'Reader::variables' INTO TABLE d.t (a, @D) SET d = @d / 2, e = @d / 3, f = -@d + 1, g = CONCAT(@d, '!'), h = IF(@d = '9', NULL, @d)")
		got := one[string](t, db, "SELECT GROUP_CONCAT(CONCAT_WS('|', d, e, f, g, h) ORDER BY a) FROM d.t")
		if want := "2|1.667|-4|5!|5,4|2.333|-6|7!|7,-2|-1.667|6|-5!|-5,,4|3.000|-8|9!"; got != want {
			t.Errorf("after @d = %s, loaded %s, want %s", before, got, want)
		}
	}
}
