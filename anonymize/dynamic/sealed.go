package dynamic

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// Sealed updates a release so that no sequence of versions reveals more than each single one; see the
// principles of the package. A person whose row was rewritten, by REPLACE or by reloading the table,
// stays the same person: Sealed matches a new row with all values of a disappeared row. Errors are
// *anonymize.DataError if a domain lacks a value, and if nobody is left to publish: then the last
// version stays, and the changes wait until there are enough persons.
func Sealed(ctx context.Context, live *anonymize.Live, changed *anonymize.Changed, o Options) (*Outcome, error) {
	s, err := begin(live, changed, o, GroupSize(o.Promises), nil)
	if err != nil {
		return nil, err
	}
	if s.before > o.Before.Groups() {
		return nil, fmt.Errorf("the private side has group %d, the release %d groups", s.before-1, o.Before.Groups())
	}
	s.before, s.outcome.Why = o.Before.Groups(), o.Why
	s.groups = s.before
	s.matchRewritten()
	if s.unitColumns == 0 {
		s.sealRecords()
	} else if err := s.sealUnits(); err != nil {
		return nil, err
	}
	s.dropDeserted()
	if err := s.batch(ctx); err != nil {
		return nil, err
	}
	return s.finish(ctx)
}

// sealRecords performs all changes if every record is a person.
func (s *state) sealRecords() {
	for _, c := range s.changes {
		if !s.count(c) {
			continue
		}
		kind := anonymize.ForgedByModification
		if c.row < 0 {
			kind = anonymize.ForgedByDeletion
		}
		if c.record >= 0 {
			s.depart(c.record, kind)
		}
		if c.row >= 0 {
			s.arrive(c.key, c.row)
		}
	}
}

// count counts a change of a record, and reports whether it is one.
func (s *state) count(c change) bool {
	counter := &s.outcome.Modified
	switch {
	case c.record < 0 && c.row < 0, s.isSame(c):
		s.outcome.Unchanged++
		return false
	case c.record < 0:
		counter = &s.outcome.Inserted
	case c.row < 0:
		counter = &s.outcome.Deleted
	}
	*counter++
	return true
}

// depart replaces a published person by a counterfeit with all her values.
func (s *state) depart(i int, kind anonymize.RecordKind) {
	r := &s.records[i]
	if waiting(r) {
		r.group = removed
		return
	}
	r.key, r.kind = 0, kind
}

// dropDeserted removes groups that have only counterfeits, unless they hide records of other groups.
func (s *state) dropDeserted() {
	if spansGroups(s.Promises) {
		return
	}
	inhabited := make([]bool, s.groups)
	for i := range s.records {
		if r := &s.records[i]; r.published() && r.kind == anonymize.Person {
			inhabited[r.group] = true
		}
	}
	for i := range s.records {
		if r := &s.records[i]; r.published() && !inhabited[r.group] {
			r.group = removed
		}
	}
}
