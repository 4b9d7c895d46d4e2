package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/worker"
)

// runInWorker runs a command in the worker of the connection's account; ran is false if the account's statements run in this process.
func (h *handler) runInWorker(
	ctx context.Context, c *mysql.Conn, kind string, command worker.Command, send func(*sqltypes.Result, bool) error,
) (ending *worker.Ending, ran bool, err error) {
	s := h.server
	sessions := s.sessions.Load()
	if s.workers == nil || sessions == nil {
		return nil, false, nil
	}
	session, err := sessions.NewContextWithQuery(ctx, c, command.Text)
	if err != nil {
		return nil, false, err
	}
	switch away := s.runsInWorker(session); {
	case !away && s.workers.drop(c.ConnectionID), away && s.forget(session, c):
		return nil, false, errLost
	case !away:
		return nil, false, nil
	}
	err = h.run(ctx, c, kind, command.Text, func(ctx context.Context) (err error) {
		ending, err = h.ask(ctx, c, command, send)
		return err
	})
	return ending, true, err
}

// maxActs is the number of a statement's acts that a worker may have audited: the next one is compared with all before.
const maxActs = 1000

// forget drops what a session holds in this process before its statements run in another one, and reports whether there was anything.
func (s *instance) forget(ctx *sql.Context, c *mysql.Conn) bool {
	locks := s.provider.locks.ReleaseAll(c.ConnectionID)
	return s.connections.SessionOf(c).ForgetVariables(ctx) || locks > 0
}

// ask runs a command in a worker as a statement of the connection.
func (h *handler) ask(ctx context.Context, c *mysql.Conn, command worker.Command, send func(*sqltypes.Result, bool) error) (*worker.Ending, error) {
	s, st := h.server, running.StatementOf(ctx)
	st.Elsewhere.Store(true)
	session, err := s.sessions.Load().NewContextWithQuery(ctx, c, command.Text)
	if err != nil {
		return nil, err
	}
	session, err = session.ProcessList.BeginQuery(session, command.Text)
	if err != nil {
		return nil, err
	}
	defer session.ProcessList.EndQuery(session)
	if err := sql.SessionCommandBegin(session.Session); err != nil {
		return nil, err
	}
	defer sql.SessionCommandEnd(session.Session)
	if err := s.audit.Ready(session); err != nil {
		command.Refusal = worker.FailureOf(sqlerror.ToClient(err))
	}
	var there *away
	var ending *worker.Ending
	sent := false
	for tried := 0; ending == nil || ending.Stale && !sent && err == nil && session.Err() == nil && tried < 10; tried++ {
		if there, err = s.workers.sessionFor(session, c); err != nil {
			return nil, err
		}
		ending, err = there.Do(session, command, func(a worker.Answer) error {
			sent = true
			c.StatusFlags, there.warnings = a.Status, a.Warnings
			st.Rows += int64(len(a.Rows))
			return send(a.Result, a.More)
		})
		if ending == nil {
			break
		}
		if ending.Stale { // the statement must see the current releases
			s.store.SessionOf(session).ForgetOfStatement()
		}
	}
	if errors.Is(err, worker.ErrGone) {
		st.NoteAct(running.Act{Kind: estimateKind}) // which it may have answered in part: only the worker knew of what
		return nil, errWorkerGone(session, there)
	}
	if ending == nil {
		return nil, err
	}
	h.mirror(session, c, there, ending)
	st.Reads.Or(ending.Reads)
	st.EstimatesTook(ending.Estimates...)
	for _, act := range ending.Acts[:min(len(ending.Acts), maxActs)] {
		st.NoteAct(running.Act{Kind: act.Kind, Release: act.Release, Source: act.Source})
	}
	if err == nil && ending.Failure != nil {
		err = ending.Failure
	}
	return ending, err
}

// mirror copies the state of the worker's session to the connection's session here, from which the worker's can be opened again.
func (h *handler) mirror(ctx *sql.Context, c *mysql.Conn, there *away, ending *worker.Ending) {
	c.StatusFlags, there.warnings, there.lasting = ending.Status, ending.Warnings, ending.Lasting
	if ending.State == nil {
		return
	}
	for name := range stateOf(ctx.Session).Variables {
		if _, kept := ending.State.Variables[name]; !kept {
			if variable, _, ok := sql.SystemVariables.GetGlobal(name); ok {
				_ = ctx.Session.SetSessionVariable(ctx, name, variable.GetDefault()) // a variable that cannot be set here was not set there
			}
		}
	}
	for name, value := range ending.State.Variables {
		_ = ctx.Session.SetSessionVariable(ctx, name, value) // as above: it was not set there either
	}
	ctx.Session.SetCurrentDatabase(ending.State.Database)
}

// errWorkerGone returns the error of a statement whose worker has ended. The cause of the statement's own end takes precedence.
func errWorkerGone(ctx *sql.Context, there *away) error {
	p := there.Process()
	p.Kill() // if it still runs, its session is broken
	<-p.Ended()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if limit := p.Exceeded(); limit > 0 {
		return sqlerror.New(sqlerror.Capacity, fmt.Sprintf("Memory capacity of %d bytes for 'account' exceeded: the process of the account's statements was ended; "+
			"ask for fewer rows or shorter values at a time, or have the limit 'memory' of the account raised", limit))
	}
	return sqlerror.New(sqlerror.Unknown, "the process that ran the statement has ended: another statement of this account was ended with it; ask again")
}
