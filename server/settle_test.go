package server

import (
	"context"
	"errors"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// killable is a process list whose processes are contexts.
type killable struct {
	sql.ProcessList
	cancel context.CancelFunc
}

func (k killable) Kill(uint32) { k.cancel() }

// A statement is killed, or its release is stored: not both, in either order.
func TestKilledOrSettled(t *testing.T) {
	t.Parallel()
	for _, late := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		st := running.New("query", "CALL anonymize('t')")
		list := &processes{ProcessList: killable{cancel: cancel}, running: func(uint32) *running.Statement { return st }}
		if late {
			if err := st.Settle(ctx); err != nil {
				t.Fatal(err)
			}
		}
		list.Kill(7)
		if killed := ctx.Err() != nil; killed == late {
			t.Errorf("settled %v, killed %v", late, killed)
		}
		if err := st.Settle(ctx); late == errors.Is(err, context.Canceled) {
			t.Errorf("settled %v, then %v", late, err)
		}
		cancel()
	}
	idle, cancel := context.WithCancel(t.Context())
	(&processes{ProcessList: killable{cancel: cancel}, running: func(uint32) *running.Statement { return nil }}).Kill(7)
	if idle.Err() == nil {
		t.Error("a connection without a statement is not killed")
	}
}

// A deaf runner runs nothing.
type deaf struct{ sql.StatementRunner }

func (deaf) QueryWithBindings(*sql.Context, string, sqlparser.Statement, map[string]sqlparser.Expr, *sql.QueryFlags) (sql.Schema, sql.RowIter, *sql.QueryFlags, error) {
	return nil, nil, nil, nil
}

// If KILL comes too late for the statement of a routine that stored a release, it ends the routine at the next
// statement.
func TestRoutineIsKilledAfterItHasSettled(t *testing.T) {
	t.Parallel()
	st := running.New("query", "CALL d.publishes()")
	ctx, cancel := st.NewContext(t.Context())
	defer cancel(nil)
	list := &processes{ProcessList: killable{cancel: func() { cancel(sqlerror.ErrInterrupted) }}, running: func(uint32) *running.Statement { return st }}
	if err := st.Settle(ctx); err != nil {
		t.Fatal(err)
	}
	if list.Kill(7); ctx.Err() != nil {
		t.Fatal("KILL came before the answer")
	}
	if _, _, _, err := (committingRunner{StatementRunner: deaf{}}).QueryWithBindings(sql.NewContext(ctx), "", nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	if err := running.Ended(ctx); err != sqlerror.ErrInterrupted {
		t.Errorf("the routine is ended by %v", err)
	}
}
