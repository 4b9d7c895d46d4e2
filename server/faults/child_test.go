// Package faults_test holds servers in processes of their own, which are killed,
// whose disk fills, becomes read-only or is damaged, while clients drive them over
// the wire.
package faults_test

import (
	"bufio"
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
)

// serveDirectory makes this test binary serve a directory instead of testing.
const serveDirectory = "ANONSQL_TEST_SERVE_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveDirectory); dir != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		err := server.Run(ctx, server.Config{DataDir: dir, Listen: "127.0.0.1:0", Extend: server.Product,
			Ready: func(a net.Addr) { fmt.Println("ready", a) }})
		if err == nil {
			os.Exit(0)
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = mysql.SetLogger(log.New(io.Discard, "", 0)) // connections that break are what is tested
	os.Exit(m.Run())
}

// A child is a server in a process of its own.
type child struct {
	process *exec.Cmd
	output  io.ReadCloser
	errors  strings.Builder
	address string
	db      *dbsql.DB
}

// launch starts the process, and does not wait until it serves.
func launch(t *testing.T, dir string) *child {
	t.Helper()
	c := &child{process: exec.Command(os.Args[0])}
	c.process.Env = append(os.Environ(), serveDirectory+"="+dir)
	c.process.Stderr = &c.errors
	var err error
	if c.output, err = c.process.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	return c
}

// start starts a server that must serve.
func start(t *testing.T, dir string) *child {
	t.Helper()
	c := launch(t, dir)
	for lines := bufio.NewScanner(c.output); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			c.address = address
			break
		}
	}
	if c.address == "" {
		_ = c.process.Wait()
		t.Fatalf("the child did not serve: %s", c.errors.String())
	}
	c.db = open(t, c.address)
	return c
}

// refuses wants that a server does not start, and returns what it says.
func refuses(t *testing.T, dir string) string {
	t.Helper()
	c := launch(t, dir)
	timer := time.AfterFunc(time.Minute, c.kill)
	defer timer.Stop()
	text, _ := io.ReadAll(c.output)
	if err := c.process.Wait(); err == nil || strings.Contains(string(text), "ready") {
		t.Fatalf("the server started: %s", text)
	}
	return c.errors.String()
}

func open(t *testing.T, address string) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", address, "root"
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := dbsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// kill is kill -9.
func (c *child) kill() {
	_ = c.process.Process.Kill() // it may be dead already
	_ = c.process.Wait()
	if c.db != nil {
		c.db.Close()
	}
}

// stop ends the server as an operator does.
func (c *child) stop(t *testing.T) {
	t.Helper()
	c.db.Close()
	if err := c.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.process.Wait(); err != nil {
		t.Fatalf("the server stopped with %v: %s", err, c.errors.String())
	}
}

// query returns the rows of a query, fields joined by |.
func query(db *dbsql.DB, statement string) (lines []string, err error) {
	rows, err := db.QueryContext(context.Background(), statement)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	fields, targets := make([]dbsql.NullString, len(columns)), make([]any, len(columns))
	for i := range fields {
		targets[i] = &fields[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		texts := make([]string, len(fields))
		for i, f := range fields {
			texts[i] = "NULL"
			if f.Valid {
				texts[i] = f.String
			}
		}
		lines = append(lines, strings.Join(texts, "|"))
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", statement, err)
	}
	return lines, nil
}

func fetch(t *testing.T, db *dbsql.DB, statement string) []string {
	t.Helper()
	lines, err := query(db, statement)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func run(t *testing.T, db *dbsql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}
