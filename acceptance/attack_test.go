package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
)

// Views and procedures run with the privileges of the caller, whatever their definer clause, and errors do not name
// what they hide.
func TestDefinitionsLendNoRights(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root, rich := s.Open(t, servertest.Root), attacker(t, s, "rich")
	servertest.Exec(t, rich, "CREATE TABLE mine.t (a VARCHAR(60))")
	for _, c := range []struct {
		create, use string
		want        int
	}{
		{"CREATE PROCEDURE mine.q1() SELECT * FROM zvault.zledger", "CALL mine.q1()", 1142},
		{"CREATE DEFINER=root@localhost PROCEDURE mine.q2() SQL SECURITY DEFINER SELECT * FROM zvault.zledger", "CALL mine.q2()", 1142},
		{"CREATE PROCEDURE mine.q3() BEGIN DECLARE x VARCHAR(20); SELECT zident INTO x FROM zvault.zledger LIMIT 1; SELECT x; END", "CALL mine.q3()", 1142},
		{"CREATE PROCEDURE mine.q4() BEGIN IF 1 = 1 THEN INSERT INTO mine.t SELECT zident FROM zvault.zledger; END IF; END", "CALL mine.q4()", 1142},
		{"CREATE PROCEDURE mine.q5() CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'publish=w')", "CALL mine.q5()", 1142},
		{"CREATE PROCEDURE mine.q6() SELECT * FROM SLPPA(zvault.zledger, 1, 0.5)", "CALL mine.q6()", 1142},
		{"CREATE PROCEDURE mine.q7() SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", "CALL mine.q7()", 1142},
		{"CREATE PROCEDURE mine.q8() ALTER USER root@localhost IDENTIFIED BY 'x'", "CALL mine.q8()", 1227},
		{"CREATE PROCEDURE mine.q9() DROP TABLE zvault.zledger", "CALL mine.q9()", 1142},
		{"CREATE VIEW mine.v1 AS SELECT ANON_ACTUAL(COUNT(*)) FROM published.p", "SELECT * FROM mine.v1", 1142},
		{"CREATE VIEW mine.v2 AS SELECT * FROM common.peek", "SELECT * FROM mine.v2", 1142},
	} {
		// A refusal at CREATE is as good.
		if shown, number := try(rich, c.create); number != 0 {
			if number != c.want || leaked(c.create, shown) != "" {
				t.Errorf("%s: %s, want %d", c.create, shown, c.want)
			}
			continue
		}
		if shown, number := try(rich, c.use); number != c.want || leaked(c.use, shown) != "" {
			t.Errorf("%s\n%s: %s, want %d", c.create, c.use, shown, c.want)
		}
	}
	var stolen, left int
	if err := root.QueryRow("SELECT (SELECT COUNT(*) FROM mine.t), (SELECT COUNT(*) FROM zvault.zledger)").Scan(&stolen, &left); err != nil || stolen != 0 || left != 8 {
		t.Errorf("%d rows were stolen, %d are left: %v", stolen, left, err)
	}
	// A procedure cannot do what is refused outside one.
	for _, body := range []string{"SET GLOBAL max_connections = 77", "SELECT 1 INTO OUTFILE 'attack_test.out'"} {
		_, _ = try(rich, "CREATE PROCEDURE mine.guarded() "+body)
		shown, number := try(rich, "CALL mine.guarded()")
		if number == 0 {
			t.Errorf("%s succeeded in a procedure: %s", body, shown)
		}
		servertest.Exec(t, root, "DROP PROCEDURE IF EXISTS mine.guarded")
	}
	if shown, _ := try(rich, "SELECT @@GLOBAL.max_connections"); !strings.Contains(shown, "{151 true}") {
		t.Errorf("a procedure changed a global variable: %s", shown)
	}
}

// A prepared statement is refused once its privileges are revoked.
func TestPreparedStatementsLosePrivileges(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root, conn := s.Open(t, servertest.Root), attacker(t, s, "bare")
	servertest.Exec(t, root, "GRANT SELECT ON zvault.zledger TO bare")
	var prepared []*dbsql.Stmt
	queries := []string{"SELECT zident FROM zvault.zledger WHERE age > ?", "SELECT age FROM published.zprivate WHERE age > ?",
		"SELECT ANON_ACTUAL(COUNT(*)) FROM published.p WHERE age > ?", "SELECT gid FROM SLPPA(zvault.zledger, 1, ?)"}
	for i, query := range queries {
		statement, err := conn.PrepareContext(context.Background(), query)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer statement.Close()
		prepared = append(prepared, statement)
		servertest.Exec(t, conn, fmt.Sprintf("PREPARE text%d FROM \"%s\"", i, query), "SET @v = 1")
		if shown, number := try(conn, fmt.Sprintf("EXECUTE text%d USING @v", i)); number != 0 {
			t.Fatalf("%s: %s", query, shown)
		}
	}
	servertest.Exec(t, root, "REVOKE SELECT ON zvault.zledger FROM bare")
	if shown, number := try(conn, "SELECT @v"); number != 1317 { // its statements run in another process now
		t.Errorf("a session whose variables are gone: %s", shown)
	}
	for i, want := range []int{1142, 1146, 1142, 1142} {
		err := servertest.Drain(prepared[i].Query(1))
		if servertest.Number(err) != want || leaked(queries[i], err.Error()) != "" {
			t.Errorf("%s, prepared before: %v, want %d", queries[i], err, want)
		}
		if shown, number := try(conn, fmt.Sprintf("EXECUTE text%d USING @v", i)); number != 1243 || leaked("", shown) != "" {
			t.Errorf("%s, prepared as text before: %s, want 1243", queries[i], shown)
		}
	}
}

// Two accounts with one user name and different hosts are unrelated.
func TestNamesakes(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER bare@'10.0.0.9' IDENTIFIED BY 's'", "GRANT SELECT ON zvault.* TO bare@'10.0.0.9'")
	conn := attacker(t, s, "bare")
	if shown, number := try(conn, "ALTER USER bare@'10.0.0.9' IDENTIFIED BY 'x'"); number != 1227 {
		t.Errorf("an account set a namesake's password: %s", shown)
	}
	if shown, number := try(conn, "ALTER USER bare@'%' IDENTIFIED BY 's'"); number != 0 {
		t.Errorf("an account cannot set its own password: %s", shown)
	}
}

// A transaction that began before the publication reads the release, and stops reading it once it is dropped.
func TestReleasesInOpenTransactions(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root, conn := s.Open(t, servertest.Root), attacker(t, s, "rich")
	servertest.Exec(t, conn, "CREATE TABLE mine.own (a INT)", "INSERT INTO mine.own VALUES (1)", "START TRANSACTION")
	if _, number := try(conn, "SELECT * FROM mine.own"); number != 0 {
		t.Fatal("the transaction has no snapshot")
	}
	servertest.Exec(t, root, "CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'allow_composition=true', 'publish=later')")
	if shown, number := try(conn, "SELECT COUNT(*) FROM published.later WHERE age > 0"); number != 0 || !strings.Contains(shown, "{8 true}") {
		t.Errorf("a release newer than the transaction: %s", shown)
	}
	servertest.Exec(t, root, "CALL drop_release('later')")
	if shown, number := try(conn, "SELECT COUNT(*) FROM published.later"); number != 1146 {
		t.Errorf("a dropped release is answered: %s", shown)
	}
}

// While a release is replaced, every answer of concurrent readers is from one version.
func TestReplacedWhileRead(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	stop, failed := make(chan struct{}), make(chan string, 2)
	for range 2 {
		conn := attacker(t, s, "rich")
		go func() {
			defer func() { failed <- "" }()
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, query := range []string{"SELECT COUNT(*) FROM published.p", "SELECT SUM(size) FROM published.p_gid", "SELECT SUM(`count`) FROM published.p_sa"} {
					if shown, number := try(conn, query); number != 0 || !strings.Contains(shown, "{8 true}") {
						failed <- query + ": " + shown
						return
					}
				}
			}
		}()
	}
	for range 20 {
		servertest.Exec(t, root, "CALL anonymize('zvault.zledger', 'slppa', 'beta=0.5', 'replace=true', 'publish=p')")
	}
	close(stop)
	for range 2 {
		if failure := <-failed; failure != "" {
			t.Error(failure)
		}
	}
}

// An account sees descriptions of the releases that it may read, and nothing of the owner's data.
func TestDescriptionsNeedTheRelease(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER blind@'%'", "GRANT SELECT ON anonsql.* TO blind")
	blind, rich := attacker(t, s, "blind"), attacker(t, s, "rich")
	for _, table := range []string{"releases", "guarantees", "attributes", "jobs", "evaluations"} {
		if shown, _ := try(blind, "SELECT * FROM anonsql."+table); strings.Count(shown, "\n") != 1 {
			t.Errorf("anonsql.%s shows releases to an account that reads none:\n%s", table, shown)
		}
	}
	shown, _ := try(rich, "SELECT name, source, seconds, refresh_recommended FROM anonsql.releases")
	if want := "[{p true} { false} { false} { false}]"; !slices.Contains(strings.Split(shown, "\n"), want) {
		t.Errorf("an analyst's view of the release is\n%s, want %s", shown, want)
	}
}

// LOAD DATA LOCAL reads the client's file and no file of the server, even in its SET clause.
func TestLoadDataReadsNothingRaw(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	mysql.RegisterReaderHandler("attack", func() io.Reader { return strings.NewReader("one\ntwo\n") })
	defer mysql.DeregisterReaderHandler("attack")
	root, conn := s.Open(t, servertest.Root), attacker(t, s, "rich")
	servertest.Exec(t, conn, "CREATE TABLE mine.t (a VARCHAR(60), b VARCHAR(60))")
	for _, statement := range []string{
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE mine.t (a) SET b = (SELECT zident FROM zvault.zledger LIMIT 1)",
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE mine.t (@v) SET a = (SELECT zident FROM zvault.zledger LIMIT 1)",
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE zvault.zledger (zident)",
		"LOAD DATA LOCAL INFILE 'Reader::attack' REPLACE INTO TABLE zvault.zempty",
		"LOAD DATA LOCAL INFILE 'Reader::attack' INTO TABLE published.p (sex)",
	} {
		shown, number := try(conn, statement)
		if number == 0 || leaked(statement, shown) != "" {
			t.Errorf("%s: %d %s", statement, number, shown)
		}
	}
	if shown, _ := try(conn, "SELECT * FROM mine.t"); leaked("", shown) != "" {
		t.Errorf("the analyst's table has %s", shown)
	}
	var rows int
	if err := root.QueryRow("SELECT COUNT(*) FROM zvault.zledger").Scan(&rows); err != nil || rows != 8 {
		t.Errorf("the raw table has %d rows: %v", rows, err)
	}
}

// A connection that asks for the raw database at login gets the same error as for any other database.
func TestConnectingToTheRawDatabase(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	for _, user := range []string{"rich", "bare"} {
		told := map[string]string{}
		for _, database := range []string{"zvault", "zvoult", "mysql"} {
			err := s.Open(t, servertest.Account{User: user, Password: "s", Database: database}).Ping()
			if servertest.Number(err) != 1044 || !strings.Contains(err.Error(), "'"+database+"'") {
				t.Errorf("%s connects to %s: %v", user, database, err)
				continue
			}
			told[database] = strings.ReplaceAll(err.Error(), database, "db")
		}
		if told["zvault"] != told["zvoult"] {
			t.Errorf("%s can tell the databases apart: %v", user, told)
		}
	}
}

// A read-only account does not block writers: a savepoint takes no lock before the transaction writes.
func TestReadersBlockNobody(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Connect(t, servertest.Root)
	for _, user := range []string{"bi", "rich"} {
		conn := attacker(t, s, user)
		servertest.Exec(t, conn, "START TRANSACTION", "SAVEPOINT a", "SELECT COUNT(*) FROM published.p", "SELECT COUNT(*) FROM published.p FOR UPDATE", "SAVEPOINT b")
		failsWith(t, root, 0, "UPDATE zvault.zledger SET zother = zother + 1")
		servertest.Exec(t, conn, "ROLLBACK TO SAVEPOINT a", "RELEASE SAVEPOINT a")
		for _, gone := range []string{"a", "b"} {
			failsWith(t, conn, 1305, "ROLLBACK TO SAVEPOINT "+gone)
		}
		servertest.Exec(t, conn, "COMMIT", "START TRANSACTION READ ONLY", "SAVEPOINT a", "ROLLBACK TO a", "ROLLBACK")
	}
	// Savepoints from before the first write work.
	for _, statement := range []string{"CREATE TABLE mine.s (a INT)", "START TRANSACTION", "SAVEPOINT a", "SELECT * FROM mine.s", "SAVEPOINT b", "INSERT INTO mine.s VALUES (1)", "SAVEPOINT c",
		"INSERT INTO mine.s VALUES (2)", "ROLLBACK TO c"} {
		failsWith(t, root, 0, statement)
	}
	for i, name := range []string{"c", "b", "a"} {
		failsWith(t, root, 0, "ROLLBACK TO "+name)
		if n := one[int](t, root, "SELECT COUNT(*) FROM mine.s"); n != []int{1, 0, 0}[i] {
			t.Errorf("after ROLLBACK TO %s there are %d rows", name, n)
		}
	}
	failsWith(t, root, 1305, "ROLLBACK TO b")
	for _, statement := range []string{"INSERT INTO mine.s VALUES (3)", "RELEASE SAVEPOINT a", "COMMIT"} {
		failsWith(t, root, 0, statement)
	}
	if n := one[int](t, root, "SELECT SUM(a) FROM mine.s"); n != 3 {
		t.Errorf("%d is committed", n)
	}
}

// Declarations about a raw table's columns affect other users' publications, so they need ALTER on the table, and
// SELECT and EXECUTE.
func TestAttributesNeedAlter(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	root := s.Open(t, servertest.Root)
	servertest.Exec(t, root, "CREATE USER curator@'%' IDENTIFIED BY 's'", "GRANT EXECUTE ON published.* TO curator@'%'", "GRANT SELECT ON published.* TO curator@'%'", "GRANT SELECT ON zvault.* TO curator@'%'")
	conn := s.Connect(t, servertest.Account{User: "curator", Password: "s"})
	calls := []string{"CALL set_attributes('zvault.zledger', 'qi=age', 'sa=disease', 'ei=zident')", "CALL set_taxonomy('zvault.zledger', 'age', 'intervals=5')",
		"CALL set_taxonomy('zvault.zledger', 'age', 'drop=true')"}
	for _, call := range calls {
		failsWith(t, conn, 1142, call)
		shown, _ := try(conn, call)
		if !strings.Contains(shown, "ALTER command denied to user 'curator'@'%' for table 'zledger'") {
			t.Errorf("%s: %s", call, shown)
		}
	}
	failsWith(t, conn, 0, "SELECT * FROM ANON_DETECT(zvault.zledger)")
	servertest.Exec(t, root, "GRANT ALTER ON zvault.zledger TO curator@'%'")
	for _, call := range calls {
		failsWith(t, conn, 0, call)
	}
}

// Replacing another account's view needs DROP on it.
func TestReplacingAView(t *testing.T) {
	t.Parallel()
	s := attacked(t)
	rich := attacker(t, s, "rich")
	failsWith(t, rich, 1142, "CREATE OR REPLACE VIEW common.peek AS SELECT 1")
	failsWith(t, rich, 0, "CREATE VIEW common.other AS SELECT COUNT(*) AS n FROM published.p")
	failsWith(t, rich, 0, "CREATE OR REPLACE VIEW mine.v AS SELECT 1 AS a")
	failsWith(t, rich, 0, "CREATE OR REPLACE VIEW mine.v AS SELECT 2 AS a")
}
