package distant

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"math/big"
	"reflect"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// engine is a store with known answers.
type engine struct {
	source.RelationStore // for methods that the test does not call
	asked                source.Place
	waits                chan context.Context // of Read, nil for an answer at once
	err                  error
}

var (
	released = &anonymize.Release{Method: "anatomy", Rows: 2, GroupSizes: []uint32{2}, Fragments: []*anonymize.Fragment{page}}
	page     = &anonymize.Fragment{Name: "qi1", Columns: []*anonymize.FragmentColumn{{Name: "age", Dictionary: []anonymize.Value{anonymize.IntegerValue(3)},
		Codes: []uint32{0}}}, GroupStart: []uint32{0, 1}, Count: []uint32{2}}
	classes = []estimate.Classes{{Fragment: 1, Units: []estimate.ClassUnit{{Columns: []int{0}, Class: []uint32{1, estimate.NoClass}, Classes: 2}}}}
	worth   = estimate.Worth{Unit: 1, Of: []int64{-5, 7}, None: []bool{false, true}}
	weight  = estimate.Weight{Classes: []uint32{1}, Size: 2, Products: 3}
	profile = estimate.Profile{Classes: []uint32{1}, Size: 2, Counts: []uint32{1}, Groups: 4}

	weightedSum = estimate.Weight{Classes: []uint32{1}, Size: 2, Products: 3, Records: 3, Sum: new(big.Int).Lsh(big.NewInt(1), 200)}
	sumProfile  = estimate.Profile{Classes: []uint32{1}, Size: 2, Counts: []uint32{1}, Groups: 4, Sum: big.NewInt(-1), SquaredSums: big.NewInt(2), Squares: big.NewInt(3)}
	promised    = []anonymize.Guarantee{{Name: "l", Achieved: 2, Holds: true, WorstGroup: -1}}
)

func (e *engine) Read(ctx context.Context, p source.Place, _ []source.Fragment, every int64) (*anonymize.Release, error) {
	e.asked = p
	if e.waits != nil {
		e.waits <- ctx
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if every != 3 {
		return nil, errors.New("not every third")
	}
	return released, e.err
}

func (e *engine) Pages(ctx context.Context, _ source.Place, f source.Fragment) (func() (*anonymize.Fragment, error), error) {
	pages := []*anonymize.Fragment{page, page, nil}
	return func() (*anonymize.Fragment, error) {
		if f.Name != "qi1" && f.Draw != 2 || ctx.Err() != nil {
			return nil, errors.New("another relation, or an end")
		}
		next := pages[0]
		pages = pages[1:]
		return next, nil
	}, nil
}

func (e *engine) SubTuples(context.Context, source.Place, source.Fragment) (int, int, error) {
	return 4, 5, nil
}

func (e *engine) Guarantees(_ context.Context, _ source.Place, _ []source.Fragment, w source.Wanted) ([]anonymize.Guarantee, error) {
	if w.Method != "anatomy" {
		return nil, errors.New("the worker says what is promised")
	}
	return promised, nil
}

func (e *engine) Counts(context.Context, source.Place, []source.Fragment) (*anonymize.Release, estimate.Elsewhere, error) {
	return released, counted{}, nil
}

type counted struct{}

func (counted) Values(_ context.Context, fragment, column int) ([]anonymize.Value, []uint64, error) {
	return []anonymize.Value{anonymize.IntegerValue(int64(fragment))}, []uint64{uint64(column)}, nil
}

func (counted) Weights(_ context.Context, c []estimate.Classes, w *estimate.Worth) ([]estimate.Weight, error) {
	if w == nil {
		return []estimate.Weight{weight}, same(c)
	}
	return []estimate.Weight{weightedSum}, errors.Join(same(c), sameWorth(*w))
}

func (counted) Profiles(_ context.Context, c []estimate.Classes, w *estimate.Worth) ([]estimate.Profile, error) {
	if w == nil {
		return []estimate.Profile{profile}, same(c)
	}
	return []estimate.Profile{sumProfile}, errors.Join(same(c), sameWorth(*w))
}

func (counted) Takes(context.Context, []estimate.Classes, estimate.Worth) ([]estimate.Take, error) {
	return nil, &estimate.UnansweredError{What: "takes"}
}

func (counted) ByGroup(_ context.Context, c estimate.Classes) ([]estimate.GroupCount, error) {
	return []estimate.GroupCount{{}}, same([]estimate.Classes{c})
}

func (counted) Tables(_ context.Context, c []estimate.Classes, tables int) ([]estimate.TableCount, error) {
	return []estimate.TableCount{{Classes: []uint32{1}, Table: tables - 1, Records: 5}}, same(c)
}

func same(c []estimate.Classes) error {
	if !reflect.DeepEqual(c, classes) {
		return errors.New("other classes")
	}
	return nil
}

func sameWorth(w estimate.Worth) error {
	if !reflect.DeepEqual(w, worth) {
		return errors.New("another worth")
	}
	return nil
}

// sent is a value after its way between two processes.
func sent[V any](t *testing.T, v V) (received V) {
	t.Helper()
	var wire bytes.Buffer
	if err := errors.Join(gob.NewEncoder(&wire).Encode(v), gob.NewDecoder(&wire).Decode(&received)); err != nil {
		t.Error(err)
	}
	return received
}

// ask returns a store whose front permits release 17.
func ask(t *testing.T, e *engine) *Store {
	store, _ := connected(t, e)
	return store
}

// connected is a store with the server of its front.
func connected(t *testing.T, e *engine) (*Store, *Server) {
	server := NewServer(e, func(release int64) (*Relations, error) {
		if release != 17 {
			return nil, sqlerror.New(1146, "no such release")
		}
		return &Relations{Place: source.Place{Name: "secret", Tables: 2}, Fragments: []source.Fragment{{Name: "qi1"}}, Wanted: source.Wanted{Method: "anatomy"}}, nil
	})
	return &Store{EngineName: "e", Rows: 9, Cancel: server.Cancel, Ask: func(_ context.Context, r Request, a *Answer) error {
		answer := Answer{}
		server.Answer(sent(t, r), &answer)
		*a = sent(t, answer)
		return nil
	}}, server
}

func equal(t *testing.T, what string, got, want any, err error) {
	t.Helper()
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, %v, want %v", what, got, err, want)
	}
}

// TestStore: the engine's answers arrive unchanged.
func TestStore(t *testing.T) {
	e := &engine{}
	s, ctx, at := ask(t, e), t.Context(), source.Place{Name: "17"}
	release, err := s.Read(ctx, at, nil, 3)
	equal(t, "a release", release, released, err)
	if e.asked.Name != "secret" || s.Engine() != "e" || s.Limit() != 9 {
		t.Errorf("asked for %q of %s, %d rows", e.asked.Name, s.Engine(), s.Limit())
	}
	once, distinct, err := s.SubTuples(ctx, at, source.Fragment{Name: "qi1"})
	equal(t, "combinations", []int{once, distinct}, []int{4, 5}, err)
	guarantees, err := s.Guarantees(ctx, at, nil, source.Wanted{})
	equal(t, "guarantees", guarantees, promised, err)
	for _, f := range []source.Fragment{{Name: "qi1"}, source.DrawnRows(at, nil, 2)} {
		next, err := s.Pages(ctx, at, f)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := next()
			equal(t, "a page of "+f.Name, got, page, err)
		}
		if got, err := next(); got != nil || err != nil {
			t.Errorf("behind the last page: %v, %v", got, err)
		}
	}
	shape, c, err := s.Counts(ctx, at, nil)
	equal(t, "a shape", shape, released, err)
	texts, records, err := c.Values(ctx, 1, 2)
	equal(t, "values", []any{texts, records}, []any{[]anonymize.Value{anonymize.IntegerValue(1)}, []uint64{2}}, err)
	weights, err := c.Weights(ctx, classes, nil)
	equal(t, "weights", weights, []estimate.Weight{weight}, err)
	weighted, err := c.Weights(ctx, classes, &worth)
	equal(t, "weighted sums", weighted, []estimate.Weight{weightedSum}, err)
	profiles, err := c.Profiles(ctx, classes, nil)
	equal(t, "profiles", profiles, []estimate.Profile{profile}, err)
	sums, err := c.Profiles(ctx, classes, &worth)
	equal(t, "sums", sums, []estimate.Profile{sumProfile}, err)
	groups, err := c.ByGroup(ctx, classes[0])
	equal(t, "groups", groups, []estimate.GroupCount{{}}, err)
	tables, err := c.Tables(ctx, classes, 3)
	equal(t, "tables", tables, []estimate.TableCount{{Classes: []uint32{1}, Table: 2, Records: 5}}, err)
	_, err = c.Takes(ctx, classes, worth)
	if unanswered := (*estimate.UnansweredError)(nil); !errors.As(err, &unanswered) || unanswered.What != "takes" {
		t.Errorf("what is not answered: %v", err)
	}
}

// TestStoreRefuses: requests that the worker may not make, or that the engine refuses, are errors.
func TestStoreRefuses(t *testing.T) {
	e := &engine{err: sqlerror.New(1146, "gone")}
	s, ctx, at := ask(t, e), t.Context(), source.Place{Name: "17"}
	_, unreached := s.Read(ctx, at, nil, 3)
	_, other := s.Read(ctx, source.Place{Name: "18"}, nil, 3)
	for what, err := range map[string]error{"an error of the engine": unreached, "another release": other} {
		if known := (*mysql.SQLError)(nil); !errors.As(err, &known) || known.Num != 1146 {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, name := s.Read(ctx, source.Place{Name: "secret"}, nil, 3)
	_, relation := s.Pages(ctx, at, source.Fragment{Name: "raw"})
	_, drawn := s.Pages(ctx, at, source.DrawnRows(at, nil, 3))
	_, _, combinations := s.SubTuples(ctx, at, source.Fragment{Name: "raw"})
	_, sweep := s.Sweep(ctx, nil)
	_, early := (&counts{s, at}).Weights(ctx, classes, nil)
	for what, err := range map[string]error{"a name": name, "another relation": relation, "a table that was not drawn": drawn, "its combinations": combinations, "to drop": s.Drop(ctx, at, nil),
		"to sweep": sweep, "counts before a shape": early} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestStoreEnds: the end of a statement ends its work in the engine, also between two pages.
func TestStoreEnds(t *testing.T) {
	e := &engine{waits: make(chan context.Context, 1)}
	s, at := ask(t, e), source.Place{Name: "17"}
	ctx, end := context.WithCancel(t.Context())
	next, err := s.Pages(ctx, at, source.Fragment{Name: "qi1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := next(); err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := s.Read(ctx, at, nil, 1)
		failed <- err
	}()
	there := <-e.waits
	end()
	<-there.Done()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the statement ended with %v", err)
	}
	if _, err := next(); err == nil {
		t.Error("the relation is read on")
	}
}

// TestEarlyEnd: the end of a request may overtake it.
func TestEarlyEnd(t *testing.T) {
	e := &engine{waits: make(chan context.Context, 1)}
	s := ask(t, e)
	s.Cancel(1)
	if _, err := s.Read(t.Context(), source.Place{Name: "17"}, nil, 1); err == nil {
		t.Error("a request that was ended is answered")
	}
	if ctx := <-e.waits; ctx.Err() == nil {
		t.Error("the engine works on")
	}
}

// TestClose: requests, and relations being read in pages, end with the worker; requests sent before do not start.
func TestClose(t *testing.T) {
	e := &engine{waits: make(chan context.Context, 1)}
	s, server := connected(t, e)
	at := source.Place{Name: "17"}
	next, err := s.Pages(t.Context(), at, source.Fragment{Name: "qi1"})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := s.Read(t.Context(), at, nil, 1)
		failed <- err
	}()
	there := <-e.waits
	server.Close()
	<-there.Done()
	if err := <-failed; err == nil {
		t.Error("a request of a worker that has ended is answered")
	}
	if _, err := next(); err == nil {
		t.Error("the relation is read on")
	}
	go func() { _, _ = s.Read(t.Context(), at, nil, 1) }()
	if late := <-e.waits; late.Err() == nil {
		t.Error("the engine works for a worker that has ended")
	}
}

// TestEndsAreForgotten: of cancels that come after their requests, or for requests that never come, the server remembers at most overtaken.
func TestEndsAreForgotten(t *testing.T) {
	s, server := connected(t, &engine{})
	at := source.Place{Name: "17"}
	for range 3 * overtaken {
		if _, err := s.Read(t.Context(), at, nil, 3); err != nil {
			t.Fatal(err)
		}
		s.Cancel(s.requests.Load())
	}
	if n := len(server.early); n > overtaken {
		t.Errorf("%d ends are kept of requests that are answered", n)
	}
	for id := range int64(10 * overtaken) {
		s.Cancel(id)
	}
	if n := len(server.early); n > 2*overtaken {
		t.Errorf("%d ends are kept", n)
	}
	if len(server.running) > 0 {
		t.Errorf("%d requests run", len(server.running))
	}
}
