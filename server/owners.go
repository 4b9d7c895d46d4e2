package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
	"github.com/anonsql/anonsql/server/worker"
)

// Inside lets a program in the server's process (Config.Beside) connect clients that another server has authenticated.
type Inside struct {
	Catalog *catalog.Catalog
	// Address is host:port of the server's own listener.
	Address string
	// Dial opens a connection that counts as coming from the client's address: accounts and wrong passwords are matched by that address.
	Dial func(client net.Addr) (net.Conn, error)
	// HasAccount reports whether an account exists.
	HasAccount func(user, host string) bool
	// Connect opens a connection of an account of another server, whose tables live in home. It speaks MySQL's protocol, without a
	// password. Here the account is called 'user@host'@'server', so that it differs from all of this server's.
	Connect func(account, server string, home source.Source) (net.Conn, error)
	Logger  *slog.Logger
	// Health adds a neighbour to /healthz and /readyz, and Gauge a gauge to /metrics.
	Health func(Neighbour)
	Gauge  func(name, help string, value func() float64)
	// TLS has the server's certificate, nil for none.
	TLS *tls.Config
	// Databases are the server's own databases that owners see in addition to theirs.
	Databases []string
	// Ours reports whether a database is one of the server's own, such as published.
	Ours func(database string) bool
	// Procedure, TableFunction, Function and Variable report whether a name, in any case, is one: the first two the server's own, the others any.
	Procedure, TableFunction, Function, Variable func(name string) bool
}

func (s *instance) insideOf(door *doorListener) Inside {
	return Inside{
		Catalog:    s.store,
		Address:    *s.address.Load(),
		Health:     s.monitor.adds,
		Gauge:      s.metrics.gauge,
		Logger:     s.config.Logger,
		TLS:        door.tls,
		Databases:  slices.Sorted(maps.Keys(s.provider.system)),
		HasAccount: s.accounts.HasAt,
		Dial: func(client net.Addr) (net.Conn, error) {
			here, there, err := worker.Pair()
			if err != nil {
				return nil, err
			}
			door.succeed(wire.NewPacketConn(guest{there, client}, door.tls))
			return here, nil
		},
		Connect: func(account, server string, home source.Source) (net.Conn, error) {
			if home == nil {
				return nil, errors.New("a client from elsewhere has no tables")
			}
			here, there, err := worker.Pair()
			if err != nil {
				return nil, err
			}
			door.succeed(
				wire.NewOwnerConn(wire.NewPacketConn(there, nil), &wire.Owner{User: account, Host: server, Source: home, Privileges: s.accounts.Elsewhere()}),
			)
			return here, nil
		},
		Ours:          s.provider.Keeps,
		Procedure:     func(name string) bool { return len(s.provider.procedures[strings.ToLower(name)]) > 0 },
		TableFunction: func(name string) bool { return s.provider.tableFunctions[strings.ToLower(name)] != nil },
		Function:      func(name string) bool { return s.provider.functions[strings.ToLower(name)] != nil },
		Variable:      func(name string) bool { _, _, ok := sql.SystemVariables.GetGlobal(name); return ok },
	}
}

// A guest is a connection within the process, on behalf of a client at an address.
type guest struct {
	net.Conn
	from net.Addr
}

// RemoteAddr implements net.Conn.
func (g guest) RemoteAddr() net.Addr { return g.from }

// SyscallConn implements syscall.Conn: the server uses it to notice that the client has left.
func (g guest) SyscallConn() (syscall.RawConn, error) {
	socket, ok := g.Conn.(syscall.Conn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return socket.SyscallConn()
}

// runBeside runs Config.Beside until ctx ends. Its error stops the server.
func (s *instance) runBeside(ctx context.Context, door *doorListener) (ended <-chan error, stop func()) {
	done := make(chan error, 1)
	if s.config.Beside == nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		done <- s.config.Beside(ctx, s.insideOf(door))
	}()
	return done, func() {
		cancel()
		<-finished
	}
}

// foreign is a database of another server, which may be a session's current database. Only statements that name its tables in texts, such as CALL
// anonymize, open them.
type foreign struct {
	name string
	home source.Beside // nil if the session's home is the other server
}

var _ sql.ViewDatabase = foreign{}

// Name implements sql.Database.
func (f foreign) Name() string { return f.name }

// GetTableInsensitive implements sql.Database.
func (f foreign) GetTableInsensitive(_ *sql.Context, table string) (sql.Table, bool, error) {
	if f.home == nil {
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("%s.%s is a table of the engine's: ask for its rows there. Here ANON_DETECT describes it, CALL anonymize publishes it, "+
		"and ANON_ACTUAL compares a release with it", f.name, table)
}

// GetTableNames implements sql.Database.
func (f foreign) GetTableNames(ctx *sql.Context) ([]string, error) {
	if f.home == nil {
		return nil, nil
	}
	return f.home.TableNames(ctx, f.name)
}

// AllViews implements sql.ViewDatabase: views of the other server are among its tables.
func (f foreign) AllViews(*sql.Context) ([]sql.ViewDefinition, error) { return nil, nil }

// GetViewDefinition implements sql.ViewDatabase.
func (f foreign) GetViewDefinition(*sql.Context, string) (sql.ViewDefinition, bool, error) {
	return sql.ViewDefinition{}, false, nil
}

// CreateView implements sql.ViewDatabase.
func (f foreign) CreateView(_ *sql.Context, _, _, _ string) error { return f.notHere() }

// DropView implements sql.ViewDatabase.
func (f foreign) DropView(*sql.Context, string) error { return f.notHere() }

func (f foreign) notHere() error {
	return fmt.Errorf("%s is a database of another server: define views there, or in a database of this one", f.name)
}

// isUpstream reports whether a database of the session lives on the upstream server.
func (p *Provider) isUpstream(ctx *sql.Context, database string) bool {
	return source.HomeOf(ctx) != nil && !p.Keeps(database) && !strings.EqualFold(database, sql.InformationSchemaDatabaseName)
}

// besideDatabases returns the databases of an engine whose names the account sees. An unreachable engine causes a warning, not an error, so that a list
// of databases does not fail.
func (p *Provider) besideDatabases(ctx *sql.Context) []string {
	home := source.BesideOf(ctx)
	if home == nil {
		return nil
	}
	names, err := databasesOf(ctx, home)
	if err != nil {
		ctx.Session.Warn(&sql.Warning{Level: "Warning", Code: sqlerror.NumberOf(err), Message: err.Error()})
	}
	return slices.DeleteFunc(names, func(name string) bool { return p.sees != nil && !p.sees.Database(ctx, name) })
}

// inBeside returns a database of an engine, or sql.ErrDatabaseNotFound.
func inBeside(ctx *sql.Context, home source.Beside, name string) (sql.Database, error) {
	names, err := home.Databases(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return foreign{strings.ToLower(name), home}, nil
}
