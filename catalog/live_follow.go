package catalog

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Follow begins to record which rows of a table change in the named columns, in a separate transaction, so that reading the table
// afterwards misses no change. Publish assigns the lineage to a release (LiveRecord). If there will be none, Unfollow ends it; so does the next start.
//
// It ends the session's snapshot: open the table again. It refuses a session with uncommitted changes.
func (r *Releases) Follow(ctx *sql.Context, table *raw.Table, columns []string) (id int64, err error) {
	if err := r.refuseOpenWrites(ctx); err != nil {
		return 0, err
	}
	return r.catalog.Follow(ctx, table, columns)
}

// refuseOpenWrites refuses open write transactions, because releases follow committed rows.
func (r *Releases) refuseOpenWrites(ctx *sql.Context) error {
	if s := r.catalog.SessionOf(ctx); s != nil && s.Writes() {
		return errors.New("a release that follows its table is not published inside a transaction that changes something: COMMIT or ROLLBACK first")
	}
	return nil
}

// Unfollow ends a lineage without a release, even if the client has left. A lineage with a
// release continues. If another session writes for long, the next exchange of releases ends it.
func (r *Releases) Unfollow(ctx *sql.Context, id int64) error {
	r.unfollowed.Store(id, true)
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second) // a killed statement ends soon
	defer cancel()
	err := r.catalog.Write(ctx.WithContext(waiting), func(w *raw.Work) error {
		return endOrphans(w.Conn(), func(lineage int64) bool { return lineage == id })
	})
	if err != nil {
		return fmt.Errorf("changes of the table are recorded for no release until another one is published, or the server starts again: %w", err)
	}
	r.unfollowed.Delete(id)
	return nil
}

// endOrphans ends the lineages for which asked is true and that have no release.
func endOrphans(tx *dbsql.Conn, asked func(lineage int64) bool) error {
	published := make(map[int64]bool)
	err := sqlite.ScanRows(tx, func(rows *dbsql.Rows) error {
		var lineage int64
		err := rows.Scan(&lineage)
		published[lineage] = true
		return err
	}, `SELECT coalesce(json_extract(record, '$.Live.Lineage'), 0) FROM releases`)
	if err != nil {
		return fault.Cannot("read what follows a table", err)
	}
	return raw.EndLineagesBut(tx, func(lineage int64) bool { return published[lineage] || !asked(lineage) })
}

// OnPending sets a callback. It receives the name of a release whose number of changed rows has reached LiveRecord.AutoRefresh: after the
// commit that reached it, after every further commit until they are refreshed, and for changes that exist already. Calls come one at a time
// from a goroutine of the catalog, never from the committing session. They must return at once: Catalog.Close waits for them.
func (r *Releases) OnPending(f func(name string)) {
	r.onPending.Store(&f)
	for table := range r.current.Load().watched {
		r.catalog.watcher.markDue(table)
	}
}

// A watcher counts changes after commits. The committing session only leaves the numbers of the tables that it changed.
type watcher struct {
	mu       sync.Mutex
	releases *Releases
	tables   map[int64]bool // to be checked
	working  chan struct{}  // closed when the goroutine is done; nil if there is none
	ended    bool
}

func (v *watcher) watch(r *Releases) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.releases = r
}

// changed is called after every commit.
func (v *watcher) changed(tables []int64) {
	for _, table := range tables {
		v.markDue(table)
	}
}

// markDue schedules a check of the table's releases that refresh automatically.
func (v *watcher) markDue(table int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended || v.releases == nil || v.releases.onPending.Load() == nil {
		return
	}
	if snapshot := v.releases.current.Load(); snapshot == nil || len(snapshot.watched[table]) == 0 {
		return
	}
	if v.tables == nil {
		v.tables = make(map[int64]bool)
	}
	v.tables[table] = true
	if v.working == nil {
		v.working = make(chan struct{})
		go v.work(v.working)
	}
}

// end waits for the goroutine, if there is one, and prevents new ones.
func (v *watcher) end() {
	v.mu.Lock()
	v.ended = true
	clear(v.tables)
	working := v.working
	v.mu.Unlock()
	if working != nil {
		<-working
	}
}

// work checks tables until none is left.
func (v *watcher) work(done chan struct{}) {
	defer close(done)
	for {
		v.mu.Lock()
		tables := v.tables
		v.tables = nil
		if len(tables) == 0 || v.ended {
			v.working = nil
			v.mu.Unlock()
			return
		}
		v.mu.Unlock()
		for table := range tables {
			v.releases.callPending(table)
		}
	}
}

// callPending calls for the releases of a table that are due. It logs a panic, of which no statement hears.
func (r *Releases) callPending(table int64) {
	defer func() {
		if cause := recover(); cause != nil {
			slog.Error("looking for releases to refresh panicked", "panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
	}()
	call := r.onPending.Load()
	for _, record := range r.current.Load().watched[table] {
		if r.IsDue(record.Name) {
			(*call)(record.Name)
		}
	}
}

// IsDue reports whether the number of a release's changed rows reaches LiveRecord.AutoRefresh. It returns false
// if no snapshot can be opened, since the catalog is then closing; the next start finds the record.
func (r *Releases) IsDue(name string) bool {
	p, err := r.Named(name)
	if err != nil || !p.record.Follows() || p.record.Live.AutoRefresh == 0 {
		return false
	}
	live, n := p.record.Live, int64(0)
	err = r.catalog.Snapshot(context.Background(), func(w *raw.Work) (err error) {
		n, err = raw.CountTouched(w.Conn(), live.Lineage, live.AutoRefresh)
		return err
	})
	return err == nil && n >= int64(live.AutoRefresh)
}
