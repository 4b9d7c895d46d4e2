package raw

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// A Work is what a session has open: a snapshot or, after its first write, the writer's
// connection with its uncommitted changes. A work takes the only writer's turn at its first
// write and returns it at commit or rollback.
type Work struct {
	store  *Store
	conn   *dbsql.Conn
	writer bool
	meta   *metadata
	// changes has the changes of committed and new tables by table id.
	changes map[int64]*change
	// defined is set if definitions changed, locks if the transaction holds the turn as a lock (TakeWriter).
	defined, locks bool
	// statement counts the editors of the running statement, which share one savepoint. discard
	// restores before.
	statement int
	before    *memory
	// editing has the tables that the running statement writes.
	editing map[int64]bool
	// savepoints are the user's savepoints.
	savepoints []namedMemory
	ended      []string // why releases no longer follow their tables, since the last warning
}

// A change records what a transaction did to a table's rows.
type change struct {
	base   int64 // version of the table before
	chunks map[int64]struct{}
	all    bool // every chunk
	rows   int64
	next   int64 // rowid of the next new row
	// autoBefore is the AUTO_INCREMENT counter before this transaction set it; 0 if it did not.
	autoBefore uint64
	// locator finds rows of a table without a key; nil until needed.
	locator *locator
}

// A memory is the part of a work that a rollback to a savepoint restores.
type memory struct {
	meta    *metadata
	changes map[int64]*change
	defined bool
}

type namedMemory struct {
	name string
	memory
}

func (w *Work) remember() memory {
	m := memory{meta: w.meta, changes: make(map[int64]*change, len(w.changes)), defined: w.defined}
	for id, ch := range w.changes {
		kept := *ch
		kept.chunks = maps.Clone(ch.chunks)
		kept.locator = nil
		m.changes[id] = &kept
	}
	return m
}

func (w *Work) restore(m memory) {
	w.meta, w.defined = m.meta, m.defined
	w.changes = make(map[int64]*change, len(m.changes))
	for id, ch := range m.changes {
		kept := *ch
		kept.chunks = maps.Clone(ch.chunks)
		w.changes[id] = &kept
	}
}

// snapshot begins a read transaction whose rows and metadata agree.
func (c *Store) snapshot(ctx context.Context) (*Work, error) {
	conn, err := c.readers.Conn(ctx)
	if err != nil {
		return nil, fault.Cannot("open a snapshot", err)
	}
	c.commit.RLock()
	defer c.commit.RUnlock()
	// SQLite takes the snapshot at the first read, not at BEGIN.
	if _, err = sqlite.Execute(conn, "BEGIN"); err == nil {
		if err = sqlite.Query(conn, ignoreRow, "SELECT 1 FROM sqlite_schema LIMIT 1"); err != nil {
			_, _ = sqlite.Execute(conn, "ROLLBACK") // the next BEGIN reports a broken connection
		}
	}
	if err != nil {
		conn.Close()
		return nil, fault.Cannot("open a snapshot", err)
	}
	return &Work{store: c, conn: conn, meta: c.meta.Load()}, nil
}

// beginWrite waits for the writer's turn and begins a write transaction.
func (c *Store) beginWrite(ctx context.Context, wait time.Duration) (*Work, error) {
	if err := c.takeTurn(ctx, wait); err != nil {
		return nil, err
	}
	if _, err := sqlite.Execute(c.writer, "BEGIN IMMEDIATE"); err != nil {
		<-c.turn
		return nil, fault.Cannot("begin a transaction", err)
	}
	return &Work{
		store: c, conn: c.writer, writer: true, meta: c.meta.Load(),
		changes: map[int64]*change{}, editing: map[int64]bool{},
	}, nil
}

// MySQL's errors for a lock wait that timed out, and for NOWAIT.
const (
	errLockWait = 1205
	errNoWait   = 3572
)

func (c *Store) takeTurn(ctx context.Context, wait time.Duration) error {
	select {
	case <-c.closed:
		return errors.New("the catalog is closed")
	case c.turn <- struct{}{}:
		return nil
	default:
	}
	if wait == 0 {
		return mysql.NewSQLError(errNoWait, "HY000", "Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return errors.New("the catalog is closed")
	case <-timer.C:
		const text = "Lock wait timeout exceeded; another transaction has been writing for %s; try restarting transaction"
		return mysql.NewSQLError(errLockWait, "HY000", text, wait)
	}
}

// Conn returns the transaction's connection.
func (w *Work) Conn() *dbsql.Conn { return w.conn }

// Table returns a raw table in the work's version. The error for a missing database or table is
// the engine's.
func (w *Work) Table(database, name string) (*TableVersion, error) {
	return w.meta.find(database, name)
}

// TableByID returns a raw table by its permanent number; nil for none.
func (w *Work) TableByID(id int64) *TableVersion { return w.meta.tables[id] }

// end rolls back and returns the connection.
func (w *Work) end() {
	_, _ = sqlite.Execute(w.conn, "ROLLBACK")
	if !w.writer {
		w.conn.Close()
		return
	}
	for id, ch := range w.changes {
		w.store.counters.raise(id, ch.autoBefore)
	}
	<-w.store.turn
}

// finish commits and publishes the new metadata.
func (w *Work) finish() error {
	if !w.writer {
		w.end()
		return nil
	}
	if err := w.undone(); err != nil {
		w.end()
		return err
	}
	meta, err := w.bumpVersions()
	if err != nil {
		w.end()
		return fault.Cannot("commit", err)
	}
	c := w.store
	before := c.meta.Load()
	c.commit.Lock()
	if _, err = sqlite.Execute(w.conn, "COMMIT"); err == nil {
		c.meta.Store(meta)
	}
	c.commit.Unlock()
	if err != nil {
		w.end()
		return fault.Cannot("commit", err)
	}
	if w.defined {
		c.cache.DropStorages(before.storagesNotIn(meta))
	}
	<-c.turn
	if c.above.Committed != nil {
		c.above.Committed(slices.Collect(maps.Keys(w.changes)))
	}
	return nil
}

// bumpVersions gives every changed table its next version, in the file and in the metadata to
// publish.
func (w *Work) bumpVersions() (*metadata, error) {
	meta := w.meta
	for id, ch := range w.changes {
		t := meta.tables[id]
		if t == nil {
			continue // dropped
		}
		auto := w.store.counters.peek(t)
		next := t.committed(ch, auto)
		_, err := sqlite.Execute(w.conn, "UPDATE tables SET version = ?, row_count = ?, auto_increment = ? WHERE id = ?",
			next.version, next.rows, strconv.FormatUint(auto, 10), id)
		if err != nil {
			return nil, err
		}
		meta = meta.withTable(next)
	}
	return meta, nil
}

// change returns the record of a table's changes, and begins it if necessary.
func (w *Work) change(t *TableVersion) (*change, error) {
	if ch := w.changes[t.id]; ch != nil {
		if ch.next == 0 {
			return ch, ch.findNext(w.conn, t)
		}
		return ch, nil
	}
	ch := &change{base: t.version, chunks: map[int64]struct{}{}}
	w.changes[t.id] = ch
	return ch, ch.findNext(w.conn, t)
}

func (ch *change) findNext(conn *dbsql.Conn, t *TableVersion) error {
	var err error
	if ch.next, err = lastRowID(conn, t); err != nil {
		return err
	}
	remembered, err := nextFollowed(conn, t.id)
	ch.next = max(ch.next+1, remembered)
	return err
}

// redefine stores a new definition of a table in the transaction.
func (w *Work) redefine(t *TableVersion) error {
	text, err := t.definition.encode()
	if err != nil {
		return err
	}
	next, err := newTableMeta(*t)
	if err != nil {
		return err
	}
	_, err = sqlite.Execute(w.conn, "UPDATE tables SET name = ?, storage = ?, definition = ? WHERE id = ?", t.name, t.storage, text, t.id)
	if err != nil {
		return fault.Cannot("change table "+t.name, err)
	}
	if _, err := w.change(next); err != nil {
		return err
	}
	storageBefore := w.meta.tables[t.id].storage
	w.meta, w.defined = w.meta.withTable(next), true
	return w.keepFollowing(storageBefore, next)
}

// setSavepoint sets a user's savepoint. As in MySQL, setting a name again moves it. A work that
// only reads keeps it for the work that writes.
func (w *Work) setSavepoint(name string) error {
	for i := range w.savepoints {
		if strings.EqualFold(w.savepoints[i].name, name) {
			w.savepoints[i] = namedMemory{} // SQLite's savepoint stays: they are numbered
		}
	}
	w.savepoints = append(w.savepoints, namedMemory{name: name, memory: w.remember()})
	if !w.writer {
		return nil
	}
	return w.savepoint(savepointName(len(w.savepoints)))
}

func (w *Work) savepoint(name string) error {
	_, err := sqlite.Execute(w.conn, "SAVEPOINT "+name)
	return fault.Cannot("set a savepoint", err)
}

// rollbackTo undoes everything since the savepoint and keeps the savepoint.
func (w *Work) rollbackTo(name string) error {
	_, err := sqlite.Execute(w.conn, "ROLLBACK TO "+name)
	return fault.Cannot("roll back to a savepoint", err)
}

func (w *Work) releaseSavepoint(name string) error {
	_, err := sqlite.Execute(w.conn, "RELEASE "+name)
	return fault.Cannot("release a savepoint", err)
}

func savepointName(i int) string { return fmt.Sprintf("user_%d", i) }

func ignoreRow([]driver.Value) error { return nil }
