package server

import (
	"context"
	"fmt"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/wire"
)

// DistributedHost is what the server offers to the home of a distributed engine's tables.
type DistributedHost struct {
	// Store keeps the tables' roles and lasting numbers.
	Store *raw.Store
	// Identity distinguishes the data directory from others that publish in the same engine (catalog.EngineIdentity).
	Identity string
	// Privileges reports whether the session's account has all the privileges on a table, wherever the table is.
	Privileges func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool
}

// openDistributed makes the configured home. No database of the store may have a name that belongs to the home.
func (s *instance) openDistributed() error {
	if s.config.Distributed == nil {
		return nil
	}
	identity, err := s.store.EngineIdentity(context.Background())
	if err != nil {
		return err
	}
	home := s.config.Distributed(DistributedHost{
		Store:    s.store.Store,
		Identity: identity,
		Privileges: func(ctx *sql.Context, database, table string, privileges ...sql.PrivilegeType) bool {
			return accounts.Holds(ctx, s.accounts.Engine, database, table, privileges...)
		},
	})
	session := s.store.NewSession(sql.NewBaseSession())
	for _, db := range s.store.Provider().AllDatabases(s.newContext(context.Background(), sql.WithSession(session))) {
		if home.Names(db.Name()) {
			return fmt.Errorf(
				"the database %s has a name of the engine's: start without the engine, and give its tables to a database of another name",
				db.Name(),
			)
		}
	}
	s.distributed, s.provider.distributed = home, home
	s.watchDistributed()
	return nil
}

// relations returns the server's own store of relations outside the catalog, nil for none. Through it an analyst's query reaches only relations
// of releases in the engine.
func (s *instance) relations() source.RelationStore {
	if f := s.config.front; f != nil && f.relations != nil {
		return f.relations
	}
	if home, ok := s.distributed.(source.Distributed); ok {
		return home.Relations()
	}
	return nil
}

// watchDistributed adds a metric: whether the engine was reached; see addEngine.
func (s *instance) watchDistributed() {
	home, ok := s.distributed.(source.Distributed)
	if !ok {
		return
	}
	s.metrics.gauge("anonsql_engine_reached", "1 if the distributed engine was reached when it was asked last, or was not asked yet.", func() float64 {
		if _, trouble := home.Reached(); trouble != nil {
			return 0
		}
		return 1
	})
}

// addEngine adds the engine to /healthz and /readyz.
func (s *instance) addEngine() {
	home, ok := s.distributed.(source.Distributed)
	if !ok {
		return
	}
	s.monitor.adds(Neighbour{Name: "engine", Ready: home.Reach, Line: func() string {
		address, trouble := home.Reached()
		if trouble != nil {
			return fmt.Sprintf("engine %s: %v", address, trouble)
		}
		return fmt.Sprintf("engine %s: ok when it was asked last", address)
	}})
}

// leadToDistributed gives a session access to the engine's tables if its account has a privilege on one of them, and removes the access
// otherwise: an analyst's session has no way to reach them.
func (s *instance) leadToDistributed(ctx *sql.Context) {
	session, ok := ctx.Session.(*wire.Session)
	if !ok || s.distributed == nil {
		return
	}
	var home source.Beside
	if session.Owner == nil && s.provider.sees.Reaches(ctx, s.distributed.Names) {
		home = s.distributed
	}
	session.SetEngine(home)
}

// brieflyListed is how long a list of databases waits for an engine whose last answer was an error.
const brieflyListed = time.Second

// databasesOf returns the databases of a home in addition to this server's own. It waits only briefly for an engine whose last answer was an error,
// since tools list databases all the time.
func databasesOf(ctx *sql.Context, home source.Beside) ([]string, error) {
	distributed, ok := home.(source.Distributed)
	if !ok {
		return home.Databases(ctx)
	}
	_, trouble := distributed.Reached()
	if trouble == nil {
		return home.Databases(ctx)
	}
	brief, cancel := context.WithTimeout(ctx, brieflyListed)
	defer cancel()
	names, err := home.Databases(ctx.WithContext(brief))
	if err != nil && brief.Err() != nil && ctx.Err() == nil {
		return nil, trouble
	}
	return names, err
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) CreateDatabase(ctx *sql.Context, name string) error {
	return p.CreateCollatedDatabase(ctx, name, sql.Collation_Unspecified)
}

// CreateCollatedDatabase implements sql.CollatedDatabaseProvider.
func (p *Provider) CreateCollatedDatabase(ctx *sql.Context, name string, collation sql.CollationID) error {
	if p.distributed != nil && p.distributed.Names(name) {
		return fmt.Errorf("database name %q is kept for the server: choose another", name)
	}
	return p.Provider.CreateCollatedDatabase(ctx, name, collation)
}
