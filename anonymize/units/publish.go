package units

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// A table is what is published: all records of the divided units, which are those of the input.
type table struct {
	columns map[string]*anonymize.Column
	unit    []uint32 // by record
	// groups partitions the records. origin has, by group, the division and the gid that the
	// method gave it there; it is meaningless if groups were merged.
	groups *bucketization.Partition
	origin []bucketization.Origin
}

// publish makes the release of the input, all of whose units are divided, with the fragments of the largest stratum. kept are its rows in the table.
func (r *run) publish(ctx context.Context, kept []uint32) (*Result, error) {
	layout := r.largest()
	t := r.table()
	release := &anonymize.Release{Method: r.method.Name, Rows: r.in.Rows, Promises: layout.Promises, Facts: r.facts(layout)}
	for g := range t.groups.Groups() {
		records := r.divided[t.origin[g].Part].records
		size := t.groups.Start[g+1] - t.groups.Start[g]
		release.GroupSizes = append(release.GroupSizes, size)
		release.Units = append(release.Units, size/uint32(records))
	}
	for i, f := range layout.Fragments {
		published, facts, err := r.fragment(ctx, t, f, i)
		if err != nil {
			return nil, err
		}
		t.markConstant(published)
		release.Fragments = append(release.Fragments, published)
		if len(r.divided) > 1 || r.hasMerged() { // otherwise the method has reported them
			release.Facts = append(release.Facts, facts...)
		}
	}
	if r.in.Assigned != nil {
		r.in.Assigned(t.groups.GroupOf())
	}
	return &Result{release, kept}, nil
}

// table collects the records of all groups and numbers the groups at random.
func (r *run) table() *table {
	t := &table{columns: make(map[string]*anonymize.Column), unit: r.in.Units}
	for _, c := range slices.Concat(r.in.QuasiIdentifiers, r.in.Sensitive) {
		t.columns[c.Name] = c
	}
	groups := &bucketization.Partition{Start: []uint32{0}}
	var origins []bucketization.Origin
	for i, d := range r.divided {
		for g, units := range d.groups {
			for _, u := range units {
				groups.Member = append(groups.Member, d.units[u]...)
			}
			groups.Start = append(groups.Start, uint32(len(groups.Member)))
			origins = append(origins, bucketization.Origin{Part: i, Group: g})
		}
	}
	order := anonymize.Indices(len(origins))
	bucketization.Shuffle(order, r.random)
	t.groups, t.origin = groups.InOrder(order), anonymize.Gather(origins, order)
	return t
}

// fragment makes the i-th fragment of the layout for all records: with values if its cells are points; with the method's cells if
// nothing varies within units and no groups were merged; else with cells of the method's kind: the lowest nodes above the group's values, or tight ones.
func (r *run) fragment(ctx context.Context, t *table, f *anonymize.Fragment, i int) (*anonymize.Fragment, []anonymize.Fact, error) {
	columns := make([]*anonymize.Column, len(f.Columns))
	for j, c := range f.Columns {
		columns[j] = t.columns[c.Name]
	}
	if !isGeneralized(f) {
		return t.points(ctx, f, columns)
	}
	varying := r.varying(f)
	if len(varying) == 0 && !r.hasMerged() {
		return r.copied(t, i), nil, nil
	}
	if f.Role != anonymize.QuasiIdentifying {
		return nil, nil, &anonymize.DataError{Reason: fmt.Sprintf("%s publishes sets of sensitive values, and %s varies in a unit: say another method, "+
			"or columns with one value a unit", r.method.Name, strings.Join(varying, ", "))}
	}
	if why := whole[r.method.Name].quasi; why != "" {
		return nil, nil, &anonymize.NoGroupsError{Err: &anonymize.DataError{Reason: fmt.Sprintf("%s %s, and groups would be united, which need others: %s varies in a unit, "+
			"and too many units of a group share a value. Say another method, a weaker promise, or sa= with one value a unit", r.method.Name, why, r.in.Sensitive[0].Name)}}
	}
	of := *r.in
	of.QuasiIdentifiers = columns
	attributes, err := generalization.AttributesOf(&of, r.method.Nodes != nil && r.method.Nodes(r.settings))
	if err != nil {
		return nil, nil, err
	}
	return t.generalized(ctx, f, attributes)
}

// isGeneralized reports whether a fragment has cells that are not points.
func isGeneralized(f *anonymize.Fragment) bool {
	return slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() })
}

// points publishes exact values.
func (t *table) points(ctx context.Context, like *anonymize.Fragment, columns []*anonymize.Column) (*anonymize.Fragment, []anonymize.Fact, error) {
	p, err := bucketization.NewProjection(ctx, columns)
	if err != nil {
		return nil, nil, err
	}
	published, err := t.newFragment(ctx, like, p)
	return published, uniqueFacts(like, p), err
}

// markConstant marks the columns of a fragment that are constant in units.
func (t *table) markConstant(f *anonymize.Fragment) {
	for _, c := range f.Columns {
		c.Constant = anonymize.IsConstant(t.columns[c.Name].Codes, t.unit)
	}
}

// varying returns the columns of a fragment that have two values in a unit.
func (r *run) varying(f *anonymize.Fragment) (names []string) {
	for _, c := range slices.Concat(r.in.QuasiIdentifiers, r.in.Sensitive) {
		if f.Column(c.Name) >= 0 && slices.ContainsFunc(r.divided, func(d *division) bool { return !d.isConstant(c) }) {
			names = append(names, c.Name)
		}
	}
	return names
}

func (r *run) hasMerged() bool {
	return slices.ContainsFunc(r.divided, func(d *division) bool { return d.merged > 0 })
}

// newFragment makes a fragment of the records' sub-tuples, with the number of units of each.
func (t *table) newFragment(ctx context.Context, like *anonymize.Fragment, p *bucketization.Projection) (*anonymize.Fragment, error) {
	f, err := bucketization.NewFragment(ctx, bucketization.Table{Name: like.Name, Role: like.Role, Projection: p}, t.groups)
	if err != nil {
		return nil, err
	}
	f.Units = make([]uint32, 0, f.Tuples())
	var pairs []uint64 // of sub-tuple and unit
	for g := range t.groups.Groups() {
		pairs = pairs[:0]
		for _, record := range t.groups.Records(g) {
			pairs = append(pairs, uint64(p.ID[record])<<32|uint64(t.unit[record]))
		}
		slices.Sort(pairs)
		pairs = slices.Compact(pairs)
		for first := 0; first < len(pairs); {
			end := first
			for end < len(pairs) && pairs[end]>>32 == pairs[first]>>32 {
				end++
			}
			f.Units = append(f.Units, uint32(end-first))
			first = end
		}
	}
	return f, nil
}

// generalized publishes the groups' cells of some attributes.
func (t *table) generalized(ctx context.Context, like *anonymize.Fragment,
	attributes []*generalization.Attribute) (*anonymize.Fragment, []anonymize.Fact, error) {
	var err error
	groupOf := t.groups.GroupOf()
	all, cells := make([]*generalization.Generalized, len(attributes)), make([]*anonymize.Column, len(attributes))
	for i, a := range attributes {
		if all[i], err = a.Generalize(ctx, t.groups); err != nil {
			return nil, nil, err
		}
		cells[i] = &anonymize.Column{Name: a.Column.Name, Type: a.Column.Type,
			Dictionary: make([]anonymize.Value, len(all[i].Cells)), Codes: anonymize.Gather(all[i].Of, groupOf)}
	}
	p, err := bucketization.NewProjection(ctx, cells)
	if err != nil {
		return nil, nil, err
	}
	f, err := t.newFragment(ctx, like, p)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range f.Columns {
		c.Dictionary, c.Cells, c.Spans = all[i].Dictionary, all[i].Cells, all[i].Spans()
	}
	return f, generalization.Facts(all, t.groups), nil
}
