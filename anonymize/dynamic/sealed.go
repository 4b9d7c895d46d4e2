package dynamic

import (
	"context"

	"github.com/anonsql/anonsql/anonymize"
)

// Sealed updates a release so that no sequence of versions tells more than each of
// them; see the principles of the package. Errors are *anonymize.DataError where a
// domain has no place for a value, and where nobody is left to be published: then
// the last version stays, and the changes keep until K persons are there.
func Sealed(ctx context.Context, live *anonymize.Live, changed *anonymize.Changed, o Options) (*Outcome, error) {
	s, err := begin(live, changed, o, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range s.changes {
		s.seal(c)
	}
	s.dropDeserted()
	if err := s.batch(ctx); err != nil {
		return nil, err
	}
	return s.finish(ctx)
}

// seal does one change.
func (s *state) seal(c change) {
	switch {
	case c.record < 0 && c.row < 0:
		s.outcome.Unchanged++
	case c.record < 0:
		s.arrive(c.key, c.row)
		s.outcome.Inserted++
	case c.row < 0:
		s.depart(c.record, anonymize.ForgedByDeletion)
		s.outcome.Deleted++
	case equal(s.pool, uint32(c.record), uint32(c.row)):
		s.outcome.Unchanged++
	default:
		s.depart(c.record, anonymize.ForgedByModification)
		s.arrive(c.key, c.row)
		s.outcome.Modified++
	}
}

// depart leaves a counterfeit where a person was published, with all her values.
func (s *state) depart(i int, kind anonymize.RecordKind) {
	r := &s.records[i]
	if waiting(r) {
		r.group = removed
		return
	}
	r.key, r.kind = 0, kind
}

// dropDeserted removes groups of counterfeits alone.
func (s *state) dropDeserted() {
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
