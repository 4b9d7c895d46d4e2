package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/machine"
	"github.com/anonsql/anonsql/server/wire"
)

// Config configures a server.
type Config struct {
	// DataDir is the directory of the catalog. Required. It is created if missing, and
	// locked while the server runs.
	DataDir string
	// ExportDir is the directory below which CALL export_release writes and CALL
	// import_release reads; it must exist. Defaults to none: then they fail.
	ExportDir string
	// Listen is host:port. Defaults to 127.0.0.1:3306. Port 0 takes a free one.
	Listen string
	// TLSCert and TLSKey are PEM files, both or none. Without them and without
	// TLSSelfSigned, connections are not encrypted.
	TLSCert, TLSKey string
	// TLSSelfSigned makes a certificate and a key in the data directory at the
	// first start, and uses them from then on. It is the default on an address
	// other than loopback.
	TLSSelfSigned bool
	// RequireTLS refuses unencrypted connections. It needs a certificate. It is the
	// default on an address other than loopback.
	RequireTLS bool
	// AllowPlaintext lets clients log in without TLS on an address other than
	// loopback.
	AllowPlaintext bool
	// MetricsListen is host:port for /metrics, /healthz and /readyz over HTTP, without
	// any authentication. Without a host it is the loopback interface. Defaults
	// to none.
	MetricsListen string
	// MaxConnections bounds the clients logged in at once; one more gets error
	// 1040, unless it is an administrator. Defaults to 151, as in MySQL. This and
	// the next three are variables: SET GLOBAL changes them.
	MaxConnections int
	// MaxAddressConnections bounds the connections of one address. Defaults to three
	// quarters of MaxConnections, without a limit for the loopback interface.
	MaxAddressConnections int
	// MaxUserConnections bounds the connections of one account (error 1203). Defaults
	// to none.
	MaxUserConnections int
	// ConnectTimeout bounds the time of a login, in whole seconds, at least 2. Defaults
	// to 10 seconds.
	ConnectTimeout time.Duration
	// StatementTimeout bounds the time of every statement of an account that reads only
	// published data (error 3024). The smaller of it and the account's own limit (CALL
	// set_limits) applies. Defaults to none.
	StatementTimeout time.Duration
	// MaxResultRows bounds the rows of a result of such an account (error 1104) in the
	// same way. Defaults to none.
	MaxResultRows int
	// MaxResultBytes bounds the bytes of a result of such an account, as text (error
	// 1104), in the same way. Defaults to none.
	MaxResultBytes int64
	// MemoryLimit bounds the memory of the process, in bytes; above it the session whose
	// statement uses the most ends (error 3170). All servers of a process share it.
	// Defaults to none.
	MemoryLimit int64
	// AuditDays is how many days entries of the audit are kept. Defaults to 90; -1
	// keeps them for ever.
	AuditDays int
	// NoAudit disables the audit, to measure its cost.
	NoAudit bool
	// ShutdownGrace is how long running statements may go on after the server was asked
	// to stop; then they are cancelled and rolled back. Defaults to 5 seconds.
	ShutdownGrace time.Duration
	// Ready is called once, with the bound address, when clients can connect.
	// May be nil.
	Ready func(net.Addr)
	// Logger receives the server's own log. Defaults to slog.Default().
	Logger *slog.Logger
	// Distributed makes the home of tables that a distributed engine keeps. May be nil.
	Distributed func(DistributedHost) source.Beside
	// BesideListen is the host:port at which Beside accepts clients, "" for none. If other machines can reach it, every account must have a
	// password, and a certificate is made, as for Listen.
	BesideListen string
	// Beside runs in parallel with the server, from when clients can connect until ctx ends; its error stops the server. May be nil.
	Beside func(ctx context.Context, inside Inside) error
	// InProcess runs statements of accounts that read only releases in the server's own process, instead of worker processes that have only these
	// releases.
	InProcess bool
	// front is a worker's connection to its front; nil in a server.
	front *front
	// Extend supplies the SQL names and rules that live above the catalog. It
	// is called once, before the server listens. May be nil.
	Extend func(Host) (Extensions, error)
}

// Host is what a server offers to the names and rules of Extensions.
type Host struct {
	Catalog *catalog.Catalog
	// CanRead reports whether the session's account may SELECT from a table. It is
	// false for an empty name and for a dropped account.
	CanRead func(ctx *sql.Context, database, table string) bool
	// Supply reads parts of releases in a worker; nil in a server.
	Supply catalog.Supply
	// Relations keeps relations of releases outside the catalog; may be nil.
	Relations source.RelationStore
	// Holds reports whether the session's account has all the given privileges on a
	// table, on a database (table is "") or globally (both are "").
	Holds  func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
	Logger *slog.Logger
	// DataDir and ExportDir come from the configuration.
	DataDir, ExportDir string
	// Audit is the audit of the data directory.
	Audit *audit.Log
	// CreateReader creates an account that may only SELECT from the databases. The
	// session needs the privileges for CREATE USER and GRANT. An empty host is '%'.
	// Options are limits of the form name=value (server/limits). It returns host:port
	// for the account's clients.
	CreateReader func(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address string, err error)
	// SetLimits changes the limits of an account, for a session that may create
	// accounts, and returns the resulting limits.
	SetLimits func(ctx *sql.Context, user, host string, options ...string) (limits string, err error)
	// SetDefaults changes the initial session variables of an account in the same way.
	SetDefaults func(ctx *sql.Context, user, host string, options ...string) (defaults string, err error)
	// Limits returns the limits of all accounts for a session that may create accounts,
	// otherwise the session's own.
	Limits func(ctx *sql.Context) []accounts.AccountLimits
}

// Extensions are the parts that other packages add to the engine.
type Extensions struct {
	// Releases are the catalog's releases.
	Releases *catalog.Releases
	// Functions take precedence over the engine's functions of the same name.
	Functions []sql.Function
	// TableFunctions are the relations that take arguments. Their arguments
	// may be bare or qualified names and name = value (see server/answers).
	TableFunctions []sql.TableFunction
	// Procedures are called with CALL. Names are case-insensitive; the number of
	// arguments chooses among equal names.
	Procedures []sql.ExternalStoredProcedureDetails
	// Tasks maps the name of a task's procedure to the procedure that is called with
	// 'task=name', both in lower case. The option stays among the arguments.
	Tasks map[string]string
	// Rules run on the bound plan before any rule of the engine. Each may be
	// called twice on one plan and must leave its own result alone.
	Rules []analyzer.RuleFunc
	// SystemDatabases are shown in addition to the owner's. No statement can write to
	// them or drop them.
	SystemDatabases []sql.Database
	// Execute may execute a node of a plan instead of the engine; it declines with nil,
	// nil. May be nil.
	Execute sql.NodeExecBuilder
	// DefaultDatabase is the current database of a session that named none, since the
	// engine binds views and table functions only with a current database. Defaults to
	// the first of SystemDatabases, or to information_schema.
	DefaultDatabase string
	// Background is the extensions' own work: it begins when clients can connect
	// and returns when ctx ends. May be nil.
	Background func(ctx context.Context)
	// RunningJobs counts the running long statements, for the metrics. May be nil.
	RunningJobs func() int
}

func (c Config) withDefaults() (Config, error) {
	if c.DataDir == "" {
		return c, fmt.Errorf("the data directory is not named")
	}
	if c.ExportDir != "" {
		if info, err := os.Stat(c.ExportDir); err != nil || !info.IsDir() {
			return c, fmt.Errorf("the export directory %s is no directory that can be opened: make it first", c.ExportDir)
		}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return c, fmt.Errorf("a TLS certificate needs its key and a key its certificate: certificate %q, key %q", c.TLSCert, c.TLSKey)
	}
	if c.TLSSelfSigned && c.TLSCert != "" {
		return c, fmt.Errorf("a TLS certificate is given, %q, or self-made: not both", c.TLSCert)
	}
	if c.RequireTLS && c.AllowPlaintext {
		return c, fmt.Errorf("TLS is required of clients, and clients are allowed to do without: not both")
	}
	c = c.withTLS()
	if c.RequireTLS && !c.encrypts() {
		return c, fmt.Errorf("TLS is required of clients, but there is no certificate: name one (--tls-cert, --tls-key) or have one made (--tls-self-signed)")
	}
	if c.MaxConnections < 0 || c.MaxConnections > wire.MaxConnections {
		return c, fmt.Errorf("the number of connections is %d, must be at least 1 and at most %d", c.MaxConnections, wire.MaxConnections)
	}
	if c.MaxAddressConnections < 0 || c.MaxAddressConnections > wire.MaxConnections {
		return c, fmt.Errorf("the number of connections of an address is %d, must be at least 1 and at most %d, or 0 for three quarters of all",
			c.MaxAddressConnections, wire.MaxConnections)
	}
	if c.MaxUserConnections < 0 || c.MaxUserConnections > wire.MaxConnections {
		return c, fmt.Errorf("the number of connections of an account is %d, must be at least 1 and at most %d, or 0 for no limit",
			c.MaxUserConnections, wire.MaxConnections)
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = 10 * time.Second
	}
	if c.ConnectTimeout < 2*time.Second || c.ConnectTimeout > 365*24*time.Hour || c.ConnectTimeout%time.Second != 0 {
		return c, fmt.Errorf("the time for logging in is %v, must be whole seconds, at least 2s and at most a year", c.ConnectTimeout)
	}
	for _, limit := range []struct {
		name  string
		value int64
	}{{"statement timeout", int64(c.StatementTimeout)}, {"number of rows of a result", int64(c.MaxResultRows)},
		{"size of a result", c.MaxResultBytes},
		{"memory limit", c.MemoryLimit}} {
		if limit.value < 0 {
			return c, fmt.Errorf("the %s is %d, must not be negative; 0 is none", limit.name, limit.value)
		}
	}
	if c.MemoryLimit > 0 && c.MemoryLimit < machine.MinMemory {
		return c, fmt.Errorf("the memory limit is %d bytes, must be at least %d", c.MemoryLimit, machine.MinMemory)
	}
	if c.AuditDays < -1 {
		return c, fmt.Errorf("the audit is kept for %d days, must be at least 1, or -1 for ever", c.AuditDays)
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:3306"
	}
	if c.MaxConnections == 0 {
		c.MaxConnections = 151
	}
	if c.AuditDays == 0 {
		c.AuditDays = 90
	}
	if c.ShutdownGrace == 0 {
		c.ShutdownGrace = 5 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// setConnectionVariables sets the initial values of the variables; SET GLOBAL changes
// them. Several servers of one process (in tests) share them.
func (c Config) setConnectionVariables() error {
	return sql.SystemVariables.AssignValues(map[string]any{
		"max_connections": int64(c.MaxConnections), wire.MaxAddressConnections: int64(c.MaxAddressConnections),
		"max_user_connections": int64(c.MaxUserConnections), "connect_timeout": int64(c.ConnectTimeout / time.Second),
	})
}
