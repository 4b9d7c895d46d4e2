// Package servertest runs whole servers for tests: real TCP, real clients, and a catalog in the test's own directory.
package servertest

import (
	"bytes"
	"context"
	dbsql "database/sql"
	"errors"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/syntax"
)

// A Server runs until its test ends or calls Stop.
type Server struct {
	// Addr is host:port.
	Addr string
	// Config is its configuration with defaults filled in. After Stop, Start with it finds the same data.
	Config server.Config

	log     *buffer
	cancel  context.CancelFunc
	stopped chan struct{}
	err     error
}

// Start starts a server on a free port of the loopback interface. An empty DataDir means a new one.
func Start(t testing.TB, config server.Config) *Server {
	t.Helper()
	if config.DataDir == "" {
		config.DataDir = t.TempDir()
	}
	if config.Listen == "" {
		config.Listen = "127.0.0.1:0"
	}
	if config.ShutdownGrace == 0 {
		config.ShutdownGrace = 2 * time.Second
	}
	s := &Server{Config: config, log: &buffer{}, stopped: make(chan struct{})}
	ready := make(chan net.Addr, 1)
	config.Ready = func(address net.Addr) { ready <- address }
	config.Logger = slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug}))

	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		defer close(s.stopped)
		s.err = server.Run(ctx, config)
	}()
	select {
	case address := <-ready:
		s.Addr = address.String()
	case <-s.stopped:
		t.Fatalf("the server did not start: %v", s.err)
	case <-time.After(time.Minute):
		t.Fatal("the server was not ready after a minute")
	}
	t.Cleanup(func() {
		s.Stop(t)
		boundsAreRestored(t)
	})
	return s
}

// boundsAreRestored fails a test that changes a bound of statements and does not restore it: bounds belong to the
// process, so they would affect other servers' tests.
func boundsAreRestored(t testing.TB) {
	t.Helper()
	for _, v := range syntax.BoundVariables() {
		if _, value, _ := sql.SystemVariables.GetGlobal(v.GetName()); value != v.GetDefault() {
			t.Errorf("the test leaves %s = %v, which other tests' servers see: set it back to %v", v.GetName(), value, v.GetDefault())
		}
	}
}

// Stop stops the server and waits until everything is closed. A second call does nothing.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.cancel()
	<-s.stopped
	if s.err != nil {
		t.Errorf("the server stopped with: %v", s.err)
		s.err = nil
	}
}

// Log returns the server's log.
func (s *Server) Log() string { return s.log.String() }

// Account is an account, and how to connect as it.
type Account struct {
	User, Password, Database string
	// MultiStatements allows several statements in one text.
	MultiStatements bool
	// TLS is the name of a configuration registered with the driver, "" for
	// none.
	TLS string
	// Variables are set when a connection opens; the values are SQL.
	Variables map[string]string
	// Interpolate makes the driver substitute arguments in the text instead of preparing a statement.
	Interpolate bool
}

// Root is the only account of a new server.
var Root = Account{User: "root"}

// ListsRelations makes lists of tables include the relations behind releases.
var ListsRelations = map[string]string{"anon_list_relations": "ON"}

// Open returns a pool of connections, closed when the test ends.
func (s *Server) Open(t testing.TB, a Account) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", s.Addr
	config.User, config.Passwd, config.DBName = a.User, a.Password, a.Database
	config.MultiStatements = a.MultiStatements
	config.AllowNativePasswords = true
	config.TLSConfig = a.TLS
	config.InterpolateParams = a.Interpolate
	config.Params = maps.Clone(a.Variables)
	config.Logger = &mysql.NopLogger{}
	return Dial(t, config)
}

// Dial returns a pool of connections for a driver's configuration, closed when the test ends.
func Dial(t testing.TB, config *mysql.Config) *dbsql.DB {
	t.Helper()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := dbsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// Connect returns one connection, closed when the test ends.
func (s *Server) Connect(t testing.TB, a Account) *dbsql.Conn {
	t.Helper()
	conn, err := s.Open(t, a).Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Exec runs statements that must succeed.
func Exec(t testing.TB, db interface {
	ExecContext(context.Context, string, ...any) (dbsql.Result, error)
}, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.Background(), statement); err != nil {
			t.Fatalf("%s\n%v", statement, err)
		}
	}
}

// Number returns the MySQL number of an error, 0 if it has none.
func Number(err error) int {
	if known, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return int(known.Number)
	}
	return 0
}

// repository returns the root of the repository: the nearest folder upwards with a go.mod.
func repository(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if filepath.Dir(folder) == folder {
			t.Fatal("no go.mod in the working directory or above")
		}
		folder = filepath.Dir(folder)
	}
}

// buffer is a log for concurrent writers.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
