package raw

import (
	"context"
	dbsql "database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anonsql/anonsql/catalog/cache"
	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Defaults of a store. The cache limit is what the columnar copies of all
// tables may take together; the lock wait is InnoDB's.
const (
	defaultCacheLimit = 1 << 30
	defaultLockWait   = 50 * time.Second
	idleReaders       = 8
)

// A Store is the raw tables of an open data directory. It is safe for concurrent
// use.
type Store struct {
	above    Above
	dir      string
	lock     *directory.Held
	begun    bool
	narrowed []string  // what Narrowed says
	readers  *dbsql.DB // pool of snapshots
	writers  *dbsql.DB // one connection
	writer   *dbsql.Conn
	turn     chan struct{} // holds a token while somebody writes
	closed   chan struct{}
	lockWait time.Duration

	// commit is held for writing while a transaction commits and publishes
	// its metadata, for reading while a snapshot is taken, so that a
	// snapshot's rows and its metadata are of one moment.
	commit sync.RWMutex
	meta   atomic.Pointer[metadata]

	cache    *cache.Cache
	counters counters
	provider *Provider
}

// Above is what a store asks of, and tells, the room that stands on it, which it
// does not know. Every function may be nil.
type Above struct {
	// Reserved are names of databases, in lower case, that no owner's may have.
	Reserved []string
	// Tidy is called once, before anything is read, with the writer's connection.
	Tidy func(conn *dbsql.Conn) error
	// LosesName is called inside the transaction in which a table loses its name:
	// it, or its database, is renamed or dropped.
	LosesName func(conn *dbsql.Conn, table int64, database, name string) error
	// Committed is called after every commit that changed rows, with the numbers
	// of the tables. The committing session waits for it.
	Committed func(tables []int64)
}

// Open opens the data directory, creating it (mode 0700) when it is missing, and
// taking the rights of others when it is not (Narrowed).
// It is held until Close: a second opener gets [directory.ErrLocked].
func Open(dir string, above Above) (*Store, error) {
	narrowed, err := directory.Make(dir)
	if err != nil {
		return nil, err
	}
	lock, err := directory.Lock(dir)
	if err != nil {
		return nil, err
	}
	c := newStore(above)
	c.dir, c.narrowed, c.lock = dir, narrowed, lock
	path := filepath.Join(dir, directory.DatabaseFile)
	_, err = os.Stat(path)
	c.begun = errors.Is(err, fs.ErrNotExist)
	if err = directory.Admit(context.Background(), path); err == nil {
		err = c.open(path, sqlite.NewConnector(path))
	}
	if err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// InMemory is a store without a directory, which ends with Close.
func InMemory(above Above) (*Store, error) {
	c := newStore(above)
	c.begun = true
	if err := c.open("memory", sqlite.NewMemory()); err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

func newStore(above Above) *Store {
	c := &Store{
		above:    above,
		turn:     make(chan struct{}, 1),
		closed:   make(chan struct{}),
		lockWait: defaultLockWait,
		cache:    cache.New(defaultCacheLimit),
	}
	c.provider = &Provider{store: c}
	return c
}

// Narrowed says for the log which rights of others Open took on the directory and its
// files, or could not take; mostly nothing.
func (c *Store) Narrowed() []string { return c.narrowed }

// Begun reports whether there was no catalog in the directory when it was opened.
func (c *Store) Begun() bool { return c.begun }

func (c *Store) open(path string, connector *sqlite.Connector) (err error) {
	ctx := context.Background()
	c.writers = dbsql.OpenDB(connector)
	c.writers.SetMaxOpenConns(1)
	if c.writer, err = c.writers.Conn(ctx); err != nil {
		return fault.Cannot("open "+path, err)
	}
	// Indexes of a large table are written all over; 128 MiB hold them.
	if _, err := sqlite.Execute(c.writer, "PRAGMA cache_size = -131072"); err != nil {
		return fault.Cannot("open "+path, err)
	}
	if err := directory.Migrate(ctx, c.writer, path); err != nil {
		return fault.Cannot("open "+path, err)
	}
	if err := dropOrphans(c.writer); err != nil {
		return fault.Cannot("tidy "+path, err)
	}
	if c.above.Tidy != nil {
		if err := c.above.Tidy(c.writer); err != nil {
			return fault.Cannot("tidy "+path, err)
		}
	}
	meta, err := loadMetadata(c.writer)
	if err != nil {
		return fault.Cannot("read "+path, err)
	}
	if err := checkSchema(ctx, c.writer, meta); err != nil {
		return fault.Cannot("read "+path, err)
	}
	c.meta.Store(meta)
	c.readers = dbsql.OpenDB(connector)
	c.readers.SetMaxIdleConns(idleReaders)
	return nil
}

// Close ends the store. Open transactions of sessions are lost, as they are
// when the process ends. It waits for a running write transaction of Update,
// but not for those of sessions.
func (c *Store) Close() error {
	select {
	case <-c.closed:
		return nil
	default:
		close(c.closed)
	}
	return c.release()
}

func (c *Store) release() error {
	var errs []error
	if c.readers != nil {
		errs = append(errs, c.readers.Close())
	}
	if c.writer != nil {
		errs = append(errs, c.writer.Close())
	}
	if c.writers != nil {
		errs = append(errs, c.writers.Close())
	}
	if c.lock != nil {
		errs = append(errs, c.lock.Close())
	}
	return errors.Join(errs...)
}

// SetCacheLimit bounds the memory of the columnar copies, in bytes; 1 GiB by
// default. What is over the limit goes, least recently used first.
func (c *Store) SetCacheLimit(bytes int64) { c.cache.SetLimit(bytes) }

// SetLockWait bounds the time that a write waits for another session's
// transaction; 50 s by default. For use before the first session.
func (c *Store) SetLockWait(d time.Duration) { c.lockWait = d }

// Provider returns the engine's database provider.
func (c *Store) Provider() *Provider { return c.provider }

// Cache is the cache of the columnar copies, which have positive storage numbers
// in it. Others may keep what they like under negative ones.
func (c *Store) Cache() *cache.Cache { return c.cache }

// CacheBytes returns what the cache holds, and what it may hold.
func (c *Store) CacheBytes() (used, limit int64) { return c.cache.Bytes() }

// DropCache forgets what is kept in memory to be fast, and returns how many bytes
// that were. Statements that use something of it keep theirs.
func (c *Store) DropCache() int64 { return c.cache.Clear() }
