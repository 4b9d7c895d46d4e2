package server

import (
	"context"
	"errors"
	"io"
	"net/rpc"
	"reflect"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/audit"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
	"github.com/anonsql/anonsql/server/worker"
)

// workers are the worker processes, one for each account that reads only releases.
type workers struct {
	server *instance
	pool   *worker.Pool[*desk]

	mu       sync.Mutex
	sessions map[uint32]*away // by connection

	connected sync.Once // for the log: workers have a network
}

// A desk is the front's side of a worker.
type desk struct {
	*Front
	handing chan struct{} // has room for one: the handing over that runs, or a reader of what was given
	// releases and grants are the versions of what the worker was given; nil and 0 before.
	releases any
	grants   uint64
	// globals are the variables whose values it was given, at version set of the server's.
	globals map[string]bool
	set     uint64
}

type member = worker.Member[*desk]

// An away is a session in a worker. Only its connection's goroutine uses it.
type away struct {
	*worker.Session
	warnings uint16
	lasting  bool
}

func newWorkers(s *instance, log io.Writer) *workers {
	w := &workers{server: s, sessions: map[uint32]*away{}}
	w.pool = worker.NewPool(func() (*worker.Process, *desk, error) { return w.start(log) }, func(err error) {
		s.config.Logger.Error("no process for statements of analysts", "error", err)
	}, s.config.MemoryLimit)
	s.metrics.watchWorkers(w.pool.Usage)
	return w
}

func (w *workers) start(log io.Writer) (*worker.Process, *desk, error) {
	d, requests := &desk{Front: newFront(w.server), handing: make(chan struct{}, 1), globals: map[string]bool{}}, rpc.NewServer()
	if err := requests.RegisterName("Front", d.Front); err != nil {
		return nil, nil, err
	}
	p, err := worker.Start(requests, log)
	if err == nil && p.Network != nil {
		w.connected.Do(func() {
			w.server.config.Logger.Warn("processes of analysts' statements could reach the network: they get no namespaces of their own. Most likely the service's unit or the container's seccomp profile forbids them: a unit must say RestrictNamespaces=user net ipc, and for containers and Ubuntu see \"Without a network\" in docs/deploy.md", "error", p.Network)
		})
	}
	if err == nil && d.relations != nil {
		go func() {
			<-p.Ended()
			d.relations.Close()
		}()
	}
	d.Front.mu.Lock()
	defer d.Front.mu.Unlock()
	d.process = p
	return p, d, err
}

// assign returns the worker of an account.
func (w *workers) assign(key mysql_db.UserPrimaryKey) (*member, error) {
	return w.pool.Assign(accounts.Quoted(key), func(m *member) { m.Kept.key = key })
}

// A worker's memory limit is a multiple of its account's limit plus its own needs. The collector keeps it below, but memory may grow
// between two checks.
const (
	ownMemory    = 64 << 20
	accountShare = 3 // several sessions of an account run at a time
)

// memoryOf returns the collector's limit of an account's worker, and the memory at which the worker is ended, in bytes; 0 for no limit.
func memoryOf(limit int64) (most, end int64) {
	if limit == 0 {
		return 0, 0
	}
	most = ownMemory + accountShare*limit
	return most, most + most/4
}

// hand gives a worker the data that its account may read now, if they have changed.
func (w *workers) hand(ctx *sql.Context, m *member) error {
	d := m.Kept
	if err := d.takeTurn(ctx); err != nil {
		return err
	}
	defer d.endTurn()
	s := w.server
	releases, grants, set := s.releases.Moment(ctx), s.accounts.Generation(ctx), s.globals.Load()
	if d.releases == releases && d.grants == grants && d.set == set {
		return nil
	}
	alone, err := s.accounts.OneAccount(ctx, d.key)
	if err != nil {
		return err
	}
	handed := s.releases.Hand(ctx, func(relation string) bool { return s.provider.sees.Table(ctx, catalog.PublishedDatabaseName, relation) })
	d.allow(handed)
	globals := changedGlobals(d.globals)
	memory, end := memoryOf(s.limitsOfAccount(d.key).Memory)
	m.SetLimit(end)
	h := HandOver{
		Releases: handed, Grants: alone, Globals: globals, StatementTimeout: s.config.StatementTimeout, MaxResultRows: s.config.MaxResultRows,
		MaxResultBytes: s.config.MaxResultBytes, Memory: memory,
		Started: s.started,
	}
	if store := s.relations(); store != nil {
		h.Engine, h.EngineRows = store.Engine(), store.Limit()
	}
	if err := m.Call(ctx, "Worker.Hand", h, &None{}); err != nil {
		return errors.Join(worker.ErrGone, err)
	}
	d.releases, d.grants, d.set = releases, grants, set
	for name := range globals {
		d.globals[name] = true
	}
	return nil
}

// changedGlobals are the global system variables that differ from those of a new process, and those that the worker was given before.
func changedGlobals(handed map[string]bool) map[string]any {
	changed := map[string]any{}
	for name := range sql.SystemVariables.GetAllGlobalVariables() {
		variable, value, ok := sql.SystemVariables.GetGlobal(name)
		if ok && value != nil && !variable.IsReadOnly() && (handed[name] || !reflect.DeepEqual(value, variable.GetDefault())) {
			changed[name] = value
		}
	}
	return changed
}

// runsInWorker reports whether the statements of a connection run in a worker: its account reads only releases, and not the audit.
func (s *instance) runsInWorker(ctx *sql.Context) bool {
	return s.releases != nil && s.provider.sees.Analyst(ctx, s.provider.Keeps) &&
		!s.provider.sees.Table(ctx, catalog.SystemDatabaseName, audit.TableName)
}

// sessionFor returns the connection's session in a worker, and opens one if needed. If the worker ends meanwhile, it tries another one.
func (w *workers) sessionFor(ctx *sql.Context, c *mysql.Conn) (session *away, err error) {
	for range 3 {
		if session, err = w.workerFor(ctx, c); !errors.Is(err, worker.ErrGone) {
			break
		}
	}
	return session, err
}

func (w *workers) workerFor(ctx *sql.Context, c *mysql.Conn) (*away, error) {
	client := ctx.Session.Client()
	session := w.session(c.ConnectionID)
	m, err := w.assign(mysql_db.UserPrimaryKey{User: client.User, Host: client.Address})
	if err != nil {
		return nil, err
	}
	if session != nil && session.Process() != m.Process { // the worker has ended
		w.drop(c.ConnectionID)
		if session.lasting {
			return nil, errLost
		}
		session = nil
	}
	if err := w.hand(ctx, m); err != nil || session != nil {
		return session, err
	}
	opening, err := m.Kept.opening(ctx, c)
	if err != nil {
		return nil, err
	}
	opened, err := m.Open(ctx, opening)
	if err != nil {
		return nil, err
	}
	session = &away{Session: opened}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sessions[c.ConnectionID] = session
	return session, nil
}

// takeTurn waits for the handing over that runs, no longer than its own statement: a worker may leave it unanswered.
func (d *desk) takeTurn(ctx context.Context) error {
	select {
	case d.handing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d *desk) endTurn() { <-d.handing }

// opening is the initial state of a connection's session in the worker: that of its session here.
func (d *desk) opening(ctx *sql.Context, c *mysql.Conn) (worker.Opening, error) {
	client := ctx.Session.Client()
	state := stateOf(ctx.Session)
	if err := d.takeTurn(ctx); err != nil {
		return worker.Opening{}, err
	}
	defer d.endTurn()
	for name := range d.globals { // they may have changed meanwhile
		if value, err := ctx.Session.GetSessionVariable(ctx, name); err == nil && value != nil {
			state.Variables[name] = value
		}
	}
	opening := worker.Opening{
		Connection: c.ConnectionID, User: client.User, Host: client.Address, Address: c.RemoteAddr().String(), Capabilities: c.Capabilities,
		CharacterSet: c.CharacterSet, State: state,
	}
	opening.Version, opening.Cipher = wire.PacketsOf(c.Conn).Encryption()
	return opening, nil
}

// errLost is sent once to a session whose state was lost with its worker.
var errLost = sqlerror.New(sqlerror.Interrupted, "Query execution was interrupted: the session has begun anew, in another process. "+
	"Its user variables, its named locks and what it had prepared by name are gone: set and take them again")

// session returns a connection's session in a worker, nil for none.
func (w *workers) session(connection uint32) *away {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[connection]
}

// drop ends a connection's session in a worker. It reports whether the session had state that a new one cannot restore.
func (w *workers) drop(connection uint32) (lasting bool) {
	if w == nil {
		return false
	}
	w.mu.Lock()
	session := w.sessions[connection]
	delete(w.sessions, connection)
	w.mu.Unlock()
	if session == nil {
		return false
	}
	session.Close()
	return session.lasting
}

// forget closes a prepared statement of a connection.
func (w *workers) forget(connection uint32, text string) {
	if session := w.session(connection); session != nil {
		session.Forget(text)
	}
}
