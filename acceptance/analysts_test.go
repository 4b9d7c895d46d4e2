package acceptance

import (
	dbsql "database/sql"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// An account of create_analyst can run the queries of a BI tool, and reaches no raw data.
func TestCreateAnalyst(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.PublishVisits(t, root)
	var account, grants, connect, limits string
	if err := root.QueryRow("CALL create_analyst('bi', 'a long password')").Scan(&account, &grants, &connect, &limits); err != nil {
		t.Fatal(err)
	}
	if account != "'bi'@'%'" || grants != "SELECT on published, anonsql" || limits != "defaults" ||
		!strings.HasPrefix(connect, "mariadb -h 127.0.0.1 -P ") || !strings.HasSuffix(connect, " -u bi -p published") {
		t.Errorf("CALL answered %s | %s | %s | %s", account, grants, connect, limits)
	}
	if shown := listed(t, root, "SELECT statement_timeout, max_result_rows, max_result_bytes, memory, max_connections FROM anonsql.limits WHERE user = 'bi'"); shown != "60 1000000 268435456 134217728 20\n" {
		t.Errorf("limits %s", shown)
	}
	bi := servertest.Account{User: "bi", Password: "a long password"}
	db := s.Open(t, bi)
	if shown := listed(t, db, "SHOW GRANTS"); shown != "GRANT USAGE ON *.* TO `bi`@`%`\nGRANT SELECT ON `anonsql`.* TO `bi`@`%`\nGRANT SELECT ON `published`.* TO `bi`@`%`\n" {
		t.Errorf("SHOW GRANTS:\n%s", shown)
	}
	if shown := listed(t, db, "SHOW DATABASES"); shown != "anonsql\ninformation_schema\npublished\n" {
		t.Errorf("SHOW DATABASES:\n%s", shown)
	}
	if shown := listed(t, db, "SHOW TABLES FROM published"); shown != "p\n" {
		t.Errorf("SHOW TABLES:\n%s", shown)
	}
	for _, query := range []string{
		"SELECT table_schema, table_name FROM information_schema.tables", "SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'published' AND table_name = 'p'",
		"SHOW FULL COLUMNS FROM published.p", "SHOW CREATE TABLE published.p", "SELECT name, method FROM anonsql.releases", "SELECT * FROM ANON_PRIVACY(p)",
		"SELECT * FROM p LIMIT 3", "SELECT DISTINCT disease FROM p", "SELECT disease, COUNT(*) FROM p WHERE age > 30 GROUP BY disease",
		"EXPLAIN SELECT COUNT(*) FROM p", "CALL explain_sql('SELECT COUNT(*) FROM published.p')",
	} {
		if got := listed(t, db, query); got == "" || strings.Contains(got, "clinic") || strings.Contains(got, "visits") {
			t.Errorf("%s answers\n%s", query, got)
		}
	}
	var n float64
	if err := db.QueryRow("SELECT COUNT(*) FROM p WHERE age >= ?", 0).Scan(&n); err != nil || n != 120 {
		t.Errorf("prepared: %g, %v", n, err)
	}
	const raw = "clinic.visits"
	for _, statement := range []string{
		"SELECT * FROM " + raw, "SELECT COUNT(*) FROM published.p JOIN " + raw + " r ON 1 = 1", "SHOW COLUMNS FROM " + raw, "USE mysql", "SELECT * FROM mysql.user",
		"SELECT ANON_ACTUAL(COUNT(*)) FROM p", "CALL anonymize('" + raw + "', 'anatomy', 'l=2')", "CALL drop_release('p')", "CALL evaluate('p')",
		"CALL create_analyst('more', 'a long password')", "CREATE USER more", "GRANT SELECT ON published.* TO root@localhost", "CREATE DATABASE mine", "CREATE TABLE published.x (n INT)",
		"DELETE FROM published.p", "SET GLOBAL max_connections = 1", "SELECT LOAD_FILE('/etc/hostname') FROM " + raw, "SELECT 1 INTO OUTFILE 'x'", "DROP USER root@localhost", "ALTER USER root@localhost IDENTIFIED BY 'x'",
	} {
		if _, err := db.Exec(statement); err == nil {
			t.Errorf("%s was done", statement)
		}
	}
	// The account survives a restart, and may change its own password.
	servertest.Exec(t, db, "ALTER USER bi@'%' IDENTIFIED BY 'another password'")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	bi.Password = "another password"
	one[float64](t, s.Open(t, bi), "SELECT COUNT(*) FROM published.p")
}

// listed removes blanks at the ends of lines.
func listed(t *testing.T, db *dbsql.DB, query string) string {
	t.Helper()
	return strings.ReplaceAll(all(t, db, query), " \n", "\n")
}

func TestCreateAnalystIsRefused(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CALL create_analyst('bi', 'a long password', '10.%')", "CREATE USER may IDENTIFIED BY 'secret', maynot IDENTIFIED BY 'secret'",
		"GRANT CREATE USER, EXECUTE ON *.* TO maynot", "GRANT SELECT ON published.* TO maynot", "GRANT SELECT ON anonsql.* TO maynot", "GRANT CREATE USER, EXECUTE ON *.* TO may",
		"GRANT SELECT ON published.* TO may WITH GRANT OPTION", "GRANT SELECT ON anonsql.* TO may WITH GRANT OPTION")
	may, maynot := s.Open(t, servertest.Account{User: "may", Password: "secret"}), s.Open(t, servertest.Account{User: "maynot", Password: "secret"})
	for _, c := range []struct {
		db     *dbsql.DB
		call   string
		number int
		says   string
	}{
		{root, "CALL create_analyst('bi', 'a long password', '10.%')", 1396, "there is such an account already"},
		{root, "CALL create_analyst('x', '')", 1819, "at least 8 characters"},
		{root, "CALL create_analyst('x', 'sieben7')", 1819, "at least 8 characters"},
		{root, "CALL create_analyst('x', NULL)", 1819, "at least 8 characters"},
		{root, "CALL create_analyst('peter', 'Peter12345')", 1819, "the account's name"},
		{root, "CALL create_analyst('x', 'aaaaaaaaaa')", 1819, "one character"},
		{root, "CALL create_analyst('', 'a long password')", 1396, "needs a name"},
		{root, "CALL create_analyst('x', 'a long password', 'bi.example.org')", 1235, "not looked up"},
		{root, "CALL create_analyst('x')", 1210, "CALL create_analyst("},
		{root, "CALL create_analyst('x', 'a long password', '%', 'more')", 1210, "must be one of statement_timeout"},
		{root, "CALL create_analyst('x', 'a long password', 'memory=1')", 1210, "must be at least 8388608 bytes"},
		{maynot, "CALL create_analyst('x', 'a long password')", 1044, "WITH GRANT OPTION"},
	} {
		_, err := c.db.Exec(c.call)
		if servertest.Number(err) != c.number || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want number %d and %q", c.call, err, c.number, c.says)
		}
	}
	servertest.Exec(t, may, "CALL create_analyst('x', 'a long password')")
	servertest.Exec(t, root, "REVOKE CREATE USER ON *.* FROM may")
	if _, err := may.Exec("CALL create_analyst('y', 'a long password')"); servertest.Number(err) != 1227 {
		t.Errorf("without CREATE USER: %v", err)
	}
}
