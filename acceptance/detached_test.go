package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// analystQuestions are an analyst's statements: metadata, previews, estimates of every kind, refusals.
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

// questionsOf are the questions for every other release.
func questionsOf(release string) []string {
	var questions []string
	for _, question := range append(methodQuestions,
		"SELECT * FROM ANON_UTILITY(%s)", "SHOW CREATE TABLE published.%s", "SHOW FULL COLUMNS FROM published.%s",
		"SELECT disease, COUNT(*), ANON_LOW(SUM(age)), ANON_HIGH(AVG(age)), ANON_INTERVAL_LOW(COUNT(*)) FROM published.%s WHERE age > 30 GROUP BY disease ORDER BY disease",
		"SELECT MIN(age), COUNT(DISTINCT sex) FROM published.%s WHERE disease <> 'flu'", "SELECT MAX(born) FROM published.%s",
		"EXPLAIN SELECT SUM(charge) FROM published.%s WHERE age > 30 AND disease = 'flu'",
		"CALL explain_sql('SELECT COUNT(*) FROM published.%s WHERE age > 30 AND sex = ''F''')") {
		questions = append(questions, fmt.Sprintf(question, release))
	}
	return questions
}

// publishAll publishes hospital.patients by every method. One release follows the table, others have generalized
// cells, and methods for several sensitive attributes publish in both of their ways.
func publishAll(t *testing.T, root *dbsql.DB) (names []string) {
	t.Helper()
	publish := func(name, method string, options ...string) {
		t.Helper()
		servertest.Exec(t, root, fmt.Sprintf("CALL anonymize('hospital.patients', '%s', '%s', 'publish=%s', 'allow_composition=true', 'calibrate=false')", method, strings.Join(options, "', '"), name))
		names = append(names, name)
	}
	for _, m := range methods.All() {
		if !testsize.All() && m.Name != "drasl" && m.Name != "mondrian" && m.Name != "anatomy" {
			continue
		}
		publish("p_"+m.Name, m.Name, methodCalls[m.Name].options...)
	}
	if !testsize.All() {
		return names
	}
	for _, mode := range []string{"combined", "each"} {
		for method, least := range map[string]string{"anatomy": "l=2", "arp": "l=2", "mondrian": "k=3"} {
			publish(mode+"_"+method, method, least, "qi=age,sex,born,charge", "sa=disease,zip", "sa_mode="+mode)
		}
	}
	return names
}

// After the raw table was changed, altered, renamed and dropped, and the server restarted, every answer to an analyst
// is the same to the byte, in both protocols: none depends on the raw table.
func TestDetachedAnswers(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	root.SetMaxOpenConns(1)
	createPatients(t, root)
	servertest.Exec(t, root, "USE hospital",
		"CREATE TABLE hospital.codes (name VARCHAR(20), level INT)", "INSERT INTO hospital.codes VALUES ('flu', 30), ('cold', 50)",
		"CALL set_attributes('hospital.patients', 'qi=age,sex,zip,charge,born', 'sa=disease', 'ei=id')",
		"CALL anonymize('hospital.patients', 'slppa', 'beta=0.5', 'tables=2', 'publish=p', 'calibrate=true')",
		"CREATE USER bi@'%' IDENTIFIED BY 's'", "GRANT SELECT ON published.* TO bi", "GRANT SELECT ON anonsql.* TO bi")

	questions := analystQuestions()
	few, ofOne := len(questions)-2*len(predicates), len(questions)
	for _, release := range publishAll(t, root) {
		questions = append(questions, questionsOf(release)...)
	}
	// ask answers the first n questions.
	ask := func(n int, try func(*dbsql.Conn, string) (string, int)) (list []string) {
		conn := s.Connect(t, servertest.Account{User: "bi", Password: "s"})
		defer conn.Close()
		for _, q := range questions[:n] {
			answer, _ := try(conn, q)
			list = append(list, answer)
		}
		return list
	}
	text, prepared := ask(len(questions), try), ask(ofOne, tryPrepared)
	compare := func(when string, got, want []string) {
		t.Helper()
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%s, the answer to %s is\n%.2000s\nit was\n%.2000s", when, questions[i], got[i], want[i])
			}
		}
	}
	compare("asked again", ask(few, try), text)
	for _, change := range []string{
		"UPDATE hospital.patients SET age = age + 40, disease = 'plague' WHERE sex = 'F'",
		"DELETE FROM hospital.patients WHERE sex = 'M'",
		"ALTER TABLE hospital.patients DROP COLUMN zip, MODIFY COLUMN age VARCHAR(9), ADD COLUMN extra INT",
		"CALL set_attributes('hospital.patients', 'qi=sex', 'sa=disease')",
		"ALTER TABLE hospital.patients RENAME TO hospital.moved",
		"CREATE TABLE hospital.patients (other INT)",
		"DROP TABLE hospital.moved",
	} {
		servertest.Exec(t, root, change)
		compare("after "+change, ask(few, try), text)
	}
	servertest.Exec(t, root, "DROP DATABASE hospital")
	compare("after DROP DATABASE", ask(few, try), text)
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	const detached = "after the restart without the raw table"
	compare(detached, ask(len(questions), try), text)
	compare(detached, ask(ofOne, tryPrepared), prepared)
}
