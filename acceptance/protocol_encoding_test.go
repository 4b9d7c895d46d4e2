package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// As in MySQL, a character that the client's character set lacks becomes a question mark in values, column names and
// errors, in both protocols.
func TestCharactersOfTheClient(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE d", "CREATE TABLE d.t (a VARCHAR(20), e ENUM('é', '→'), x TEXT, b VARBINARY(20), n INT)",
		"INSERT INTO d.t VALUES ('é→😀ł', '→', 'é→😀ł', 'é→😀ł', 7)")
	const all = "é→😀ł"
	for _, c := range []struct{ set, want, arrow string }{
		{"utf8mb4", all, "→"}, {"utf8mb3", "é→?ł", "→"}, {"latin1", "\xe9???", "?"}, {"ascii", "????", "?"}, {"cp1257", "\xe9??\xf9", "?"}, {"latin7", "\xe9??\xf9", "?"},
		{"cp1256", "\xe9???", "?"}, {"dec8", "\xe9???", "?"}, {"binary", all, "→"},
	} {
		for _, interpolate := range []bool{true, false} {
			account := servertest.Root
			account.Interpolate = interpolate
			db := s.Open(t, account)
			db.SetMaxOpenConns(1)
			// The client's own texts stay UTF-8: only the results change.
			servertest.Exec(t, db, "SET character_set_results = '"+c.set+"'")
			var a, e, x, b string
			var n int
			rows, err := db.Query("SELECT a, e, x, b, n, a AS `é→` FROM d.t WHERE n = ?", 7)
			if err != nil {
				t.Errorf("%s: %v", c.set, err)
				continue
			}
			names, _ := rows.Columns()
			var again string
			if rows.Next() {
				err = rows.Scan(&a, &e, &x, &b, &n, &again)
			}
			rows.Close()
			if err != nil || a != c.want || x != c.want || again != c.want || b != all || e != c.arrow || n != 7 {
				t.Errorf("%s: read %q %q %q %q %d %v, want %q", c.set, a, e, x, b, n, err, c.want)
			}
			if want := strings.TrimSuffix(strings.TrimSuffix(c.want, "ł"), "😀"); !strings.HasPrefix(c.want, names[5][:1]) {
				t.Errorf("%s: the column is named %q, want a part of %q", c.set, names[5], want)
			}
			_, err = db.Exec("SELECT * FROM d.`→`")
			if number(t, err, 1146); !strings.Contains(fmt.Sprint(err), c.arrow) {
				t.Errorf("%s: error %q, want %q in it", c.set, err, c.arrow)
			}
		}
	}
}

// EXPLAIN draws its tree with characters that few sets have.
func TestExplainForEveryCharacterSet(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	db := s.Open(t, servertest.Root)
	db.SetMaxOpenConns(1)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.t (a INT)")
	sets := fetchRows(t, db, "SHOW CHARACTER SET")
	seen := 0
	for _, row := range sets {
		set := fmt.Sprint(row[0])
		if _, err := db.Exec("SET NAMES " + set); err != nil {
			continue // a set that the engine only lists
		}
		seen++
		if rows, err := tryRows(db, "EXPLAIN SELECT a FROM d.t WHERE a > 1"); err != nil || len(rows) < 2 {
			t.Errorf("%s: %v, %v", set, rows, err)
		}
		servertest.Exec(t, db, "SET NAMES utf8mb4")
	}
	if seen < 5 {
		t.Errorf("only %d sets can be chosen", seen)
	}
}
