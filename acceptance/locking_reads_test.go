package acceptance

import (
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// startImpatient starts a server with a short lock wait, and a table house.t of one row.
func startImpatient(t *testing.T, wait time.Duration) *servertest.Server {
	t.Helper()
	s := servertest.Start(t, server.Config{Extend: func(h server.Host) (server.Extensions, error) {
		h.Catalog.SetLockWait(wait)
		return server.Product(h)
	}})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE house", "CREATE TABLE house.t (id INT PRIMARY KEY, n INT DEFAULT 1)",
		"INSERT INTO house.t VALUES (1, 1)", "CREATE VIEW house.v AS SELECT id, n FROM house.t",
		"CREATE PROCEDURE house.looks() BEGIN DECLARE m INT; SELECT n INTO m FROM t WHERE id = 1 FOR UPDATE; END")
	return s
}

// A locking query takes the writer's turn in every form, reads the newest rows, and keeps the turn when another statement fails.
func TestLockingReads(t *testing.T) {
	t.Parallel()
	s := startImpatient(t, 50*time.Millisecond)
	for _, query := range []string{
		"SELECT n FROM t WHERE id = 1 FOR UPDATE", "SELECT n FROM t FOR SHARE", "SELECT n FROM t LOCK IN SHARE MODE", "SELECT n FROM t x FOR UPDATE OF x",
		"SELECT n FROM v FOR UPDATE", "SELECT n FROM t UNION SELECT 7 FOR UPDATE", "SELECT (SELECT n FROM house.t FOR UPDATE) AS n",
		"SELECT n FROM (SELECT n FROM t FOR UPDATE) q", "WITH q AS (SELECT n FROM t FOR UPDATE) SELECT n FROM q", "SET @n = (SELECT n FROM t FOR UPDATE)",
		"CALL looks()", "PREPARE p FROM 'SELECT n FROM t FOR SHARE'; EXECUTE p", "SELECT n FROM t FOR UPDATE SKIP LOCKED", "SELECT n FROM t FOR UPDATE NOWAIT",
	} {
		for _, begin := range []string{"START TRANSACTION", "SET autocommit = 0"} {
			t.Run(begin+" "+query, func(t *testing.T) {
				own, other := alone(t, s), alone(t, s)
				servertest.Exec(t, own, begin)
				before := one[int](t, own, "SELECT n FROM t")
				servertest.Exec(t, other, "UPDATE t SET n = n + 1")
				servertest.Exec(t, own, strings.Split(query, "; ")...)
				if now := one[int](t, own, "SELECT n FROM t"); now != before+1 {
					t.Errorf("it reads %d, must read %d", now, before+1)
				}
				_, err := own.Exec("INSERT INTO t VALUES (1, 1)")
				number(t, err, 1062)
				servertest.Exec(t, other, "START TRANSACTION")
				for blocked, want := range map[string]int{"SELECT n FROM t FOR UPDATE": 1205, "SELECT n FROM t FOR SHARE NOWAIT": 3572, "DELETE FROM t": 1205} {
					_, err := other.Exec(blocked)
					number(t, err, want)
				}
				servertest.Exec(t, own, "COMMIT")
				servertest.Exec(t, other, "SELECT n FROM t WHERE 'NOWAIT' <> '' FOR UPDATE", "ROLLBACK")
			})
		}
	}
}

// Reading a view commits nothing.
func TestViewsEndNoTransaction(t *testing.T) {
	t.Parallel()
	s := startImpatient(t, 200*time.Millisecond)
	own := alone(t, s)
	for _, statement := range []string{"SELECT n FROM v", "INSERT INTO t SELECT id + 10, n FROM v", "SET @n = (SELECT MAX(n) FROM v)", "DELETE FROM t WHERE id IN (SELECT id FROM v)"} {
		servertest.Exec(t, own, "START TRANSACTION", "INSERT INTO t VALUES (2, 2)", statement, "ROLLBACK")
		if n := one[int](t, own, "SELECT COUNT(*) FROM t"); n != 1 {
			t.Errorf("after %s and ROLLBACK there are %d rows", statement, n)
			servertest.Exec(t, own, "DELETE FROM t", "INSERT INTO t VALUES (1, 1)")
		}
	}
}

// A query prepared by the protocol also locks. KILL ends a query that waits for the lock.
func TestLockingReadsAreKilled(t *testing.T) {
	t.Parallel()
	s := startImpatient(t, time.Hour)
	own, other := alone(t, s), alone(t, s)
	tx, err := own.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, tx, "SELECT n FROM t WHERE id = ? FOR SHARE", 1); n != 1 {
		t.Errorf("it reads %d", n)
	}
	err = other.QueryRow("SELECT n FROM t WHERE id = ? AND 'a' = ? FOR UPDATE NOWAIT", 1, "a").Scan(new(int)) // without a transaction
	if err != nil {
		t.Error(err)
	}
	id := one[int](t, other, "SELECT CONNECTION_ID()")
	servertest.Exec(t, other, "START TRANSACTION")
	number(t, other.QueryRow("SELECT n FROM t WHERE id = ? FOR UPDATE OF t NOWAIT", 1).Scan(new(int)), 3572)
	ended := make(chan error, 1)
	go func() {
		_, err := other.Exec("SELECT n FROM t FOR UPDATE")
		ended <- err
	}()
	time.Sleep(100 * time.Millisecond)
	if _, err := s.Open(t, servertest.Root).Exec(fmt.Sprint("KILL QUERY ", id)); err != nil {
		t.Fatal(err)
	}
	number(t, <-ended, 1317)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

// A query locks nothing without a transaction, without write privileges, and in EXPLAIN.
func TestReadsThatLockNothing(t *testing.T) {
	t.Parallel()
	s := startImpatient(t, 200*time.Millisecond)
	root, writer := s.Open(t, servertest.Root), alone(t, s)
	servertest.Exec(t, root, "CREATE USER ana IDENTIFIED BY 'long and secret'", "GRANT SELECT ON house.* TO ana")
	ana := s.Open(t, servertest.Account{User: "ana", Password: "long and secret", Database: "house"})
	ana.SetMaxOpenConns(1)
	free := func(db *dbsql.DB, want int, statements ...string) {
		t.Helper()
		servertest.Exec(t, db, statements[:len(statements)-1]...)
		_, err := db.Exec(statements[len(statements)-1])
		if servertest.Number(err) != want || (err == nil) != (want == 0) {
			t.Errorf("%s: %v, want number %d", statements, err, want)
		}
		servertest.Exec(t, writer, "UPDATE t SET n = n + 1")
		servertest.Exec(t, db, "ROLLBACK")
	}
	own := alone(t, s)
	free(own, 0, "SELECT n FROM t FOR UPDATE")
	free(own, 0, "START TRANSACTION", "EXPLAIN SELECT n FROM t FOR UPDATE")
	free(own, 1054, "START TRANSACTION", "SELECT missing FROM t FOR UPDATE")
	free(own, 1792, "START TRANSACTION READ ONLY", "SELECT n FROM t FOR UPDATE")
	free(own, 0, "START TRANSACTION READ ONLY", "SELECT n FROM t FOR SHARE")
	free(ana, 1142, "START TRANSACTION", "SELECT n FROM t FOR UPDATE")
	free(ana, 0, "START TRANSACTION", "SELECT n FROM t FOR SHARE")
	servertest.Exec(t, root, "GRANT LOCK TABLES ON house.* TO ana")
	servertest.Exec(t, ana, "START TRANSACTION", "SELECT n FROM t FOR UPDATE")
	_, err := writer.Exec("UPDATE t SET n = n + 1")
	number(t, err, 1205)
}

// An ALTER of a default that times out changes nothing for other sessions.
func TestDefaultsThatAreNotChanged(t *testing.T) {
	t.Parallel()
	s := startImpatient(t, 200*time.Millisecond)
	own, other := alone(t, s), alone(t, s)
	for i, clause := range []string{"SET DEFAULT 9", "DROP DEFAULT"} {
		servertest.Exec(t, own, "START TRANSACTION", "DELETE FROM t")
		_, err := other.Exec("ALTER TABLE t ALTER COLUMN n " + clause)
		number(t, err, 1205)
		servertest.Exec(t, own, "INSERT INTO t (id) VALUES (2)")
		if n := one[int](t, own, "SELECT n FROM t"); n != 1 {
			t.Errorf("%s: the default is %d", clause, n)
		}
		servertest.Exec(t, own, "ROLLBACK")
		var name, text string
		if err := own.QueryRow("SHOW CREATE TABLE t").Scan(&name, &text); err != nil || !strings.Contains(text, "DEFAULT '1'") {
			t.Errorf("%s: %v\n%s", clause, err, text)
		}
		servertest.Exec(t, other, "CREATE TABLE c LIKE t", "ALTER TABLE c ALTER COLUMN n "+clause, "ALTER TABLE c ALTER id SET DEFAULT 3", "INSERT INTO c () VALUES ()")
		if n := one[dbsql.NullInt64](t, other, "SELECT n FROM c WHERE id = 3"); n.Int64 != []int64{9, 0}[i] || n.Valid != (i == 0) {
			t.Errorf("%s: the new default is %v", clause, n)
		}
		servertest.Exec(t, other, "DROP TABLE c")
	}
}

// A failing definition leaves nothing behind and blocks nobody, also with autocommit off, and in a routine.
func TestDefinitionsThatFailLeaveNothing(t *testing.T) {
	t.Parallel()
	s := startImpatient(t, 200*time.Millisecond)
	own, other := alone(t, s), alone(t, s)
	servertest.Exec(t, own, "INSERT INTO t VALUES (2, 1)",
		"CREATE PROCEDURE alters() BEGIN DECLARE failed INT; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET failed = 1; ALTER TABLE t ADD COLUMN x INT, ADD UNIQUE (n); END")
	for statement, want := range map[string]int{
		"ALTER TABLE t ADD COLUMN x INT, ADD UNIQUE (n)":             1062,
		"CREATE TABLE x AS SELECT n, (SELECT id FROM t) AS y FROM t": 1242,
		"CALL alters()": 0,
	} {
		for _, autocommit := range []string{"0", "1"} {
			servertest.Exec(t, own, "SET autocommit = "+autocommit)
			if _, err := own.Exec(statement); servertest.Number(err) != want || (err == nil) != (want == 0) {
				t.Errorf("%s: %v, want number %d", statement, err, want)
			}
			if _, err := other.Exec("UPDATE t SET id = id"); err != nil {
				t.Errorf("after %s: %v", statement, err)
			}
			servertest.Exec(t, own, "COMMIT")
			if n := one[int](t, other, "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'house' AND (column_name = 'x' OR table_name = 'x')"); n != 0 {
				t.Errorf("%s with autocommit = %s left %d columns", statement, autocommit, n)
			}
		}
	}
}
