package raw

import "github.com/dolthub/go-mysql-server/sql"

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
