package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// fetchTexts returns the rows of a query as lower-case texts joined by |.
func fetchTexts(t *testing.T, db *dbsql.DB, query string) (texts []string) {
	t.Helper()
	for _, values := range rowsAsText(t, db, query) {
		cells := make([]string, len(values))
		for i, value := range values {
			cells[i] = "NULL"
			if value.Valid {
				cells[i] = strings.ToLower(value.String)
			}
		}
		texts = append(texts, strings.Join(cells, "|"))
	}
	return texts
}

// Corrections also apply to plans that the engine finishes separately: bodies of routines, and queries of CREATE
// TABLE.
func TestCorrectionsWithinStatements(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d", "CREATE TABLE d.a (city VARCHAR(10), n INT)", "INSERT INTO d.a VALUES ('Rome', 1), ('rome', 2), ('Oslo', NULL)",
		"CREATE PROCEDURE d.different() SELECT DISTINCT city FROM d.a",
		"CREATE PROCEDURE d.counted(least INT) BEGIN IF least > 0 THEN SELECT COUNT(DISTINCT city), GROUP_CONCAT(DISTINCT city) FROM d.a WHERE n >= least; END IF; END",
		"CREATE PROCEDURE d.copied() CREATE TABLE d.c AS SELECT DISTINCT city FROM d.a", "CREATE TABLE d.b AS SELECT DISTINCT city FROM d.a", "CALL d.copied()",
		"CREATE TABLE d.i (city VARCHAR(10))", "INSERT INTO d.i SELECT city FROM d.a UNION SELECT city FROM d.a")
	for query, want := range map[string]string{
		"CALL d.different()": "[rome oslo]", "CALL d.counted(1)": "[1|rome]", "SELECT city FROM d.b": "[rome oslo]", "SELECT city FROM d.c": "[rome oslo]",
		"SELECT city FROM d.i": "[rome oslo]",
	} {
		if got := fmt.Sprint(fetchTexts(t, db, query)); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// A statement reads the table that it writes as it was before: MySQL materializes the rows. Two branches of a UNION, a join, and
// subqueries start to read at different moments.
func TestStatementsReadBeforeTheyWrite(t *testing.T) {
	t.Parallel()
	db := servertest.Start(t, server.Config{}).Open(t, servertest.Root)
	servertest.Exec(t, db, "CREATE DATABASE d")
	for statement, want := range map[string]string{
		"INSERT INTO d.t SELECT 10 * i, j FROM d.t UNION SELECT 20 * i, j FROM d.t":                                      "[1|1 2|2 3|3 10|1 20|1 20|2 30|3 40|2 60|3]",
		"INSERT INTO d.t SELECT i + 10, (SELECT COUNT(*) FROM d.t y WHERE y.j <= x.j) FROM d.t x":                        "[1|1 2|2 3|3 11|1 12|2 13|3]",
		"INSERT INTO d.t WITH q AS (SELECT i + 10 AS i, j FROM d.t) SELECT * FROM q UNION ALL SELECT i + 20, j FROM d.t": "[1|1 2|2 3|3 11|1 12|2 13|3 21|1 22|2 23|3]",
		"INSERT INTO d.t VALUES ((SELECT COUNT(*) FROM d.t x), 7), ((SELECT COUNT(*) FROM d.t x), 8)":                    "[1|1 2|2 3|3 3|7 3|8]",
		"UPDATE d.t SET j = (SELECT SUM(x.j) FROM (SELECT * FROM d.t LIMIT 10) x WHERE x.i <= t.i)":                      "[1|1 2|3 3|6]",
		"DELETE FROM d.t WHERE (SELECT COUNT(*) FROM (SELECT * FROM d.t LIMIT 10) x WHERE x.i <> t.i) > 1":               "[]",
	} {
		servertest.Exec(t, db, "DROP TABLE IF EXISTS d.t", "CREATE TABLE d.t (i INT, j INT)", "INSERT INTO d.t VALUES (1, 1), (2, 2), (3, 3)", statement)
		if got := fmt.Sprint(fetchTexts(t, db, "SELECT * FROM d.t ORDER BY i, j")); got != want {
			t.Errorf("%s: %s, want %s", statement, got, want)
		}
	}
	servertest.Exec(t, db, "CREATE TABLE d.k (i INT PRIMARY KEY, j INT)", "INSERT INTO d.k VALUES (1, 0), (2, 0)",
		"REPLACE INTO d.k SELECT b.i, a.j + 1 FROM d.k a JOIN d.k b ON a.i <= b.i", "INSERT INTO d.k SELECT b.i, 0 FROM d.k a JOIN d.k b ON TRUE ON DUPLICATE KEY UPDATE j = k.j + 10")
	if got, want := fmt.Sprint(fetchTexts(t, db, "SELECT * FROM d.k ORDER BY i")), "[1|21 2|21]"; got != want {
		t.Errorf("joined with itself: %s, want %s", got, want)
	}
}
