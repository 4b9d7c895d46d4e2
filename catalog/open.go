package catalog

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
)

// Defaults of a catalog. The cache limit is what the columnar copies of all
// tables may take together; the lock wait is InnoDB's.
const (
	defaultCacheLimit = 1 << 30
	defaultLockWait   = 50 * time.Second
	idleReaders       = 8
)

// A Catalog is an open data directory. It is safe for concurrent use.
type Catalog struct {
	dir      string
	lock     *os.File
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
	// releases are those that were opened last, nil before.
	releases atomic.Pointer[Releases]

	cache    *cache
	counters counters
	provider *Provider
	watcher  watcher
}

// Open opens the data directory, creating it (mode 0700) when it is missing, and
// taking the rights of others when it is not (Narrowed).
// It is held until Close: a second opener gets ErrLocked.
func Open(dir string) (*Catalog, error) {
	narrowed, err := makeDirectory(dir)
	if err != nil {
		return nil, err
	}
	lock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	c := &Catalog{
		dir:      dir,
		narrowed: narrowed,
		lock:     lock,
		turn:     make(chan struct{}, 1),
		closed:   make(chan struct{}),
		lockWait: defaultLockWait,
		cache:    newCache(defaultCacheLimit),
	}
	c.provider = &Provider{catalog: c}
	if err := c.open(filepath.Join(dir, databaseFile)); err != nil {
		c.release()
		return nil, err
	}
	return c, nil
}

// Narrowed says for the log which rights of others Open took on the directory and its
// files, or could not take; mostly nothing.
func (c *Catalog) Narrowed() []string { return c.narrowed }

// Begun reports whether there was no catalog in the directory when it was opened.
func (c *Catalog) Begun() bool { return c.begun }

func (c *Catalog) open(path string) error {
	ctx := context.Background()
	_, err := os.Stat(path)
	c.begun = errors.Is(err, fs.ErrNotExist)
	err = prepareFile(ctx, path)
	if err != nil {
		return err
	}
	c.writers = dbsql.OpenDB(newConnector(path))
	c.writers.SetMaxOpenConns(1)
	if c.writer, err = c.writers.Conn(ctx); err != nil {
		return storageError("open "+path, err)
	}
	// Indexes of a large table are written all over; 128 MiB hold them.
	if _, err := execute(c.writer, "PRAGMA cache_size = -131072"); err != nil {
		return storageError("open "+path, err)
	}
	if err := migrate(ctx, c.writer, path); err != nil {
		return storageError("open "+path, err)
	}
	if err := dropOrphans(c.writer); err != nil {
		return storageError("tidy "+path, err)
	}
	if err := dropOrphanLineages(c.writer); err != nil {
		return storageError("tidy "+path, err)
	}
	meta, err := loadMetadata(c.writer)
	if err != nil {
		return storageError("read "+path, err)
	}
	if err := checkSchema(ctx, c.writer, meta); err != nil {
		return storageError("read "+path, err)
	}
	c.meta.Store(meta)
	c.readers = dbsql.OpenDB(newConnector(path))
	c.readers.SetMaxIdleConns(idleReaders)
	return nil
}

// Close ends the catalog. Open transactions of sessions are lost, as they are
// when the process ends. It waits for a running write transaction of update,
// but not for those of sessions.
func (c *Catalog) Close() error {
	select {
	case <-c.closed:
		return nil
	default:
		close(c.closed)
	}
	c.watcher.end()
	return c.release()
}

func (c *Catalog) release() error {
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
	errs = append(errs, c.lock.Close())
	return errors.Join(errs...)
}

// SetCacheLimit bounds the memory of the columnar copies, in bytes; 1 GiB by
// default. What is over the limit goes, least recently used first.
func (c *Catalog) SetCacheLimit(bytes int64) { c.cache.setLimit(bytes) }

// SetLockWait bounds the time that a write waits for another session's
// transaction; 50 s by default. For use before the first session.
func (c *Catalog) SetLockWait(d time.Duration) { c.lockWait = d }

// Provider returns the engine's database provider.
func (c *Catalog) Provider() *Provider { return c.provider }
