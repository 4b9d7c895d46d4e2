package acceptance

import (
	"context"
	dbsql "database/sql"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/server/servertest/census"
	"github.com/anonsql/anonsql/testsize"
)

// SIGTERM to a process with an open transaction and a running CALL anonymize: the transaction is rolled back, CALL
// completes or has no effect, the process ends by itself without an error, and committed data persist.
func TestSIGTERM(t *testing.T) {
	t.Parallel()
	rows := testsize.Of(5000, 20_000)
	dir := filepath.Join(t.TempDir(), "data")
	file := census.Write(t, rows)
	c := servertest.StartChild(t, dir)
	census.Import(t, c.Address, file)
	run(t, c.DB, "CREATE TABLE census.log (n INT)")
	run(t, c.DB, "INSERT INTO census.log VALUES (1)")
	open, err := c.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, open, "START TRANSACTION", "INSERT INTO census.log VALUES (2)")
	ended := make(chan error, 1)
	caller, err := c.DB.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// CALL waits for the writer that the transaction holds, so it cannot end before the signal.
	go func() {
		_, err := caller.ExecContext(context.Background(), "CALL anonymize('census.people', 'slppa', 'qi=age,sex,education,region', 'sa=disease', 'beta=0.2', 'publish=people', 'calibrate=false', 'fit=false')")
		ended <- err
	}()
	servertest.Eventually(t, "the job of CALL anonymize runs", func() bool {
		return one[int](t, c.DB, "SELECT COUNT(*) FROM anonsql.jobs WHERE status = 'running'") == 1
	})
	started := time.Now()
	if err := c.Process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	failure := <-ended
	state, err := c.Process.Process.Wait()
	if err != nil || state.ExitCode() != 0 {
		t.Errorf("the process ended with %v, %v", state, err)
	}
	t.Logf("ended after %v; CALL: %v", time.Since(started), failure)
	c.DB.Close()

	c = servertest.StartChild(t, dir)
	var logged, published int
	if err := c.DB.QueryRow("SELECT COUNT(*) FROM census.log").Scan(&logged); err != nil || logged != 1 {
		t.Errorf("%d rows are logged, %v", logged, err)
	}
	if err := c.DB.QueryRow("SELECT COUNT(*) FROM anonsql.releases").Scan(&published); err != nil || (failure == nil) != (published == 1) {
		t.Errorf("CALL ended with %v, and there are %d releases, %v", failure, published, err)
	}
	if published == 1 {
		return
	}
	run(t, c.DB, "CALL anonymize('census.people', 'slppa', 'qi=age,sex,education,region', 'sa=disease', 'beta=0.2', 'publish=people', 'calibrate=false', 'fit=false')")
}

// A stopping server lets a statement end within the grace period, and cancels it afterwards. It refuses new clients
// and disconnects idle ones.
func TestShutdownGrace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		grace  time.Duration
		sleep  string
		number int
	}{{5 * time.Second, "SELECT SLEEP(0.7)", 0}, {100 * time.Millisecond, "SELECT SLEEP(30)", 1053}} {
		s := servertest.Start(t, server.Config{Extend: server.Product, ShutdownGrace: c.grace})
		db := s.Open(t, servertest.Root)
		idle, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		servertest.Exec(t, idle, "CREATE DATABASE d", "CREATE TABLE d.t (n INT)", "START TRANSACTION", "INSERT INTO d.t VALUES (1)")
		busy := underWay(t, s, db, c.sleep)
		s.Stop(t)
		if err := <-busy; servertest.Number(err) != c.number {
			t.Errorf("%s within %v: %v, want number %d", c.sleep, c.grace, err, c.number)
		}
		if _, err := idle.ExecContext(context.Background(), "COMMIT"); err == nil {
			t.Error("an idle session committed after the end")
		}
		if !strings.Contains(s.Log(), "stopping") || strings.Contains(s.Log(), "did not stop") {
			t.Errorf("the log:\n%s", s.Log())
		}
		s = servertest.Start(t, s.Config)
		if n := one[int](t, s.Open(t, servertest.Root), "SELECT COUNT(*) FROM d.t"); n != 0 {
			t.Errorf("%d rows of a transaction that was not committed", n)
		}
	}
}

// underWay runs a statement and returns once the process list shows it. The channel that it returns receives the
// statement's error.
func underWay(t *testing.T, s *servertest.Server, db *dbsql.DB, statement string) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := conn.ExecContext(context.Background(), statement)
		ended <- err
	}()
	watching := s.Open(t, servertest.Root)
	servertest.Eventually(t, "the process list shows "+statement, func() bool {
		return one[int](t, watching, "SELECT COUNT(*) FROM information_schema.processlist WHERE info = '"+statement+"'") > 0
	})
	return ended
}
