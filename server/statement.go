package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// A statement is what the server knows of a statement while it runs. The
// contexts of the statement carry it. Its methods may be called on nil, for
// work that no client asked for.
type statement struct {
	kind, text string
	started    time.Time
	cancel     context.CancelCauseFunc
	// rows, of so many bytes, were given to the client, of at most maxRows and
	// maxBytes, 0 for no limit.
	rows, bytes       int64
	maxRows, maxBytes atomic.Int64
	// share is how much of what the process has allocated is put down to this
	// statement (memory.go), in bytes. Of its watcher.
	share uint64
	// held is what the statement keeps, nil when that is not bounded.
	held *held
	// executes is set when the first node of the statement is built.
	executes atomic.Bool
	// reads are the classes of what its plan reads (metrics.go).
	reads atomic.Int32

	mu      sync.Mutex
	client  sql.Client
	ended   bool
	settled bool        // it commits a release: nothing ends it any more but its client
	timer   *time.Timer // nil without a limit
	acts    []act
}

// An act is a part of a statement that the audit has.
type act struct{ kind, release, source string }

type statementKey struct{}

func newStatement(kind, text string) *statement {
	return &statement{kind: kind, text: text, started: time.Now()}
}

// statementOf is the client's statement that a context is of, nil for none.
func statementOf(ctx context.Context) *statement {
	st, _ := ctx.Value(statementKey{}).(*statement)
	return st
}

// of says whose statement it is.
func (st *statement) of(client sql.Client) {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.client = client
}

// limit ends the statement with errTimeout when it still runs so long after it
// has begun. The shorter of two limits counts.
func (st *statement) limit(d time.Duration) {
	if st == nil || d <= 0 {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended {
		return
	}
	if st.timer != nil {
		st.timer.Stop()
	}
	st.timer = time.AfterFunc(time.Until(st.started.Add(d)), func() { st.unlessSettled(func() { st.cancel(errTimeout) }) })
}

// settle is asked before the statement commits a release. After that, the client
// hears that it is stored: KILL and the time limit come too late.
func (st *statement) settle(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	st.settled = true
	return nil
}

// unlessSettled calls end when the statement is not settled, which it cannot become
// meanwhile.
func (st *statement) unlessSettled(end func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.settled {
		end()
	}
}

// does notes an act, once.
func (st *statement) does(a act) {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, known := range st.acts {
		if known == a {
			return
		}
	}
	st.acts = append(st.acts, a)
}

// end stops the clock.
func (st *statement) end() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = true
	if st.timer != nil {
		st.timer.Stop()
	}
}

// numberOfError is 0 for none.
func numberOfError(err error) int {
	var known *mysql.SQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &known):
		return known.Num
	}
	return numberUnknown
}
