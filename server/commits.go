package server

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog/raw"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers/scope"
	"github.com/anonsql/anonsql/server/dialect"
	"github.com/anonsql/anonsql/server/implicit"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/syntax"
	"github.com/anonsql/anonsql/server/wire"
)

// committing runs a client's statement with MySQL's implicit commits: before the statements of package
// implicit; without autocommit also after them, before the client gets the answer; and at SET autocommit
// = 1. The engine commits only after some of these statements. A statement that fails after such a
// commit leaves no changes.
func (h *handler) committing(running context.Context, c *mysql.Conn, text string, run func() error) error {
	session, err := h.sessionOf(c)
	if err != nil {
		return err
	}
	ctx := sql.NewContext(context.Background(), sql.WithSession(session))
	manual := !session.CommitsItself()
	statement, prepared := h.parsed(ctx, text, manual)
	commits, err := h.commitFirst(ctx, session, statement, prepared, manual)
	if err != nil {
		return err
	}
	done, err := h.server.lock(sql.NewContext(running, sql.WithSession(session)), c, statement, text)
	if err != nil {
		return err
	}
	err = run()
	if done(err); err != nil {
		if commits {
			_ = session.Rollback(ctx, nil)
			session.SetTransaction(nil)
		}
		return err
	}
	switch {
	case commits, manual && session.CommitsItself():
	case session.CommitsItself() && !session.GetIgnoreAutoCommit() && session.GetTransaction() != nil: // the engine never ends what SHOW WARNINGS has begun
	default:
		return nil
	}
	err = raw.CommitOpen(ctx)
	if err == nil && session.GetTransaction() == nil {
		c.StatusFlags &^= mysql.ServerInTransaction
	}
	return err
}

// sessionOf returns a connection's session, and makes it for its first statement.
func (h *handler) sessionOf(c *mysql.Conn) (*wire.Session, error) {
	if open := h.server.connections.SessionOf(c); open != nil {
		return open, nil
	}
	ctx, err := h.server.sessions.Load().NewContextWithQuery(context.Background(), c, "")
	if err != nil {
		return nil, err
	}
	return ctx.Session.(*wire.Session), nil
}

// commitFirst makes the implicit commit before a statement.
func (h *handler) commitFirst(ctx *sql.Context, session *wire.Session, statement sqlparser.Statement, prepared, manual bool) (commits bool, err error) {
	if prepared && !preparable(statement) {
		return false, notPrepared()
	}
	switch statement.(type) {
	case nil:
		return false, nil
	case *sqlparser.LockTables:
		session.Locked = true
	case *sqlparser.UnlockTables:
		commits, session.Locked = session.Locked, false
	}
	commits = commits || implicit.Commits(statement, h.server.provider.writesCatalog) || manual && implicit.SwitchesOn(statement)
	if !commits {
		return false, nil
	}
	return true, raw.CommitOpen(ctx)
}

// parsed parses a text; for EXECUTE it returns the prepared statement. It returns nil if the text does
// not parse, or if its words show that it neither commits nor locks.
func (h *handler) parsed(ctx *sql.Context, text string, manual bool) (statement sqlparser.Statement, prepared bool) {
	if !implicit.Possible(text) && !(manual && kindOf(text) == "set") && !scope.MayLock(firstWordOf(text), text) {
		return nil, false
	}
	statement, _, _, err := syntax.ProcessParser.Parse(ctx, text, true)
	if err != nil {
		return nil, false
	}
	if execute, ok := statement.(*sqlparser.Execute); ok {
		statement, _ = h.server.engine.PreparedDataCache.GetCachedStmt(ctx.Session.ID(), execute.Name)
		return statement, true
	}
	return statement, false
}

// lock takes the writer's turn, the only lock, before a query in a transaction that locks owners' rows. An account that may not
// change rows takes no lock, and is denied FOR UPDATE. c and text are empty in a routine, whose owner's privileges count.
func (s *instance) lock(ctx *sql.Context, c *mysql.Conn, statement sqlparser.Statement, text string) (done func(error), err error) {
	privileges := func() sql.PrivilegeSet { return s.accounts.Engine.UserActivePrivilegeSet(ctx) }
	locks, denied := scope.Locks(ctx, statement, text, privileges, func(database, table string) bool {
		return !s.provider.isUpstream(ctx, database) && s.provider.Stores(ctx, database, table)
	})
	switch {
	case denied != "":
		return nil, sqlerror.New(sqlerror.TableAccessDenied, "SELECT with locking clause command denied to user "+accounts.Account(ctx)+" for table '"+denied+"'")
	case !locks:
		return func(error) {}, nil
	}
	if c != nil { // KILL finds what waits
		if ctx, err = s.sessions.Load().NewContextWithQuery(ctx, c, text); err == nil {
			ctx, err = s.engine.ProcessList.BeginQuery(ctx, text)
		}
		if err != nil {
			return nil, err
		}
		defer s.engine.ProcessList.EndQuery(ctx)
	}
	return raw.TakeWriter(ctx, scope.RefusesToWait(text, dialect.NoWait))
}

// writesCatalog reports whether a procedure of ours writes the catalog.
func (p *Provider) writesCatalog(name string) bool {
	list := p.procedures[strings.ToLower(name)]
	return len(list) > 0 && !list[0].ReadOnly
}

// A committingRunner runs the statements of a procedure's body: each commits as a
// client's statement does, and can be ended even if the one before it had settled.
type committingRunner struct {
	sql.StatementRunner
	server *instance
}

// QueryWithBindings implements sql.StatementRunner.
func (r committingRunner) QueryWithBindings(ctx *sql.Context, query string, parsed sqlparser.Statement,
	bindings map[string]sqlparser.Expr, flags *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	running.StatementOf(ctx).Next()
	commits := parsed != nil && implicit.Commits(parsed, r.server.provider.writesCatalog)
	if commits {
		if err := raw.CommitOpen(ctx); err != nil {
			return nil, nil, nil, err
		}
	}
	done, err := r.server.lock(ctx, nil, parsed, "")
	if err != nil {
		return nil, nil, nil, err
	}
	schema, rows, flags, err := r.StatementRunner.QueryWithBindings(ctx, query, parsed, bindings, flags)
	if session, ok := ctx.Session.(sql.TransactionSession); ok && commits && err != nil {
		_ = session.Rollback(ctx, nil)
	}
	done(err)
	return schema, rows, flags, err
}
