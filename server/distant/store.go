package distant

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/source"
)

// A Store sends requests to the front. The Name of a place is the release's number.
type Store struct {
	// EngineName and Rows are the results of Engine and Limit of the front's store.
	EngineName string
	Rows       int
	// Ask sends a request to the front, and Cancel cancels it there.
	Ask    func(ctx context.Context, request Request, answer *Answer) error
	Cancel func(id int64)

	requests atomic.Int64
}

var _ source.RelationStore = (*Store)(nil)

func (s *Store) ask(ctx context.Context, place source.Place, request Request) (*Answer, error) {
	var err error
	if request.Release, err = strconv.ParseInt(place.Name, 10, 64); err != nil {
		return nil, err
	}
	request.ID = s.requests.Add(1)
	stop := context.AfterFunc(ctx, func() { s.Cancel(request.ID) })
	if request.Question != firstPage { // its pages end with the statement
		defer stop()
	}
	answer := &Answer{}
	if err := s.Ask(ctx, request, answer); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	answer.id = request.ID
	return answer, answer.err()
}

// Engine implements source.RelationStore.
func (s *Store) Engine() string { return s.EngineName }

// Limit implements source.RelationStore.
func (s *Store) Limit() int { return s.Rows }

// Read implements source.RelationStore.
func (s *Store) Read(ctx context.Context, p source.Place, _ []source.Fragment, every int64) (*anonymize.Release, error) {
	a, err := s.ask(ctx, p, Request{Question: read, Every: every})
	if err != nil {
		return nil, err
	}
	return a.Release, nil
}

// Pages implements source.RelationStore.
func (s *Store) Pages(ctx context.Context, p source.Place, f source.Fragment) (next func() (*anonymize.Fragment, error), err error) {
	first, err := s.ask(ctx, p, Request{Question: firstPage, Relation: f.Name, Draw: f.Draw})
	if err != nil {
		return nil, err
	}
	return func() (*anonymize.Fragment, error) {
		a, err := s.ask(ctx, p, Request{Question: nextPage, Pages: first.id})
		if err != nil {
			return nil, err
		}
		return a.Page, nil
	}, nil
}

// SubTuples implements source.RelationStore.
func (s *Store) SubTuples(ctx context.Context, p source.Place, f source.Fragment) (once, distinct int, err error) {
	a, err := s.ask(ctx, p, Request{Question: subTuples, Relation: f.Name})
	if err != nil {
		return 0, 0, err
	}
	return a.Once, a.Distinct, nil
}

// Guarantees implements source.RelationStore.
func (s *Store) Guarantees(ctx context.Context, p source.Place, _ []source.Fragment, _ source.Wanted) ([]anonymize.Guarantee, error) {
	a, err := s.ask(ctx, p, Request{Question: guarantees})
	if err != nil {
		return nil, err
	}
	return a.Guarantees, nil
}

// Counts implements source.RelationStore.
func (s *Store) Counts(ctx context.Context, p source.Place, _ []source.Fragment) (*anonymize.Release, estimate.Elsewhere, error) {
	a, err := s.ask(ctx, p, Request{Question: shape})
	if err != nil {
		return nil, nil, err
	}
	return a.Release, &counts{s, p}, nil
}

// Keeps implements source.RelationStore.
func (s *Store) Keeps(source.Place) bool { return false }

// Drop implements source.RelationStore: it refuses.
func (s *Store) Drop(context.Context, source.Place, []source.Fragment) error { return errReadOnly }

// Sweep implements source.RelationStore: it refuses.
func (s *Store) Sweep(context.Context, func(string) bool) ([]string, error) { return nil, errReadOnly }

// counts implements estimate.Elsewhere for a release.
type counts struct {
	store *Store
	place source.Place
}

func (c *counts) ask(ctx context.Context, request Request) (*Answer, error) {
	a, err := c.store.ask(ctx, c.place, request)
	if err != nil {
		return &Answer{}, err
	}
	return a, nil
}

// Values implements estimate.Elsewhere.
func (c *counts) Values(ctx context.Context, fragment, column int) ([]anonymize.Value, []uint64, error) {
	a, err := c.ask(ctx, Request{Question: values, Fragment: fragment, Column: column})
	return a.Values, a.Records, err
}

// Weights implements estimate.Elsewhere.
func (c *counts) Weights(ctx context.Context, fragments []estimate.Classes, of *estimate.Worth) ([]estimate.Weight, error) {
	a, err := c.ask(ctx, Request{Question: weights, Classes: fragments, Worth: of})
	return a.Weights, err
}

// Profiles implements estimate.Elsewhere.
func (c *counts) Profiles(ctx context.Context, fragments []estimate.Classes, of *estimate.Worth) ([]estimate.Profile, error) {
	a, err := c.ask(ctx, Request{Question: profiles, Classes: fragments, Worth: of})
	return a.Profiles, err
}

// Takes implements estimate.Elsewhere.
func (c *counts) Takes(ctx context.Context, fragments []estimate.Classes, of estimate.Worth) ([]estimate.Take, error) {
	a, err := c.ask(ctx, Request{Question: takes, Classes: fragments, Worth: &of})
	return a.Takes, err
}

// ByGroup implements estimate.Elsewhere.
func (c *counts) ByGroup(ctx context.Context, fragment estimate.Classes) ([]estimate.GroupCount, error) {
	a, err := c.ask(ctx, Request{Question: byGroup, Classes: []estimate.Classes{fragment}})
	return a.Groups, err
}

// Tables implements estimate.Elsewhere.
func (c *counts) Tables(ctx context.Context, fragments []estimate.Classes, number int) ([]estimate.TableCount, error) {
	a, err := c.ask(ctx, Request{Question: tables, Classes: fragments, Number: number})
	return a.Tables, err
}
