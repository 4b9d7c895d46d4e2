package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
)

// auditRows is the audit without times, numbers and statements.
func auditRows(t *testing.T, s *servertest.Server) []string {
	t.Helper()
	var list []string
	for _, row := range fetchRows(t, s.Open(t, servertest.Root), "SELECT account, kind, COALESCE(`release`, '-'), COALESCE(source, '-'), outcome, `rows` FROM anonsql.audit ORDER BY id") {
		list = append(list, strings.Trim(fmt.Sprint(row), "[]"))
	}
	return list
}

// The audit has every publication and every estimate, changes of releases and of their readers, denials and failed
// logins, and no values.
func TestAudit(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (a INT, s VARCHAR(10))",
		"INSERT INTO d.t VALUES (1, 'x'), (2, 'y'), (3, 'x'), (4, 'z'), (5, 'y'), (6, 'z')",
		"CALL set_attributes('d.t', 'qi=a', 'sa=s')",
		"CALL anonymize('d.t', 'slppa', 'beta=0.5', 'publish=p')",
		"CALL anonymize('d.t', 'slppa', 'beta=0.5', 'publish=q', 'private=true', 'dry_run=true')",
		"CALL create_analyst('bi', 'a secret word')",
		"SELECT COUNT(*) FROM published.p WHERE a BETWEEN 2 AND 4711 AND s = 'plague'",
		"SELECT * FROM published.p",
		"CALL explain_sql('SELECT COUNT(*) FROM published.p')",
		"CALL evaluate('p', 'queries=10')",
		"CALL advise('d.t', 'seed=1')",
	} {
		run(t, root, statement)
	}
	analyst := s.Connect(t, servertest.Account{User: "bi", Password: "a secret word"})
	failsWith(t, analyst, 0, "SELECT s, COUNT(*) FROM published.p GROUP BY s")
	failsWith(t, analyst, 1142, "SELECT * FROM d.t WHERE s = 'plague'")
	prepared, err := analyst.PrepareContext(context.Background(), "SELECT COUNT(*) FROM published.p WHERE a < ?")
	if err != nil {
		t.Fatal(err)
	}
	var n float64
	for i := range 3 {
		if err := prepared.QueryRow(i).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Open(t, servertest.Account{User: "bi", Password: "guess"}).Conn(context.Background()); servertest.Number(err) != 1045 {
		t.Fatalf("a wrong password: %v", err)
	}
	failsWith(t, s.Connect(t, servertest.Root), 30002, "CALL anonymize('d.t', 'slppa', 'beta=0.1', 'publish=never', 'private=true')")
	run(t, root, "CALL drop_release('p')")
	want := []string{
		"root set_attributes - d.t ok 2", "root publish p d.t ok 1", "root dry_run _ d.t ok 1", "root create_analyst - - ok 1",
		"root estimate p - ok 1", "root evaluate p - ok 1", "root advise - d.t ok 3", "bi estimate p - ok 3", "bi denied - - error 1142 0",
		"bi estimate p - ok 1", "bi estimate p - ok 1", "bi estimate p - ok 1", "bi login - - error 1045 1",
		"root publish _ d.t error 30002 0", "root drop p - ok 1",
	}
	got := auditRows(t, s)
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	digests := fmt.Sprint(fetchRows(t, root, "SELECT statement FROM anonsql.audit"))
	for _, value := range []string{"plague", "4711", "secret", "guess", "0.5"} {
		if strings.Contains(digests, value) {
			t.Errorf("the audit has %q:\n%s", value, digests)
		}
	}
	if !strings.Contains(digests, "SELECT COUNT(*) FROM published.p WHERE a BETWEEN ? AND ? AND s = ?") {
		t.Errorf("digests:\n%s", digests)
	}
	s.Stop(t)
	if after := auditRows(t, servertest.Start(t, s.Config)); !slices.Equal(after, got) {
		t.Errorf("after a restart\n%s", strings.Join(after, "\n"))
	}
}

// Readers of published data cannot read the audit, nor see that it exists. An auditor gets access by name.
func TestAuditIsClosed(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Open(t, servertest.Root)
	for _, statement := range []string{"CALL create_analyst('bi', 'a secret word')", "CREATE USER auditor", "GRANT SELECT ON anonsql.audit TO auditor",
		"CREATE DATABASE mine", "CREATE USER wide", "GRANT SELECT, CREATE VIEW, SHOW VIEW ON anonsql.* TO wide", "GRANT ALL ON mine.* TO wide", "GRANT SELECT ON published.* TO wide",
		"CREATE VIEW mine.v AS SELECT * FROM anonsql.audit"} {
		run(t, root, statement)
	}
	for _, account := range []servertest.Account{{User: "bi", Password: "a secret word"}, {User: "wide"}} {
		conn := s.Connect(t, account)
		for _, statement := range []string{"SELECT * FROM anonsql.audit", "SELECT COUNT(*) FROM anonsql.AUDIT", "SELECT 1 FROM anonsql.jobs WHERE EXISTS (SELECT 1 FROM anonsql.audit)",
			"DESCRIBE anonsql.audit", "SHOW CREATE TABLE anonsql.audit", "TABLE anonsql.audit", "SHOW COLUMNS FROM anonsql.audit",
			"WITH x AS (SELECT * FROM anonsql.audit) SELECT * FROM x", "EXPLAIN SELECT * FROM anonsql.audit"} {
			failsWith(t, conn, 1142, statement)
		}
		if account.User == "wide" {
			failsWith(t, conn, 1142, "SELECT * FROM mine.v")
			failsWith(t, conn, 1142, "CREATE TABLE mine.kept AS SELECT * FROM anonsql.audit")
		}
		for _, list := range []string{"SELECT table_name AS n FROM information_schema.tables WHERE table_schema = 'anonsql'", "SHOW TABLES FROM anonsql",
			"SELECT DISTINCT table_name AS n FROM information_schema.columns WHERE table_schema = 'anonsql'"} {
			names := fmt.Sprint(fetchRows(t, s.Open(t, account), list))
			if strings.Contains(names, "audit") || !strings.Contains(names, "releases") {
				t.Errorf("%s: %s of %s", account.User, names, list)
			}
		}
	}
	failsWith(t, s.Connect(t, servertest.Account{User: "auditor"}), 0, "SELECT * FROM anonsql.audit")
	for _, statement := range []string{"DELETE FROM anonsql.audit", "UPDATE anonsql.audit SET kind = 'x'", "DROP TABLE anonsql.audit", "TRUNCATE anonsql.audit",
		"INSERT INTO anonsql.audit (kind) VALUES ('x')"} {
		if _, err := root.Exec(statement); err == nil {
			t.Errorf("%s succeeded", statement)
		}
	}
	if got := one[int](t, root, "SELECT COUNT(*) FROM anonsql.audit WHERE kind = 'denied' AND account = 'bi'"); got < 9 {
		t.Errorf("%d denials in the audit", got)
	}
}

// A killed process keeps every publication that a client got an answer for, in order, and estimates up to the last
// flush.
func TestAuditAfterKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	c := servertest.StartChild(t, dir)
	census.Import(t, c.Address, census.Write(t, 500))
	var wait sync.WaitGroup
	for i := range 6 {
		run(t, c.DB, fmt.Sprintf("CALL anonymize('census.people', 'slppa', 'qi=age,sex', 'sa=disease', 'beta=0.5', 'replace=true', 'private=true', 'publish=p%d')", i))
		wait.Go(func() {
			for range 20 {
				var n float64
				if err := c.DB.QueryRow(fmt.Sprintf("SELECT COUNT(*) FROM published.p%d WHERE age > 30", i)).Scan(&n); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	// Reading through the server flushes the audit first; the file shows what a kill would leave.
	file, err := dbsql.Open("sqlite3", "file:"+filepath.Join(dir, "audit.db")+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	servertest.Eventually(t, "the file of the audit has 120 estimates", func() bool {
		return one[int](t, file, "SELECT COUNT(*) FROM audit WHERE kind = 'estimate'") == 120
	})
	run(t, c.DB, "CALL drop_release('p3')")
	if err := c.Process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.Process.Process.Wait()
	c.DB.Close()
	c = servertest.StartChild(t, dir)
	var kinds []string
	for _, row := range fetchRows(t, c.DB, "SELECT kind, `release` FROM anonsql.audit WHERE kind IN ('publish', 'drop') ORDER BY id") {
		kinds = append(kinds, fmt.Sprint(row[0], " ", row[1]))
	}
	if got := strings.Join(kinds, ", "); got != "publish p0, publish p1, publish p2, publish p3, publish p4, publish p5, drop p3" {
		t.Errorf("the audit has %s", got)
	}
	if n := one[int](t, c.DB, "SELECT COUNT(*) FROM anonsql.audit WHERE kind = 'estimate'"); n != 120 {
		t.Errorf("%d estimates, want 120", n)
	}
}
