package dynamic

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/anonymize/drasl"
)

// Printed updates a release by Algorithms 2 to 5, one change after the other in the order of
// keys, with the metric of package clustering. It is for comparison and for the owner only: its
// versions reveal what they should protect. Errors are *anonymize.DataError if a domain lacks a
// value, and if fewer than K records are left.
func Printed(ctx context.Context, live *anonymize.Live, changed *anonymize.Changed, o Options) (*Outcome, error) {
	m, err := readMetric(o)
	if err != nil {
		return nil, err
	}
	s, err := begin(live, changed, o, m.k, leaves(live, o))
	if err != nil {
		return nil, err
	}
	p, err := s.print(live, m)
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
	return p.publish(ctx)
}

// stretch is the number of changes between two reports of progress.
const stretch = 1 << 6

// A printer is the state of Algorithms 2 to 5.
type printer struct {
	*state
	metric
	space     *clustering.Space
	catalogue *clustering.Catalogue
	random    *rand.Rand
	domain    []uint32 // D_SA: the possible values of a counterfeit
	gid       []*group // by group number; nil if the group no longer exists
	cache     []int    // H: the persons inserted by this update
	kind      anonymize.RecordKind
}

// A metric is what DRASL and DPP use to compare groups.
type metric struct {
	k            int
	weights      clustering.Weights
	joint, exact bool
}

func readMetric(o Options) (m metric, err error) {
	given, err := o.Method.Resolve(o.Arguments)
	if err != nil {
		return m, err
	}
	m.weights = clustering.WeightsOf(given)
	switch {
	case o.Method.Name == "drasl" && drasl.IsLinkFree(given):
		return m, &anonymize.ParameterError{Parameter: "links", Value: "'none'", Rule: "printed updates do not keep groups free of synonyms; sealed ones do"}
	case o.Method.Name == "drasl":
		m.weights = drasl.WeightsOf(given)
	case o.Method.Name != "dpp":
		return m, &anonymize.ParameterError{Parameter: "method", Value: "'" + o.Method.Name + "'", Rule: "must be drasl or dpp, of which the printed updates are"}
	}
	m.k, m.joint, m.exact = clustering.Size.Read(given), clustering.IsJoint(given), clustering.IsExact(given)
	return m, nil
}

// task prepares records for clustering.
func (p *printer) task(in *anonymize.Input) (*clustering.Task, error) {
	return clustering.NewTask(in, p.metric.k, p.joint, p.exact, rand.New(p.Random))
}

// publish publishes the groups as they are and renumbers them.
func (p *printer) publish(ctx context.Context) (*Outcome, error) {
	published := p.recordsWhere((*record).published)
	if len(published) == 0 {
		return nil, p.errNobody()
	}
	in := p.input(published)
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	task, err := p.task(in)
	if err != nil {
		return nil, err
	}
	r, err := clustering.Publish(ctx, p.Method.Name, in, task, p.partition(published))
	if err != nil {
		return nil, err
	}
	from := make([]int, r.Groups())
	for i, record := range published {
		of := &p.records[record]
		if from[gidOf[i]] = int(of.group); of.group >= uint32(p.before) {
			from[gidOf[i]] = -1
		}
		of.group = gidOf[i]
	}
	return p.complete(ctx, r, from, published)
}

// partition divides the published records, numbered from 0, into their groups.
func (s *state) partition(published []uint32) *bucketization.Partition {
	number := make([]uint32, s.groups)
	for _, p := range published {
		number[s.records[p].group] = 1
	}
	groups := 0
	for g, used := range number {
		if used == 1 {
			number[g] = uint32(groups)
			groups++
		}
	}
	records, of := make([]uint32, len(published)), make([]uint32, len(published))
	for i, p := range published {
		records[i], of[i] = uint32(i), number[s.records[p].group]
	}
	return bucketization.NewPartition(records, of, groups)
}

// print makes the printer with the groups of the records.
func (s *state) print(live *anonymize.Live, m metric) (*printer, error) {
	sensitive := s.sensitive()
	in := &anonymize.Input{QuasiIdentifiers: s.quasi(), Sensitive: s.pool[len(s.pool)-1:], Rows: sensitive.Rows(), Domains: s.Domains}
	p := &printer{state: s, metric: m, random: rand.New(s.Random), gid: make([]*group, s.groups)}
	var err error
	if p.space, err = clustering.NewSpace(in, m.joint); err != nil {
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

// leaves returns the sensitive values of the catalogue; nil without one.
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

// dueChanges returns the changes and, merged in the order of keys, the unchanged persons who
// wait since an update of another kind.
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

// change performs one change and counts it.
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
	case int(p.records[c.record].row) == c.row: // unchanged: it waits
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
