package releases

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
	"github.com/anonsql/anonsql/engine/tables"
)

// A Store stores relations of releases in an engine.
type Store struct {
	*Reader
	conn     engine.Conn
	identity string

	mu      sync.Mutex
	running map[string]bool // the names of attempts
}

var _ source.RelationStore = (*Store)(nil)

// Options configure a Store.
type Options struct {
	// Conn and Address, host:port, are the engine's. Required.
	Conn    engine.Conn
	Address string
	// Catalog has the different schemas Private, for what links records to groups during a publication and for the relations of private
	// releases, and Published, for those of public ones. Required.
	Catalog, Private, Published string
	// Identity is the data directory's (catalog.EngineIdentity). Required.
	Identity string
	// Limit is the greatest number of records of a release that is read whole. Defaults to tables.DefaultLimit.
	Limit int
}

// NewStore returns a store. It sends nothing to the engine.
func NewStore(o Options) *Store {
	if o.Limit == 0 {
		o.Limit = tables.DefaultLimit
	}
	reader := &Reader{asker: o.Conn, dialect: dialect.Trino, address: o.Address, catalog: o.Catalog, schema: o.Published, private: o.Private, limit: o.Limit}
	return &Store{Reader: reader, conn: o.Conn, identity: o.Identity, running: make(map[string]bool)}
}

// engine returns the engine for package publication.
func (s *Store) engine() *publication.Engine {
	return &publication.Engine{Conn: s.conn, Dialect: s.dialect, Catalog: s.catalog, Private: s.private, Published: s.schema}
}

// begin names an attempt, which no sweep touches until it ends.
func (s *Store) begin() (name string, err error) {
	if name, err = newName(s.identity); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[name] = true
	return name, nil
}

func (s *Store) end(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, name)
}

// swept reports whether a sweep may drop an attempt: it is this directory's and has ended.
func (s *Store) swept(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.HasPrefix(name, s.identity) && !s.running[name]
}

// Keeps implements source.RelationStore.
func (s *Store) Keeps(p source.Place) bool {
	return p.Engine == s.Engine() && strings.HasPrefix(p.Name, s.identity)
}

// Drop implements source.RelationStore.
func (s *Store) Drop(ctx context.Context, p source.Place, fragments []source.Fragment) error {
	if !s.Keeps(p) {
		return fmt.Errorf("the relations of %s in %s are not this data directory's", p.Name, p.Engine)
	}
	var failed []error
	names := kept(fragments)
	if p.Tables > 0 {
		names = append(names, completed)
	}
	for _, name := range names {
		relation, err := s.relation(p, name)
		if err == nil {
			_, err = s.conn.Exec(ctx, "DROP TABLE IF EXISTS "+relation)
		}
		failed = append(failed, err)
		if err != nil && ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// kept returns the names of all tables of fragments, including those of ranges' values.
func kept(fragments []source.Fragment) (names []string) {
	for _, f := range fragments {
		names = append(names, f.Name)
		for i, c := range f.Columns {
			if c.Ranges {
				names = append(names, publication.DomainName(f.Name, i))
			}
		}
	}
	return names
}

// Sweep implements source.RelationStore.
func (s *Store) Sweep(ctx context.Context, kept func(name string) bool) (dropped []string, err error) {
	return s.engine().Sweep(ctx, s.swept, kept)
}
