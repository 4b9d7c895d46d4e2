package server

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/accounts"
	"github.com/anonsql/anonsql/server/distant"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/wire"
	"github.com/anonsql/anonsql/server/worker"
)

// Front is the rpc service that a worker calls in its front. It serves only what the worker's account may know.
type Front struct {
	server    *instance
	relations *distant.Server         // nil without an engine
	key       mysql_db.UserPrimaryKey // set before the worker is assigned to the account

	mu      sync.Mutex
	process *worker.Process
	handed  map[int64]bool
}

func newFront(s *instance) *Front {
	f := &Front{server: s}
	if store := s.relations(); store != nil {
		f.relations = distant.NewServer(store, f.kept)
	}
	return f
}

// allow sets the releases whose parts the worker may have.
func (f *Front) allow(handed []catalog.Handed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handed = map[int64]bool{}
	for _, h := range handed {
		f.handed[h.Number] = true
	}
}

// recover turns a panic, with which net/rpc would end the server, into an error.
func (f *Front) recover(err *error) {
	if cause := recover(); cause != nil {
		*err = panicked(f.server.config.Logger, 0, "", cause)
	}
}

// A PartRequest asks for a part of a release, whose segment is handed over under Number.
type PartRequest struct {
	catalog.Part
	Number uint64
}

// Part hands over the segment of a part of a release.
func (f *Front) Part(request PartRequest, _ *None) (err error) {
	defer f.recover(&err)
	f.mu.Lock()
	allowed, process := f.handed[request.Release], f.process
	f.mu.Unlock()
	if !allowed {
		return catalog.ErrHandedGone
	}
	return f.server.releases.HandPart(sql.NewContext(context.Background()), request.Part, func(segment *os.File) error {
		return process.Hand(request.Number, segment)
	})
}

// Relations answers a request about a release whose relations an engine keeps.
func (f *Front) Relations(request distant.Request, answer *distant.Answer) (err error) {
	defer f.recover(&err)
	if f.relations == nil {
		return catalog.ErrHandedGone
	}
	f.relations.Answer(request, answer)
	return nil
}

// CancelRelations cancels a request about relations.
func (f *Front) CancelRelations(request int64, _ *None) (err error) {
	defer f.recover(&err)
	if f.relations != nil {
		f.relations.Cancel(request)
	}
	return nil
}

// kept returns the relations of a release that an engine keeps, if the worker may have the release.
func (f *Front) kept(release int64) (*distant.Relations, error) {
	f.mu.Lock()
	allowed := f.handed[release]
	f.mu.Unlock()
	if !allowed {
		return nil, catalog.ErrHandedGone
	}
	place, fragments, wanted, err := f.server.releases.Kept(release)
	return &distant.Relations{Place: place, Fragments: fragments, Wanted: wanted}, err
}

// Processes lists the processes of the account.
func (f *Front) Processes(_ None, list *[]sql.Process) (err error) {
	defer f.recover(&err)
	for _, p := range f.server.engine.ProcessList.Processes() {
		if p.User == f.key.User && p.Host == f.key.Host {
			p.Kill, p.Progress = nil, nil
			*list = append(*list, p)
		}
	}
	return nil
}

// A Kill ends a statement, or a connection.
type Kill struct {
	Connection uint32
	Whole      bool // the connection too
}

// Kill ends a statement, or a connection, of the account.
func (f *Front) Kill(kill Kill, _ *None) (err error) {
	defer f.recover(&err)
	if own, err := f.owns(kill.Connection); err != nil || !own {
		return err
	}
	s := f.server
	s.engine.ProcessList.Kill(kill.Connection)
	if kill.Whole {
		return s.sessions.Load().KillConnection(kill.Connection)
	}
	return nil
}

// owns reports whether a connection is the account's.
func (f *Front) owns(connection uint32) (bool, error) {
	var own []sql.Process
	err := f.Processes(None{}, &own)
	return slices.ContainsFunc(own, func(p sql.Process) bool { return p.Connection == connection }), err
}

// An AccountStatement is a session's statement about accounts.
type AccountStatement struct {
	Connection uint32
	Text       string
}

// Account runs a statement about accounts, with the privileges of the account, on behalf of the connection's running statement, which has the audit's entry
// and whose end ends it.
func (f *Front) Account(statement AccountStatement, failure *worker.Failure) (err error) {
	defer f.recover(&err)
	s := f.server
	st := s.connections.RunningOf(statement.Connection)
	if own, err := f.owns(statement.Connection); err != nil || !own || st == nil {
		return errors.Join(err, errors.New("no statement of the account runs on that connection"))
	}
	base := sql.NewBaseSessionWithClientServer("", sql.Client{User: f.key.User, Address: f.key.Host}, statement.Connection)
	ctx := sql.NewContext(st.Context, sql.WithSession(&wire.Session{Session: s.store.NewSession(base), Gone: s.accounts.Gone}), sql.WithQuery(statement.Text))
	if err := s.isAboutAccounts(ctx, statement.Text); err != nil {
		return err
	}
	_, rows, _, err := s.engine.Query(ctx, statement.Text)
	if err == nil {
		_, err = sql.RowIterToRows(ctx, rows)
	}
	if err != nil {
		*failure = *worker.FailureOf(sqlerror.ToClient(err))
	}
	return nil
}

// isAboutAccounts refuses every other statement: it would run outside the limits of a worker.
func (s *instance) isAboutAccounts(ctx *sql.Context, text string) error {
	n, _, _, _, err := planbuilder.New(ctx, s.engine.Analyzer.Catalog, s.engine.EventScheduler, s.engine.Parser).Parse(text, nil, false)
	if err == nil && !accounts.IsStatement(n) {
		err = errors.New("a process of an analyst may have only statements about accounts run here")
	}
	return err
}
