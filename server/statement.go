package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/ledger"
)

// A statement is what the server knows of a statement while it runs. The
// contexts of the statement carry it. Its methods may be called on nil, for
// work that no client asked for.
type statement struct {
	kind, text string
	started    time.Time
	cancel     context.CancelCauseFunc
	hurry      func() // ends it though its client does not read; nil where nobody reads
	// rows, of so many bytes, were given to the client, of at most maxRows and
	// maxBytes, 0 for no limit.
	rows, bytes       int64
	maxRows, maxBytes atomic.Int64
	// share is how much of what the process has allocated is put down to this
	// statement (memory.go), in bytes. Of its watcher.
	share uint64
	// held is what the statement keeps, nil when that is not bounded.
	held *held
	// ledger is the session's, tally what the statement has taken from it.
	ledger *ledger.Session
	tally  *ledger.Tally
	spool  spool
	// executes is set when the first node of the statement is built.
	executes atomic.Bool
	// texts counts the texts that were parsed for it, views those of views;
	// wrongText is the last one that could not be parsed, wrong why. Of the
	// goroutine that runs it.
	texts, views int
	wrongText    string
	wrong        error
	// reads are the classes of what its plan reads (metrics.go).
	reads atomic.Int32
	// before are the names when it began (audit_digest.go).
	before catalog.Names

	mu      sync.Mutex
	client  sql.Client
	ended   bool
	settled bool        // it commits a release: nothing ends it any more but its client
	timer   *time.Timer // nil without a limit
	acts    []act
	// accounts are those whose names its text has, before it changes them.
	accounts map[string]bool
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

// changesAccounts notes that it does, before it does.
func (st *statement) changesAccounts(b *accountBook) {
	if st == nil {
		return
	}
	accounts := b.namedIn(st.text)
	st.does(act{kind: accountKind})
	st.mu.Lock()
	defer st.mu.Unlock()
	st.accounts = accounts
}

const (
	// maxViews is how many views one statement may stand for, those within others
	// counted, and those of a database whose columns information_schema lists.
	maxViews = 20000
	// deepStack is how many calls may be on the stack when a view's or a routine's
	// text is parsed; a routine that calls itself adds to them.
	// manyTexts is from which text on it is looked at.
	deepStack = 10_000
	manyTexts = 100
)

// parses is asked before a text is parsed. One that could not be parsed is not
// parsed again, which the engine would do.
func (st *statement) parses(text string) error {
	if st == nil {
		return nil
	}
	if st.wrong != nil && sql.RemoveSpaceAndDelimiter(st.wrongText, ';') == sql.RemoveSpaceAndDelimiter(text, ';') {
		return st.wrong
	}
	var caller [1]uintptr
	if st.texts++; st.texts > manyTexts && runtime.Callers(deepStack, caller[:]) > 0 {
		deep := newError(numberTooDeep, "the statement calls procedures, or reads views, that are nested too deeply: a procedure that calls itself must end sooner")
		st.cancel(deep) // the engine does not ask for the error of a routine's text
		return deep
	}
	return nil
}

// expands counts a view's text.
func (st *statement) expands() error {
	if st == nil {
		return nil
	}
	if st.views++; st.views > maxViews {
		return newError(numberSyntax, fmt.Sprintf("the statement stands for more than %d views, those within others counted: "+
			"keep the result of a view in a table", maxViews))
	}
	return nil
}

// unparsed notes the error of a text, if there is one, and returns it.
func (st *statement) unparsed(text string, err error) error {
	if st != nil && err != nil {
		st.wrongText, st.wrong = text, err
	}
	return err
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
