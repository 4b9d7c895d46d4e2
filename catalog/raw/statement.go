package raw

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Statement boundaries: every editor of a statement announces its beginning
// and its end, and all share one savepoint. That makes a statement of many
// rows all or nothing, and INSERT IGNORE, which begins a statement for every
// row, skip single rows.

const statementSavepoint = "statement"

// beginStatement is called once by every editor.
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

// completeStatement keeps the statement's changes once all its editors are
// done.
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

// discard undoes the statement; what its other editors say afterwards has no
// effect.
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

// untouched reports whether the transaction wrote nothing so far.
func (w *Work) untouched() bool {
	return len(w.changes) == 0 && !w.defined && len(w.savepoints) == 0
}

// undone returns an error when SQLite ended the transaction by itself.
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

// TakeWriter waits for the writer's turn on behalf of a statement that the engine is
// going to run under a lock of its own, which every other statement needs: what
// waited under that lock for another session's transaction would keep everybody
// waiting. It waits until the context ends or the lock wait is over (error 1205).
// After it the session's writes do not wait. Whoever calls it calls [YieldWriter]
// when the statement has failed.
func TakeWriter(ctx *sql.Context) error {
	s := sessionOf(ctx)
	if s == nil {
		return nil
	}
	_, err := s.writer(ctx)
	return err
}

// YieldWriter gives the writer's turn back when the session's transaction has written
// nothing.
func YieldWriter(ctx *sql.Context) {
	if s := sessionOf(ctx); s != nil {
		s.dropUntouched()
	}
}

// CommitOpen commits what the session has open, and ends the transaction: what
// START TRANSACTION suspended, autocommit, is in force again. Whoever does what MySQL
// commits before calls it, and commits in no other way. Without a transaction it does
// nothing.
func CommitOpen(ctx *sql.Context) error {
	session, ok := ctx.Session.(sql.TransactionSession)
	open := ctx.GetTransaction()
	if !ok || open == nil {
		return nil
	}
	return session.CommitTransaction(ctx, open)
}
