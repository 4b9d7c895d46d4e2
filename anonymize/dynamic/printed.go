package dynamic

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// Printed updates a release by Algorithms 2 to 5, one change after the other in
// the order of keys, with the metric of package clustering. For comparison, and for
// nobody but the owner: versions give away what they should protect. Errors are
// *anonymize.DataError where a domain has no place for a value, and where fewer
// than K records are left.
func Printed(ctx context.Context, live *anonymize.Live, changed *anonymize.Changed, o Options) (*Outcome, error) {
	s, err := begin(live, changed, o, leaves(live, o))
	if err != nil {
		return nil, err
	}
	if s.unlinked {
		return nil, &anonymize.ParameterError{Parameter: "links", Value: "'none'", Rule: "printed updates do not keep groups free of synonyms; sealed ones do"}
	}
	p, err := s.print(live)
	if err != nil {
		return nil, err
	}
	due := p.dueChanges()
	for done, c := range due {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.Progress != nil && done%stretch == 0 {
			s.Progress("changes", done, len(due))
		}
		if err := p.change(ctx, c); err != nil {
			return nil, err
		}
	}
	return s.finish(ctx)
}

// stretch is the number of changes between two reports of progress.
const stretch = 1 << 6

// A printer is the state of Algorithms 2 to 5.
type printer struct {
	*state
	space     *clustering.Space
	catalogue *clustering.Catalogue
	random    *rand.Rand
	domain    []uint32 // D_SA: the values that a counterfeit may have
	gid       []*group // by group number; nil where it is no more
	cache     []int    // H: the persons that this update inserts
	kind      anonymize.RecordKind
}

// print makes the groups of the records.
func (s *state) print(live *anonymize.Live) (*printer, error) {
	sensitive := s.sensitive()
	in := &anonymize.Input{QuasiIdentifiers: s.quasi(), Sensitive: s.pool[len(s.pool)-1:], Rows: sensitive.Rows(), Domains: s.Domains}
	p := &printer{state: s, random: rand.New(s.Random), gid: make([]*group, s.groups)}
	var err error
	if p.space, err = clustering.NewSpace(in, s.joint); err != nil {
		return nil, err
	}
	if p.catalogue, err = clustering.NewCatalogue(in); err != nil {
		return nil, err
	}
	values := leaves(live, s.Options)
	for code, n := range sensitive.Histogram() {
		if values == nil && n > 0 {
			p.domain = append(p.domain, uint32(code))
		}
	}
	for _, v := range values {
		p.domain = append(p.domain, codeOf(sensitive.Dictionary, v))
	}
	slices.Sort(p.domain)
	for i := range s.records {
		if g := s.records[i].group; s.records[i].published() {
			if p.gid[g] == nil {
				p.gid[g] = p.newGroup()
			}
			p.gid[g].add(p, i)
		}
	}
	return p, nil
}

// leaves are the sensitive values of the catalogue; nil where there is none.
func leaves(live *anonymize.Live, o Options) []anonymize.Value {
	if len(live.Columns) == 0 {
		return nil
	}
	sensitive := live.Columns[len(live.Columns)-1]
	switch d := o.Domains[sensitive.Name]; {
	case d != nil && d.Taxonomy != nil:
		return d.Taxonomy.Leaves()
	case bundled(sensitive):
		return clustering.Diseases().Leaves()
	}
	return nil
}

// dueChanges are the changes, and between them, in the order of keys, those who wait
// since an update of another kind and have not changed.
func (p *printer) dueChanges() []change {
	due := slices.Clone(p.changes)
	touched := make(map[int]bool, len(due))
	for _, c := range due {
		touched[c.record] = true
	}
	for _, r := range p.recordsWhere(waiting) {
		if r := int(r); !touched[r] {
			due = append(due, change{p.records[r].key, r, int(p.records[r].row)})
		}
	}
	slices.SortFunc(due, byKey)
	return due
}

// change does one change, and counts it.
func (p *printer) change(ctx context.Context, c change) error {
	switch {
	case c.record < 0 && c.row < 0:
		p.outcome.Unchanged++
		return nil
	case c.record < 0:
		p.outcome.Inserted++
		p.kind = anonymize.ForgedByInsertion
		return p.insert(ctx, p.arrive(c.key, c.row))
	case c.row < 0:
		p.outcome.Deleted++
		p.kind = anonymize.ForgedByDeletion
		return p.delete(c.record)
	case int(p.records[c.record].row) == c.row: // nobody touched it: it waits
		p.kind = anonymize.ForgedByInsertion
		return p.insert(ctx, c.record)
	case equal(p.pool, uint32(c.record), uint32(c.row)):
		p.outcome.Unchanged++
		if !waiting(&p.records[c.record]) {
			return nil
		}
		p.kind = anonymize.ForgedByInsertion
		return p.insert(ctx, c.record)
	}
	p.outcome.Modified++
	p.kind = anonymize.ForgedByModification
	return p.modify(ctx, c)
}
