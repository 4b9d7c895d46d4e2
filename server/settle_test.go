package server

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/server/running"
)

// killable is a process list whose processes are contexts.
type killable struct {
	sql.ProcessList
	cancel context.CancelFunc
}

func (k killable) Kill(uint32) { k.cancel() }

// A statement is killed, or its release is stored: not both, in either order.
func TestKilledOrSettled(t *testing.T) {
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

// The time limit comes too late for a statement that is settled.
func TestSettledStatementHasNoLimit(t *testing.T) {
	for _, settled := range []bool{false, true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		st := running.New("query", "CALL anonymize('t')")
		st.Cancel = cancel
		if settled {
			if err := st.Settle(ctx); err != nil {
				t.Fatal(err)
			}
		}
		st.Limit(time.Nanosecond)
		if !settled {
			<-ctx.Done()
			continue
		}
		st.UnlessSettled(func() { t.Error("a settled statement is ended") })
		time.Sleep(20 * time.Millisecond)
		if ctx.Err() != nil {
			t.Errorf("ended by %v", context.Cause(ctx))
		}
		cancel(nil)
	}
}
