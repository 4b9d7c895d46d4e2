package server

import (
	"context"
	"errors"
	"io"
	"net/rpc"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/server/running"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
	"github.com/anonsql/anonsql/server/worker"
)

// workers are the processes in which statements of accounts run that read releases only: one for an account.
type workers struct {
	server *instance
	log    io.Writer

	mu       sync.Mutex
	of       map[mysql_db.UserPrimaryKey]*assigned
	sessions map[uint32]*away // by connection
	spare    chan *started    // one that is started, and nobody's
	closed   bool

	connected sync.Once // said that workers have a network
}

// A started is a worker before it is anybody's.
type started struct {
	process *worker.Process
	front   *Front
}

func (s *started) hasEnded() bool {
	select {
	case <-s.process.Ended():
		return true
	default:
		return false
	}
}

// An assigned is a worker of an account.
type assigned struct {
	*started
	mu sync.Mutex // one handing over at a time
	// releases and grants are the moment of what it was given; nil before.
	releases any
	grants   uint64
	// globals are the variables whose values it was given.
	globals map[string]bool
}

// An away is a session that is in a worker. Only its connection's goroutine uses it.
type away struct {
	*worker.Session
	warnings uint16
	lasting  bool
}

// Front is what a worker calls in its front. It has what its account may know, and nothing else.
type Front struct {
	workers *workers
	key     mysql_db.UserPrimaryKey // set before the worker is anybody's

	mu      sync.Mutex
	process *worker.Process
	handed  map[int64]bool
}

// idleWorker is how long a worker stays that has no session.
const idleWorker = 5 * time.Minute

func newWorkers(s *instance, log io.Writer) *workers {
	w := &workers{server: s, log: log, of: map[mysql_db.UserPrimaryKey]*assigned{}, sessions: map[uint32]*away{}, spare: make(chan *started, 1)}
	go w.prepare()
	return w
}

// prepare starts the next worker, so that the first statement of an account need not wait.
func (w *workers) prepare() {
	s, err := w.start()
	if err != nil {
		w.server.config.Logger.Error("no process for statements of analysts", "error", err)
		return
	}
	if s.process.Network {
		w.connected.Do(func() {
			w.server.config.Logger.Warn("the kernel gives no process a network namespace of its own: those of analysts' statements could reach the network")
		})
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case w.spare <- s:
		if !w.closed {
			return
		}
		<-w.spare
	default:
	}
	s.process.Kill()
}

func (w *workers) start() (*started, error) {
	f, requests := &Front{workers: w}, rpc.NewServer()
	if err := requests.RegisterName("Front", f); err != nil {
		return nil, err
	}
	p, err := worker.Start(requests, w.log)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.process = p
	return &started{p, f}, nil
}

// close ends all.
func (w *workers) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for _, a := range w.of {
		a.process.Kill()
	}
	select {
	case s := <-w.spare:
		s.process.Kill()
	default:
	}
}

// assign is the worker of an account.
func (w *workers) assign(key mysql_db.UserPrimaryKey) (*assigned, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a := w.of[key]; a != nil && !a.hasEnded() {
		return a, nil
	}
	if w.closed {
		return nil, errors.New("the server stops")
	}
	var s *started
	select {
	case s = <-w.spare:
	default:
	}
	if s == nil || s.hasEnded() {
		var err error
		if s, err = w.start(); err != nil {
			return nil, err
		}
	}
	go w.prepare()
	s.front.key = key
	a := &assigned{started: s, globals: map[string]bool{}}
	w.of[key] = a
	return a, nil
}

// hand gives a worker what its account may read now, where that has changed.
func (w *workers) hand(ctx *sql.Context, a *assigned, key mysql_db.UserPrimaryKey) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := w.server
	releases, grants := s.releases.Moment(ctx), s.accounts.Generation(ctx)
	if a.releases == releases && a.grants == grants {
		return nil
	}
	alone, err := s.accounts.Alone(ctx, key)
	if err != nil {
		return err
	}
	handed := s.releases.Hand(ctx, func(relation string) bool { return s.provider.sees.Table(ctx, catalog.PublishedDatabaseName, relation) })
	a.front.allow(handed)
	globals := changedGlobals()
	h := HandOver{
		Releases: handed, Grants: alone, Globals: globals, StatementTimeout: s.config.StatementTimeout, MaxResultRows: s.config.MaxResultRows,
		MaxResultBytes: s.config.MaxResultBytes, MaxHeldRows: s.config.MaxHeldRows, MaxHeldBytes: s.config.MaxHeldBytes, MemoryLimit: s.config.MemoryLimit,
		Started: s.started,
	}
	if err := a.process.Calls.Call("Worker.Hand", h, &None{}); err != nil {
		return errors.Join(worker.ErrGone, err)
	}
	a.releases, a.grants = releases, grants
	for name := range globals {
		a.globals[name] = true
	}
	return nil
}

// changedGlobals are the system variables whose global values are not those of a process that begins.
func changedGlobals() map[string]any {
	changed := map[string]any{}
	for name := range sql.SystemVariables.GetAllGlobalVariables() {
		variable, value, ok := sql.SystemVariables.GetGlobal(name)
		if ok && value != nil && !variable.IsReadOnly() && !reflect.DeepEqual(value, variable.GetDefault()) {
			changed[name] = value
		}
	}
	return changed
}

// away says whether the statements of a connection run in a worker: its account reads releases only, all of which are here, and not the audit.
func (s *instance) away(ctx *sql.Context) bool {
	return s.releases != nil && s.distributed == nil && s.provider.sees.Analyst(ctx, s.provider.Keeps) &&
		!s.provider.sees.Table(ctx, catalog.SystemDatabaseName, audit.TableName)
}

// sessionFor is the connection's session in a worker, opened where there is none. A worker that ends meanwhile is not the last.
func (w *workers) sessionFor(ctx *sql.Context, c *mysql.Conn) (session *away, err error) {
	for range 3 {
		if session, err = w.reach(ctx, c); !errors.Is(err, worker.ErrGone) {
			break
		}
	}
	return session, err
}

func (w *workers) reach(ctx *sql.Context, c *mysql.Conn) (*away, error) {
	client := ctx.Session.Client()
	key := mysql_db.UserPrimaryKey{User: client.User, Host: client.Address}
	w.mu.Lock()
	session := w.sessions[c.ConnectionID]
	w.mu.Unlock()
	a, err := w.assign(key)
	if err != nil {
		return nil, err
	}
	if session != nil && session.Process() != a.process { // which has ended
		w.drop(c.ConnectionID)
		if session.lasting {
			return nil, errLost
		}
		session = nil
	}
	if err := w.hand(ctx, a, key); err != nil || session != nil {
		return session, err
	}
	opened, err := a.process.Open(a.opening(ctx, c))
	if err != nil {
		return nil, err
	}
	session = &away{Session: opened}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[c.ConnectionID] = session
	return session, nil
}

// opening is how a connection's session begins in the worker: as it is here.
func (a *assigned) opening(ctx *sql.Context, c *mysql.Conn) worker.Opening {
	client := ctx.Session.Client()
	state := stateOf(ctx.Session)
	a.mu.Lock()
	defer a.mu.Unlock()
	for name := range a.globals { // which may have other values by now
		if value, err := ctx.Session.GetSessionVariable(ctx, name); err == nil && value != nil {
			state.Variables[name] = value
		}
	}
	opening := worker.Opening{
		Connection: c.ConnectionID, User: client.User, Host: client.Address, Address: c.RemoteAddr().String(), Capabilities: c.Capabilities,
		CharacterSet: c.CharacterSet, State: state,
	}
	opening.Version, opening.Cipher = wire.PacketsOf(c.Conn).Encryption()
	return opening
}

// errLost is told once to a session that cannot be given again what it had.
var errLost = sqlerror.New(sqlerror.Interrupted, "Query execution was interrupted: the process of this session had to be ended, and the session has begun anew. "+
	"Its user variables and what it had prepared by name are gone: set them again")

// session is a connection's session in a worker, nil for none.
func (w *workers) session(connection uint32) *away {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[connection]
}

// drop ends a connection's session in a worker.
func (w *workers) drop(connection uint32) {
	if w == nil {
		return
	}
	w.mu.Lock()
	session := w.sessions[connection]
	delete(w.sessions, connection)
	w.mu.Unlock()
	if session != nil {
		session.Close()
		time.AfterFunc(idleWorker, func() { w.endIdle(session.Process()) })
	}
}

// endIdle ends a worker that has no session. The next one of its account gets another.
func (w *workers) endIdle(p *worker.Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, session := range w.sessions {
		if session.Process() == p {
			return
		}
	}
	for key, a := range w.of {
		if a.process == p {
			delete(w.of, key)
			p.Kill()
		}
	}
}

// forget closes what a connection has prepared.
func (w *workers) forget(connection uint32, text string) {
	if session := w.session(connection); session != nil {
		session.Forget(text)
	}
}

// elsewhere runs a command in the worker of the connection's account; ran is false where its statements run here.
func (h *handler) elsewhere(
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
	if !s.away(session) {
		s.workers.drop(c.ConnectionID)
		return nil, false, nil
	}
	err = h.run(ctx, c, kind, command.Text, func(ctx context.Context) (err error) {
		ending, err = h.ask(ctx, c, command, send)
		return err
	})
	return ending, true, err
}

// ask has a worker run a command as a statement of the connection.
func (h *handler) ask(ctx context.Context, c *mysql.Conn, command worker.Command, send func(*sqltypes.Result, bool) error) (*worker.Ending, error) {
	s, st := h.server, running.Of(ctx)
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
	for sent := false; ending == nil || ending.Stale && !sent && err == nil; {
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
		if ending.Stale { // the statement is to see the releases as they are now
			s.store.SessionOf(session).ForgetOfStatement()
		}
	}
	if errors.Is(err, worker.ErrGone) {
		return nil, s.workers.gone(session, there)
	}
	if ending == nil {
		return nil, err
	}
	h.mirror(session, c, there, ending)
	for _, act := range ending.Acts {
		st.Does(running.Act{Kind: act.Kind, Release: act.Release, Source: act.Source})
	}
	if err == nil && ending.Failure != nil {
		err = ending.Failure
	}
	return ending, err
}

// mirror gives the connection's session here what the one in the worker has set: it is opened anew from it.
func (h *handler) mirror(ctx *sql.Context, c *mysql.Conn, there *away, ending *worker.Ending) {
	c.StatusFlags, there.warnings, there.lasting = ending.Status, ending.Warnings, ending.Lasting
	if ending.State == nil {
		return
	}
	for name := range stateOf(ctx.Session).Variables {
		if _, kept := ending.State.Variables[name]; !kept {
			if variable, _, ok := sql.SystemVariables.GetGlobal(name); ok {
				_ = ctx.Session.SetSessionVariable(ctx, name, variable.GetDefault()) // what cannot be set was not set there
			}
		}
	}
	for name, value := range ending.State.Variables {
		_ = ctx.Session.SetSessionVariable(ctx, name, value) // likewise
	}
	ctx.Session.SetCurrentDatabase(ending.State.Database)
}

// gone is the error of a statement whose worker has ended under it. Whoever ended it for its statement says why.
func (w *workers) gone(ctx *sql.Context, there *away) error {
	<-there.Process().Ended()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return sqlerror.New(sqlerror.Unknown, "the process that ran the statement has ended: another statement of this account was ended with it, or it needed too much memory; ask again")
}

// allow notes the releases of which the worker may have the parts.
func (f *Front) allow(handed []catalog.Handed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handed = map[int64]bool{}
	for _, h := range handed {
		f.handed[h.Number] = true
	}
}

// A PartRequest is for a part of a release; its segment comes under the number.
type PartRequest struct {
	catalog.Part
	Number uint64
}

// Part is asked for the segment of a part of a release.
func (f *Front) Part(request PartRequest, _ *None) error {
	f.mu.Lock()
	allowed, process := f.handed[request.Release], f.process
	f.mu.Unlock()
	if !allowed {
		return catalog.ErrHandedGone
	}
	return f.workers.server.releases.HandPart(sql.NewContext(context.Background()), request.Part, func(segment *os.File) error {
		return process.Hand(request.Number, segment)
	})
}

// Processes is asked for the account's.
func (f *Front) Processes(_ None, list *[]sql.Process) error {
	for _, p := range f.workers.server.engine.ProcessList.Processes() {
		if p.User == f.key.User && p.Host == f.key.Host {
			p.Kill, p.Progress = nil, nil
			*list = append(*list, p)
		}
	}
	return nil
}

// A Kill is of a statement, or of a connection.
type Kill struct {
	Connection uint32
	Whole      bool // the connection too
}

// Kill is asked to end a statement of the account.
func (f *Front) Kill(kill Kill, _ *None) error {
	var own []sql.Process
	if err := f.Processes(None{}, &own); err != nil {
		return err
	}
	s := f.workers.server
	for _, p := range own {
		if p.Connection != kill.Connection {
			continue
		}
		s.engine.ProcessList.Kill(kill.Connection)
		if kill.Whole {
			return s.sessions.Load().KillConnection(kill.Connection)
		}
	}
	return nil
}

// An AccountStatement is a statement about accounts of a session.
type AccountStatement struct {
	Connection uint32
	Text       string
}

// Account is asked to run a statement about accounts, with the privileges of the account.
func (f *Front) Account(statement AccountStatement, failure *worker.Failure) error {
	s := f.workers.server
	session := sql.NewBaseSessionWithClientServer("", sql.Client{User: f.key.User, Address: f.key.Host}, statement.Connection)
	ctx := sql.NewContext(context.Background(), sql.WithSession(&wire.Session{Session: s.store.NewSession(session)}), sql.WithQuery(statement.Text))
	_, rows, _, err := s.engine.Query(ctx, statement.Text)
	if err == nil {
		_, err = sql.RowIterToRows(ctx, rows)
	}
	if err != nil {
		*failure = *worker.FailureOf(sqlerror.ToClient(err))
	}
	return nil
}
