package server_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// analystQuestions are what an analyst asks: metadata, previews, estimates of
// every kind, refusals.
func analystQuestions() []string {
	questions := []string{
		"SHOW TABLES FROM published", "SHOW CREATE TABLE published.p", "SHOW FULL COLUMNS FROM published.p", "SHOW TABLE STATUS FROM published", "SHOW INDEX FROM published.p_sa",
		"SELECT * FROM information_schema.columns WHERE table_schema = 'published' ORDER BY table_name, ordinal_position",
		"SELECT * FROM published.p", "SELECT * FROM published.p_qi1", "SELECT * FROM published.p_qi2", "SELECT * FROM published.p_sa", "SELECT * FROM published.p_gid",
		"SELECT age, disease FROM published.p LIMIT 7", "SELECT DISTINCT disease FROM published.p ORDER BY disease",
		"SELECT * FROM ANON_PRIVACY(p)", "SELECT * FROM ANON_UTILITY(p)", "SELECT * FROM anonsql.guarantees", "SELECT * FROM anonsql.releases", "SELECT * FROM anonsql.attributes", "SELECT * FROM anonsql.jobs",
		"SELECT disease, COUNT(*), SUM(charge), AVG(age) FROM published.p WHERE age > 30 GROUP BY disease ORDER BY disease",
		"SELECT sex, disease, COUNT(*) AS n FROM published.p GROUP BY sex, disease HAVING n > 1 ORDER BY n DESC, sex, disease LIMIT 9",
		"SELECT COUNT(*) FROM published.p_qi1 q JOIN published.p_sa s ON q.gid = s.gid",
		"SELECT disease, ANON_STDERR(COUNT(*)), ANON_LOW(SUM(age)), ANON_HIGH(AVG(charge)), ANON_INTERVAL_LOW(COUNT(*)), ANON_INTERVAL_HIGH(SUM(age), 0.8) FROM published.p WHERE age > 30 GROUP BY disease ORDER BY disease",
		"SELECT MIN(age), MAX(disease), COUNT(DISTINCT zip), STDDEV(charge) FROM published.p WHERE disease <> 'flu'",
		"SELECT MIN(age) FROM published.p", "SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", "SELECT SUM(disease) FROM published.p",
		"SELECT * FROM hospital.patients", "SHOW DATABASES", "SELECT * FROM information_schema.tables WHERE table_schema <> 'information_schema' ORDER BY table_name",
	}
	for _, p := range predicates {
		questions = append(questions,
			"SELECT COUNT(*), SUM(charge), AVG(age) FROM published.p WHERE "+p,
			"EXPLAIN SELECT COUNT(*) FROM published.p WHERE "+p)
	}
	return questions
}

// With the raw table changed, altered, renamed, dropped, and the server started
// again, every answer to an analyst is the same to the byte: nothing of it
// comes from the raw table.
func TestDetachedAnswers(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	root.SetMaxOpenConns(1)
	servertest.Exec(t, root, "CREATE DATABASE hospital", "USE hospital",
		"CREATE TABLE hospital.patients (name VARCHAR(20), age INT, sex VARCHAR(6), zip VARCHAR(5), disease VARCHAR(20), charge DECIMAL(8,2), born DATE)",
		"CREATE TABLE hospital.codes (name VARCHAR(20), level INT)", "INSERT INTO hospital.codes VALUES ('flu', 30), ('cold', 50)")
	for i := range 96 {
		servertest.Exec(t, root, fmt.Sprintf("INSERT INTO hospital.patients VALUES ('n%d', %d, '%s', %s, '%s', %d.50, '19%d-01-02')",
			i, 20+i*7%50, []string{"F", "M"}[i%2], []string{"'11100'", "'12200'", "NULL", "'25300'"}[i*5%4],
			[]string{"flu", "cold", "gout", "asthma", "croup", "mumps"}[i*11%6], 10+i*13%70, 50+i*3%40))
	}
	servertest.Exec(t, root,
		"CALL set_attributes('hospital.patients', 'qi=age,sex,zip,charge,born', 'sa=disease', 'ei=name')",
		"CALL anonymize('hospital.patients', 'slppa', 'beta=0.5', 'tables=2', 'publish=p', 'calibrate=true')",
		"CREATE USER bi@'%' IDENTIFIED BY 's'", "GRANT SELECT ON published.* TO bi", "GRANT SELECT ON anonsql.* TO bi")

	questions := analystQuestions()
	answers := func() []string {
		conn, err := s.Open(t, servertest.Account{User: "bi", Password: "s"}).Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		list := make([]string, len(questions))
		for i, q := range questions {
			list[i], _ = try(conn, q)
		}
		return list
	}
	want := answers()
	check := func(when string) {
		t.Helper()
		for i, got := range answers() {
			if got != want[i] {
				t.Errorf("%s, the answer to %s is\n%s\nit was\n%s", when, questions[i], got, want[i])
			}
		}
	}
	check("asked again")
	restart := func() {
		s.Stop(t)
		s = servertest.Start(t, s.Config)
		root = s.Open(t, servertest.Root)
	}
	for _, change := range []string{
		"UPDATE hospital.patients SET age = age + 40, disease = 'plague' WHERE sex = 'F'",
		"DELETE FROM hospital.patients WHERE sex = 'M'",
		"ALTER TABLE hospital.patients DROP COLUMN zip, MODIFY COLUMN age VARCHAR(9), ADD COLUMN extra INT",
		"CALL set_attributes('hospital.patients', 'qi=sex', 'sa=disease')",
		"ALTER TABLE hospital.patients RENAME TO hospital.moved",
		"CREATE TABLE hospital.patients (other INT)",
		"DROP TABLE hospital.moved",
		"DROP DATABASE hospital",
	} {
		servertest.Exec(t, root, change)
		check("after " + change)
	}
	restart()
	check("after the restart without the raw table")
}
