package audit

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"github.com/anonsql/anonsql/catalog/directory"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// TableName is the name of the table in database anonsql that shows the audit.
const TableName = "audit"

const (
	// File is the audit's file in a data directory.
	File = "audit.db"
	// maxWaiting is the greatest number of queued entries.
	maxWaiting = 16384
	// gatherFor is the time for which entries gather before a write.
	gatherFor = 200 * time.Millisecond
	// retryAfter is the time between attempts after a failed write.
	retryAfter = time.Second
	// pruneEvery is the time between two removals of old entries.
	pruneEvery = time.Hour
	// prunedAtOnce is the number of old entries that one transaction removes.
	prunedAtOnce = 20_000
	// nameKept, in bytes, exceeds MySQL's longest name; statementKept is an entry's share of a
	// statement.
	nameKept, statementKept = 255, 1024
)

const schema = `
CREATE TABLE IF NOT EXISTS audit (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL, -- microseconds since 1970, UTC
    account   TEXT    NOT NULL,
    host      TEXT    NOT NULL,
    kind      TEXT    NOT NULL,
    release   TEXT, -- of estimates, publications, refreshes, evaluations
    source    TEXT, -- the raw table that was named
    statement TEXT    NOT NULL, -- without literals
    duration  INTEGER NOT NULL, -- microseconds
    error     INTEGER NOT NULL, -- MySQL's number, 0 for none
    rows      INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS audit_by_time ON audit (at);
PRAGMA user_version = 1;`

// An Entry is one statement, or several equal failed logins.
type Entry struct {
	At            time.Time // when it began
	Account, Host string
	Kind          string
	Release       string // "" for none
	Source        string // "" for none
	Statement     string // its digest, cut to statementKept bytes
	Duration      time.Duration
	Error         int // MySQL's number, 0 when it succeeded
	Rows          int64
}

// A Log is an open audit file. It is safe for concurrent use. A nil Log records nothing.
type Log struct {
	db       *dbsql.DB
	keep     time.Duration
	begun    bool
	replaced string

	mu      sync.Mutex
	queue   []Entry
	added   uint64 // entries since the start
	written uint64
	failure error // of the last write
	ended   bool
	changed chan struct{} // closed and replaced after every attempt
	wake    chan struct{} // signals a waiting entry
	done    chan struct{}
}

// Open opens the audit of a data directory and creates it if necessary. It moves a damaged one
// aside (see Replaced) and begins a new one, so that the damage neither stops the server nor
// destroys the rest. The audit keeps entries for the time keep; 0 keeps them forever. The
// caller must have locked the directory.
func Open(dir string, keep time.Duration) (*Log, error) {
	path := filepath.Join(dir, File)
	size, err := directory.SizeOf(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the audit: %w", err)
	}
	a := &Log{keep: keep, begun: size < 0, changed: make(chan struct{}), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if a.db, err = openFile(path); errors.Is(err, fault.ErrDamaged) {
		if a.replaced, err = directory.MoveAside(path); err == nil {
			a.db, err = openFile(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the audit %s: %w", path, err)
	}
	go a.work()
	return a, nil
}

// openFile opens or creates the file; the error for a file that is no audit is ErrDamaged.
func openFile(path string) (*dbsql.DB, error) {
	problem, _, err := directory.Inspect(path)
	if err != nil {
		return nil, err
	}
	if size, _ := directory.SizeOf(path); problem != "" && size != 0 { // an empty file has nothing to lose
		return nil, fmt.Errorf("%w: %s", fault.ErrDamaged, problem)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) // not readable for all, as anonsql.db
	if err != nil {
		return nil, fault.Unwritable("write it", err)
	}
	f.Close()
	db := dbsql.OpenDB(sqlite.NewConnector(path))
	if _, err := db.Exec(schema); err != nil {
		db.Close()
		return nil, fault.Explained("begin it", err)
	}
	return db, nil
}

// Replaced returns the path of the damaged audit that this one replaces, "" for none.
func (a *Log) Replaced() string {
	if a == nil {
		return ""
	}
	return a.replaced
}

// Begun reports whether Open found no audit.
func (a *Log) Begun() bool { return a != nil && a.begun }

// Ready waits until there is room for an entry. It fails if there is none because writing
// fails.
func (a *Log) Ready(ctx context.Context) error {
	if a == nil {
		return nil
	}
	for {
		a.mu.Lock()
		room, failure, changed := len(a.queue) < maxWaiting, a.failure, a.changed
		a.mu.Unlock()
		switch {
		case room:
			return nil
		case failure != nil:
			return cannotWrite(failure)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// cannotWrite says how to repair a file that cannot be written.
func cannotWrite(err error) error {
	message := "the audit cannot be written, so that nothing is answered that it must have: " + err.Error()
	var stored sqlite3.Error
	if !errors.As(err, &stored) {
		return errors.New(message)
	}
	number, what, _ := fault.Describe(stored)
	switch number {
	case 0:
		return errors.New(message)
	case fault.TableCorrupt:
		what = "its file is damaged: stop the server, move " + File + " away and start it again, which begins a new audit"
	case fault.DiskFull:
		what += ": make room, and it goes on"
	case fault.ReadOnlyFile:
		what = "its file cannot be written: mount the data directory for writing and give it to the account that runs the server"
	}
	message = "the audit cannot be written, so that nothing is answered that it must have: " + what
	return fault.New(number, message, err)
}

// Add queues an entry and returns its number for Flushed. It does not wait.
func (a *Log) Add(e Entry) uint64 {
	if a == nil {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = append(a.queue, e)
	a.added++
	if len(a.queue) == maxWaiting/2 {
		a.hurry()
	}
	return a.added
}

func (a *Log) hurry() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Flushed waits until entry number is written; 0 means all entries so far.
func (a *Log) Flushed(ctx context.Context, number uint64) error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	if number == 0 {
		number = a.added
	}
	for attempts := 0; ; attempts++ {
		failure, changed, ended := a.failure, a.changed, a.ended
		if a.written >= number {
			a.mu.Unlock()
			return nil
		}
		a.hurry()
		a.mu.Unlock()
		if attempts > 0 && failure != nil {
			return fmt.Errorf("the audit cannot be written: %w", failure)
		}
		if ended {
			return errors.New("the audit is closed")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		a.mu.Lock()
	}
}

// Close writes the queued entries and closes the file.
func (a *Log) Close() error {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	if a.ended {
		a.mu.Unlock()
		return nil
	}
	a.ended = true
	a.mu.Unlock()
	a.hurry()
	<-a.done
	a.mu.Lock()
	lost, failure := len(a.queue), a.failure
	a.mu.Unlock()
	err := a.db.Close()
	if lost > 0 {
		err = errors.Join(err, fmt.Errorf("%d entries of the audit were not written: %w", lost, failure))
	}
	return err
}

// work writes batches until Close.
func (a *Log) work() {
	defer close(a.done)
	pause := time.NewTicker(gatherFor)
	defer pause.Stop()
	var pruned time.Time
	for {
		select {
		case <-pause.C:
		case <-a.wake:
		}
		ended, err := a.flush()
		if ended {
			return
		}
		if err != nil {
			time.Sleep(retryAfter)
			continue
		}
		if a.keep > 0 && time.Since(pruned) >= pruneEvery {
			pruned = time.Now()
			_ = a.pruneDay(pruned.Add(-a.keep)) // the next removal tries again
		}
	}
}

// flush writes the queued entries. Entries that it cannot write stay in the queue in order.
func (a *Log) flush() (ended bool, err error) {
	a.mu.Lock()
	batch := a.queue
	ended = a.ended
	a.mu.Unlock()
	if len(batch) > 0 {
		err = a.write(batch)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = err
	if err == nil {
		a.written += uint64(len(batch))
		a.queue = append([]Entry(nil), a.queue[len(batch):]...)
	}
	if len(batch) > 0 || ended {
		close(a.changed)
		a.changed = make(chan struct{})
	}
	return ended, err
}

const insertEntry = `INSERT INTO audit (at, account, host, kind, release, source, statement, duration, error, rows) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func (a *Log) write(batch []Entry) error {
	conn, err := a.db.Conn(context.Background())
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := sqlite.Execute(conn, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	for _, e := range merged(batch) {
		if _, err = sqlite.Execute(conn, insertEntry, e.At.UnixMicro(), shortName(e.Account), shortName(e.Host), shortName(e.Kind),
			orNull(e.Release), orNull(e.Source), shortText(e.Statement, statementKept), e.Duration.Microseconds(), int64(e.Error), e.Rows); err != nil {
			break
		}
	}
	if err == nil {
		_, err = sqlite.Execute(conn, "COMMIT")
	}
	if err != nil {
		_, _ = sqlite.Execute(conn, "ROLLBACK")
	}
	return err
}

// LoginKind is the kind of failed logins.
const LoginKind = "login"

// merged combines the failed logins of a batch that have the same host and name into one entry,
// whose row count is their number: guessing passwords does not fill the disk.
func merged(batch []Entry) []Entry {
	list := batch[:0:0]
	at := map[[2]string]int{}
	for _, e := range batch {
		if e.Kind == LoginKind {
			key := [2]string{e.Account, e.Host}
			if i, ok := at[key]; ok {
				list[i].Rows += e.Rows
				continue
			}
			at[key] = len(list)
		}
		list = append(list, e)
	}
	return list
}

func shortName(name string) string { return shortText(name, nameKept) }

// shortText cuts a text to at most limit bytes of valid UTF-8.
func shortText(text string, limit int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= limit {
		return text
	}
	cut := limit - len("...")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}

func orNull(text string) driver.Value {
	if text == "" {
		return nil
	}
	return shortText(text, statementKept)
}

// pruneDay removes the entries of one day, from the oldest on, as far as they began before a time. So a clock that jumps years ahead does not
// empty the audit before somebody can correct it.
func (a *Log) pruneDay(before time.Time) error {
	var oldest *int64
	if err := a.db.QueryRow("SELECT MIN(at) FROM audit").Scan(&oldest); err != nil || oldest == nil {
		return err
	}
	if end := time.UnixMicro(*oldest).Add(24 * time.Hour); end.Before(before) {
		before = end
	}
	return a.Prune(before)
}

// Prune removes the entries that began before a time.
func (a *Log) Prune(before time.Time) error {
	for {
		result, err := a.db.Exec(`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? LIMIT ?)`, before.UnixMicro(), prunedAtOnce)
		if err != nil {
			return fmt.Errorf("cannot remove old entries of the audit: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n < prunedAtOnce {
			return err
		}
	}
}

// Check runs SQLite's check on the audit's file, which may be missing.
func Check(ctx context.Context, dir string, report *fault.Report) error {
	file := filepath.Join(dir, File)
	size, err := directory.SizeOf(file)
	if err != nil || size <= 0 { // an empty one is begun anew
		return err
	}
	if problem, _, err := directory.Inspect(file); err != nil || problem != "" {
		if problem != "" {
			report.Find(fault.DoBeginAudit, "the audit: %s", problem)
		}
		return err
	}
	reader, err := directory.NewReader(file)
	if err != nil {
		return err
	}
	db := dbsql.OpenDB(reader)
	defer db.Close()
	var first string
	err = db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&first)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		report.Find(fault.DoBeginAudit, "the audit %s cannot be read: %v", file, err)
	case first != "ok":
		report.Find(fault.DoBeginAudit, "the audit %s has problems in its file, the first: %s", file, strings.TrimPrefix(first, "*** in database main ***\n"))
	}
	return nil
}
