package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/rpc"
	"os"
	"reflect"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	gms "github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/distant"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
	"github.com/anonsql/anonsql/server/worker"
)

// A HandOver is everything that a worker gets: the data that its account may read, and the account without its password.
type HandOver struct {
	Releases []catalog.Handed
	Grants   []byte
	// Globals are the global system variables that differ from those of a new process.
	Globals map[string]any
	// The server's limits; see Config.
	StatementTimeout time.Duration
	MaxResultRows    int
	MaxResultBytes   int64
	// Memory is the soft limit of the process's garbage collector, in bytes, 0 for none.
	Memory  int64
	Started time.Time
	// Engine is the name of the engine that keeps relations of releases, "" for none; EngineRows is how many of their rows are read at most.
	Engine     string
	EngineRows int
}

// A Worker is the rpc service that the front calls in a worker's process.
type Worker struct {
	inherited *worker.Inherited
	mu        sync.Mutex
	instance  *instance // nil before the first Hand
	// opened has, by connection, a channel that is closed when the session has ended.
	opened map[uint32]chan struct{}
}

// None is an empty argument or answer.
type None struct{}

// WorkerArgument is the command of the binary that makes it a worker.
const WorkerArgument = worker.Argument

// DeclareWorker declares that this program calls [Work] when it is started as a worker ([IsWorker]). Otherwise its servers start no workers.
func DeclareWorker() { worker.Declare() }

// IsWorker reports whether this program was started as a worker.
func IsWorker() bool { return worker.Called() }

// collectAt is a worker's GOGC, in percent. The heap is small: with Go's default of 100, garbage collection takes a third of the time of an estimate. The
// limit of memory ([HandOver]) takes precedence.
const collectAt = 400

// Work runs this process as a worker until its front is gone.
func Work() error {
	debug.SetGCPercent(collectAt)
	inherited, err := worker.Inherit()
	if err != nil {
		return err
	}
	w, calls := &Worker{inherited: inherited, opened: map[uint32]chan struct{}{}}, rpc.NewServer()
	if err := calls.Register(w); err != nil {
		return err
	}
	inherited.Work(calls, func(socket net.Conn) {
		worker.Serve(socket, func(o worker.Opening) (worker.Client, error) { return w.open(socket, o) })
	})
	return nil
}

// Hand takes over new data. The front calls it before the first session, and after every change.
func (w *Worker) Hand(h HandOver, _ *None) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.instance == nil {
		s, err := newWorkerInstance(h, front{inherited: w.inherited, requests: w.inherited.Requests, asked: &atomic.Uint64{}})
		if err != nil {
			return err
		}
		w.instance = s
	} else if err := w.instance.accounts.Replace(sql.NewEmptyContext(), h.Grants); err != nil {
		return err
	}
	if err := sql.SystemVariables.AssignValues(h.Globals); err != nil {
		return err
	}
	debug.SetMemoryLimit(cmp.Or(h.Memory, math.MaxInt64))
	return w.instance.releases.Receive(h.Releases)
}

// newWorkerInstance makes a server without a listener and without a data directory.
func newWorkerInstance(h HandOver, f front) (*instance, error) {
	store, err := catalog.InMemory()
	if err != nil {
		return nil, err
	}
	if err := store.SetSetting(context.Background(), accounts.GrantsSetting, h.Grants); err != nil {
		return nil, err
	}
	config := Config{
		StatementTimeout: h.StatementTimeout, MaxResultRows: h.MaxResultRows, MaxResultBytes: h.MaxResultBytes,
		NoAudit: true, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Extend: Product, front: &f,
	}
	if h.Engine != "" {
		f.relations = &distant.Store{EngineName: h.Engine, Rows: h.EngineRows, Ask: f.ask, Cancel: f.cancel}
	}
	s, err := newInstance(config, store, nil, newMetrics())
	if err != nil {
		return nil, err
	}
	s.started = h.Started
	served, err := gms.NewServerWithHandler(gms.Config{
		Protocol: "tcp", Address: "worker", Listener: noSocket{}, Version: Version,
		ProtocolListenerFactory: func(gms.Config, mysql.ListenerConfig, gms.ServerEventListener) (gms.ProtocolListener, error) {
			return noListener{}, nil
		},
	}, s.engine, s.newContext, s.newSession, nil, s.wrapHandler)
	if err != nil {
		return nil, err
	}
	s.sessions.Store(served.SessionManager())
	return s, nil
}

// A noListener is the listener of the engine's protocol layer in a worker, whose sessions come from its front.
type noListener struct{}

func (noListener) Accept()        {}
func (noListener) Close()         {}
func (noListener) Addr() net.Addr { return stringAddress("worker") }

type noSocket struct{ noListener }

func (noSocket) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (noSocket) Close() error              { return nil }

// A workerSession is the worker's side of a session.
type workerSession struct {
	server     *instance
	handler    *handler
	connection *mysql.Conn
	session    *wire.Session
	state      worker.State
	prepared   map[string][]uint32 // by text
	ended      func()
}

func (w *Worker) open(socket net.Conn, o worker.Opening) (worker.Client, error) {
	s, ended, err := w.begin(o.Connection)
	if err != nil {
		return nil, err
	}
	who := sql.MysqlConnectionUser{User: o.User, Host: o.Host}
	packets := wire.NewPacketConn(guest{socket, stringAddress(o.Address)}, nil)
	packets.Known.Store(true)
	c := &mysql.Conn{Conn: packets, ConnectionID: o.Connection, Capabilities: o.Capabilities, CharacterSet: o.CharacterSet,
		User: o.User, UserData: who, PrepareData: map[uint32]*mysql.PrepareData{}}
	h := &handler{Handler: s.engineHandler, server: s}
	h.NewConnection(c)
	s.connections.Login(c, accounts.Quoted(mysql_db.UserPrimaryKey{User: o.User, Host: o.Host}))
	s.engineHandler.NewConnection(c)
	v := &workerSession{server: s, handler: h, connection: c, prepared: map[string][]uint32{}, ended: ended}
	if err := s.begins(c, o.User, who); err != nil {
		v.Close()
		return nil, err
	}
	v.session = s.connections.SessionOf(c)
	v.session.Encryption = func() (string, string) { return o.Version, o.Cipher }
	if err := v.restore(o.State); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// begin waits for the end of the connection's previous session, which the front has closed.
func (w *Worker) begin(connection uint32) (s *instance, ended func(), err error) {
	for {
		w.mu.Lock()
		before := w.opened[connection]
		if before == nil {
			break
		}
		w.mu.Unlock()
		<-before
	}
	defer w.mu.Unlock()
	if w.instance == nil {
		return nil, nil, errors.New("a session came before what it reads")
	}
	done := make(chan struct{})
	w.opened[connection] = done
	return w.instance, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.opened, connection)
		close(done)
	}, nil
}

// stringAddress is a client's address as sent by the front.
type stringAddress string

// Network implements net.Addr.
func (stringAddress) Network() string { return "tcp" }

// String implements net.Addr.
func (a stringAddress) String() string { return string(a) }

// restore sets a session's state to that of the front's session.
func (v *workerSession) restore(state worker.State) error {
	ctx := sql.NewContext(context.Background(), sql.WithSession(v.session))
	now := v.session.GetAllSessionVariables()
	for name, value := range state.Variables {
		if reflect.DeepEqual(now[name], value) || v.session.SetSessionVariable(ctx, name, value) == nil {
			continue
		}
		if err := v.session.InitSessionVariable(ctx, name, value); err != nil { // clients may not set it
			return fmt.Errorf("variable %s: %w", name, err)
		}
	}
	v.session.SetCurrentDatabase(state.Database)
	v.state = stateOf(v.session)
	return nil
}

// stateOf returns a session's current database and the variables that it has changed.
func stateOf(session sql.Session) worker.State {
	state := worker.State{Database: session.GetCurrentDatabase(), Variables: map[string]any{}}
	for name, value := range session.GetAllSessionVariables() {
		variable, _, ok := sql.SystemVariables.GetGlobal(name)
		if ok && value != nil && !reflect.DeepEqual(value, variable.GetDefault()) {
			state.Variables[name] = value
		}
	}
	return state
}

// changesState reports whether a statement of a kind may change its session's state.
func changesState(kind string) bool {
	switch kind {
	case "set", "use", "execute", "call", "other":
		return true
	}
	return false
}

type unreadyKey struct{}

// endingKey is the context key of the ending that a worker's statement fills in.
type endingKey struct{}

type staleKey struct{}

// Run implements worker.Client.
func (v *workerSession) Run(ctx context.Context, command *worker.Command, send func(worker.Answer) error) worker.Ending {
	c, h := v.connection, v.handler
	var did worker.Ending
	var stale atomic.Bool
	ctx = context.WithValue(context.WithValue(ctx, endingKey{}, &did), staleKey{}, &stale)
	if command.Refusal != nil {
		ctx = context.WithValue(ctx, unreadyKey{}, command.Refusal.SQLError())
	}
	pass := func(r *sqltypes.Result, more bool) error {
		return send(worker.Part(r, more, c.StatusFlags, h.WarningCount(c)))
	}
	var ending worker.Ending
	switch command.Kind { // not the methods for the wire: the front replaces the end of rows by an error
	case worker.Query:
		ending = worker.Ended(h.query(ctx, c, command.Text, pass))
	case worker.Batch:
		rest, err := h.multiQuery(ctx, c, command.Text, pass)
		ending = worker.Ended(err)
		ending.Rest = rest
	case worker.Prepare:
		ending = v.prepare(ctx, command)
	case worker.Execute:
		prepare := &mysql.PrepareData{StatementID: v.idOf(command.Text), PrepareStmt: command.Text, BindVars: command.Bound()}
		ending = worker.Ended(h.execute(ctx, c, prepare, func(r *sqltypes.Result) error { return pass(r, false) }))
	case worker.Use:
		ending = worker.Ended(h.ComInitDB(c, command.Text))
	}
	ending.Stale = stale.Load()
	ending.Acts, ending.Reads, ending.Estimates = did.Acts, did.Reads, did.Estimates
	ending.Status, ending.Warnings = c.StatusFlags, h.WarningCount(c)
	ending.Lasting = v.session.HoldsVariables() || v.server.provider.locks.Holds(c.ConnectionID)
	if command.Kind == worker.Use || changesState(kindOf(command.Text)) {
		if now := stateOf(v.session); !reflect.DeepEqual(now, v.state) {
			v.state, ending.State = now, &now
		}
	}
	return ending
}

func (v *workerSession) prepare(ctx context.Context, command *worker.Command) worker.Ending {
	v.connection.StatementID++
	id := v.connection.StatementID
	prepare := &mysql.PrepareData{StatementID: id, PrepareStmt: command.Text, BindVars: map[string]*querypb.BindVariable{}}
	v.connection.PrepareData[id] = prepare
	fields, err := v.handler.ComPrepare(ctx, v.connection, command.Text, prepare)
	if err == nil {
		v.prepared[command.Text] = append(v.prepared[command.Text], id)
	}
	return worker.Ended(err).WithColumns(fields)
}

// idOf returns an id of a prepared text, 0 for none.
func (v *workerSession) idOf(text string) uint32 {
	if ids := v.prepared[text]; len(ids) > 0 {
		return ids[0]
	}
	return 0
}

// Forget implements worker.Client. The front calls it when it no longer holds the text.
func (v *workerSession) Forget(text string) {
	for _, id := range v.prepared[text] {
		delete(v.connection.PrepareData, id)
		wire.PacketsOf(v.connection.Conn).Holds.Remove(id)
	}
	delete(v.prepared, text)
}

// Close implements worker.Client.
func (v *workerSession) Close() {
	defer v.ended()
	v.handler.ConnectionClosed(v.connection)
}

// A front is a worker's connection to its front.
type front struct {
	inherited *worker.Inherited
	requests  *rpc.Client
	asked     *atomic.Uint64 // parts so far
	relations *distant.Store // nil without an engine
}

// ask sends a request about relations that an engine keeps.
func (f front) ask(ctx context.Context, request distant.Request, answer *distant.Answer) error {
	call := f.requests.Go("Front.Relations", request, answer, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
		return call.Error
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// cancel cancels such a request.
func (f front) cancel(request int64) {
	f.requests.Go("Front.CancelRelations", request, &None{}, make(chan *rpc.Call, 1)) // fails only when the front is gone
}

// supply requests the segment of a part of a release and passes it on. If the context ends first, the segment is closed when it arrives.
func (f front) supply(ctx context.Context, part catalog.Part, pass func(*os.File) error) error {
	request := PartRequest{Number: f.asked.Add(1), Part: part}
	call := f.requests.Go("Front.Part", request, &None{}, make(chan *rpc.Call, 1))
	select {
	case <-call.Done:
	case <-ctx.Done():
		go func() {
			if <-call.Done; call.Error == nil {
				f.inherited.Await(request.Number).Close()
			}
		}()
		return context.Cause(ctx)
	}
	if call.Error != nil {
		if stale, ok := ctx.Value(staleKey{}).(*atomic.Bool); ok && call.Error.Error() == catalog.ErrHandedGone.Error() { // net/rpc keeps only an error's text
			stale.Store(true)
		}
		return call.Error
	}
	segment := f.inherited.Await(request.Number)
	defer segment.Close()
	return pass(segment)
}

// processes lists the account's processes.
func (f front) processes() (list []sql.Process) {
	_ = f.requests.Call("Front.Processes", None{}, &list) // fails only when the front is gone
	return list
}

// kill ends a statement, or a connection, of the account.
func (f front) kill(n *plan.Kill) error {
	return f.requests.Call("Front.Kill", Kill{Connection: n.ConnID, Whole: n.Kt == plan.KillType_Connection}, &None{})
}

// account lets the front run a statement about accounts.
func (f front) account(ctx *sql.Context, text string) error {
	if len(text) > worker.LargestRequest/2 {
		return sqlerror.New(sqlerror.PacketTooLarge, fmt.Sprintf("a statement about accounts has at most %d bytes: send several", worker.LargestRequest/2))
	}
	var failure worker.Failure
	if err := f.requests.Call("Front.Account", AccountStatement{Connection: ctx.Session.ID(), Text: text}, &failure); err != nil {
		return err
	}
	if failure.Number == 0 {
		return nil
	}
	return failure.SQLError()
}
