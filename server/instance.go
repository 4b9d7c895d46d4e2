package server

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	sqle "github.com/dolthub/go-mysql-server"
	gms "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/information_schema"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/admission"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/answers/scope"
	"github.com/anonsql/anonsql/server/defaults"
	"github.com/anonsql/anonsql/server/listing"
	"github.com/anonsql/anonsql/server/syntax"
	"github.com/anonsql/anonsql/server/trivial"
	"github.com/anonsql/anonsql/server/wire"
)

// An instance is a server: a catalog, the engine over it, its accounts and its
// connections.
type instance struct {
	config      Config
	store       *catalog.Catalog
	provider    *Provider
	engine      *sqle.Engine
	accounts    *accounts.Book
	connections *wire.Connections
	metrics     *metrics
	memory      *wire.MemoryGuard
	started     time.Time
	prepared    atomic.Int64  // statements that clients have prepared
	globals     atomic.Uint64 // SETs of global variables so far
	// protocolPanics are panics of the protocol layer.
	protocolPanics *wire.ProtocolPanics
	audit          *audit.Log
	distributed    source.Beside // home of tables in an engine, nil for none
	monitor        *monitor      // may be nil
	log            *heldLog      // holds back records before the first line
	// refusedLogins writes failed logins to the log and the audit.
	refusedLogins *admission.Tally
	refusals      *refusals
	// judge tries trivial passwords, if other machines can reach the server.
	judge trivial.Judge
	// address is host:port once the server listens.
	address       atomic.Pointer[string]
	engineHandler mysql.Handler // the engine's own, once the server listens
	// sessions exists once the server listens.
	sessions atomic.Pointer[gms.SessionManager]
	releases *catalog.Releases // of the extensions, nil for none
	workers  *workers          // nil if all statements run in this process
	// background is the extensions' own work, nil for none.
	background func(context.Context)
	// defaultDatabase is current in a new session.
	defaultDatabase string
}

func newInstance(config Config, store *catalog.Catalog, audit *audit.Log, metrics *metrics) (*instance, error) {
	setUpProcess()
	s := &instance{
		config:          config,
		store:           store,
		provider:        newProvider(store.Provider(), config.Logger),
		connections:     wire.NewConnections(),
		started:         time.Now(),
		metrics:         metrics,
		protocolPanics:  wire.NewProtocolPanics(metrics.registry),
		audit:           audit,
		defaultDatabase: "information_schema",
	}
	s.refusedLogins, s.refusals = admission.NewTally(s.writeRefused), newRefusals(s.audit)
	s.memory = &wire.MemoryGuard{Limit: uint64(config.MemoryLimit), Connections: s.connections, Store: store, Logger: config.Logger}
	rules := answers.Superseding(analyzer.NewBuilder(s.provider)).
		AddPreAnalyzeRule(serverRuleID, serverRules).
		AddPostValidationRule(manyRowsRuleID, manyRows).
		Build()
	s.engine = newEngine(rules)
	s.engine.Parser, s.engine.Analyzer.Parser = syntax.ProcessParser, syntax.ProcessParser
	s.engine.Analyzer.Runner = committingRunner{s.engine.Analyzer.Runner, s}
	s.engine.ProcessList = &processes{
		ProcessList: s.engine.ProcessList, front: config.front, visible: s.seesProcess, begun: s.begun, running: s.connections.RunningOf,
	}
	s.engine.Analyzer.Catalog.InfoSchema, s.engine.Analyzer.Catalog.StatsProvider = listing.InformationSchema{}, listing.NewStatistics()
	s.accounts = accounts.New(s.engine.Analyzer.Catalog.MySQLDb, store)
	s.provider.sees = s.accounts.Names()
	s.provider.SeesView = s.provider.sees.Table
	if err := s.accounts.Open(); err != nil {
		return nil, err
	}
	if err := s.openDistributed(); err != nil {
		return nil, err
	}
	if err := s.extend(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *instance) extend() error {
	var extensions Extensions
	if s.config.Extend != nil {
		var err error
		extensions, err = s.config.Extend(
			Host{
				Catalog:      s.store,
				Relations:    s.relations(),
				CanRead:      s.canRead,
				Holds:        s.holds,
				CreateReader: s.createReader,
				SetLimits:    s.setLimits,
				SetDefaults:  s.setDefaults,
				Limits:       s.accountLimits,
				Logger:       s.config.Logger,
				Audit:        s.audit,
				Supply:       s.supply(),
				DataDir:      s.config.DataDir,
				ExportDir:    s.config.ExportDir,
			},
		)
		if err != nil {
			return err
		}
	}
	s.provider.extend(extensions)
	s.provider.own = ownNames(append(slices.Clone(extensions.SystemDatabases), s.accounts.Engine, information_schema.NewInformationSchemaDatabase()))
	syntax.ProcessParser.Add(s.provider.rewritten(extensions))
	answers.Install(
		s.engine.Analyzer,
		rowexec.NewOverrideBuilder(execution{next: extensions.Execute, others: s.provider.besideDatabases, front: s.config.front,
			accounts: s.accounts, logger: s.config.Logger, metrics: s.metrics, audit: s.audit, globals: &s.globals,
			connections: s.connections, started: s.started}),
	)
	s.background, s.releases = extensions.Background, extensions.Releases
	s.metrics.watch(s.connections, s.store, extensions.RunningJobs)
	switch {
	case extensions.DefaultDatabase != "":
		s.defaultDatabase = extensions.DefaultDatabase
	case len(extensions.SystemDatabases) > 0:
		s.defaultDatabase = extensions.SystemDatabases[0].Name()
	}
	return nil
}

// supply returns the reader of parts of releases in a worker, nil in a server.
func (s *instance) supply() catalog.Supply {
	if s.config.front == nil {
		return nil
	}
	return s.config.front.supply
}

// newSession is the engine's session builder.
func (s *instance) newSession(ctx context.Context, conn *mysql.Conn, address string) (sql.Session, error) {
	var client sql.Client
	if user, ok := conn.UserData.(sql.MysqlConnectionUser); ok {
		client = sql.Client{User: user.User, Address: user.Host, Capabilities: conn.Capabilities}
	}
	session := &wire.Session{Session: s.store.NewSession(sql.NewBaseSessionWithClientServer(address, client, conn.ConnectionID)), Gone: s.accounts.Gone}
	packets := wire.PacketsOf(conn.Conn)
	session.Encryption = packets.Encryption
	if packets != nil {
		session.Owner = packets.Owner
	}
	s.connections.Opened(conn, session)
	wire.PacketsOf(conn.Conn).StartIdle(session)
	session.SetCurrentDatabase(s.defaultDatabase)
	if collation, ok := packets.Collation(); ok {
		if err := session.Collate(sql.NewContext(ctx, sql.WithSession(session)), collation); err != nil {
			return nil, err
		}
	}
	var asked defaults.Values
	if packets != nil {
		asked = packets.Asked
	}
	if err := s.begin(ctx, session, asked); err != nil {
		return nil, err
	}
	// Without this the process list shows an "unauthenticated user" until the
	// client chooses a database.
	s.engine.ProcessList.ConnectionReady(session)
	return session, nil
}

// newContext makes the engine's context of a statement, with the clock of SET timestamp.
func (s *instance) newContext(ctx context.Context, options ...sql.ContextOption) *sql.Context {
	made := sql.NewContext(scope.WithEngine(ctx, s.engine.Analyzer), options...)
	if session, ok := made.Session.(*wire.Session); ok {
		if moment, set := session.Clock(made); set {
			made.SetQueryTime(moment)
		}
	}
	return made
}
