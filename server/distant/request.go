package distant

import (
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/server/sqlerror"
	"github.com/anonsql/anonsql/server/worker"
)

// A question is the kind of a Request.
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
	ID       int64 // for [Server.Cancel]
	Release  int64
	Question question
	// Relation is the relation's name without the release's, for pages and for combinations of values.
	Relation string
	// Every is the parameter of source.RelationStore.Read. Pages is the ID of the request for the first page.
	Every, Pages int64
	// Fragment and Column are parameters of estimate.Elsewhere.Values; Classes and Worth, of its other methods.
	Fragment, Column int
	Classes          []estimate.Classes
	Worth            *estimate.Worth // nil if the question has none
	Number           int             // the number of completed tables to count
	Draw             int             // the completed table to read in pages, from 1
}

// An Answer has the result of its Request.
type Answer struct {
	Release        *anonymize.Release
	Page           *anonymize.Fragment // nil after the last page
	Once, Distinct int
	Guarantees     []anonymize.Guarantee
	Values         []anonymize.Value
	Records        []uint64
	Weights        []estimate.Weight
	Profiles       []estimate.Profile
	Takes          []estimate.Take
	Groups         []estimate.GroupCount
	Tables         []estimate.TableCount
	// Failure is nil if the request succeeded. Unanswered is the What of an estimate.UnansweredError.
	Failure    *worker.Failure
	Unanswered string

	id int64 // the request's ID
}

// fail replaces the answer by an error.
func (a *Answer) fail(err error) {
	*a = Answer{}
	if unanswered := (*estimate.UnansweredError)(nil); errors.As(err, &unanswered) {
		a.Unanswered = unanswered.What
		return
	}
	a.Failure = worker.FailureOf(sqlerror.ToClient(err))
}

// err returns the answer's error, if any.
func (a *Answer) err() error {
	switch {
	case a.Unanswered != "":
		return &estimate.UnansweredError{What: a.Unanswered}
	case a.Failure != nil:
		return a.Failure.SQLError()
	}
	return nil
}

// errReadOnly refuses a worker's calls that would change relations.
var errReadOnly = fmt.Errorf("a process of analysts' statements cannot change relations in an engine: %w", errors.ErrUnsupported)
