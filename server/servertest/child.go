package servertest

import (
	"bufio"
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"maps"
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

// childDirectory makes a test binary serve a directory instead of testing.
const childDirectory = "ANONSQL_TEST_SERVE_DIRECTORY"

// A test binary serves as the worker process of its own servers.
func init() {
	server.DeclareWorker()
	if !server.IsWorker() {
		return
	}
	if err := server.Work(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// ServeIfChild is for TestMain of packages that start children. In a child it serves, and then ends the process.
// adjust changes the configuration, nil for no change.
func ServeIfChild(adjust func(server.Config) server.Config) {
	dir := os.Getenv(childDirectory)
	if dir == "" {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config := server.Config{DataDir: dir, Listen: "127.0.0.1:0", Extend: server.Product, Ready: func(a net.Addr) { fmt.Println("ready", a) }}
	if adjust != nil {
		config = adjust(config)
	}
	err := server.Run(ctx, config)
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A Child is a server in its own process, which a test can kill.
type Child struct {
	Process *exec.Cmd
	Address string
	// DB connects as root, without a password.
	DB *dbsql.DB
	// Output is the standard output of the process: "ready" and its address.
	Output io.ReadCloser
	errors strings.Builder
}

// Launch starts the process, without waiting until it serves. The end of the test kills it.
func Launch(t *testing.T, dir string) *Child {
	t.Helper()
	c := &Child{Process: exec.Command(os.Args[0])}
	c.Process.Env = append(os.Environ(), childDirectory+"="+dir)
	c.Process.Stderr = &c.errors
	var err error
	if c.Output, err = c.Process.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Kill)
	return c
}

// StartChild starts a server on a directory, and waits until it serves.
func StartChild(t *testing.T, dir string) *Child {
	t.Helper()
	c := Launch(t, dir)
	for lines := bufio.NewScanner(c.Output); lines.Scan(); {
		if address, ok := strings.CutPrefix(lines.Text(), "ready "); ok {
			c.Address = address
			break
		}
	}
	if c.Address == "" {
		_ = c.Process.Wait()
		t.Fatalf("the child did not serve: %s", c.errors.String())
	}
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", c.Address, "root"
	config.Params = maps.Clone(ListsRelations)
	c.DB = Dial(t, config)
	return c
}

// RefusedChild expects that a server does not start on a directory, and returns its standard error.
func RefusedChild(t *testing.T, dir string) string {
	t.Helper()
	c := Launch(t, dir)
	timer := time.AfterFunc(time.Minute, c.Kill)
	defer timer.Stop()
	text, _ := io.ReadAll(c.Output)
	if err := c.Process.Wait(); err == nil || strings.Contains(string(text), "ready") {
		t.Fatalf("the server started: %s", text)
	}
	return c.errors.String()
}

// Alive reports whether the process runs. It does not wait.
func (c *Child) Alive() bool {
	var status syscall.WaitStatus
	pid, err := syscall.Wait4(c.Process.Process.Pid, &status, syscall.WNOHANG, nil)
	return err == nil && pid == 0
}

// End kills the process (kill -9). Clients have to notice the end of their connections.
func (c *Child) End() {
	_ = c.Process.Process.Kill() // it may be dead already
	_ = c.Process.Wait()
}

// Kill kills the process, and closes DB.
func (c *Child) Kill() {
	c.End()
	if c.DB != nil {
		c.DB.Close()
	}
}

// Stop ends the server as an operator would: with SIGTERM.
func (c *Child) Stop(t *testing.T) {
	t.Helper()
	c.DB.Close()
	if err := c.Process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Wait(); err != nil {
		t.Fatalf("the server stopped with %v: %s", err, c.errors.String())
	}
}

// Said returns the standard error of the process, once it has ended.
func (c *Child) Said() string { return c.errors.String() }
