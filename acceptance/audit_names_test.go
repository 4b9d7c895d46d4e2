package acceptance

import (
	"cmp"
	dbsql "database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// madeUp is the name that clients invent.
const madeUp = "Anne_has_plague"

// startAudited starts a server with a release p of d.patients, views over both, and an analyst.
func startAudited(t *testing.T) *servertest.Server {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE d",
		"CREATE TABLE d.patients (age INT, disease VARCHAR(10), `marital status` VARCHAR(10), INDEX by_age (age))",
		"INSERT INTO d.patients VALUES (1, 'x', 'a'), (2, 'y', 'b'), (3, 'x', 'a'), (4, 'z', 'b'), (5, 'y', 'a'), (6, 'z', 'b')",
		"CREATE VIEW d.elderly (years, illness) AS SELECT age, disease FROM d.patients",
		"CALL set_attributes('d.patients', 'qi=age', 'sa=disease')",
		"CALL anonymize('d.patients', 'slppa', 'qi=age', 'sa=disease', 'beta=0.5', 'publish=p')",
		"CREATE VIEW d.estimates AS SELECT age AS years, disease FROM published.p",
		"CALL create_analyst('bi', 'a secret word')")
	return s
}

// audited returns the entries of the audit after the one with that number.
func audited(t *testing.T, s *servertest.Server, after int64) string {
	return listed(t, s.Open(t, servertest.Root), fmt.Sprintf("SELECT * FROM anonsql.audit WHERE id > %d ORDER BY id", after))
}

// noneOf checks that no entry has the invented name.
func noneOf(t *testing.T, entries string) {
	t.Helper()
	for _, part := range []string{"anne", "plague", "患"} {
		if strings.Contains(strings.ToLower(entries), part) {
			t.Errorf("the audit has %q:\n%s", part, entries)
		}
	}
}

// A naming has statements in which an account invents the name §.
type naming struct {
	account, name string
	statements    []string
}

// namesInQueries are invented in queries.
var namesInQueries = []naming{
	{"bi", "alias", []string{"SELECT COUNT(*) AS § FROM published.p"}},
	{"bi", "alias without AS", []string{"SELECT COUNT(*) § FROM published.p"}},
	{"bi", "alias in backquotes", []string{"SELECT COUNT(*) AS `§` FROM published.p"}},
	{"bi", "alias that is a text", []string{"SELECT COUNT(*) AS '§' FROM published.p"}},
	{"bi", "alias in double quotes", []string{"SELECT COUNT(*) AS \"§\" FROM published.p"}},
	{"bi", "alias behind a keyword", []string{"SELECT COUNT(*) AS `select §` FROM published.p"}},
	{"bi", "ANSI_QUOTES", []string{"SET sql_mode = 'ANSI_QUOTES'", "SELECT COUNT(*) AS \"§\", AVG(age) AS \"a\\\" FROM published.p WHERE disease <> '\"§'"}},
	{"bi", "alias of other letters", []string{"SELECT COUNT(*) AS `患者 §` FROM published.p"}},
	{"bi", "alias of a pivot table", []string{"SELECT SUM(CASE WHEN disease = 'x' THEN 1 ELSE 0 END) AS `§` FROM published.p"}},
	{"bi", "alias in ORDER BY", []string{"SELECT age, COUNT(*) AS § FROM published.p GROUP BY age ORDER BY §"}},
	{"bi", "alias of a table", []string{"SELECT COUNT(*) FROM published.p AS § WHERE §.age > 1"}},
	{"bi", "derived table", []string{"SELECT * FROM (SELECT COUNT(*) AS n FROM published.p) AS §"}},
	{"bi", "columns of a derived one", []string{"SELECT * FROM (SELECT COUNT(*) FROM published.p) AS q (§)"}},
	{"bi", "common table expression", []string{"WITH § AS (SELECT COUNT(*) AS n FROM published.p) SELECT * FROM §"}},
	{"bi", "its columns", []string{"WITH q (§) AS (SELECT COUNT(*) FROM published.p) SELECT § FROM q"}},
	{"bi", "window", []string{"SELECT SUM(age) OVER § FROM published.p WINDOW § AS (ORDER BY age)"}},
	{"bi", "function that is none", []string{"SELECT COUNT(*) FROM published.p; SELECT §(1)"}},
	{"bi", "user variable", []string{"SELECT COUNT(*) INTO @§ FROM published.p"}},
	{"bi", "user variable in quotes", []string{"SET @`§` = 1; SELECT COUNT(*) FROM published.p WHERE age > @`§`"}},
	{"bi", "system variable", []string{"SELECT COUNT(*) FROM published.p; SET @@§ = 1, @@session.§ = 1, SESSION § = 1"}},
	{"bi", "savepoint", []string{"SELECT COUNT(*) FROM published.p; SAVEPOINT §"}},
	{"bi", "prepared statement", []string{"PREPARE § FROM 'SELECT COUNT(*) AS § FROM published.p'", "EXECUTE §"}},
}

// otherNames are invented in definitions, calls, comments and invalid statements.
var otherNames = []naming{
	{"bi", "label, variable and cursor", []string{"CREATE PROCEDURE d.q() BEGIN DECLARE § INT; DECLARE § CURSOR FOR SELECT 1; §: LOOP LEAVE §; END LOOP §; END"}},
	{"bi", "procedure", []string{"CREATE PROCEDURE d.§() SELECT 1"}},
	{"bi", "trigger", []string{"CREATE TRIGGER § BEFORE INSERT ON d.patients FOR EACH ROW SET NEW.age = 1"}},
	{"bi", "table", []string{"CREATE TABLE d.§ (a INT)", "DROP TABLE d.§", "SELECT * FROM d.§"}},
	{"bi", "column", []string{"CREATE TABLE d.q (§ INT)", "ALTER TABLE d.patients ADD COLUMN § INT", "SELECT § FROM d.patients"}},
	{"bi", "index and constraint", []string{"CREATE INDEX § ON d.patients (age)", "ALTER TABLE d.patients ADD CONSTRAINT § CHECK (age > 0)"}},
	{"bi", "view and its columns", []string{"CREATE VIEW d.§ AS SELECT 1", "CREATE VIEW d.q (§) AS SELECT 1"}},
	{"bi", "database", []string{"CREATE DATABASE §", "USE §", "SELECT * FROM §.patients"}},
	{"bi", "account", []string{"CREATE USER §", "GRANT SELECT ON d.* TO §@localhost", "DROP USER '§'@'%'", "RENAME USER § TO ann"}},
	{"root", "source of a release", []string{"CALL anonymize('d.§', 'slppa')", "CALL anonymize('§', 'slppa')", "CALL set_attributes('§.§', 'qi=age')"}},
	{"root", "release that is not made", []string{"CALL anonymize('d.patients', 'slppa', 'publish=§', 'dry_run=true')", "CALL anonymize('d.patients', 'nothing', 'publish=§')"}},
	{"root", "release that is not", []string{"CALL drop_release('§')", "CALL evaluate('published.§')", "CALL refresh_release('`§`')"}},
	{"bi", "introducer", []string{"SELECT COUNT(*) FROM published.p WHERE disease = _§'x'", "SELECT COUNT(*) FROM published.p WHERE disease = _utf8mb4'§'"}},
	{"bi", "comment", []string{"SELECT /* § */ /*+ § */ COUNT(*) FROM published.p -- §", "SELECT COUNT(*) FROM published.p # §"}},
	{"bi", "comment that is executed", []string{"SELECT COUNT(*) /*!50000 AS § */ FROM published.p"}},
	{"bi", "no statement", []string{"SELECT § FORM d.patients", "§ d.patients", "SELECT 'it's §'", "SELECT COUNT(*) FROM published.p WHERE disease = §"}},
	{"bi", "too deep", []string{"SELECT " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500) + " AS §"}},
	{"bi", "columns of JSON_TABLE", []string{"SELECT COUNT(*) FROM published.p, JSON_TABLE('[1]', '$[*]' COLUMNS (§ INT PATH '$')) AS §"}},
	{"bi", "database at the login", []string{"USE `§`"}},
}

// Clients can invent names in many places. The audit keeps none of them, whether the statement was answered, denied,
// refused or not understood.
func TestAuditKeepsNoMadeUpName(t *testing.T) {
	t.Parallel()
	s := startAudited(t)
	root := s.Open(t, servertest.Account{User: "root", MultiStatements: true})
	pools := map[string]*dbsql.DB{"root": root, "bi": s.Open(t, servertest.Account{User: "bi", Password: "a secret word", MultiStatements: true})}
	for _, c := range slices.Concat(namesInQueries, otherNames) {
		t.Run(c.name, func(t *testing.T) {
			last := one[int64](t, root, "SELECT COALESCE(MAX(id), 0) FROM anonsql.audit")
			conn, err := pools[c.account].Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			for _, statement := range c.statements {
				_, _ = answerText(t.Context(), conn, strings.ReplaceAll(statement, "§", madeUp)) // most are errors
			}
			entries := audited(t, s, last)
			if entries == "" {
				t.Error("the audit has no entry")
			}
			noneOf(t, entries)
		})
	}
}

// After a failed login, the audit does not keep the name of an unknown account: it may be a password.
func TestAuditOfUnknownAccounts(t *testing.T) {
	t.Parallel()
	s := startAudited(t)
	refusedWith(t, s, servertest.Account{User: madeUp, Password: "x"}, 1045)
	refusedWith(t, s, servertest.Account{User: "bi", Password: "x"}, 1045)
	entries := listed(t, s.Open(t, servertest.Root), "SELECT account, outcome FROM anonsql.audit WHERE kind = 'login' ORDER BY id")
	if entries != "_ error 1045\nbi error 1045\n" {
		t.Errorf("got\n%s", entries)
	}
}

// Names that the server knows stay readable: the audit shows which tables, columns, releases and accounts a statement
// was about.
func TestAuditKeepsKnownNames(t *testing.T) {
	t.Parallel()
	s := startAudited(t)
	root, bi := s.Open(t, servertest.Root), s.Open(t, servertest.Account{User: "bi", Password: "a secret word"})
	for _, c := range []struct {
		db              *dbsql.DB
		statement, want string // want is "" for the statement itself
	}{
		{bi, "SELECT disease, COUNT(*), AVG(age), STDDEV_POP(age) FROM published.p WHERE age > (@@version IS NULL) GROUP BY disease ORDER BY disease LIMIT 3",
			"SELECT disease, COUNT(*), AVG(age), STDDEV_POP(age) FROM published.p WHERE age > (@@version IS NULL) GROUP BY disease ORDER BY disease LIMIT ?"},
		{bi, "SELECT SUM(CASE WHEN UPPER(disease) = 'X' THEN age END) FROM p WHERE disease LIKE 'x%' COLLATE utf8mb4_0900_ai_ci",
			"SELECT SUM(CASE WHEN UPPER(disease) = ? THEN age END) FROM p WHERE disease LIKE ? COLLATE utf8mb4_0900_ai_ci"},
		{root, "SELECT years, COUNT(*) FROM d.estimates GROUP BY years", ""},
		{root, "SELECT ANON_ACTUAL(COUNT(*)), `disease` FROM `published`.`p` GROUP BY `disease`", ""},
		{bi, "SELECT age, `marital status` FROM d.patients USE INDEX (by_age)", ""},
		{bi, "SELECT years, illness FROM d.elderly", ""},
		{bi, "DROP TABLE d.patients", ""},
		{bi, "ALTER TABLE d.patients DROP INDEX by_age", ""},
		{bi, "TRUNCATE d.Patients", ""},
		{bi, "UPDATE d.patients SET disease = 'x' WHERE age = 3", "UPDATE d.patients SET disease = ? WHERE age = ?"},
		{bi, "CREATE TABLE d.patients2 (age INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(3) CHARACTER SET latin1)",
			"CREATE TABLE d._ (_ INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(?) CHARACTER SET latin1)"},
		{bi, "SELECT account, kind, statement FROM anonsql.audit", ""},
		{bi, "SET GLOBAL max_connections = 1", "SET GLOBAL max_connections = ?"},
		{bi, "GRANT SELECT ON d.patients TO bi", ""},
		{root, "CREATE USER carla@localhost IDENTIFIED BY 'a secret word'", "CREATE USER carla@localhost IDENTIFIED BY ?"},
		{root, "GRANT SELECT, INSERT ON d.patients TO carla@localhost", ""},
		{root, "RENAME USER carla@localhost TO clara@localhost", ""},
		{root, "DROP USER clara@localhost", ""},
		{root, "GRANT SELECT ON d.patients TO clara@localhost", "GRANT SELECT ON d.patients TO _@localhost"}, // the account is gone
	} {
		last := one[int64](t, root, "SELECT COALESCE(MAX(id), 0) FROM anonsql.audit")
		conn, err := c.db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err = conn.ExecContext(t.Context(), "USE published"); err != nil {
			t.Fatal(err)
		}
		_, _ = answerText(t.Context(), conn, c.statement)
		conn.Close()
		got := listed(t, root, fmt.Sprintf("SELECT statement FROM anonsql.audit WHERE id > %d", last))
		if want := cmp.Or(c.want, c.statement) + "\n"; got != want {
			t.Errorf("%s\nthe audit has\n%s, want\n%s", c.statement, got, want)
		}
	}
	run(t, root, "CALL anonymize('d.patients', 'slppa', 'qi=age', 'sa=disease', 'beta=0.5', 'private=true', 'publish=Second')")
	run(t, root, "CALL drop_release('second')")
	got := listed(t, root, "SELECT kind, `release`, COALESCE(source, '-') FROM anonsql.audit WHERE id > 0 ORDER BY id DESC LIMIT 2")
	if want := "drop second -\npublish Second d.patients\n"; got != want {
		t.Errorf("the audit has\n%swant\n%s", got, want)
	}
}
