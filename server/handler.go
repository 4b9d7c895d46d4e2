package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/answers"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/syntax"
	"github.com/anonsql/anonsql/server/wire"
	"github.com/anonsql/anonsql/server/worker"
)

// handler stands between the protocol and the engine's handler.
type handler struct {
	mysql.Handler
	server *instance
}

func (s *instance) wrapHandler(engine mysql.Handler) (mysql.Handler, error) {
	s.engineHandler = engine
	return &handler{Handler: engine, server: s}, nil
}

// NewConnection implements mysql.Handler. The engine learns of a connection at its
// login (logins.go), since it makes a session to close one.
func (h *handler) NewConnection(c *mysql.Conn) {
	if packets := wire.PacketsOf(c.Conn); packets != nil {
		packets.Announced, packets.Options = c, h.ParserOptionsForConnection
		packets.Statistics = h.server.statistics
		packets.Refuses = func(text string, wrong *mysql.SQLError) { h.server.auditPrepare(c, text, wrong) }
	}
	announceAutocommit(c)
	h.server.open(c)
}

// announceAutocommit sets the status flags of a new session, which the engine sets only at the end of a
// statement. PyMySQL trusts the greeting: it sends SET autocommit = 0 only if the flags say that
// autocommit is on; without it, ROLLBACK would undo nothing.
func announceAutocommit(c *mysql.Conn) {
	c.StatusFlags &^= mysql.ServerStatusAutocommit | mysql.ServerInTransaction
	if _, value, _ := sql.SystemVariables.GetGlobal(sql.AutoCommitSessionVar); value != int8(0) {
		c.StatusFlags |= mysql.ServerStatusAutocommit
	}
}

// ConnectionClosed implements mysql.Handler. The protocol layer defers it, so it
// recovers panics of that layer.
func (h *handler) ConnectionClosed(c *mysql.Conn) {
	if cause := recover(); cause != nil {
		h.server.protocolPanics.Caught(h.server.config.Logger, c, cause)
	}
	defer h.server.connections.Remove(c)
	defer h.server.provider.locks.ReleaseAll(c.ConnectionID)
	h.server.workers.drop(c.ConnectionID)
	if packets := wire.PacketsOf(c.Conn); packets != nil && !packets.Known.Load() {
		return
	}
	_ = h.guarded(context.Background(), c, "closing the connection", func(context.Context) error {
		// This comes first: the engine waits for a lock that DROP DATABASE holds while
		// it waits for this transaction to end.
		if open := h.server.connections.SessionOf(c); open != nil {
			open.SessionEnd()
		}
		h.Handler.ConnectionClosed(c)
		return nil
	})
}

// ComInitDB implements mysql.Handler.
func (h *handler) ComInitDB(c *mysql.Conn, database string) error {
	if _, ran, err := h.runInWorker(context.Background(), c, "use", worker.Command{Kind: worker.Use, Text: database}, nil); ran || err != nil {
		return err
	}
	err := h.statement(context.Background(), c, "USE "+database, func(ctx context.Context) error {
		if err := h.refuseUnseen(ctx, c, database); err != nil {
			return err
		}
		return h.Handler.ComInitDB(c, database)
	})
	// No statement contains the database's name, so the error omits it.
	var known *mysql.SQLError
	if user, ok := c.UserData.(sql.MysqlConnectionUser); ok && errors.As(err, &known) && known.Num == sqlerror.DatabaseAccessDenied {
		denied := fmt.Sprintf("Access denied for user '%s'@'%s' to database '%s'", user.User, user.Host, database)
		return h.wayOut(c, "USE "+database, sqlerror.New(known.Num, denied))
	}
	return err
}

// refuseUnseen denies a database that the account does not see: with this command the
// engine lets every account use the database mysql.
func (h *handler) refuseUnseen(ctx context.Context, c *mysql.Conn, database string) error {
	sessions := h.server.sessions.Load()
	if sessions == nil || database == "" {
		return nil
	}
	session, err := sessions.NewContextWithQuery(ctx, c, "")
	if err != nil || h.server.provider.sees.Database(session, database) {
		return err
	}
	return accounts.DatabaseDenied(session, database)
}

// killKind is the kind of KILL, which always runs in the server's process: it may end the worker process of its own session.
const killKind = "kill"

// ComQuery implements mysql.Handler.
func (h *handler) ComQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) error {
	rows := &wire.Sending{To: send}
	return rows.Finished(c, h.query(ctx, c, query, rows.Send))
}

func (h *handler) query(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) error {
	if kind := kindOf(query); kind != killKind {
		if _, ran, err := h.runInWorker(ctx, c, kind, worker.Command{Kind: worker.Query, Text: query}, send); ran || err != nil {
			return err
		}
	}
	query = answers.Text(query)
	return h.statement(ctx, c, query, func(ctx context.Context) error {
		out := wire.NewResults(ctx, c, send, h.server.connections.Encoding(c))
		defer out.Reuse(false)
		return out.Finish(h.committing(ctx, c, query, func() error { return h.Handler.ComQuery(ctx, c, query, out.Take) }))
	})
}

// ComMultiQuery implements mysql.Handler. After an error the rest of the batch is
// dropped, as in MySQL: the client reads no more answers.
func (h *handler) ComMultiQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) (rest string, err error) {
	rows := &wire.Sending{To: send}
	rest, err = h.multiQuery(ctx, c, query, rows.Send)
	return rest, rows.Finished(c, err)
}

func (h *handler) multiQuery(ctx context.Context, c *mysql.Conn, query string, send mysql.ResultSpoolFn) (rest string, err error) {
	if kind := kindOf(query); kind != killKind {
		ending, ran, err := h.runInWorker(ctx, c, kind, worker.Command{Kind: worker.Batch, Text: query}, send)
		if err != nil || ran && ending == nil {
			return "", err
		}
		if ran {
			return ending.Rest, nil
		}
	}
	query = answers.Text(query)
	err = h.statement(ctx, c, query, func(ctx context.Context) error {
		out := wire.NewResults(ctx, c, send, h.server.connections.Encoding(c))
		defer out.Reuse(false)
		return out.Finish(h.committing(ctx, c, query, func() (inner error) {
			rest, inner = h.Handler.ComMultiQuery(ctx, c, query, out.Take)
			return inner
		}))
	})
	if err != nil {
		return "", err
	}
	return rest, nil
}

// ComPrepare implements mysql.Handler.
func (h *handler) ComPrepare(ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData) (fields []*querypb.Field, err error) {
	packets := wire.PacketsOf(c.Conn)
	if packets != nil {
		query = packets.AsWritten(query)
	}
	switch strings.ToLower(firstWordOf(query)) {
	case "prepare", "execute", "deallocate":
		return nil, notPrepared()
	}
	query = answers.Text(query)
	prepare.PrepareStmt = query // the engine's key of the statement
	if fields, ran, err := h.prepareElsewhere(ctx, c, query, prepare); ran || err != nil {
		return fields, err
	}
	err = h.counted(ctx, c, "prepare", query, func(ctx context.Context) error {
		if packets != nil {
			if err := packets.Holds.Add(prepare.StatementID, query); err != nil {
				return err
			}
		}
		var inner error
		if fields, inner = h.Handler.ComPrepare(ctx, c, query, prepare); inner != nil || fields == nil {
			return inner
		}
		widths, inner := h.server.retype(ctx, c, query, fields)
		if inner != nil {
			return inner
		}
		wire.Describe(fields, widths)
		h.server.connections.Encoding(c).Fields(fields)
		return nil
	})
	if err != nil {
		delete(c.PrepareData, prepare.StatementID) // no client will close it
		if packets != nil {
			packets.Holds.Remove(prepare.StatementID)
		}
		return nil, err
	}
	return fields, nil
}

// ComStmtExecute implements mysql.Handler.
func (h *handler) ComStmtExecute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, send func(*sqltypes.Result) error) error {
	rows := &wire.Sending{To: func(r *sqltypes.Result, _ bool) error { return send(r) }}
	return rows.Finished(c, h.execute(ctx, c, prepare, func(r *sqltypes.Result) error { return rows.Send(r, false) }))
}

func (h *handler) execute(ctx context.Context, c *mysql.Conn, prepare *mysql.PrepareData, send func(*sqltypes.Result) error) error {
	wire.CorrectParameters(prepare)
	command := worker.Command{Kind: worker.Execute, Text: prepare.PrepareStmt, Parameters: worker.Parameters(prepare.BindVars)}
	pass := func(r *sqltypes.Result, _ bool) error { return send(r) }
	if _, ran, err := h.runInWorker(ctx, c, kindOf(command.Text), command, pass); ran || err != nil {
		return err
	}
	return h.statement(ctx, c, prepare.PrepareStmt, func(ctx context.Context) error {
		if err := finite(prepare.BindVars); err != nil {
			return err
		}
		out := wire.NewResults(ctx, c, func(r *sqltypes.Result, _ bool) error { return send(r) }, h.server.connections.Encoding(c)).AsNumbers()
		defer out.Reuse(false)
		return out.Finish(h.committing(ctx, c, prepare.PrepareStmt, func() error {
			return h.Handler.ComStmtExecute(ctx, c, prepare, func(r *sqltypes.Result) error { return out.Take(r, false) })
		}))
	})
}

// prepareElsewhere prepares a statement in a worker, and also counts it here.
func (h *handler) prepareElsewhere(
	ctx context.Context, c *mysql.Conn, query string, prepare *mysql.PrepareData,
) (fields []*querypb.Field, ran bool, err error) {
	ending, ran, err := h.runInWorker(ctx, c, "prepare", worker.Command{Kind: worker.Prepare, Text: query}, nil)
	if !ran {
		return nil, false, err
	}
	packets := wire.PacketsOf(c.Conn)
	if err == nil {
		err = packets.Holds.Add(prepare.StatementID, query)
	}
	if err != nil {
		delete(c.PrepareData, prepare.StatementID) // no client will close it
		return nil, true, err
	}
	return ending.Prepared(), true, nil
}

// WarningCount implements mysql.Handler.
func (h *handler) WarningCount(c *mysql.Conn) uint16 {
	if session := h.server.workers.session(c.ConnectionID); session != nil {
		return session.warnings
	}
	return h.Handler.WarningCount(c)
}

// finite refuses infinite and NaN parameters, which drivers send although SQL has no such numbers.
func finite(parameters map[string]*querypb.BindVariable) error {
	for _, p := range parameters {
		if !sqltypes.IsFloat(p.Type) {
			continue
		}
		if v, err := strconv.ParseFloat(string(p.Value), 64); err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return sqlerror.New(sqlerror.IllegalValue, fmt.Sprintf("Illegal double '%s' value found during parsing", p.Value))
		}
	}
	return nil
}

// ComResetConnection implements mysql.Handler. It reports no error, because
// the protocol layer sends the error and then an OK after it; a connection
// that could not be reset is closed.
func (h *handler) ComResetConnection(c *mysql.Conn) error {
	h.server.workers.drop(c.ConnectionID)
	err := h.statement(context.Background(), c, "reset", func(ctx context.Context) error {
		// The engine asks the session for its database, but a connection has no session
		// before its first statement.
		if sessions := h.server.sessions.Load(); sessions != nil {
			if _, err := sessions.NewContextWithQuery(ctx, c, ""); err != nil {
				return err
			}
		}
		if packets := wire.PacketsOf(c.Conn); packets != nil {
			packets.Reset()
		}
		announceAutocommit(c)
		h.server.provider.locks.ReleaseAll(c.ConnectionID)
		return h.Handler.ComResetConnection(c)
	})
	if known, ok := errors.AsType[*mysql.SQLError](err); ok && known.Num != sqlerror.DatabaseAccessDenied && known.Num != sqlerror.UnknownDatabase {
		h.server.config.Logger.Warn("connection not reset, closed", "connection", c.ConnectionID, "error", err)
		c.Close()
	}
	return nil
}

// statement runs f until the client leaves, the server stops or the statement is
// killed. It returns the error for the client.
func (h *handler) statement(ctx context.Context, c *mysql.Conn, text string, f func(context.Context) error) error {
	return h.counted(ctx, c, kindOf(text), text, f)
}

// counted is statement with a given kind for the metrics.
func (h *handler) counted(ctx context.Context, c *mysql.Conn, kind, text string, f func(context.Context) error) error {
	err := h.run(ctx, c, kind, text, f)
	return h.server.connections.Encoding(c).Error(err)
}

func (h *handler) run(ctx context.Context, c *mysql.Conn, kind, text string, f func(context.Context) error) (err error) {
	defer func() { h.server.metrics.ended(kind, err) }()
	st := running.New(kind, text)
	st.Before = h.server.store.Names()
	ctx, done, err := h.server.connections.Begin(ctx, c, st)
	if err != nil {
		return err
	}
	defer done()
	h.server.connections.SessionOf(c).BeginDiagnostics(text)
	defer func() { h.server.connections.SessionOf(c).EndDiagnostics(text, err) }()
	defer func() { h.server.metrics.observeStatement(st) }()
	defer func() {
		h.server.audited(ctx, st, err)
		st.Before = catalog.Names{} // else the session would keep them, and with them releases
	}()
	err = h.guarded(ctx, c, text, f)
	if err == nil {
		if deleted := st.Deleted.Load(); deleted > 0 {
			h.server.connections.SessionOf(c).SetLastQueryInfoInt(sql.RowCount, deleted)
		}
		return nil
	}
	if failure, ok := errors.AsType[*worker.Failure](err); ok && ctx.Err() == nil {
		return failure.SQLError()
	}
	// The cause says why the statement ended; the engine reports only a cancelled context.
	if cause, ok := errors.AsType[*mysql.SQLError](context.Cause(ctx)); ok {
		return cause
	}
	if sqlerror.EnginePanicked(err) {
		h.server.config.Logger.Error("statement panicked", "connection", c.ConnectionID, "panic", err.Error(), "statement", loggable(text))
	}
	return h.wayOut(c, text, droppedNothing(text, sqlerror.ToClient(err)))
}

// wayOut adds a hint to an error: similar names that the connection's account sees.
func (h *handler) wayOut(c *mysql.Conn, text string, err error) error {
	session, failed := h.sessionOf(c)
	if failed != nil {
		return err
	}
	return h.server.provider.wayOut(sql.NewContext(context.Background(), sql.WithSession(session)), text, err)
}

// dropsTables matches the statements that MySQL answers with 1051, not 1146, for an
// unknown table: tools drop tables that may not exist, and ignore only 1051.
var dropsTables = regexp.MustCompile(`(?i)^\s*DROP\s+(TEMPORARY\s+)?TABLES?\b`)

func droppedNothing(text string, err error) error {
	if known, ok := errors.AsType[*mysql.SQLError](err); ok && known.Num == sqlerror.NoSuchTable && dropsTables.MatchString(text) {
		name := strings.TrimPrefix(known.Message, "table not found: ")
		return sqlerror.New(sqlerror.UnknownTable, fmt.Sprintf("Unknown table '%s'", name))
	}
	return err
}

// guarded turns a panic of f into an error.
func (h *handler) guarded(ctx context.Context, c *mysql.Conn, text string, f func(context.Context) error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = panicked(h.server.config.Logger, c.ConnectionID, text, cause)
		}
	}()
	return f(ctx)
}

// loggable is a statement's text for a log.
func loggable(text string) string {
	if syntax.HoldsPassword(text) {
		return "(not shown: it may hold a password)"
	}
	return shortened(text)
}

// shortened limits a statement's text, so that its data do not fill the log.
func shortened(text string) string {
	const limit = 400 // bytes
	if len(text) > limit {
		return text[:limit] + "..."
	}
	return text
}
