package distant

import (
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/worker"
)

// A question is what a Request asks for.
type question int

const (
	read question = iota
	firstPage
	nextPage
	subTuples
	guarantees
	shape
	values
	weights
	profiles
	takes
	byGroup
	tables
)

// A Request is one question about a release.
type Request struct {
	ID       int64 // of this request, for [Server.Cancel]
	Release  int64
	Question question
	// Relation is the relation's name behind the release's, of pages and of combinations of values.
	Relation string
	// Every is that of source.RelationStore.Read, Pages the ID of the request for the first page.
	Every, Pages int64
	// Fragment and Column are those of estimate.Elsewhere.Values, Classes and Worth those of its other methods.
	Fragment, Column int
	Classes          []estimate.Classes
	Worth            *estimate.Worth // nil where it is not asked
	Number           int             // of the completed tables that are counted
	Draw             int             // that is read in pages, from 1
}

// An Answer has what its Request asks for.
type Answer struct {
	Release        *anonymize.Release
	Page           *anonymize.Fragment // nil behind the last
	Once, Distinct int
	Guarantees     []anonymize.Guarantee
	Values         []anonymize.Value
	Records        []uint64
	Weights        []estimate.Weight
	Profiles       []estimate.Profile
	Takes          []estimate.Take
	Groups         []estimate.GroupCount
	Tables         []estimate.TableCount
	// Failure is nil where there is an answer. Unanswered is the What of an estimate.UnansweredError.
	Failure    *worker.Failure
	Unanswered string

	id int64 // of its request
}

// fail makes the answer an error.
func (a *Answer) fail(err error) {
	*a = Answer{}
	if unanswered := (*estimate.UnansweredError)(nil); errors.As(err, &unanswered) {
		a.Unanswered = unanswered.What
		return
	}
	a.Failure = worker.FailureOf(sqlerror.ToClient(err))
}

// err is the error that the answer is, nil for none.
func (a *Answer) err() error {
	switch {
	case a.Unanswered != "":
		return &estimate.UnansweredError{What: a.Unanswered}
	case a.Failure != nil:
		return a.Failure.SQLError()
	}
	return nil
}

// errReadOnly refuses what a worker has no business with.
var errReadOnly = fmt.Errorf("a process of analysts' statements cannot change relations in an engine: %w", errors.ErrUnsupported)
