package acceptance

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// changesOfReaders are statements of accounts that may read or change a part of d, with the error number, 0 for none.
var changesOfReaders = []struct {
	account, statement string
	number             int
}{
	{"ins", "INSERT INTO d.t (id, v) VALUES (1, 0) ON DUPLICATE KEY UPDATE v = (@x := v)", 1142},
	{"ins", "INSERT INTO d.t (id, v) VALUES (1, 0) ON DUPLICATE KEY UPDATE v = 7", 1142},
	{"ins", "INSERT INTO d.t (id, v) VALUES (2, 0)", 0},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 0) ON DUPLICATE KEY UPDATE v = v + 1", 1142},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 0) ON DUPLICATE KEY UPDATE v = VALUES(v) + 42", 0},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 2) AS new(m, n) ON DUPLICATE KEY UPDATE v = n + m + 39", 0},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 42) ON DUPLICATE KEY UPDATE v = (SELECT @x := q.z FROM (SELECT t.v AS z) q)", 1142},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 42) ON DUPLICATE KEY UPDATE v = VALUES(t.v)", 0},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 42) AS `__new_ins`(i, v) ON DUPLICATE KEY UPDATE v = (@x := v)", 1235},
	{"two", "INSERT INTO d.t (id, v) VALUES (1, 42) AS `__NEW_insert` ON DUPLICATE KEY UPDATE v = 7", 1235},
	{"ins", "WITH d AS (SELECT 1 AS x) SELECT * FROM d.t", 1142},
	{"sel", "SELECT * FROM d.vt", 1044},
	{"sel", "SHOW CREATE VIEW d.vt", 1044},
	{"sel", "CREATE VIEW d.own AS SELECT 1 AS a", 1044},
	{"vw", "SELECT * FROM d.vt", 1142},
	{"vw", "SELECT * FROM d.vu", 1142},
	{"cre", "CREATE TABLE d.made AS SELECT 1 AS id", 1044},
	{"cre", "CREATE VIEW d.mv AS WITH t AS (SELECT * FROM t) SELECT * FROM t", 1235},
	{"cre", "CREATE VIEW d.mv AS WITH q AS (SELECT 1 AS a) SELECT * FROM q", 0},
	{"sel", "WITH d AS (SELECT 1 AS x) SELECT * FROM d.t", 0},
	{"sel", "WITH d AS (SELECT 1 AS x) UPDATE d.t SET v = 1", 1142},
	{"sel", "WITH d AS (SELECT 1 AS x) DELETE FROM d.t", 1142},
	{"sel", "WITH d AS (SELECT 1 AS x), t AS (SELECT 1 AS x) INSERT INTO d.t VALUES (5, 5)", 1142},
	{"sel", "WITH t AS (SELECT 1 AS x) REPLACE INTO d.t VALUES (5, 5)", 1142},
	{"sel", "WITH mysql AS (SELECT 1 AS x) UPDATE mysql.user SET plugin = ''", 1142},
	{"sel", "WITH mysql AS (SELECT 1 AS x) DELETE FROM mysql.tables_priv", 1142},
	{"upd", "WITH d AS (SELECT 1 AS x) UPDATE d.t SET v = (@x := v)", 1142},
	{"upd", "UPDATE d.t SET v = (@x := v)", 1142},
	{"upd", "UPDATE d.t SET v = 3 WHERE v = 42", 1142},
	{"upd", "UPDATE d.t SET v = 3 ORDER BY v LIMIT 1", 1142},
	{"upd", "UPDATE d.t JOIN d.u USING (id) SET t.v = 3", 1142},
	{"upd", "UPDATE d.t SET v = (SELECT @x := q.z FROM (SELECT t.v AS z) q)", 1142},
	{"upd", "UPDATE d.t SET v = (WITH q AS (SELECT t.v AS z) SELECT @x := q.z FROM q)", 1142},
	{"upd", "UPDATE d.t JOIN d.u ON (SELECT @x := q.z FROM (SELECT t.v AS z) q) IS NULL SET t.v = 3", 1142},
	{"upd", "UPDATE d.t JOIN d.u ON u.w = 5 SET t.v = u.w + 37", 0},
	{"upd", "UPDATE d.t JOIN (SELECT id FROM d.u) q ON q.id = 1 SET t.v = 7", 0},
	{"upd", "UPDATE d.t SET v = 42", 0},
	{"del", "DELETE FROM d.t WHERE (@y := v) IS NULL", 1142},
	{"del", "DELETE FROM d.t WHERE (SELECT @x := CONCAT_WS(',', @x, q.z) FROM (SELECT t.v AS z) q) IS NULL", 1142},
	{"del", "DELETE FROM d.t ORDER BY v LIMIT 1", 1142},
	{"del", "WITH q AS (SELECT 1) DELETE FROM d.t WHERE v = 42", 1142},
	{"del", "EXPLAIN DELETE FROM d.t WHERE v = 42", 1142},
	{"del", "DELETE FROM d.t", 0},
}

// An account that may change a table, but not read it, reads no column of it. As in MySQL, INSERT alone changes no existing row.
func TestChangingIsNotReading(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "CREATE TABLE d.u (id INT PRIMARY KEY, w INT)",
		"INSERT INTO d.t VALUES (1, 42)", "INSERT INTO d.u VALUES (1, 5)",
		"CREATE USER ins@'%' IDENTIFIED BY 'secret', upd@'%' IDENTIFIED BY 'secret', del@'%' IDENTIFIED BY 'secret', sel@'%' IDENTIFIED BY 'secret', two@'%' IDENTIFIED BY 'secret'",
		"GRANT INSERT ON d.t TO ins", "GRANT UPDATE ON d.t TO upd", "GRANT DELETE ON d.t TO del", "GRANT INSERT, UPDATE ON d.t TO two",
		"GRANT SELECT, UPDATE ON d.u TO upd", "GRANT SELECT ON *.* TO sel")
	servertest.Exec(t, root, "CREATE DATABASE mine", "CREATE TABLE mine.t (id INT)", "CREATE USER cre@'%' IDENTIFIED BY 'secret'", "GRANT CREATE VIEW, DELETE, CREATE ON d.* TO cre",
		"GRANT CREATE VIEW, SELECT ON mine.* TO cre")
	servertest.Exec(t, root, "CREATE VIEW d.vt AS SELECT v FROM d.t", "CREATE TABLE mine.u (w INT)", "INSERT INTO mine.u VALUES (9)", "CREATE USER vw@'%' IDENTIFIED BY 'secret'",
		"GRANT SELECT ON d.vt TO vw", "GRANT INSERT ON d.u TO vw", "GRANT SELECT ON d.vu TO vw", "GRANT CREATE VIEW ON *.* TO vw", "GRANT ALL ON mine.* TO vw", "USE d", "CREATE VIEW vu AS SELECT w FROM u")
	for _, c := range changesOfReaders {
		db := s.Open(t, servertest.Account{User: c.account, Password: "secret", Database: map[string]string{"cre": "mine", "vw": "mine"}[c.account]})
		if _, err := db.Exec(c.statement); servertest.Number(err) != c.number {
			t.Errorf("%s: %s: %v, want number %d", c.account, c.statement, err, c.number)
		}
		prepared, err := db.Prepare(c.statement)
		if err == nil {
			_, err = prepared.Exec()
		}
		if number := servertest.Number(err); number != c.number && number != 1062 && number != 1050 {
			t.Errorf("%s, prepared: %s: %v, want number %d", c.account, c.statement, err, c.number)
		}
	}
}

// VALUES() refers to the new row, even if the column is qualified with its table.
func TestValuesAreOfTheNewRow(t *testing.T) {
	t.Parallel()
	root := servertest.Start(t, server.Config{Extend: withPublished}).Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "INSERT INTO d.t VALUES (1, 42)")
	for i, statement := range []string{
		"INSERT INTO d.t (id, v) VALUES (1, 0) ON DUPLICATE KEY UPDATE v = VALUES(t.v)", "INSERT INTO d.t (id, v) VALUES (1, 1) ON DUPLICATE KEY UPDATE v = VALUES(d.T.v)",
		"INSERT INTO d.t (id, v) VALUES (1, 2) AS n(i, w) ON DUPLICATE KEY UPDATE v = VALUES(t.v)", "INSERT INTO d.t (id, v) SELECT 1, 3 ON DUPLICATE KEY UPDATE v = VALUES(t.v)",
	} {
		servertest.Exec(t, root, statement)
		if v := one[int](t, root, "SELECT v FROM d.t"); v != i {
			t.Errorf("%s: %d", statement, v)
		}
	}
}

// statementsAboutNames are statements of accounts that may read a part of d, with the error number, 0 for none.
var statementsAboutNames = []struct {
	account, statement string
	number             int
}{
	{"few", "CREATE TABLE mine.c LIKE d.u", 1142},
	{"few", "CREATE TABLE mine.c LIKE u", 1142},
	{"few", "CREATE TABLE IF NOT EXISTS mine.c LIKE t", 0},
	{"few", "CALL mine.copies()", 1142},
	{"eye", "SELECT * FROM v", 0},
	{"eye", "SHOW CREATE VIEW v", 1142},
	{"eye", "SHOW CREATE TABLE v", 1142},
	{"eye", "EXPLAIN SELECT * FROM t WHERE v IN (SELECT v FROM v)", 1345},
	{"eye", "EXPLAIN SELECT * FROM t", 0},
	{"eye", "SHOW CREATE TABLE t", 0},
	{"eye", "DESCRIBE v", 0},
	{"eye", "SHOW TABLES FROM mine", 1044},
	{"own", "SHOW CREATE VIEW v", 0},
	{"own", "SHOW CREATE TABLE v", 0},
	{"own", "EXPLAIN SELECT * FROM v", 0},
	{"few", "WITH RECURSIVE q AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM q WHERE n < 3) SELECT * FROM q", 0},
	{"few", "WITH RECURSIVE u AS (SELECT 1 AS w UNION ALL SELECT w + 1 FROM u WHERE w < 3 UNION ALL SELECT w + 2 FROM U WHERE w < 3) SELECT * FROM u", 0},
	{"few", "WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM (SELECT * FROM A) q) SELECT * FROM b", 0},
	{"few", "WITH RECURSIVE u AS (SELECT w FROM u UNION ALL SELECT w + 1 FROM u WHERE w < 3) SELECT * FROM u", 3574},
	{"few", "WITH RECURSIVE u AS (SELECT 1 AS w UNION ALL SELECT w FROM u UNION ALL SELECT 2) SELECT * FROM u", 1142},
	{"few", "WITH RECURSIVE u AS ((SELECT 1 AS w UNION ALL SELECT w FROM u) UNION ALL SELECT w + 1 FROM u WHERE w < 3) SELECT * FROM u", 1142},
	{"few", "WITH RECURSIVE u AS (SELECT 1 AS w UNION ALL SELECT u.w FROM d.u) SELECT * FROM u", 1142},
	{"few", "WITH u AS (SELECT * FROM u) SELECT * FROM u", 1142},
	{"few", "WITH a AS (SELECT * FROM u), u AS (SELECT 1 AS w) SELECT * FROM a", 1142},
}

// A definition is read only with the privileges for it: that of a table with SELECT, that of a view with SHOW VIEW. Queries of a WITH need none.
// Names of views are shown to accounts that have a privilege on them.
func TestNamesAndDefinitionsNeedPrivileges(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: withPublished})
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE DATABASE d", "CREATE DATABASE mine", "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)", "CREATE TABLE d.u (w INT)", "INSERT INTO d.u VALUES (42)",
		"CREATE VIEW d.v AS SELECT v FROM d.t", "CREATE PROCEDURE mine.copies() CREATE TABLE mine.p LIKE d.u",
		"CREATE USER few@'%' IDENTIFIED BY 'secret', eye@'%' IDENTIFIED BY 'secret', own@'%' IDENTIFIED BY 'secret'",
		"GRANT SELECT ON d.t TO few, eye, own", "GRANT SELECT ON d.v TO eye, own", "GRANT CREATE VIEW ON d.* TO eye, own", "GRANT SHOW VIEW ON d.v TO own",
		"GRANT INSERT ON d.u TO few", "GRANT SELECT ON `min_`.* TO eye", "GRANT SELECT ON `%`.* TO eye", "GRANT CREATE, EXECUTE ON mine.* TO few")
	for _, c := range statementsAboutNames {
		db := s.Open(t, servertest.Account{User: c.account, Password: "secret", Database: "d"})
		if _, err := db.Exec(c.statement); servertest.Number(err) != c.number {
			t.Errorf("%s: %s: %v, want number %d", c.account, c.statement, err, c.number)
		}
		prepared, err := db.Prepare(c.statement)
		if err == nil {
			_, err = prepared.Exec()
		}
		if servertest.Number(err) != c.number {
			t.Errorf("%s, prepared: %s: %v, want number %d", c.account, c.statement, err, c.number)
		}
	}
	for account, want := range map[string]string{"few": "t u", "eye": "t v"} {
		db := s.Open(t, servertest.Account{User: account, Password: "secret", Database: "d"})
		for _, list := range []string{"SHOW TABLES", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'd' ORDER BY 1"} {
			if got := strings.Join(servertest.Query(t, db, "%s", list), " "); got != want {
				t.Errorf("%s sees %q by %s, want %q", account, got, list, want)
			}
		}
	}
	for _, variable := range []string{"secure_file_priv", "datadir", "tmpdir"} {
		if _, err := root.Exec("SET GLOBAL " + variable + " = '/'"); servertest.Number(err) != 1238 {
			t.Errorf("SET GLOBAL %s: %v", variable, err)
		}
	}
}
