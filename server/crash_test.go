package server_test

import (
	"bufio"
	"context"
	dbsql "database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/server"
)

// crashDirectory makes this test binary serve a directory instead of testing.
const crashDirectory = "ANONSQL_TEST_SERVE_DIRECTORY"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crashDirectory); dir != "" {
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
	os.Exit(m.Run())
}

// A child is a server in a process of its own, which can be killed.
type child struct {
	process *exec.Cmd
	address string
	db      *dbsql.DB
}

func startChild(t *testing.T, dir string) *child {
	t.Helper()
	c := &child{process: exec.Command(os.Args[0])}
	c.process.Env = append(os.Environ(), crashDirectory+"="+dir)
	output, err := c.process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.kill)
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			c.address = address
			break
		}
	}
	if c.address == "" {
		t.Fatal("the child did not serve")
	}
	if c.db, err = dbsql.Open("mysql", "root@tcp("+c.address+")/"); err != nil {
		t.Fatal(err)
	}
	return c
}

// kill is kill -9.
func (c *child) kill() {
	_ = c.process.Process.Kill() // it may be dead already
	_ = c.process.Wait()
	if c.db != nil {
		c.db.Close()
	}
}

func writePeople(t testing.TB, rows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "people.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := sample.WriteCSV(f, rows, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func importTo(t testing.TB, address, file string) {
	t.Helper()
	_, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "census", Table: "people", Server: address, User: "root"})
	if err != nil {
		t.Fatal(err)
	}
}
