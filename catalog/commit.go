package catalog

import "github.com/dolthub/go-mysql-server/sql"

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
