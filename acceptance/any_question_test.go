package acceptance

import (
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// longQuestion is refused without completed tables, and takes minutes on each of them.
const longQuestion = `SELECT COUNT(DISTINCT a.disease, b.age, c.disease, d.age, e.disease) FROM published.people a, published.people b,
	published.people c, published.people d, published.people e WHERE a.age + b.age + c.age + d.age + e.age > 20`

// startPeople starts a server with a release of 400 people that has completed tables.
func startPeople(t *testing.T, config server.Config) *servertest.Server {
	config.Extend = server.Product
	s := servertest.Start(t, config)
	db := s.Open(t, servertest.Root)
	run(t, db, "CREATE DATABASE town")
	run(t, db, "CREATE TABLE town.people (id INT PRIMARY KEY AUTO_INCREMENT, age INT, sex CHAR(1), disease VARCHAR(10))")
	run(t, db, `INSERT INTO town.people (age, sex, disease) WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 399)
		SELECT 20 + i * 7 % 50, IF(i % 3 = 0, 'F', 'M'), ELT(1 + i * 11 % 5, 'flu', 'cold', 'gout', 'asthma', 'cancer') FROM n`)
	run(t, db, "CALL anonymize('town.people', 'slppa', 'qi=age,sex', 'sa=disease', 'beta=0.5', 'tables=2')")
	run(t, db, "CALL fit_release('people')")
	return s
}

// KILL and max_execution_time end a query on completed tables, and leave the connection in order.
func TestQuestionsOfEveryTableEnd(t *testing.T) {
	t.Parallel()
	s := startPeople(t, server.Config{})
	k := newKiller(t, s)
	for _, statement := range []string{longQuestion, "INSERT INTO town.people (age) " + longQuestion, "CREATE TABLE town.made AS " + longQuestion} {
		if !k.kill(statement, 300*time.Millisecond) {
			t.Errorf("%.60s was over before it could be killed", statement)
		}
	}
	conn := s.Connect(t, servertest.Root)
	servertest.Exec(t, conn, "SET max_execution_time = 300")
	begun := time.Now()
	if _, err := conn.ExecContext(t.Context(), longQuestion); servertest.Number(err) != 3024 || time.Since(begun) > killedWithin {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
	if n := one[float64](t, conn, "SELECT COUNT(DISTINCT age, disease) FROM published.people WHERE age < 30"); n <= 0 {
		t.Errorf("then it answers %v", n)
	}
}

// The audit has a row for each release that is read, and completed tables do not open what is denied to an account.
func TestQuestionsOfEveryTableAreAudited(t *testing.T) {
	t.Parallel()
	s := startPeople(t, server.Config{})
	db := s.Open(t, servertest.Root)
	run(t, db, "CREATE USER reader IDENTIFIED BY 'secret of the reader'")
	run(t, db, "GRANT SELECT ON published.* TO reader")
	reader := s.Open(t, servertest.Account{User: "reader", Password: "secret of the reader"})
	fetchRows(t, reader, "SELECT disease, GROUP_CONCAT(DISTINCT sex) FROM published.people GROUP BY disease")
	seen := fetchRows(t, db, "SELECT `release`, statement FROM anonsql.audit WHERE kind = 'estimate' AND account LIKE '%reader%'")
	if len(seen) != 1 || seen[0][0] != "people" || !strings.Contains(seen[0][1].(string), "GROUP_CONCAT") {
		t.Errorf("the audit has %v", seen)
	}
	for _, query := range []string{
		"SELECT COUNT(DISTINCT p.age, q.id) FROM published.people p JOIN town.people q ON p.age = q.age",
		"SELECT COUNT(*) FROM published.people WHERE age IN (SELECT age FROM town.people)",
		"SELECT sex, GROUP_CONCAT(DISTINCT (SELECT MAX(id) FROM town.people q WHERE q.age = p.age)) FROM published.people p GROUP BY sex",
	} {
		if _, err := reader.Query(query); servertest.Number(err) != 1142 {
			t.Errorf("%s: %v", query, err)
		}
	}
	if _, err := reader.Query("SELECT GROUP_CONCAT(id) FROM published.people"); servertest.Number(err) != 1054 {
		t.Errorf("a column that is not published: %v", err)
	}
}
