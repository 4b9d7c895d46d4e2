package running

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// A Statement is what the server knows of a statement while it runs. The
// contexts of the statement carry it. Its methods may be called on nil, for
// work that no client asked for.
type Statement struct {
	Kind, Text string
	Started    time.Time
	Cancel     context.CancelCauseFunc
	Context    context.Context // that Cancel ends: for what another process asks of this one on the statement's behalf
	Hurry      func()          // ends it though its client does not read; nil where nobody reads
	// Rows, of so many Bytes, were given to the client, of at most MaxRows and
	// MaxBytes, 0 for no limit.
	Rows, Bytes       int64
	MaxRows, MaxBytes atomic.Int64
	// Share is how much of what the process has allocated is put down to this
	// statement, in bytes. Of who watches the memory.
	Share uint64
	// Elsewhere is set when another process runs it.
	Elsewhere atomic.Bool
	// Executes is set when the first node of the statement is built.
	Executes atomic.Bool
	// Bound is set when its plan has been bound, before those of its derived tables are.
	Bound atomic.Bool
	// texts counts the texts that were parsed for it, views those of views;
	// wrongText is the last one that could not be parsed, wrong why. Of the
	// goroutine that runs it.
	texts, views int
	wrongText    string
	wrong        error
	// Reads are the classes of what its plan reads, as the figures of the server have them.
	Reads atomic.Int32
	// Widths are the display widths of its result's columns, nil for none.
	Widths atomic.Pointer[[]uint32]
	// InJSON is set when the text that is executed asks for EXPLAIN FORMAT=JSON.
	InJSON atomic.Bool
	// InsertID is the identity that its end says, nil for the engine's.
	InsertID atomic.Pointer[uint64]
	// Deleted are the rows of a DELETE that runs as a TRUNCATE.
	Deleted atomic.Int64
	// Before are the names of objects when it began, for the audit.
	Before catalog.Names

	mu      sync.Mutex
	client  sql.Client
	ended   bool
	settled bool          // it commits a release: nothing ends it any more but its client
	late    func()        // what came first to end it after that, nil for nothing
	isLate  chan struct{} // closed then; of who asked for it, nil where nobody did
	timer   *time.Timer   // nil without a limit
	limit   time.Duration
	acts    []Act
	// estimates are the times that its estimates took.
	estimates []time.Duration
	// accounts are those whose names its text has, before it changes them.
	accounts map[string]bool
}

// An Act is a part of a statement that the audit has.
type Act struct{ Kind, Release, Source string }

type statementKey struct{}

// New is a statement that begins now. kind is its first word, for figures and the audit.
func New(kind, text string) *Statement {
	return &Statement{Kind: kind, Text: text, Started: time.Now()}
}

// NewContext is a context that carries the statement, and that its commits ask.
func (st *Statement) NewContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	settler := catalog.Settler{Settle: st.Settle, Late: st.Late}
	ctx, cancel := context.WithCancelCause(catalog.WithSettler(context.WithValue(parent, statementKey{}, st), settler))
	st.Context, st.Cancel = ctx, cancel
	return ctx, cancel
}

// StatementOf is the client's statement that a context is of, nil for none.
func StatementOf(ctx context.Context) *Statement {
	st, _ := ctx.Value(statementKey{}).(*Statement)
	return st
}

// SetClient says whose statement it is.
func (st *Statement) SetClient(client sql.Client) {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.client = client
}

// Limit ends the statement with sqlerror.OverTime when it still runs so long after it
// has begun. The shorter of two limits counts. The error says which setting the limit is.
func (st *Statement) Limit(d time.Duration, setting string) {
	if st == nil || d <= 0 {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.ended || st.timer != nil && st.limit <= d {
		return
	}
	if st.timer != nil {
		st.timer.Stop()
	}
	st.limit = d
	st.timer = time.AfterFunc(time.Until(st.Started.Add(d)), func() { st.UnlessSettled(func() { st.Cancel(sqlerror.OverTime(d, setting)) }) })
}

// Settle is asked before the statement commits a release. After that, the client
// hears that it is stored: KILL and the time limit come too late.
func (st *Statement) Settle(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	st.settled = true
	return nil
}

// UnlessSettled calls end when the statement is not settled, which it cannot become
// meanwhile. Of a routine that is settled, end comes with the next statement (Next).
func (st *Statement) UnlessSettled(end func()) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case !st.settled:
		end()
	case st.late == nil:
		st.late = end
		if st.isLate != nil {
			close(st.isLate)
		}
	}
}

// Late is closed once something was to end the statement after it has settled: what it does besides may end then.
func (st *Statement) Late() <-chan struct{} {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.isLate == nil {
		st.isLate = make(chan struct{})
		if st.late != nil {
			close(st.isLate)
		}
	}
	return st.isLate
}

// Next says that the next statement of a routine begins: what was stored before is
// stored, as if its client had sent one after the other, and the routine can be ended
// again. What came too late for the statement before ends this one.
func (st *Statement) Next() {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.settled, st.isLate = false, nil
	if late := st.late; late != nil {
		st.late = nil
		late()
	}
}

// NoteAct notes an act, once.
func (st *Statement) NoteAct(a Act) {
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

// AccountKind is the kind of the acts that change accounts.
const AccountKind = "account"

// ChangesAccounts notes that it does, before it does. namedIn finds the accounts that a
// text names.
func (st *Statement) ChangesAccounts(namedIn func(text string) map[string]bool) {
	if st == nil {
		return
	}
	accounts := namedIn(st.Text)
	st.NoteAct(Act{Kind: AccountKind})
	st.mu.Lock()
	defer st.mu.Unlock()
	st.accounts = accounts
}

// Accounts are those that the statement named before it changed them.
func (st *Statement) Accounts() map[string]bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.accounts
}

// Acts is what the statement has done so far, and for whom.
func (st *Statement) Acts() ([]Act, sql.Client) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.acts, st.client
}

// Estimated notes an estimate that began at a time and has ended.
func (st *Statement) Estimated(since time.Time) { st.EstimatesTook(time.Since(since)) }

// EstimatesTook notes the times of estimates.
func (st *Statement) EstimatesTook(times ...time.Duration) {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.estimates = append(st.estimates, times...)
}

// Estimates are the times that its estimates took so far.
func (st *Statement) Estimates() []time.Duration {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.estimates
}

const (
	// maxViews is how many views one statement may stand for, those within others
	// counted, and those that information_schema lists.
	maxViews = 20000
	// deepStack is how many calls may be on the stack when a view's or a routine's
	// text is parsed; a routine that calls itself adds to them.
	// manyTexts is how many texts are parsed between two looks at it, which cost as much as a short statement.
	deepStack = 10_000
	manyTexts = 25
)

// Parses is asked before a text is parsed. One that could not be parsed is not
// parsed again, which the engine would do.
func (st *Statement) Parses(text string) error {
	if st == nil {
		return nil
	}
	if st.wrong != nil && sql.RemoveSpaceAndDelimiter(st.wrongText, ';') == sql.RemoveSpaceAndDelimiter(text, ';') {
		return st.wrong
	}
	var caller [1]uintptr
	if st.texts++; st.texts%manyTexts == 0 && runtime.Callers(deepStack, caller[:]) > 0 {
		deep := sqlerror.New(
			sqlerror.TooDeep,
			"the statement calls procedures, or reads views, that are nested too deeply: a procedure that calls itself must end sooner",
		)
		st.UnlessSettled(func() { st.Cancel(deep) }) // the engine does not ask for the error of a routine's text
		return deep
	}
	return nil
}

// Expands counts a view's text. One too many ends the statement: the engine leaves a view out of information_schema
// whose text is an error.
func (st *Statement) Expands() error {
	if st == nil {
		return nil
	}
	if st.views++; st.views > maxViews {
		many := sqlerror.New(sqlerror.Syntax, fmt.Sprintf("the statement stands for more than %d views, those within others counted: "+
			"keep the result of a view in a table", maxViews))
		st.UnlessSettled(func() { st.Cancel(many) })
		return many
	}
	return nil
}

// Unparsed notes the error of a text, if there is one, and returns it.
func (st *Statement) Unparsed(text string, err error) error {
	if st != nil && err != nil {
		st.wrongText, st.wrong = text, err
	}
	return err
}

// Finish stops the clock.
func (st *Statement) Finish() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = true
	if st.timer != nil {
		st.timer.Stop()
	}
}

// Ended is the error of a statement that was killed, timed out or left by its
// client, nil while it runs. What parses, binds, analyses or rewrites asks for it,
// since nobody can end that from outside.
func Ended(ctx context.Context) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
