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

// A Statement is the state of a running statement. The contexts of the statement carry
// it. Work without a client has a nil Statement, which most methods accept.
type Statement struct {
	Kind, Text string
	Started    time.Time
	Cancel     context.CancelCauseFunc
	Context    context.Context // Cancel ends it; for requests of other processes on the statement's behalf
	Hurry      func()          // ends it even if its client does not read; nil without a reader
	// Rows and Bytes count what was sent to the client. MaxRows and MaxBytes bound
	// them, 0 is no limit.
	Rows, Bytes       int64
	MaxRows, MaxBytes atomic.Int64
	// Share is the memory attributed to this statement, in bytes. Only the memory
	// watcher uses it.
	Share uint64
	// Elsewhere is set if another process runs the statement.
	Elsewhere atomic.Bool
	// Executes is set when the first node of the statement is built.
	Executes atomic.Bool
	// Bound is set when the plan of the statement was bound. The plans of its derived tables follow.
	Bound atomic.Bool
	// texts counts the parsed texts, views those of views. wrongText is the last text
	// that failed to parse, wrong its error. Only the goroutine of the statement uses
	// them.
	texts, views int
	wrongText    string
	wrong        error
	// Reads are the classes of what the plan reads, for the server's metrics.
	Reads atomic.Int32
	// Widths are the display widths of its result's columns, nil for none.
	Widths atomic.Pointer[[]uint32]
	// InJSON is set if the executed text is EXPLAIN FORMAT=JSON.
	InJSON atomic.Bool
	// HiddenView is a view that the plan reads and whose text the account may not see, nil for none.
	HiddenView atomic.Pointer[string]
	// InsertID is the identity that the OK packet reports, nil for the engine's.
	InsertID atomic.Pointer[uint64]
	// Deleted is the number of rows of a DELETE that runs as TRUNCATE.
	Deleted atomic.Int64
	// Before are the names of objects when the statement began, for the audit.
	Before catalog.Names

	mu      sync.Mutex
	client  sql.Client
	ended   bool
	settled bool          // it commits a release: only its client can still end it
	late    func()        // the first end that came after that, or nil
	isLate  chan struct{} // closed then; nil until Late is called
	timer   *time.Timer   // nil without a limit
	limit   time.Duration
	acts    []Act
	// estimates are the durations of its estimates.
	estimates []time.Duration
	// accounts are the accounts that its text names, as they were before it changed them.
	accounts map[string]bool
}

// An Act is a part of a statement that the audit records.
type Act struct{ Kind, Release, Source string }

type statementKey struct{}

// New returns a statement that begins now. kind is its first word, for metrics and the audit.
func New(kind, text string) *Statement {
	return &Statement{Kind: kind, Text: text, Started: time.Now()}
}

// NewContext returns a context that carries the statement and lets its commits call Settle and Late.
func (st *Statement) NewContext(parent context.Context) (context.Context, context.CancelCauseFunc) {
	settler := catalog.Settler{Settle: st.Settle, Late: st.Late}
	ctx, cancel := context.WithCancelCause(catalog.WithSettler(context.WithValue(parent, statementKey{}, st), settler))
	st.Context, st.Cancel = ctx, cancel
	return ctx, cancel
}

// StatementOf returns the client's statement that a context carries, or nil.
func StatementOf(ctx context.Context) *Statement {
	st, _ := ctx.Value(statementKey{}).(*Statement)
	return st
}

// SetClient sets the client of the statement.
func (st *Statement) SetClient(client sql.Client) {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.client = client
}

// Limit ends the statement with sqlerror.OverTime if it still runs d after it began. The
// shorter of two limits counts. The error names the setting.
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

// Settle must be called before the statement commits a release. After it, KILL and the
// time limit come too late: the client learns that the release is stored.
func (st *Statement) Settle(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	st.settled = true
	return nil
}

// UnlessSettled calls end if the statement is not settled; it cannot settle meanwhile.
// If it is settled, Next calls the first such end for the next statement of a routine.
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

// Late returns a channel that is closed once something tried to end the settled statement. Optional work should then stop.
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

// Next begins the next statement of a routine, as if the client had sent the statements
// one by one. What was stored stays stored, and the routine can be ended again. An end
// that came too late for the previous statement ends this one.
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

// NoteAct notes an act. It ignores repetitions.
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

// AccountKind is the Kind of acts that change accounts.
const AccountKind = "account"

// ChangesAccounts notes that the statement is about to change accounts. namedIn returns
// the accounts that a text names.
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

// Accounts returns the accounts that the statement named before it changed them.
func (st *Statement) Accounts() map[string]bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.accounts
}

// Acts returns what the statement has done so far, and its client.
func (st *Statement) Acts() ([]Act, sql.Client) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.acts, st.client
}

// Estimated notes an estimate that began at a time and ends now.
func (st *Statement) Estimated(since time.Time) { st.EstimatesTook(time.Since(since)) }

// EstimatesTook notes the durations of estimates.
func (st *Statement) EstimatesTook(times ...time.Duration) {
	if st == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.estimates = append(st.estimates, times...)
}

// Estimates returns the durations of the estimates so far.
func (st *Statement) Estimates() []time.Duration {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.estimates
}

const (
	// maxViews is how many views one statement may stand for, those within others
	// counted, and those that information_schema lists.
	maxViews = 20000
	// deepStack bounds the call stack when the text of a view or a routine is parsed; recursive routines
	// deepen it. The stack is checked once per manyTexts texts, since a check costs as much as a short
	// statement.
	deepStack = 10_000
	manyTexts = 25
)

// Parses must be called before a text is parsed. It returns the known error of a text
// that failed before, which the engine would parse again.
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
		st.UnlessSettled(func() { st.Cancel(deep) }) // the engine ignores errors in a routine's text
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

// Unparsed notes the error of parsing a text, if any, and returns it.
func (st *Statement) Unparsed(text string, err error) error {
	if st != nil && err != nil {
		st.wrongText, st.wrong = text, err
	}
	return err
}

// Finish ends the time limit.
func (st *Statement) Finish() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.ended = true
	if st.timer != nil {
		st.timer.Stop()
	}
}

// Ended returns the error of a statement that was killed, timed out or lost its client,
// nil while it runs. Parsing, binding, analysis and rewrites must poll it, since
// nothing can interrupt them.
func Ended(ctx context.Context) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	return context.Cause(ctx)
}
