package isolation_test

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// analyst and colleague are accounts of create_analyst.
var (
	analyst   = servertest.Account{User: "bi", Password: "a long password", Database: "published"}
	colleague = servertest.Account{User: "ci", Password: "a long password", Database: "published"}
)

func TestMain(m *testing.M) {
	servertest.ServeIfChild(nil)
	os.Exit(m.Run())
}

// startWorkers starts a server with the release p of clinic.visits, and the accounts bi and ci, whose statements run in workers.
func startWorkers(t *testing.T, config server.Config) (s *servertest.Server, root *dbsql.DB) {
	t.Helper()
	config.Extend = server.Product
	s = servertest.Start(t, config)
	root = s.Open(t, servertest.Root)
	servertest.PublishVisits(t, root)
	for _, a := range []servertest.Account{analyst, colleague} {
		servertest.Exec(t, root, fmt.Sprintf("CALL create_analyst('%s', '%s')", a.User, a.Password))
	}
	return s, root
}

// document is a long array, and endless a statement that compares two of them for hours in one row, where nothing checks for the end. It needs no table.
const (
	document = "CONCAT('[', REPEAT('1, ', 900000), '2]')"
	endless  = "SELECT JSON_CONTAINS(REPLACE(REPLACE(" + document + ", '1', '4'), '2]', '1]'), REPLACE(" + document + ", '2]', '1]'))"
)

// TestWorkersAnswerAlike: a worker answers an analyst like the server itself.
func TestWorkersAnswerAlike(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	servertest.Exec(t, root, "CALL anonymize('clinic.visits', 'mondrian', 'k=4', 'l=2', 'publish=m', 'allow_composition=true')")
	db := s.Connect(t, analyst)
	for _, question := range []struct{ sql, want string }{
		{"SELECT 1, NULL, '', x'00ff', 1.50, DATE '2024-02-29', CAST('{\"a\": [1]}' AS JSON)", "1|NULL|||1.50|2024-02-29|{\"a\": [1]}\n"},
		{"SELECT COUNT(*) FROM p", "120\n"},
		{"SELECT COUNT(*) FROM m", "120\n"},
		{"SELECT COUNT(DISTINCT disease) FROM p", "4\n"},
		{"SELECT SUM(n) FROM (SELECT disease, COUNT(*) n FROM p GROUP BY disease) t", "120\n"},
		{"SELECT CURRENT_USER(), DATABASE()", "bi@%|published\n"},
		{"SHOW DATABASES", "anonsql\ninformation_schema\npublished\n"},
		{"SHOW TABLES", "m\np\n"},
		{"SELECT name, status, source FROM anonsql.releases ORDER BY name", "m|public, composed|NULL\np|public|NULL\n"},
		{"SELECT user, statement_timeout FROM anonsql.limits", "bi|60\n"},
		{"SELECT guarantee, holds FROM ANON_PRIVACY(p) WHERE guarantee = 'l'", "l|1\n"},
	} {
		if got := strings.ReplaceAll(tuples(db, question.sql), "\x00\xff", ""); got != question.want {
			t.Errorf("%s\n%q, want %q", question.sql, got, question.want)
		}
	}
	for sql, number := range map[string]int{
		"SELECT nothing FROM p": 1054, "SELECT * FROM clinic.visits": 1142, "SELECT ANON_ACTUAL(COUNT(*)) FROM p": 1142, "SELEC 1": 1064,
		"CALL drop_release('p')": 1370, "DELETE FROM p": 1142, "USE clinic": 1044, "DROP USER root@localhost": 1227, "KILL 1": 1095,
	} {
		if _, err := db.ExecContext(t.Context(), sql); servertest.Number(err) != number {
			t.Errorf("%s: %v, want error %d", sql, err, number)
		}
	}
}

// tuples are the rows of a query, with | between the values, or its error.
func tuples(db servertest.Queryer, query string) string {
	rows, err := servertest.Tries(db, query)
	if err != nil {
		return err.Error()
	}
	return strings.Join(append(rows, ""), "\n")
}

// number is the one number that a query answers.
func number(t *testing.T, db servertest.Queryer, query string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(tuples(db, query)))
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// workerProcesses are the workers of this process's servers.
func workerProcesses(t testing.TB) []int { return servertest.WorkersOf(t, os.Getpid()) }

// TestWorkerEnds: the time limit, KILL and a client that leaves end every statement. The killed session continues; the account ci notices nothing.
func TestWorkerEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		number int
		end    func(t *testing.T, s *servertest.Server, root *dbsql.DB, id int)
	}{
		{"by the time limit", 3024, nil},
		{"by KILL QUERY of the owner", 1317, func(t *testing.T, _ *servertest.Server, root *dbsql.DB, id int) {
			servertest.Exec(t, root, fmt.Sprintf("KILL QUERY %d", id))
		}},
		{"by KILL QUERY of the account", 1317, func(t *testing.T, s *servertest.Server, _ *dbsql.DB, id int) {
			servertest.Exec(t, s.Open(t, analyst), fmt.Sprintf("KILL QUERY %d", id))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, root := startWorkers(t, server.Config{})
			if c.end == nil {
				servertest.Exec(t, root, "CALL set_limits('bi', 'statement_timeout=1')")
			}
			other := s.Connect(t, colleague)
			servertest.Exec(t, other, "SET @kept = 7")
			session := s.Connect(t, analyst)
			servertest.Exec(t, session, "USE anonsql", "SET time_zone = '+03:00'", "SET @lost = 7")
			id := number(t, session, "SELECT CONNECTION_ID()")
			failed := make(chan error, 1)
			go func() {
				_, err := session.ExecContext(context.Background(), endless)
				failed <- err
			}()
			awaitProcess(t, root, id, "JSON_CONTAINS")
			if c.end != nil {
				c.end(t, s, root, id)
			}
			if err := <-failed; servertest.Number(err) != c.number {
				t.Fatalf("the statement ended with %v, want error %d", err, c.number)
			}
			_, told := session.ExecContext(t.Context(), "SELECT @lost")
			if told != nil && (servertest.Number(told) != 1317 || !strings.Contains(told.Error(), "user variables")) {
				t.Errorf("a session that lost its user variables was told %v", told)
			}
			wants := map[bool]string{true: "anonsql|+03:00|NULL\n", false: "anonsql|+03:00|7\n"}[told != nil]
			if got := tuples(session, "SELECT DATABASE(), @@time_zone, @lost"); got != wants {
				t.Errorf("the session, which was told %v, goes on with %q", told, got)
			}
			if got := tuples(other, "SELECT @kept"); got != "7\n" {
				t.Errorf("another account has %q", got)
			}
		})
	}
}

// awaitProcess waits until a statement with a text runs on a connection.
func awaitProcess(t *testing.T, db *dbsql.DB, id int, text string) {
	t.Helper()
	servertest.Eventually(t, "a statement with "+text, func() bool {
		var n int
		err := db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE id = ? AND info LIKE ?", id, "%"+text+"%").Scan(&n)
		return err == nil && n == 1
	})
}

// TestWorkerOfALostClient: a client that leaves ends its statement.
func TestWorkerOfALostClient(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	var socket net.Conn
	network := "lost" + strings.ReplaceAll(s.Addr, ":", "-")
	mysql.RegisterDialContext(network, func(ctx context.Context, _ string) (net.Conn, error) {
		var err error
		socket, err = (&net.Dialer{}).DialContext(ctx, "tcp", s.Addr)
		return socket, err
	})
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.Logger = network, s.Addr, analyst.User, analyst.Password, &mysql.NopLogger{}
	db := servertest.Dial(t, config)
	defer db.Close()
	id := number(t, db, "SELECT CONNECTION_ID()")
	failed := make(chan error, 1)
	go func() {
		_, err := db.Exec(endless)
		failed <- err
	}()
	awaitProcess(t, root, id, "JSON_CONTAINS")
	socket.Close()
	<-failed
	servertest.Eventually(t, "the end of the connection", func() bool {
		return number(t, root, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d", id)) == 0
	})
	if got := tuples(s.Open(t, analyst), "SELECT COUNT(*) FROM p"); got != "120\n" {
		t.Errorf("afterwards: %q", got)
	}
}

// TestWorkersSeeChanges: publications, drops, grants and revokes affect the next statement of an open session.
func TestWorkersSeeChanges(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	session := s.Connect(t, analyst)
	servertest.Exec(t, session, "SELECT COUNT(*) FROM p", "SET time_zone = '+02:00'")
	servertest.Exec(t, root, "CALL anonymize('clinic.visits', 'anatomy', 'l=2', 'publish=q', 'allow_composition=true')")
	if got := tuples(session, "SELECT COUNT(*) FROM q"); got != "120\n" {
		t.Errorf("a new release: %q", got)
	}
	servertest.Exec(t, root, "CALL drop_release('q')")
	if _, err := session.ExecContext(t.Context(), "SELECT COUNT(*) FROM q"); servertest.Number(err) != 1146 {
		t.Errorf("a dropped release: %v", err)
	}
	servertest.Exec(t, session, "SET @moved = 7")
	servertest.Exec(t, root, "GRANT SELECT ON clinic.* TO bi")
	if _, err := session.ExecContext(t.Context(), "SELECT @moved"); servertest.Number(err) != 1317 {
		t.Errorf("a variable that stayed behind: %v", err)
	}
	if got := tuples(session, "SELECT COUNT(*), @@time_zone FROM clinic.visits"); got != "120|+02:00\n" {
		t.Errorf("with a raw table: %q", got)
	}
	servertest.Exec(t, session, "SET @moved = 8")
	servertest.Exec(t, root, "REVOKE SELECT ON clinic.* FROM bi")
	if _, err := session.ExecContext(t.Context(), "SELECT @moved"); servertest.Number(err) != 1317 {
		t.Errorf("a variable that stayed behind, on the way back: %v", err)
	}
	if _, err := session.ExecContext(t.Context(), "SELECT COUNT(*) FROM clinic.visits"); servertest.Number(err) != 1142 {
		t.Errorf("without it: %v", err)
	}
	if got := tuples(session, "SELECT COUNT(*), @@time_zone FROM p"); got != "120|+02:00\n" {
		t.Errorf("afterwards: %q", got)
	}
	servertest.Exec(t, root, "REVOKE SELECT ON published.* FROM bi", "CALL anonymize('clinic.visits', 'anatomy', 'l=2', 'publish=r', 'allow_composition=true')", "GRANT SELECT ON published.r TO bi")
	if _, err := session.ExecContext(t.Context(), "SELECT COUNT(*) FROM p"); servertest.Number(err) != 1142 {
		t.Errorf("a release without a grant: %v", err)
	}
	if got := tuples(session, "SELECT COUNT(*) FROM r"); got != "120\n" {
		t.Errorf("a release with a grant: %q", got)
	}
	servertest.Exec(t, session, "ALTER USER bi@'%' IDENTIFIED BY 'another long password'")
	changed := analyst
	changed.Password = "another long password"
	if got := tuples(s.Open(t, changed), "SELECT CURRENT_USER()"); got != "bi@%\n" {
		t.Errorf("after a change of the password: %q", got)
	}
}

// TestWorkersBindParameters: prepared statements, closed ones and a new worker's.
func TestWorkersBindParameters(t *testing.T) {
	s, _ := startWorkers(t, server.Config{})
	session := s.Connect(t, analyst)
	prepared, err := session.PrepareContext(t.Context(), "SELECT COUNT(*), ?, ? FROM p WHERE age >= ?")
	if err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		var n float64
		var text string
		var null dbsql.NullString
		if err := prepared.QueryRow("it's", nil, 0).Scan(&n, &text, &null); err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%v %s %v", n, text, null.Valid)
	}
	if got := ask(); got != "120 it's false" {
		t.Errorf("prepared: %s", got)
	}
	for _, pid := range workerProcesses(t) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	servertest.Eventually(t, "an answer of a new worker", func() bool { return ask() == "120 it's false" })
	if err := prepared.Close(); err != nil {
		t.Error(err)
	}
	for range 550 { // two of one text each, which is more than a session may have at once
		var open []*dbsql.Stmt
		for range 2 {
			p, err := session.PrepareContext(t.Context(), "SELECT 1 FROM p WHERE age = ?")
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, p)
		}
		for _, p := range open {
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestWorkersSeeGlobals: SET GLOBAL holds for a worker that runs, and so does its end.
func TestWorkersSeeGlobals(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	session := s.Connect(t, analyst)
	const question = "SELECT @@GLOBAL.group_concat_max_len"
	before := tuples(session, question)
	servertest.Exec(t, root, "SET GLOBAL group_concat_max_len = 4321")
	defer servertest.Exec(t, root, "SET GLOBAL group_concat_max_len = "+before)
	if got := tuples(session, question); got != "4321\n" {
		t.Errorf("set: %q", got)
	}
	servertest.Exec(t, root, "SET GLOBAL group_concat_max_len = "+before)
	if got := tuples(session, question); got != before {
		t.Errorf("set back: %q, want %q", got, before)
	}
}

// TestErrorsBehindRowsOfWorkers: an analyst never takes a part of a result for the whole result.
func TestErrorsBehindRowsOfWorkers(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	servertest.Exec(t, root, "CALL set_limits('bi', 'max_result_rows=0', 'max_result_bytes=0')")
	session := s.Connect(t, analyst)
	const rows, invalidJSON = 9_000, 3141
	const question = "WITH RECURSIVE s AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM s WHERE n < 9000) " +
		"SELECT n, JSON_EXTRACT(IF(n = ?, '{', '[1]'), '$[0]') FROM s"
	servertest.Exec(t, session, "SET SESSION cte_max_recursion_depth = 9000")
	for protocol, found := range map[string]func() (*dbsql.Rows, error){
		"text": func() (*dbsql.Rows, error) {
			return session.QueryContext(t.Context(), strings.Replace(question, "?", "9000", 1))
		},
		"binary": func() (*dbsql.Rows, error) { return session.QueryContext(t.Context(), question, rows) },
	} {
		list, err := found()
		if err != nil {
			t.Fatalf("%s: %v before a row", protocol, err)
		}
		read := 0
		for list.Next() {
			read++
		}
		if err := list.Err(); servertest.Number(err) != invalidJSON || read == 0 || read >= rows {
			t.Errorf("%s: %v behind %d rows, want error %d behind some", protocol, err, read, invalidJSON)
		}
		list.Close()
		if got := tuples(session, "SELECT COUNT(*) FROM p"); got != "120\n" {
			t.Errorf("%s: afterwards %q", protocol, got)
		}
	}
}

// TestWorkersAreAudited: the audit has the actions of a worker's statement.
func TestWorkersAreAudited(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	db := s.Open(t, analyst)
	servertest.Exec(t, db, "SELECT COUNT(*) FROM p")
	if _, err := db.Exec("SELECT * FROM clinic.visits"); servertest.Number(err) != 1142 {
		t.Error(err)
	}
	servertest.Eventually(t, "the entries of the audit", func() bool {
		return tuples(root, "SELECT kind, COALESCE(`release`, '-') FROM anonsql.audit WHERE account = 'bi' AND kind IN ('estimate', 'denied') ORDER BY id") ==
			"estimate|p\ndenied|-\n"
	})
}

// TestWorkersChangeAccounts: an analyst's change of the own password is in the audit, and KILL ends one that waits for an owner's transaction.
func TestWorkersChangeAccounts(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	writer := s.Connect(t, servertest.Root)
	servertest.Exec(t, writer, "CREATE TABLE clinic.notes (n INT)", "BEGIN", "INSERT INTO clinic.notes VALUES (1)")
	session := s.Connect(t, analyst)
	id := number(t, session, "SELECT CONNECTION_ID()")
	failed := make(chan error, 1)
	go func() {
		_, err := session.ExecContext(context.Background(), "ALTER USER bi IDENTIFIED BY 'a second password'")
		failed <- err
	}()
	select {
	case err := <-failed:
		t.Fatalf("it does not wait for the transaction: %v", err)
	case <-time.After(time.Second):
	}
	servertest.Exec(t, root, fmt.Sprintf("KILL QUERY %d", id))
	if err := <-failed; servertest.Number(err) != 1317 {
		t.Errorf("it ends with %v, want 1317", err)
	}
	servertest.Exec(t, writer, "COMMIT")
	servertest.Exec(t, s.Open(t, analyst), "SELECT COUNT(*) FROM p") // with the password of before
	servertest.Exec(t, s.Open(t, analyst), "ALTER USER bi IDENTIFIED BY 'a third password'")
	changed := analyst
	changed.Password = "a third password"
	servertest.Exec(t, s.Open(t, changed), "SELECT COUNT(*) FROM p")
	if got := tuples(root, "SELECT kind, outcome FROM anonsql.audit WHERE account = 'bi' AND kind = 'account' ORDER BY id"); !strings.HasSuffix(got, "account|ok\n") {
		t.Errorf("the audit has %q", got)
	}
}

// TestWorkersTellOfLostLocks: a session whose worker has ended does not go on without the lock that it held.
func TestWorkersTellOfLostLocks(t *testing.T) {
	s, _ := startWorkers(t, server.Config{})
	session := s.Connect(t, analyst)
	if got := tuples(session, "SELECT GET_LOCK('mine', 0)"); got != "1\n" {
		t.Fatalf("GET_LOCK: %s", got)
	}
	killed := workerProcesses(t)
	for _, pid := range killed {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Fatal(err)
		}
	}
	servertest.Eventually(t, "the workers have ended", func() bool {
		return !slices.ContainsFunc(workerProcesses(t), func(pid int) bool { return slices.Contains(killed, pid) })
	})
	got := tuples(session, "SELECT 1")
	if strings.Contains(got, "1105") { // the server notices the end of the process only now
		got = tuples(session, "SELECT 1")
	}
	if !strings.Contains(got, "its named locks") {
		t.Errorf("a session that lost its lock was told %q", got)
	}
	if got := tuples(session, "SELECT IS_USED_LOCK('mine'), GET_LOCK('mine', 0), RELEASE_LOCK('mine')"); got != "NULL|1|1\n" {
		t.Errorf("the session goes on with %q", got)
	}
	if got := tuples(session, "SELECT 1"); got != "1\n" {
		t.Errorf("without a lock: %q", got)
	}
}

// TestMovedSessionsKeepNoLocks: a session whose statements begin to run in a worker loses the locks that it held in the server, and learns of it.
func TestMovedSessionsKeepNoLocks(t *testing.T) {
	s, root := startWorkers(t, server.Config{})
	servertest.Exec(t, root, "GRANT SELECT ON clinic.* TO bi")
	session := s.Connect(t, analyst)
	if got := tuples(session, "SELECT GET_LOCK('mine', 0)") + tuples(root, "SELECT IS_FREE_LOCK('mine')"); got != "1\n0\n" {
		t.Fatalf("an owner's lock: %q", got)
	}
	servertest.Exec(t, root, "REVOKE SELECT ON clinic.* FROM bi")
	if got := tuples(session, "SELECT 1"); !strings.Contains(got, "its named locks") {
		t.Errorf("a session that lost its lock was told %q", got)
	}
	if got := tuples(session, "SELECT 1") + tuples(root, "SELECT IS_FREE_LOCK('mine')"); got != "1\n1\n" {
		t.Errorf("afterwards: %q", got)
	}
}
