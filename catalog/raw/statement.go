package raw

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Statement boundaries: every editor of a statement announces its beginning and its end, and all share one savepoint.
// So a statement of many rows is atomic, and INSERT IGNORE, which begins a statement per row, can skip single rows.

const statementSavepoint = "statement"

// beginStatement must be called once by every editor.
func (w *Work) beginStatement(t *TableVersion) error {
	if w.statement == 0 {
		if err := w.undone(); err != nil {
			return err
		}
	}
	w.editing[t.id] = true
	w.statement++
	if w.statement > 1 {
		return nil
	}
	before := w.remember()
	w.before = &before
	return w.savepoint(statementSavepoint)
}

// completeStatement keeps the statement's changes once all its editors are done.
func (w *Work) completeStatement() error {
	if w.statement == 0 {
		return nil
	}
	w.statement--
	if w.statement > 0 {
		return nil
	}
	w.before = nil
	clear(w.editing)
	return w.releaseSavepoint(statementSavepoint)
}

// discard undoes the statement; later calls of its other editors have no effect.
func (w *Work) discard() {
	if w.statement == 0 {
		return
	}
	w.statement = 0
	clear(w.editing)
	if w.rollbackTo(statementSavepoint) == nil {
		_ = w.releaseSavepoint(statementSavepoint)
	}
	w.restore(*w.before)
	w.before = nil
}

// untouched reports whether the transaction has written and locked nothing so far.
func (w *Work) untouched() bool {
	return len(w.changes) == 0 && !w.defined && !w.locks && len(w.savepoints) == 0
}

// undone returns an error if SQLite ended the transaction by itself.
func (w *Work) undone() error {
	if !w.writer {
		return nil
	}
	open, err := sqlite.InTransaction(w.conn)
	if err != nil {
		return fault.Cannot("use the transaction", err)
	}
	if !open {
		return fault.ErrUndone
	}
	return nil
}

// TakeWriter takes the writer's turn before a statement that locks what it reads, or that the engine
// runs under an internal lock that all other statements need: waiting for another session under that
// lock would block everybody. It waits until ctx ends or the lock wait is over (error 1205); with
// nowait it fails at once (3572). The caller calls done after the statement. The session then keeps the
// turn until its transaction ends, unless the statement failed and the transaction holds nothing else.
func TakeWriter(ctx *sql.Context, nowait bool) (done func(failed error), err error) {
	s := sessionOf(ctx)
	if s == nil {
		return func(error) {}, nil
	}
	wait := s.store.lockWait
	if nowait {
		wait = 0
	}
	_, err = s.writerWithin(ctx, wait)
	return func(failed error) {
		s.endIf(func(w *Work) bool {
			w.locks = w.locks || w.writer && failed == nil
			return w.writer && w.untouched()
		})
	}, err
}

// CommitOpen commits the session's open transaction and ends it; autocommit is in force again.
// Statements before which MySQL commits implicitly call it. Without a transaction it does nothing.
func CommitOpen(ctx *sql.Context) error {
	session, ok := ctx.Session.(sql.TransactionSession)
	open := ctx.GetTransaction()
	if !ok || open == nil {
		return nil
	}
	return session.CommitTransaction(ctx, open)
}
