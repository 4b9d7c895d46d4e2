package acceptance

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// An account that may read only published data has limits from the start, however it was created. The owner can
// change them, and they follow the account.
func TestAccountLimits(t *testing.T) {
	t.Parallel()
	config := server.Config{Extend: server.Product, DataDir: t.TempDir()}
	s := servertest.Start(t, config)
	root := s.Connect(t, servertest.Root)
	for _, statement := range []string{"CREATE DATABASE d", "CREATE USER made@'%' IDENTIFIED BY 'long and secret'", "GRANT SELECT ON published.* TO made@'%'", "GRANT SELECT ON anonsql.* TO made@'%'",
		"CREATE USER owner@'%' IDENTIFIED BY 'long and secret'", "GRANT SELECT ON d.* TO owner@'%'", "CALL create_analyst('bi', 'long and secret', 'statement_timeout=1', 'max_result_rows=3')"} {
		failsWith(t, root, 0, statement)
	}
	of := func(conn *dbsql.Conn, user string) string {
		t.Helper()
		return one[string](t, conn, "SELECT CONCAT_WS(' ', host, statement_timeout, max_result_rows, max_result_bytes, memory, max_connections) FROM anonsql.limits WHERE user = '"+user+"'")
	}
	for user, want := range map[string]string{"made": "% 60 1000000 268435456 134217728 20", "owner": "% 0 0 0 0 0", "root": "localhost 0 0 0 0 0", "bi": "% 1 3 268435456 134217728 20"} {
		if got := of(root, user); got != want {
			t.Errorf("%s has %s, want %s", user, got, want)
		}
	}
	bi := s.Connect(t, servertest.Account{User: "bi", Password: "long and secret"})
	if n := one[int](t, bi, "SELECT COUNT(*) FROM anonsql.limits"); n != 1 || of(bi, "bi") != "% 1 3 268435456 134217728 20" {
		t.Errorf("an analyst sees %d accounts", n)
	}
	four := "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4"
	failsWith(t, bi, 1104, four)
	failsWith(t, bi, 3024, "SELECT SLEEP(30)")
	failsWith(t, bi, 3024, "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 900) SELECT COUNT(*) FROM c a, c b, c d") // reads no table
	failsWith(t, bi, 1370, "CALL set_limits('bi', 'max_result_rows=0')")
	if got := one2(t, root, "CALL set_limits('bi', 'max_result_rows=4', 'max_result_bytes=1KiB')"); got != "'bi'@'%' statement_timeout=1, max_result_rows=4, max_result_bytes=1024, memory=128MiB, max_connections=20" {
		t.Errorf("CALL set_limits answers %s", got)
	}
	failsWith(t, bi, 0, four)
	failsWith(t, bi, 1104, "SELECT REPEAT('x', 1025)")
	failsWith(t, root, 0, "RENAME USER bi TO tool")
	failsWith(t, root, 1210, "CALL set_limits('tool', 'max_rows=4')")
	failsWith(t, root, 1396, "CALL set_limits('bi', 'memory=default')")
	s.Stop(t)

	s = servertest.Start(t, config)
	root = s.Connect(t, servertest.Root)
	if got := of(root, "tool"); got != "% 1 4 1024 134217728 20" {
		t.Errorf("after RENAME USER and a restart: %s", got)
	}
	failsWith(t, root, 0, "CALL set_limits('tool', 'statement_timeout=default', 'max_result_rows=default', 'max_result_bytes=default')")
	if got := of(root, "tool"); got != "% 60 1000000 268435456 134217728 20" {
		t.Errorf("with the defaults again: %s", got)
	}
	failsWith(t, root, 0, "CALL set_limits('tool', 'memory=0')")
	failsWith(t, root, 0, "DROP USER tool")
	failsWith(t, root, 0, "CALL create_analyst('tool', 'long and secret')")
	if got := of(root, "tool"); got != "% 60 1000000 268435456 134217728 20" {
		t.Errorf("after DROP USER: %s", got)
	}
}

// one2 is the two texts of a row.
func one2(t *testing.T, conn *dbsql.Conn, query string) string {
	t.Helper()
	var a, b string
	if err := conn.QueryRowContext(context.Background(), query).Scan(&a, &b); err != nil {
		t.Fatal(err)
	}
	return a + " " + b
}

// An account that may create accounts cannot limit a superuser.
func TestSuperusersAreNotLimited(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	failsWith(t, root, 0, "CREATE USER keeper@'%' IDENTIFIED BY 'long and secret'")
	failsWith(t, root, 0, "GRANT CREATE USER ON *.* TO keeper@'%'")
	failsWith(t, root, 0, "GRANT EXECUTE ON *.* TO keeper@'%'")
	failsWith(t, root, 0, "GRANT SELECT ON published.* TO keeper@'%'")
	keeper := s.Connect(t, servertest.Account{User: "keeper", Password: "long and secret"})
	failsWith(t, keeper, 1227, "CALL set_limits('root', 'localhost', 'statement_timeout=1')")
	failsWith(t, keeper, 0, "CALL set_limits('keeper', 'statement_timeout=1')")
	failsWith(t, keeper, 3024, "SELECT SLEEP(30)")
}

// An account has a limited number of concurrent connections, which the owner may lift.
func TestConnectionsOfAnAccount(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	failsWith(t, root, 0, "CALL create_analyst('bi', 'long and secret', 'max_connections=3')")
	account := servertest.Account{User: "bi", Password: "long and secret"}
	var open []*dbsql.Conn
	for range 3 {
		open = append(open, s.Connect(t, account))
	}
	_, err := s.Open(t, account).Conn(context.Background())
	if servertest.Number(err) != 1226 || !strings.Contains(err.Error(), "current value: 3") {
		t.Errorf("a fourth connection: %v", err)
	}
	failsWith(t, open[0], 0, "SELECT 1")
	if err := open[0].Raw(func(driver any) error { return driver.(interface{ Close() error }).Close() }); err != nil {
		t.Fatal(err)
	}
	after := s.Open(t, account)
	servertest.Eventually(t, "another is let in after one has left", func() bool { // the server notices when it reads
		conn, err := after.Conn(context.Background())
		if err != nil {
			return false
		}
		conn.Close()
		return true
	})
	after.Close()
	failsWith(t, root, 0, "CALL set_limits('bi', 'max_connections=0')")
	for i := range 10 {
		if _, err := s.Open(t, account).Conn(context.Background()); err != nil {
			t.Fatal(fmt.Errorf("connection %d without a limit: %w", i, err))
		}
	}
}
