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

// Config says what a server serves and where.
type Config struct {
	// DataDir is the directory of the catalog. Required. It is made when it is
	// missing, and locked while the server runs.
	DataDir string
	// ExportDir is the directory below which CALL export_release writes and CALL
	// import_release reads; it must exist. Defaults to none: they are refused.
	ExportDir string
	// Listen is host:port. Defaults to 127.0.0.1:3306. Port 0 takes a free one.
	Listen string
	// TLSCert and TLSKey are PEM files. Both or none; without them, and without
	// TLSSelfSigned, connections to the loopback interface are not encrypted.
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
	// MaxAddressConnections bounds those of one address. Defaults to three quarters
	// of MaxConnections, and no limit for the loopback interface.
	MaxAddressConnections int
	// MaxUserConnections bounds those of one account (error 1203). Defaults to
	// none.
	MaxUserConnections int
	// ConnectTimeout is the time for logging in, in whole seconds, at least 2.
	// Defaults to 10 seconds.
	ConnectTimeout time.Duration
	// StatementTimeout bounds the time of every statement of an account that
	// reads published data only (error 3024), beside the account's own limit, which
	// CALL set_limits sets: the smaller counts. Defaults to none.
	StatementTimeout time.Duration
	// MaxResultRows bounds the rows of a result of such an account (error 1104),
	// likewise. Defaults to none.
	MaxResultRows int
	// MaxResultBytes bounds the bytes of a result of such an account, as text
	// (error 1104), likewise. Defaults to none.
	MaxResultBytes int64
	// MemoryLimit is what the process may hold, in bytes; above it the session whose
	// statement takes the most ends (error 3170). It is one for all servers of a process.
	// Defaults to none.
	MemoryLimit int64
	// AuditDays is how long entries of the audit are kept. Defaults to 90; -1
	// keeps them for ever.
	AuditDays int
	// NoAudit keeps no audit. It is for measuring what the audit costs.
	NoAudit bool
	// ShutdownGrace is how long running statements may finish once the server
	// was asked to stop; what still runs then is cancelled and rolled back.
	// Defaults to 5 seconds.
	ShutdownGrace time.Duration
	// Ready is called once, with the bound address, when clients can connect.
	// May be nil.
	Ready func(net.Addr)
	// Logger receives the server's own log. Defaults to slog.Default().
	Logger *slog.Logger
	// Distributed makes the home of tables that an engine keeps beside the store's. May be nil.
	Distributed func(DistributedHost) source.Beside
	// BesideListen is host:port at which what runs beside the server takes clients, "" for nowhere. Where others can reach it, every account must
	// have a password, and there is a certificate, as for Listen.
	BesideListen string
	// Beside runs beside the server, from when clients can connect until ctx ends; its error stops the server. May be nil.
	Beside func(ctx context.Context, inside Inside) error
	// InProcess has statements of accounts that read releases only run in the server's own process, and not in processes that have these releases and
	// nothing else.
	InProcess bool
	// front is asked by a worker; nil in a server.
	front *front
	// Extend supplies the SQL names and rules that live above the catalog. It
	// is called once, before the server listens. May be nil.
	Extend func(Host) (Extensions, error)
}

// Host is what a server offers to the names and rules of Extensions.
type Host struct {
	Catalog *catalog.Catalog
	// CanRead tells whether the session's account may SELECT from a table. It
	// is false for a missing name and for an account that is gone.
	CanRead func(ctx *sql.Context, database, table string) bool
	// Supply reads parts of releases in a worker; nil in a server.
	Supply catalog.Supply
	// Relations keeps relations of releases outside of the catalog, nil for nowhere.
	Relations source.RelationStore
	// Holds tells whether the session's account has all the given privileges
	// on a table, on a database (table "") or everywhere (database "" too).
	Holds  func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
	Logger *slog.Logger
	// DataDir and ExportDir are those of the configuration.
	DataDir, ExportDir string
	// Audit is the audit of the data directory.
	Audit *audit.Log
	// CreateReader makes an account that may SELECT from the databases and do
	// nothing else, for a session that could make it by CREATE USER and GRANT.
	// An empty host is '%'. Limits are name=value each (server/limits). It returns
	// host:port for the account's clients.
	CreateReader func(ctx *sql.Context, user, host, password string, options []string, databases ...string) (address string, err error)
	// SetLimits changes the limits of an account, for a session that may make
	// accounts, and returns those that the account has.
	SetLimits func(ctx *sql.Context, user, host string, options ...string) (limits string, err error)
	// SetDefaults changes how the sessions of an account begin, likewise.
	SetDefaults func(ctx *sql.Context, user, host string, options ...string) (defaults string, err error)
	// Limits are those of all accounts for a session that may make accounts, and the
	// session's own otherwise.
	Limits func(ctx *sql.Context) []accounts.AccountLimits
}

// Extensions are the parts that other rooms add to the engine.
type Extensions struct {
	// Releases are those of the catalog.
	Releases *catalog.Releases
	// Functions come before the engine's own functions of the same name.
	Functions []sql.Function
	// TableFunctions are the relations that take arguments. Their arguments
	// may be bare or qualified names and name = value (see server/answers).
	TableFunctions []sql.TableFunction
	// Procedures are called with CALL. Names are matched without regard to
	// case; the number of arguments chooses among equal names.
	Procedures []sql.ExternalStoredProcedureDetails
	// Tasks has by the name of a procedure the one that calls it for 'task=name', both in
	// lower case; the option is among the arguments then, too.
	Tasks map[string]string
	// Rules run on the bound plan before any rule of the engine. Each may be
	// called twice on one plan and must leave its own result alone.
	Rules []analyzer.RuleFunc
	// SystemDatabases are shown beside the owner's. No statement can write to
	// them or drop them.
	SystemDatabases []sql.Database
	// Execute is asked to execute each node of a plan before the engine does;
	// nil, nil declines. May be nil.
	Execute sql.NodeExecBuilder
	// DefaultDatabase is current in a session that named none, since the engine
	// binds views and table functions only where a database is current.
	// Defaults to the first of SystemDatabases, information_schema without any.
	DefaultDatabase string
	// Background is the extensions' own work: it begins when clients can connect
	// and returns when ctx ends. May be nil.
	Background func(ctx context.Context)
	// RunningJobs counts the long statements that run, for the metrics. May be
	// nil.
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

// setConnectionVariables gives the variables their values at the start; SET GLOBAL
// changes them. Several servers of one process (in tests) share them.
func (c Config) setConnectionVariables() error {
	return sql.SystemVariables.AssignValues(map[string]any{
		"max_connections": int64(c.MaxConnections), wire.MaxAddressConnections: int64(c.MaxAddressConnections),
		"max_user_connections": int64(c.MaxUserConnections), "connect_timeout": int64(c.ConnectTimeout / time.Second),
	})
}
