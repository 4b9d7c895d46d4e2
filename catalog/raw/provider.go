package raw

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Provider is the engine's list of databases: the owners', and the system databases, which
// cannot be created or dropped.
type Provider struct {
	store  *Store
	mu     sync.RWMutex
	system map[string]sql.Database // by lower-case name
	// SeesView reports whether a session sees the name of a view. If it is nil, every session does. It must not change once sessions run.
	SeesView func(ctx *sql.Context, database, view string) bool
}

var (
	_ sql.DatabaseProvider         = (*Provider)(nil)
	_ sql.MutableDatabaseProvider  = (*Provider)(nil)
	_ sql.CollatedDatabaseProvider = (*Provider)(nil)
)

// DefaultCollation is the collation of a database without a given one: MySQL's, which ignores
// case and accents.
const DefaultCollation = sql.Collation_utf8mb4_0900_ai_ci

// databasesOfMySQL are names, in lower case, that no owner's database may have, because they
// have a meaning for clients. The same holds for [Above.Reserved], whose databases do not exist
// when a directory is opened without a server.
var databasesOfMySQL = []string{"information_schema", "mysql", "performance_schema", "sys"}

// AddSystemDatabase adds a system database.
func (p *Provider) AddSystemDatabase(db sql.Database) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.system == nil {
		p.system = make(map[string]sql.Database)
	}
	p.system[strings.ToLower(db.Name())] = db
}

func (p *Provider) systemDatabase(name string) sql.Database {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.system[strings.ToLower(name)]
}

// Database implements sql.DatabaseProvider.
func (p *Provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	if db := p.systemDatabase(name); db != nil {
		return db, nil
	}
	if db := p.store.metadataOf(ctx).database(name); db != nil && !IsMirror(name) {
		return p.store.newDatabase(ctx, db), nil
	}
	return nil, sql.ErrDatabaseNotFound.New(name)
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(ctx *sql.Context, name string) bool {
	return p.systemDatabase(name) != nil || !IsMirror(name) && p.store.metadataOf(ctx).database(name) != nil
}

// AllDatabases implements sql.DatabaseProvider, sorted by name.
func (p *Provider) AllDatabases(ctx *sql.Context) []sql.Database {
	all := make(map[string]sql.Database)
	for key, db := range p.store.listedOf(ctx).databases {
		if !IsMirror(key) {
			all[key] = p.store.newDatabase(ctx, db)
		}
	}
	p.mu.RLock()
	maps.Copy(all, p.system)
	p.mu.RUnlock()
	return sortedValues(all)
}

// Stores reports whether a name is that of an owner's table or view.
func (p *Provider) Stores(ctx *sql.Context, database, table string) bool {
	db := p.store.metadataOf(ctx).database(database)
	return db != nil && !IsMirror(database) && p.systemDatabase(database) == nil && db.taken(table)
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) CreateDatabase(ctx *sql.Context, name string) error {
	return p.CreateCollatedDatabase(ctx, name, sql.Collation_Unspecified)
}

// CreateCollatedDatabase implements sql.CollatedDatabaseProvider.
func (p *Provider) CreateCollatedDatabase(ctx *sql.Context, name string, collation sql.CollationID) error {
	if err := checkName("database", name); err != nil {
		return err
	}
	if key := strings.ToLower(name); slices.Contains(databasesOfMySQL, key) || slices.Contains(p.store.above.Reserved, key) {
		return fmt.Errorf("database name %q is kept for the server: choose another", name)
	}
	if collation == sql.Collation_Unspecified {
		collation = DefaultCollation
	}
	return p.store.define(ctx, func(w *Work) error {
		if p.HasDatabase(ctx, name) || w.meta.database(name) != nil {
			return sql.ErrDatabaseExists.New(name)
		}
		_, err := w.createDatabase(name, collation)
		return err
	})
}

func (w *Work) createDatabase(name string, collation sql.CollationID) (*databaseMeta, error) {
	id, err := insertID(w, "INSERT INTO databases (name, collation) VALUES (?, ?)", name, collation.Name())
	if err != nil {
		return nil, fault.Cannot("create database "+name, err)
	}
	db := &databaseMeta{
		id: id, name: name, collation: collation,
		tables:     map[string]*TableVersion{},
		views:      map[string]sql.ViewDefinition{},
		procedures: map[string]sql.StoredProcedureDetails{},
	}
	w.meta = w.meta.withDatabase(db, func(*databaseMeta) {})
	return w.meta.database(name), nil
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) DropDatabase(ctx *sql.Context, name string) error {
	if db := p.systemDatabase(name); db != nil {
		return fmt.Errorf("database %s belongs to the server and cannot be dropped", db.Name())
	}
	return p.store.define(ctx, func(w *Work) error {
		db := w.meta.database(name)
		if db == nil || IsMirror(name) {
			return sql.ErrDatabaseNotFound.New(name)
		}
		for _, t := range db.tables {
			if err := w.losesName(t); err != nil {
				return err
			}
			if err := w.dropFollowers(t); err != nil {
				return err
			}
			if _, err := sqlite.Execute(w.conn, fmt.Sprintf("DROP TABLE t%d", t.storage)); err != nil {
				return fault.Cannot("drop database "+name, err)
			}
			delete(w.changes, t.id)
		}
		if _, err := sqlite.Execute(w.conn, "DELETE FROM databases WHERE id = ?", db.id); err != nil {
			return fault.Cannot("drop database "+name, err)
		}
		w.meta = w.meta.withoutDatabase(name)
		return nil
	})
}

// checkName refuses names that MySQL refuses.
func checkName(what, name string) error {
	if name == "" || len([]rune(name)) > 64 || strings.HasSuffix(name, " ") || strings.ContainsRune(name, 0) {
		return fmt.Errorf("%q is no name for a %s: it needs 1 to 64 characters and no space at its end", name, what)
	}
	if IsMirror(name) {
		return fmt.Errorf("%q is no name for a %s: names that begin with %s or %s are kept for tables of other servers", name, what, ServerScheme, EngineScheme)
	}
	return nil
}

// define changes definitions within the session's transaction, or in a separate one if the
// context has no session.
func (c *Store) define(ctx *sql.Context, f func(w *Work) error) error {
	marked := func(w *Work) error {
		err := f(w)
		for _, reason := range w.ended {
			ctx.Warn(mysql.ERUnknownError, "a release no longer follows the table: %s", reason)
		}
		w.ended, w.defined = nil, w.defined || err == nil
		return err
	}
	if s := sessionOf(ctx); s != nil && s.store == c {
		if _, err := s.writer(ctx); err != nil {
			return err
		}
		err := c.Write(ctx, marked)
		if err != nil {
			s.dropUntouched()
		}
		return err
	}
	return c.Write(ctx, marked)
}

func insertID(w *Work, statement string, args ...any) (int64, error) {
	result, err := w.conn.ExecContext(noCancel, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}
