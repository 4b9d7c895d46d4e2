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

// TestUpstreamFlags starts a server with the flags, in front of a MariaDB that stops: /healthz and /metrics show it, and the server continues.
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
	ask := func(page string) (int, string) { return askPage(t, "http://"+monitor[1]+page) }
	answers := func(page string, status int, want string) {
		t.Helper()
		if got, body := ask(page); got != status || !strings.Contains(body, want) {
			t.Errorf("%s: %d, want %d and %q in\n%s", page, got, status, want, body)
		}
	}
	shows := func(page, want string) { t.Helper(); answers(page, http.StatusOK, want) }
	shows("/readyz", "analysts: ok\nowners: ok\n")
	shows("/readyz/owners", "owners: ok\n")
	answers("/readyz/engine", http.StatusNotFound, `no side "engine"; it has analysts, owners`)
	shows("/healthz", "upstream "+upstream.Address+": ok")
	shows("/metrics", "anonsql_owners_connected 1")
	shows("/metrics", "anonsql_upstream_reached 1")
	upstream.Kill()
	servertest.Eventually(t, "a balancer is told", func() bool { status, _ := ask("/readyz/owners"); return status != http.StatusOK })
	servertest.Eventually(t, "owners are told", func() bool {
		var told *mysql.MySQLError
		return errors.As(db.Ping(), &told) && told.Number == 1429
	})
	shows("/healthz", "cannot reach the upstream server")
	answers("/readyz/owners", http.StatusServiceUnavailable, "owners: anonsql cannot reach the upstream server "+upstream.Address+": ")
	answers("/readyz", http.StatusServiceUnavailable, "analysts: ok\nowners: anonsql cannot reach")
	shows("/readyz/analysts", "analysts: ok\n")
	shows("/metrics", "anonsql_upstream_reached 0")
	if _, err := s.Open(t, servertest.Root).Exec("SELECT COUNT(*) FROM anonsql.releases"); err != nil {
		t.Error(err)
	}
}

// askPage returns the status and the text of a page.
func askPage(t *testing.T, url string) (int, string) {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}
