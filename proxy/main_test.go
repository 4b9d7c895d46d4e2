package proxy_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/mariadbtest"
	"github.com/anonsql/anonsql/proxy"
	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// shared is the owners' server of all tests that do not end it.
var (
	shared  = sync.OnceValues(func() (*mariadbtest.Server, error) { return mariadbtest.Launch(mariadbtest.Options{}) })
	started bool
)

func TestMain(m *testing.M) {
	servertest.ServeIfChild(func(c server.Config) server.Config {
		return inFrontOf(os.Getenv(childUpstream), c, make(chan string, 1), os.Getenv(childOwners))
	})
	code := m.Run()
	if started {
		if s, err := shared(); err == nil {
			s.Kill()
		}
	}
	os.Exit(code)
}

// A front is anonsql in front of a MariaDB.
type front struct {
	upstream *mariadbtest.Server
	server   *servertest.Server // for analysts
	owners   string             // address for owners
}

// start puts a server in front of a MariaDB.
func start(t testing.TB, upstream *mariadbtest.Server) *front {
	t.Helper()
	return startTowards(t, upstream, upstream.Address)
}

// startTowards reaches the MariaDB at an address that need not be its own.
func startTowards(t testing.TB, upstream *mariadbtest.Server, address string) *front {
	t.Helper()
	ready := make(chan string, 1)
	f := &front{upstream: upstream, server: servertest.Start(t, inFrontOf(address, server.Config{}, ready, "127.0.0.1:0"))}
	f.owners = <-ready
	return f
}

// Where a server in a process of its own finds upstream, and listens for owners.
const childUpstream, childOwners = "ANONSQL_TEST_UPSTREAM", "ANONSQL_TEST_OWNERS"

// inFrontOf configures a server with a proxy that listens for owners at an address and sends the actual one on ready.
func inFrontOf(upstream string, config server.Config, ready chan<- string, owners string) server.Config {
	config.Extend = server.Product
	config.Beside = func(ctx context.Context, inside server.Inside) error {
		p, err := proxy.New(proxy.Config{Upstream: relay.Config{Network: "tcp", Address: upstream}, Name: "db.example:3306", Store: inside.Catalog.Store,
			Connect: inside.Connect, Database: inside.Ours, Procedure: inside.Procedure, TableFunction: inside.TableFunction, Function: inside.Function, Variable: inside.Variable,
			Databases: inside.Databases, Logger: inside.Logger})
		if err != nil {
			return err
		}
		l, err := net.Listen("tcp", owners)
		if err != nil {
			return err
		}
		ready <- l.Addr().String()
		return p.Serve(ctx, l)
	}
	return config
}

// begin is start in front of the shared MariaDB, in an empty database with the name of the test.
func begin(t *testing.T) (*front, *client) {
	t.Helper()
	upstream, err := shared()
	mariadbtest.Need(t, err)
	started = true
	database := strings.ToLower(t.Name())
	direct := connect(t, upstream.Address, "root", "", "")
	direct.exec("DROP DATABASE IF EXISTS "+database, "CREATE DATABASE "+database)
	f := start(t, upstream)
	return f, connect(t, f.owners, "root", database, "")
}

// A client has one connection.
type client struct {
	t  testing.TB
	db *dbsql.DB
}

func connect(t testing.TB, address, user, database, parameters string) *client {
	t.Helper()
	db, err := dbsql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/%s?%s", user, address, database, parameters))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return &client{t, db}
}

func (c *client) exec(statements ...string) {
	c.t.Helper()
	for _, s := range statements {
		if _, err := c.db.Exec(s); err != nil {
			c.t.Fatalf("%.200s: %v", s, err)
		}
	}
}

// query returns rows, values joined by |.
func (c *client) query(statement string, arguments ...any) []string {
	c.t.Helper()
	rows, err := c.tries(statement, arguments...)
	if err != nil {
		c.t.Fatalf("%.200s: %v", statement, err)
	}
	return rows
}

func (c *client) tries(statement string, arguments ...any) ([]string, error) {
	return servertest.Tries(c.db, statement, arguments...)
}

// want compares a result.
func (c *client) want(statement string, want ...string) {
	c.t.Helper()
	if got := c.query(statement); strings.Join(got, "\n") != strings.Join(want, "\n") {
		c.t.Errorf("%s:\n got %q\nwant %q", statement, got, want)
	}
}

// refused wants an error of this number that has this text.
func (c *client) refused(statement string, number uint16, text string) {
	c.t.Helper()
	servertest.Refused(c.t, c.db, int(number), text, "%s", statement)
}
