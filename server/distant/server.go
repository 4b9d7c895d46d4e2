package distant

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Relations is a release whose relations the front's store keeps.
type Relations struct {
	Place     source.Place
	Fragments []source.Fragment
	Wanted    source.Wanted // for its guarantees
}

// A Server answers the requests of one worker, until Close.
type Server struct {
	store source.RelationStore
	find  func(release int64) (*Relations, error)
	ctx   context.Context // the parent of all requests' contexts
	close context.CancelFunc

	mu      sync.Mutex
	running map[int64]context.CancelFunc // running requests and relations being read in pages, by the first page's request
	last    int64                        // the greatest request ID so far
	early   map[int64]bool               // requests cancelled before they arrived, all within overtaken of last
	pages   map[int64]func() (*anonymize.Fragment, error)
	counts  map[int64]estimate.Elsewhere // by release
}

// overtaken bounds how many later requests may arrive, or be cancelled, before an earlier one arrives. A worker numbers its requests consecutively,
// and sends some at the same time.
const overtaken = 1000

// NewServer returns a server that answers from a store. find returns a release by its number, or an error if the worker may not read it.
func NewServer(store source.RelationStore, find func(release int64) (*Relations, error)) *Server {
	s := &Server{store: store, find: find, running: map[int64]context.CancelFunc{}, early: map[int64]bool{},
		pages:  map[int64]func() (*anonymize.Fragment, error){},
		counts: map[int64]estimate.Elsewhere{}}
	s.ctx, s.close = context.WithCancel(context.Background())
	return s
}

// Close cancels all requests, also later ones: the worker has ended.
func (s *Server) Close() { s.close() }

// Answer answers a request, unless [Server.Cancel] or [Server.Close] cancels it.
func (s *Server) Answer(request Request, answer *Answer) {
	ctx, end := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.running[request.ID] = end
	if s.early[request.ID] {
		end()
	}
	s.last = max(s.last, request.ID)
	maps.DeleteFunc(s.early, func(id int64, _ bool) bool { return id == request.ID || id <= s.last-overtaken })
	s.mu.Unlock()
	r, err := s.find(request.Release)
	if err == nil {
		err = s.answer(ctx, r, request, answer)
	}
	if err != nil {
		answer.fail(err)
	}
	if request.Question != firstPage || err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(request.ID)
	}
}

// Cancel cancels a running request, or the reading of a relation. It remembers the ID of a request that has not arrived yet.
func (s *Server) Cancel(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.end(id) && id > s.last-overtaken && id <= s.last+overtaken {
		s.early[id] = true
	}
}

// end cancels a request, or the reading of a relation, and reports whether it was running.
func (s *Server) end(id int64) bool {
	end := s.running[id]
	if end != nil {
		end()
	}
	delete(s.running, id)
	delete(s.pages, id)
	return end != nil
}

func (s *Server) answer(ctx context.Context, r *Relations, request Request, answer *Answer) (err error) {
	switch request.Question {
	case read:
		answer.Release, err = s.store.Read(ctx, r.Place, r.Fragments, request.Every)
	case firstPage:
		return s.open(ctx, r, request)
	case nextPage:
		answer.Page, err = s.next(request.Pages)
	case subTuples:
		f, err := r.fragment(request.Relation)
		if err != nil {
			return err
		}
		answer.Once, answer.Distinct, err = s.store.SubTuples(ctx, r.Place, f)
		return err
	case guarantees:
		answer.Guarantees, err = s.store.Guarantees(ctx, r.Place, r.Fragments, r.Wanted)
	case shape:
		answer.Release, err = s.shape(ctx, r, request.Release)
	default:
		s.mu.Lock()
		counts := s.counts[request.Release]
		s.mu.Unlock()
		if counts == nil {
			return fmt.Errorf("release %d is counted before its shape was asked for", request.Release)
		}
		return count(ctx, counts, request, answer)
	}
	return err
}

// open starts to read a relation in pages.
func (s *Server) open(ctx context.Context, r *Relations, request Request) error {
	f, err := r.paged(request)
	if err != nil {
		return err
	}
	next, err := s.store.Pages(ctx, r.Place, f)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[request.ID] = next
	return ctx.Err()
}

// next returns the next page of a relation, nil after the last one.
func (s *Server) next(first int64) (*anonymize.Fragment, error) {
	s.mu.Lock()
	next := s.pages[first]
	s.mu.Unlock()
	if next == nil {
		return nil, fmt.Errorf("no relation is read in pages by request %d", first)
	}
	return next()
}

// shape returns a release without its values and tuples. Later requests may count it.
func (s *Server) shape(ctx context.Context, r *Relations, release int64) (*anonymize.Release, error) {
	shape, counts, err := s.store.Counts(ctx, r.Place, r.Fragments)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[release] = counts
	return shape, nil
}

func count(ctx context.Context, counts estimate.Elsewhere, r Request, a *Answer) (err error) {
	switch r.Question {
	case values:
		a.Values, a.Records, err = counts.Values(ctx, r.Fragment, r.Column)
	case weights:
		a.Weights, err = counts.Weights(ctx, r.Classes, r.Worth)
	case profiles:
		a.Profiles, err = counts.Profiles(ctx, r.Classes, r.Worth)
	case takes:
		if r.Worth == nil {
			return fmt.Errorf("a question about which records are taken has no worth")
		}
		a.Takes, err = counts.Takes(ctx, r.Classes, *r.Worth)
	case byGroup:
		if len(r.Classes) != 1 {
			return fmt.Errorf("%d fragments are counted by group, want 1", len(r.Classes))
		}
		a.Groups, err = counts.ByGroup(ctx, r.Classes[0])
	case tables:
		a.Tables, err = counts.Tables(ctx, r.Classes, r.Number)
	default:
		return fmt.Errorf("no such request: %d", r.Question)
	}
	return err
}

// paged returns the relation, or completed table, that a request reads in pages.
func (r *Relations) paged(request Request) (source.Fragment, error) {
	if draw := request.Draw; request.Relation == source.DrawnRelation && draw >= 1 && draw <= r.Place.Tables {
		return source.DrawnRows(r.Place, r.Fragments, draw), nil
	}
	return r.fragment(request.Relation)
}

// fragment finds a relation of the release.
func (r *Relations) fragment(name string) (source.Fragment, error) {
	for _, f := range r.Fragments {
		if f.Name == name {
			return f, nil
		}
	}
	return source.Fragment{}, fmt.Errorf("the release has no relation %q", name)
}
