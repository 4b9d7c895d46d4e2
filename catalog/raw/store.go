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

// Defaults of a store. The cache limit is the memory of the columnar copies of all tables; the
// lock wait is InnoDB's.
const (
	defaultCacheLimit = 1 << 30
	defaultLockWait   = 50 * time.Second
	idleReaders       = 8
)

// A Store holds the raw tables of an open data directory. It is safe for concurrent use.
type Store struct {
	above    Above
	dir      string
	lock     *directory.Held
	begun    bool
	narrowed []string  // see Narrowed
	readers  *dbsql.DB // pool of snapshots
	writers  *dbsql.DB // one connection
	writer   *dbsql.Conn
	turn     chan struct{} // holds a token while somebody writes
	closed   chan struct{}
	lockWait time.Duration

	// commit makes a snapshot's rows and metadata agree: a transaction locks it to commit and
	// publish its metadata, a new snapshot locks it for reading.
	commit sync.RWMutex
	meta   atomic.Pointer[metadata]

	cache    *cache.Cache
	counters counters
	provider *Provider
}

// Above has the callbacks and settings of the package above, which the store does not know.
// Every function may be nil.
type Above struct {
	// Reserved are names, in lower case, that no owner's database may have.
	Reserved []string
	// The store calls Tidy once, on the writer's connection, before it reads anything.
	Tidy func(conn *dbsql.Conn) error
	// The store calls LosesName inside the transaction that renames or drops a table or its
	// database.
	LosesName func(conn *dbsql.Conn, table int64, database, name string) error
	// The store calls Committed after every commit that changed rows, with the numbers of the
	// tables. The committing session waits for it.
	Committed func(tables []int64)
}

// Open opens a data directory and creates it with mode 0700 if it is missing; else it withdraws
// others' access rights (see Narrowed). It locks the directory until Close; a second Open
// returns [directory.ErrLocked].
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

// InMemory returns a store without a directory. Its contents end with Close.
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

// Narrowed returns lines for the log: the access rights of others that Open withdrew from the
// directory and its files, or could not withdraw.
func (c *Store) Narrowed() []string { return c.narrowed }

// Begun reports whether Open found no catalog in the directory.
func (c *Store) Begun() bool { return c.begun }

func (c *Store) open(path string, connector *sqlite.Connector) (err error) {
	ctx := context.Background()
	c.writers = dbsql.OpenDB(connector)
	c.writers.SetMaxOpenConns(1)
	if c.writer, err = c.writers.Conn(ctx); err != nil {
		return fault.Cannot("open "+path, err)
	}
	// Building the indexes of a large table writes pages all over the file; 128 MiB hold them.
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

// Close closes the store. It waits for a running Update, but open transactions of sessions are
// lost.
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

// SetCacheLimit bounds the memory of the columnar copies, in bytes; 1 GiB by default. The cache
// evicts the least recently used ones.
func (c *Store) SetCacheLimit(bytes int64) { c.cache.SetLimit(bytes) }

// SetLockWait bounds the time that a write waits for another session's transaction; 50 s by
// default. Call it before the first session.
func (c *Store) SetLockWait(d time.Duration) { c.lockWait = d }

// Provider returns the engine's database provider.
func (c *Store) Provider() *Provider { return c.provider }

// Cache returns the cache of the columnar copies, whose keys have positive storage numbers.
// Other users take negative ones.
func (c *Store) Cache() *cache.Cache { return c.cache }

// CacheBytes returns the cache's size and its limit, in bytes.
func (c *Store) CacheBytes() (used, limit int64) { return c.cache.Bytes() }

// DropCache empties the cache and returns the number of freed bytes. Running statements keep
// what they use.
func (c *Store) DropCache() int64 { return c.cache.Clear() }
