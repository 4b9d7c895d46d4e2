package raw

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
)

// Session is the engine's session. Until its first write it reads from one snapshot; then it reads the
// newest committed state and its own changes through the writer's connection. So a transaction that
// only reads has REPEATABLE READ, and a transaction's first write moves its view forward.
type Session struct {
	*sql.BaseSession
	store      *Store
	mu         sync.Mutex // SessionEnd may come from another goroutine
	work       *Work
	autocommit bool
	// kept is the value of OfStatement; nil until the running statement requests it.
	kept any
	// view is the stored view whose text the engine parses next; nil for none.
	view *storedView
}

var (
	_ sql.TransactionSession    = (*Session)(nil)
	_ sql.PersistableSession    = (*Session)(nil)
	_ sql.LifecycleAwareSession = (*Session)(nil)
)

// NewSession returns a session on the store.
func (c *Store) NewSession(base *sql.BaseSession) *Session {
	return &Session{BaseSession: base, store: c, autocommit: true}
}

// CatalogSession identifies a session that embeds this one.
func (s *Session) CatalogSession() *Session { return s }

// HasSession reports whether a context has a session. The server's own work has none.
func HasSession(ctx context.Context) bool { return sessionOf(ctx) != nil }

// SessionOf returns the context's session on this store; nil for none.
func (c *Store) SessionOf(ctx context.Context) *Session {
	if s := sessionOf(ctx); s != nil && s.store == c {
		return s
	}
	return nil
}

// Writes reports whether the session has begun to write in its transaction.
func (s *Session) Writes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.work != nil && s.work.writer
}

// OfStatement returns the same value throughout a statement: the first call loads it. There is
// one value, for one room above this one.
func (s *Session) OfStatement(load func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = load()
	}
	return s.kept
}

// ForgetOfStatement makes the next [Session.OfStatement] load again.
func (s *Session) ForgetOfStatement() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
}

// sessionOf returns the context's session, or nil.
func sessionOf(ctx context.Context) *Session {
	if ctx, ok := ctx.(*sql.Context); ok && ctx != nil {
		if s, ok := ctx.Session.(interface{ CatalogSession() *Session }); ok {
			return s.CatalogSession()
		}
	}
	return nil
}

// A transaction is the token that the engine holds; the session has the state.
type transaction struct{ readOnly bool }

func (t *transaction) String() string   { return "anonsql transaction" }
func (t *transaction) IsReadOnly() bool { return t.readOnly }

// StartTransaction implements sql.TransactionSession. It opens nothing: the first read does. It
// leaves open work open, because CALL starts a transaction inside the current one.
func (s *Session) StartTransaction(ctx *sql.Context, characteristic sql.TransactionCharacteristic) (sql.Transaction, error) {
	autocommit, err := plan.IsSessionAutocommit(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.autocommit = autocommit
	s.mu.Unlock()
	return &transaction{readOnly: characteristic == sql.ReadOnly}, nil
}

// CommitTransaction implements sql.TransactionSession. It also ends the session's transaction, which the engine
// does only after COMMIT, not after DDL and not after a failed commit. Otherwise the client's next statement
// could stay uncommitted. START TRANSACTION commits too, but begins the next transaction itself.
func (s *Session) CommitTransaction(*sql.Context, sql.Transaction) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.commit()
	s.SetIgnoreAutoCommit(false)
	s.SetTransaction(nil)
	return err
}

func (s *Session) commit() error {
	w := s.work
	s.work = nil
	if w == nil {
		return nil
	}
	return w.finish()
}

// Rollback implements sql.TransactionSession.
func (s *Session) Rollback(*sql.Context, sql.Transaction) error {
	s.drop()
	return nil
}

// drop rolls back the open transaction.
func (s *Session) drop() { s.endIf(func(*Work) bool { return true }) }

// renew ends the session's snapshot if it only reads: the next one has what was committed since.
func (s *Session) renew() { s.endIf(func(w *Work) bool { return !w.writer }) }

// dropUntouched releases the write lock after a failure if the transaction has nothing else.
func (s *Session) dropUntouched() { s.endIf(func(w *Work) bool { return w.writer && w.untouched() }) }

func (s *Session) endIf(is func(*Work) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil && is(s.work) {
		s.work.end()
		s.work = nil
	}
}

// CommandBegin implements sql.LifecycleAwareSession.
func (s *Session) CommandBegin() error {
	s.ForgetOfStatement()
	return nil
}

// CommandEnd implements sql.LifecycleAwareSession. A statement that failed under autocommit leaves its
// transaction to the session. CommandEnd ends it, so that an idle client does not keep the writer's turn, and
// drops what the statement cached, so that an idle client does not keep replaced data in memory.
func (s *Session) CommandEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = nil
	if s.work == nil {
		return
	}
	if s.work.statement > 0 {
		s.work.discard()
	}
	if s.automatic() && !s.GetIgnoreAutoCommit() {
		s.work.end()
		s.work = nil
		s.SetTransaction(nil)
	}
}

// SessionEnd implements sql.LifecycleAwareSession. The client is gone, so its open transaction is rolled back.
func (s *Session) SessionEnd() { s.drop() }

// reader returns the session's work for reading and opens a snapshot if necessary.
func (s *Session) reader(ctx context.Context) (*Work, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work == nil {
		w, err := s.store.snapshot(ctx)
		if err != nil {
			return nil, err
		}
		s.work = w
	}
	return s.work, s.work.undone()
}

// writer returns the session's work for writing, after waiting for the write lock.
func (s *Session) writer(ctx *sql.Context) (*Work, error) {
	return s.writerWithin(ctx, s.store.lockWait)
}

func (s *Session) writerWithin(ctx *sql.Context, wait time.Duration) (*Work, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil && s.work.writer {
		return s.work, nil
	}
	if tx, ok := s.GetTransaction().(*transaction); ok && tx.readOnly {
		return nil, sql.ErrReadOnlyTransaction.New()
	}
	var before []namedMemory
	if s.work != nil {
		before = s.work.savepoints
		s.work.end()
		s.work = nil
	}
	w, err := s.store.beginWrite(ctx, wait)
	if err != nil {
		s.keepSavepoints(ctx, before)
		return nil, err
	}
	for _, p := range before { // nothing was written since any of them
		if err := w.setSavepoint(p.name); err != nil {
			w.end()
			return nil, err
		}
	}
	s.work = w
	return w, nil
}

// keepSavepoints restores the savepoints of a transaction that could not begin to write.
func (s *Session) keepSavepoints(ctx context.Context, savepoints []namedMemory) {
	if len(savepoints) == 0 {
		return
	}
	if w, err := s.store.snapshot(ctx); err == nil {
		w.savepoints = savepoints
		s.work = w
	}
}

// metadata returns what the session sees: its transaction's metadata, or the committed one if none is open.
func (s *Session) metadata() *metadata {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil {
		return s.work.meta
	}
	return s.store.meta.Load()
}

// CreateSavepoint implements sql.TransactionSession. It does not take the writer's turn: a user with read access could block all writers with it.
func (s *Session) CreateSavepoint(ctx *sql.Context, _ sql.Transaction, name string) error {
	w, err := s.reader(ctx)
	if err != nil {
		return err
	}
	return w.setSavepoint(name)
}

// RollbackToSavepoint implements sql.TransactionSession.
func (s *Session) RollbackToSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	w, i, err := s.findSavepoint(name)
	if err != nil {
		return err
	}
	if w.writer {
		if err := w.rollbackTo(savepointName(i + 1)); err != nil {
			return err
		}
		w.restore(w.savepoints[i].memory)
	}
	w.savepoints = w.savepoints[:i+1]
	return nil
}

// ReleaseSavepoint implements sql.TransactionSession.
func (s *Session) ReleaseSavepoint(_ *sql.Context, _ sql.Transaction, name string) error {
	w, i, err := s.findSavepoint(name)
	if err != nil {
		return err
	}
	w.savepoints = w.savepoints[:i]
	if !w.writer {
		return nil
	}
	return w.releaseSavepoint(savepointName(i + 1))
}

func (s *Session) findSavepoint(name string) (*Work, int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.work != nil {
		for i := range slices.Backward(s.work.savepoints) {
			if strings.EqualFold(s.work.savepoints[i].name, name) {
				return s.work, i, nil
			}
		}
	}
	return nil, 0, sql.ErrSavepointDoesNotExist.New(name)
}

func errNotPersisted(what string) error {
	return fmt.Errorf("%s is not supported: system variables are set by the server's flags; use SET SESSION", what)
}

// PersistGlobal implements sql.PersistableSession.
func (s *Session) PersistGlobal(_ *sql.Context, name string, _ any) error {
	return errNotPersisted("SET PERSIST " + name)
}

// RemovePersistedGlobal implements sql.PersistableSession.
func (s *Session) RemovePersistedGlobal(name string) error {
	return errNotPersisted("RESET PERSIST " + name)
}

// RemoveAllPersistedGlobals implements sql.PersistableSession.
func (s *Session) RemoveAllPersistedGlobals() error { return errNotPersisted("RESET PERSIST") }

// GetPersistedValue implements sql.PersistableSession: nothing is persisted.
func (s *Session) GetPersistedValue(string) (any, error) { return nil, nil }

// CommitsItself reports whether autocommit is on. START TRANSACTION suspends autocommit but does not change it.
func (s *Session) CommitsItself() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.automatic()
}

// automatic returns the session's current autocommit, which the last statement may have changed.
func (s *Session) automatic() bool {
	value, err := s.GetSessionVariable(nil, sql.AutoCommitSessionVar)
	if err != nil {
		return s.autocommit
	}
	on, err := sql.ConvertToBool(nil, value)
	return err != nil && s.autocommit || on
}
