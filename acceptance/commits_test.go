package acceptance

import (
	dbsql "database/sql"
	"regexp"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// committers are statements that end the open transaction, whether they succeed or not. Each finds what the previous
// ones have created.
var committers = []struct {
	statement string
	before    []string
	fails     int // the error number, 0 for success
}{
	{statement: "CREATE DATABASE other"},
	{statement: "CREATE DATABASE house", fails: 1007},
	{statement: "DROP DATABASE other", before: []string{"CREATE DATABASE other"}},
	{statement: "DROP DATABASE missing", fails: 1049},
	{statement: "CREATE TABLE o (n INT)"},
	{statement: "CREATE TABLE t (n INT)", fails: 1050},
	{statement: "CREATE TABLE o AS SELECT 1 AS n"},
	{statement: "ALTER TABLE o ADD COLUMN a INT", before: []string{"CREATE TABLE o (n INT)"}},
	{statement: "ALTER TABLE missing ADD COLUMN a INT", fails: 1146},
	{statement: "RENAME TABLE o TO p", before: []string{"CREATE TABLE o (n INT)"}},
	{statement: "TRUNCATE TABLE o", before: []string{"CREATE TABLE o (n INT)"}},
	{statement: "TRUNCATE TABLE missing", fails: 1146},
	{statement: "DROP TABLE o", before: []string{"CREATE TABLE o (n INT)"}},
	{statement: "DROP TABLE missing", fails: 1051},
	{statement: "DROP TABLE IF EXISTS missing"},
	{statement: "CREATE INDEX i ON o (n)", before: []string{"CREATE TABLE o (n INT)"}},
	{statement: "DROP INDEX i ON o", before: []string{"CREATE TABLE o (n INT, INDEX i (n))"}},
	{statement: "CREATE VIEW v AS SELECT 1"},
	{statement: "DROP VIEW v", before: []string{"CREATE VIEW v AS SELECT 1"}},
	{statement: "CREATE PROCEDURE q() SELECT 1"},
	{statement: "DROP PROCEDURE q", before: []string{"CREATE PROCEDURE q() SELECT 1"}},
	{statement: "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1", fails: 1235},
	{statement: "CREATE USER u"},
	{statement: "ALTER USER u IDENTIFIED BY 'secret42'", before: []string{"CREATE USER u"}},
	{statement: "ALTER USER missing IDENTIFIED BY 'secret42'", fails: 1396},
	{statement: "RENAME USER u TO v", before: []string{"CREATE USER u"}},
	{statement: "DROP USER u", before: []string{"CREATE USER u"}},
	{statement: "CREATE ROLE r"},
	{statement: "DROP ROLE r", before: []string{"CREATE ROLE r"}},
	{statement: "GRANT SELECT ON house.* TO u", before: []string{"CREATE USER u"}},
	{statement: "GRANT SELECT ON house.* TO missing", fails: 1410},
	{statement: "REVOKE SELECT ON house.* FROM u", before: []string{"CREATE USER u", "GRANT SELECT ON house.* TO u"}},
	{statement: "GRANT r TO u", before: []string{"CREATE USER u", "CREATE ROLE r"}},
	{statement: "REVOKE r FROM u", before: []string{"CREATE USER u", "CREATE ROLE r", "GRANT r TO u"}},
	{statement: "ANALYZE TABLE t"},
	{statement: "FLUSH PRIVILEGES"},
	{statement: "LOCK TABLES t WRITE"},
	{statement: "BEGIN"},
	{statement: "START TRANSACTION READ WRITE"},
	{statement: "CALL set_attributes('house.people', 'qi=age', 'sa=disease')"},
	{statement: "CALL set_taxonomy('house.people', 'age', 'intervals=2')"},
	{statement: "CALL anonymize('house.people', 'anatomy', 'qi=age', 'sa=disease', 'l=2', 'publish=r', 'allow_composition=true')"},
	{statement: "CALL anonymize('house.missing', 'anatomy')", fails: 1146},
	{statement: "CALL drop_release('r')", before: []string{"CALL anonymize('house.people', 'anatomy', 'qi=age', 'sa=disease', 'l=2', 'publish=r', 'allow_composition=true')"}},
	{statement: "CALL create_analyst('bi', 'long enough')"},
	{statement: "CALL creates()", before: []string{"CREATE PROCEDURE creates() CREATE TABLE o (n INT)"}},
}

// forms are the ways in which a statement reaches the server.
var forms = map[string]func(db *dbsql.DB, statement string) error{
	"text": func(db *dbsql.DB, statement string) error {
		_, err := db.Exec(statement)
		return err
	},
	"prepared": func(db *dbsql.DB, statement string) error {
		prepared, err := db.Prepare(statement)
		if err != nil {
			return err
		}
		defer prepared.Close()
		_, err = prepared.Exec()
		return err
	},
	"executed": func(db *dbsql.DB, statement string) error {
		if _, err := db.Exec("PREPARE p FROM '" + strings.ReplaceAll(statement, "'", "''") + "'"); err != nil {
			return err
		}
		_, err := db.Exec("EXECUTE p")
		return err
	},
}

// createsByText are statements that EXECUTE refuses: the engine would keep their text, and has none; and statements about procedures.
var createsByText = regexp.MustCompile("CREATE (VIEW|PROCEDURE)|DROP PROCEDURE")

// Rows inserted before and after a committing statement persist if the client leaves without COMMIT. A later ROLLBACK
// does not undo the rows before it.
func TestImplicitCommits(t *testing.T) {
	t.Parallel()
	for form, run := range forms {
		t.Run(form, func(t *testing.T) {
			s := servertest.Start(t, server.Config{Extend: server.Product})
			root := s.Open(t, servertest.Root)
			statements := committers
			if form != "text" {
				statements = testsize.Some(len(committers)/testsize.Levels(10, 4, 1), committers)
			}
			for _, c := range statements {
				if form != "text" && c.fails != 0 || form == "executed" && createsByText.MatchString(c.statement) {
					continue // it fails in PREPARE, which commits nothing
				}
				t.Run(c.statement, func(t *testing.T) {
					startOver(t, root)
					leaves := alone(t, s)
					servertest.Exec(t, leaves, c.before...)
					servertest.Exec(t, leaves, "START TRANSACTION", "INSERT INTO t VALUES (1)")
					if err := run(leaves, c.statement); c.fails == 0 && err != nil || servertest.Number(err) != c.fails {
						t.Errorf("%v, want number %d", err, c.fails)
					}
					if !begins(c.statement) {
						servertest.Exec(t, leaves, "INSERT INTO t VALUES (2)", "ROLLBACK")
					}
					leaves.Close()
					if got, want := one[string](t, root, "SELECT GROUP_CONCAT(n ORDER BY n) FROM house.t"), wanted(c.statement); got != want {
						t.Errorf("the table has %s, must have %s", got, want)
					}
				})
			}
		})
	}
}

func begins(statement string) bool {
	return strings.HasPrefix(statement, "BEGIN") || strings.HasPrefix(statement, "START")
}

// wanted returns which of the rows 1 and 2 must remain. A statement that begins a transaction does not keep row 2.
func wanted(statement string) string {
	if begins(statement) {
		return "1"
	}
	return "1,2"
}

// alone returns one connection of root.
func alone(t *testing.T, s *servertest.Server) *dbsql.DB {
	t.Helper()
	db := s.Open(t, servertest.Account{User: "root", Database: "house"})
	db.SetMaxOpenConns(1)
	return db
}

// startOver leaves an empty table house.t and people to publish, and removes accounts and releases of earlier tests.
func startOver(t *testing.T, root *dbsql.DB) {
	t.Helper()
	for _, user := range strings.Fields(listed(t, root, "SELECT User FROM mysql.user WHERE User <> 'root'")) {
		servertest.Exec(t, root, "DROP USER `"+user+"`")
	}
	for _, release := range strings.Fields(listed(t, root, "SELECT name FROM anonsql.releases")) {
		servertest.Exec(t, root, "CALL drop_release('"+release+"')")
	}
	servertest.Exec(t, root, "DROP DATABASE IF EXISTS house", "DROP DATABASE IF EXISTS other", "CREATE DATABASE house",
		"CREATE TABLE house.t (n INT)", "CREATE TABLE house.people (age INT, disease VARCHAR(20))",
		"INSERT INTO house.people VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, 'b')")
}

// Other statements leave the transaction open: ROLLBACK undoes earlier changes.
func TestStatementsThatDoNotCommit(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	for _, statement := range []string{
		"SELECT 1", "INSERT INTO t VALUES (3)", "DELETE FROM t", "UPDATE t SET n = 4", "SAVEPOINT s", "SET @a = 1", "SET autocommit = 1",
		"SHOW TABLES", "EXPLAIN SELECT 1", "UNLOCK TABLES", "CREATE TABLE (", "CALL looks()", "CALL evaluate('missing')",
	} {
		t.Run(statement, func(t *testing.T) {
			startOver(t, root)
			db := alone(t, s)
			servertest.Exec(t, db, "CREATE PROCEDURE looks() SELECT COUNT(*) FROM t", "START TRANSACTION", "INSERT INTO t VALUES (1)")
			if _, err := db.Exec(statement); err != nil && servertest.Number(err) != 1064 && !strings.HasPrefix(statement, "CALL evaluate") {
				t.Fatal(err)
			}
			servertest.Exec(t, db, "ROLLBACK")
			if n := one[int](t, db, "SELECT COUNT(*) FROM t"); n != 0 {
				t.Errorf("%d rows are left after ROLLBACK", n)
			}
		})
	}
}

// With autocommit off, a statement with an implicit commit also commits its own work. Switching autocommit on
// commits.
func TestCommitsWithoutAutocommit(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	for statements, want := range map[string]string{
		"INSERT INTO t VALUES (1); SET autocommit = 1; INSERT INTO t VALUES (2)":                                            "1,2",
		"START TRANSACTION; INSERT INTO t VALUES (1); SET SESSION autocommit = ON; INSERT INTO t VALUES (2)":                "1,2",
		"SET @on = 1; INSERT INTO t VALUES (1); SET autocommit = @on; INSERT INTO t VALUES (2)":                             "1,2",
		"INSERT INTO t VALUES (1); SET autocommit = 0; INSERT INTO t VALUES (2)":                                            "",
		"INSERT INTO t VALUES (1); CREATE TABLE o (n INT); INSERT INTO t VALUES (2)":                                        "1",
		"INSERT INTO t VALUES (1); CREATE USER u; INSERT INTO t VALUES (2)":                                                 "1",
		"INSERT INTO t VALUES (1); CREATE TABLE t (n INT)":                                                                  "1",
		"LOCK TABLES t WRITE; INSERT INTO t VALUES (1); UNLOCK TABLES; INSERT INTO t VALUES (2); UNLOCK TABLES":             "1",
		"INSERT INTO t VALUES (1); CALL set_attributes('house.people', 'qi=age'); INSERT INTO t VALUES (2)":                 "1",
		"CREATE PROCEDURE p() BEGIN INSERT INTO t VALUES (1)|CREATE TABLE o (n INT)|INSERT INTO t VALUES (2)|END; CALL p()": "1",
	} {
		t.Run(statements, func(t *testing.T) {
			startOver(t, root)
			db := alone(t, s)
			servertest.Exec(t, db, "SET autocommit = 0")
			for _, statement := range strings.Split(statements, "; ") {
				_, err := db.Exec(strings.ReplaceAll(statement, "|", "; "))
				if err != nil && servertest.Number(err) != 1050 {
					t.Fatalf("%s: %v", statement, err)
				}
			}
			db.Close()
			if got := one[dbsql.NullString](t, root, "SELECT GROUP_CONCAT(n ORDER BY n) FROM house.t").String; got != want {
				t.Errorf("the table has %q, must have %q", got, want)
			}
			if !strings.Contains(statements, "set_attributes") {
				return
			}
			if n := one[int](t, root, "SELECT COUNT(*) FROM anonsql.attributes WHERE role = 'qi'"); n != 1 {
				t.Errorf("%d roles are stored", n)
			}
		})
	}
}
