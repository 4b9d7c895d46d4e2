package implicit_test

import (
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/implicit"
)

// kinds are the kinds of statements of MySQL's manual that the grammar has, and those
// that look like them.
var kinds = []struct {
	text    string
	commits bool
}{
	{"CREATE TABLE t (n INT)", true},
	{"CREATE TABLE t AS SELECT 1", true},
	{"CREATE TEMPORARY TABLE t (n INT)", false},
	{"/* a */ -- b\n DROP TABLE t", true},
	{"/*!50001 CREATE VIEW v AS SELECT 1 */", true},
	{"CREATE DATABASE d", true},
	{"ALTER DATABASE d COLLATE utf8mb4_bin", true},
	{"DROP DATABASE d", true},
	{"ALTER TABLE t ADD COLUMN a INT", true},
	{"RENAME TABLE t TO u", true},
	{"TRUNCATE TABLE t", true},
	{"TRUNCATE t", true},
	{"CREATE INDEX i ON t (n)", true},
	{"DROP INDEX i ON t", true},
	{"CREATE VIEW v AS SELECT 1", true},
	{"DROP VIEW v", true},
	{"CREATE PROCEDURE p() SELECT 1", true},
	{"DROP PROCEDURE p", true},
	{"CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET @a = 1", true},
	{"DROP TRIGGER g", true},
	{"CREATE USER u", true},
	{"ALTER USER u IDENTIFIED BY 'x'", true},
	{"RENAME USER u TO v", true},
	{"DROP USER u", true},
	{"CREATE ROLE r", true},
	{"DROP ROLE r", true},
	{"GRANT SELECT ON d.* TO u", true},
	{"GRANT r TO u", true},
	{"REVOKE SELECT ON d.* FROM u", true},
	{"REVOKE r FROM u", true},
	{"REVOKE ALL PRIVILEGES, GRANT OPTION FROM u", true},
	{"ANALYZE TABLE t", true},
	{"FLUSH TABLES", true},
	{"LOCK TABLES t WRITE", true},
	{"CALL anonymize('t', 'slppa')", true},
	{"call ANONYMIZE('t', 'slppa')", true},
	{"CALL evaluate('r')", false},
	{"CALL d.anonymize()", true},
	{"SELECT 1", false},
	{"INSERT INTO t VALUES (1)", false},
	{"DELETE FROM t", false},
	{"LOAD DATA LOCAL INFILE 'f' INTO TABLE t", false},
	{"SAVEPOINT s", false},
	{"SET @a = 1", false},
}

// MySQL's manual lists the kinds that commit before they run.
func TestCommits(t *testing.T) {
	for _, c := range kinds {
		t.Run(c.text, func(t *testing.T) {
			statement, err := sqlparser.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			got := implicit.Commits(statement, func(name string) bool { return name == "anonymize" })
			if got != c.commits {
				t.Errorf("Commits = %v", got)
			}
			if got && !implicit.Possible(c.text) {
				t.Error("Possible = false for a statement that commits")
			}
		})
	}
}

// The first word tells which statements cannot commit.
func TestPossible(t *testing.T) {
	if implicit.Possible("SELECT 1") || implicit.Possible("/* c */ insert into t values (1)") ||
		implicit.Possible("(SELECT 1) UNION SELECT 2") || !implicit.Possible("EXECUTE s") {
		t.Error("Possible is not what the first word says")
	}
}

func TestSwitchesOn(t *testing.T) {
	for text, want := range map[string]bool{
		"SET autocommit = 1":                   true,
		"SET AUTOCOMMIT=ON":                    true,
		"SET @@autocommit = true":              true,
		"SET SESSION autocommit = 'on'":        true,
		"SET @@session.autocommit = 1":         true,
		"SET @a = 2, autocommit = 1":           true,
		"SET autocommit = 0":                   false,
		"SET GLOBAL autocommit = 1":            false,
		"SET @autocommit = 1":                  false,
		"SET sql_mode = 1":                     false,
		"SELECT 1 FROM t WHERE autocommit = 1": false,
	} {
		statement, err := sqlparser.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := implicit.SwitchesOn(statement); got != want {
			t.Errorf("SwitchesOn(%s) = %v", text, got)
		}
	}
}
