package main

import (
	dbsql "database/sql"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// TestUpstreamFlags starts what the flags say, in front of a MariaDB that goes away: /healthz and /metrics show it, and the server serves on.
func TestUpstreamFlags(t *testing.T) {
	upstream := mariadbtest.Start(t, mariadbtest.Options{WithoutAccounts: true})
	owners := make(chan net.Addr, 1)
	flags := upstreamFlags{upstream: "mysql://" + upstream.Address, listen: "127.0.0.1:0", ready: func(a net.Addr) { owners <- a }}
	config := server.Config{Extend: server.Product, MetricsListen: "127.0.0.1:0"}
	if err := flags.configure(&config); err != nil {
		t.Fatal(err)
	}
	s := servertest.Start(t, config)
	monitor := regexp.MustCompile(`msg=metrics address=(\S+)`).FindStringSubmatch(s.Log())
	if monitor == nil {
		t.Fatalf("the log has no address:\n%s", s.Log())
	}
	db, err := dbsql.Open("mysql", "root@tcp("+(<-owners).String()+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var who string
	servertest.Eventually(t, "the owner is let in", func() bool { return db.QueryRow("SELECT COUNT(*) FROM anonsql.releases").Scan(&who) == nil })
	shows := func(page, want string) {
		t.Helper()
		answer, err := http.Get("http://" + monitor[1] + page)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v, want %q in\n%s", page, answer.Status, err, want, body)
		}
	}
	shows("/healthz", "upstream "+upstream.Address+": ok")
	shows("/metrics", "anonsql_owners_connected 1")
	shows("/metrics", "anonsql_upstream_reached 1")
	upstream.Kill()
	servertest.Eventually(t, "owners are told", func() bool {
		var told *mysql.MySQLError
		return errors.As(db.Ping(), &told) && told.Number == 2003
	})
	shows("/healthz", "cannot reach the upstream server")
	shows("/metrics", "anonsql_upstream_reached 0")
	if _, err := s.Open(t, servertest.Root).Exec("SELECT COUNT(*) FROM anonsql.releases"); err != nil {
		t.Error(err)
	}
}
