package estimate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A relation whose cells stand for several values has a row a group or few more: it is here whole,
// where relations of points are elsewhere. A question that reads both has the records of points
// counted there, by group and class, and is answered here from these whole numbers, with the
// estimator of all releases.

// A GroupCount says how many records of a group have a class. Groups are numbered as in the fragments that are here.
type GroupCount struct{ Group, Class, Records uint32 }

// isHere tells fragments that are here whole.
func (d *elsewhere) isHere(fragment int) bool { return d.columns[fragment] == nil }

// readsHere reports whether a question reads such a fragment.
func (d *elsewhere) readsHere(q *Question) bool { return slices.ContainsFunc(q.touched(), d.isHere) }

// takeHere looks at a fragment that is here whole.
func (d *elsewhere) takeHere(r *anonymize.Release, f *anonymize.Fragment) error {
	switch {
	case isElsewhere(f):
		return &UnansweredError{fmt.Sprintf("cells of fragment %s that stand for several values", f.Name)}
	case uint64(len(r.GroupSizes)) != d.groups || f.Groups() != len(r.GroupSizes):
		return fmt.Errorf("fragment %s has %d groups, the release %d", f.Name, f.Groups(), d.groups)
	}
	counts := make(map[uint32]uint64, len(d.sizes))
	for _, m := range r.GroupSizes {
		counts[m]++
	}
	for _, s := range d.sizes {
		if counts[s.Size] != s.Groups {
			return fmt.Errorf("%d groups have %d records, the release has %d of that size", counts[s.Size], s.Size, s.Groups)
		}
	}
	return nil
}

// counted is the release as a question sees it: what is here whole, and of the other relations that it reads a tuple for every class that a group has.
func (p *Prepared) counted(ctx context.Context, q *Question) (*Prepared, error) {
	d := p.elsewhere
	r, _, err := d.loaded(ctx, p.release, q)
	if err != nil {
		return nil, err
	}
	for _, f := range q.touched() {
		if d.isHere(f) {
			continue
		}
		s, err := classify(ctx, r, q, f)
		if err != nil {
			return nil, err
		}
		if s.classes >= maxDistantClasses {
			return nil, &TooManyCombinationsError{s.fragment.Name, maxDistantClasses}
		}
		if r.Fragments[f], err = d.byGroup(ctx, r, f, s); err != nil {
			return nil, err
		}
	}
	counted := PrepareTuples(r)
	counted.of = p
	return counted, nil
}

// byGroup is a fragment of which the store has counted the records by group and class. Its tuples have the values of an example of their class.
func (d *elsewhere) byGroup(ctx context.Context, r *anonymize.Release, fragment int, s *side) (*anonymize.Fragment, error) {
	f := *r.Fragments[fragment]
	f.Columns, f.GroupStart = slices.Clone(f.Columns), make([]uint32, len(r.GroupSizes)+1)
	if s.isEmpty() {
		return &f, nil
	}
	list, err := d.store.ByGroup(ctx, s.asked(fragment))
	if err != nil {
		return nil, err
	}
	if list, err = checkedCounts(list, r.GroupSizes, s.classes); err != nil {
		return nil, fmt.Errorf("the relations are not those of the release: fragment %s: %w", f.Name, err)
	}
	f.Count = make([]uint32, len(list))
	for t, c := range list {
		f.Count[t] = c.Records
		f.GroupStart[c.Group+1]++
	}
	for g := range r.GroupSizes {
		f.GroupStart[g+1] += f.GroupStart[g]
	}
	stride := uint32(1)
	for _, u := range s.units {
		u.exemplify(&f, list, stride)
		stride *= uint32(u.classes)
	}
	return &f, nil
}

// checkedCounts puts counts in the order of groups and classes, those of one class together, and refuses what groups of these sizes do not have.
func checkedCounts(list []GroupCount, sizes []uint32, classes int) ([]GroupCount, error) {
	slices.SortFunc(list, func(a, b GroupCount) int { return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Class, b.Class)) })
	kept, left := list[:0], uint32(0)
	for i, c := range list {
		if int(c.Group) >= len(sizes) || int(c.Class) >= classes || c.Records == 0 {
			return nil, fmt.Errorf("%d records are of class %d of %d in group %d of %d", c.Records, c.Class, classes, c.Group, len(sizes))
		}
		if i == 0 || c.Group != list[i-1].Group {
			left = sizes[c.Group]
		}
		if c.Records > left {
			return nil, fmt.Errorf("group %d has more than its %d records", c.Group, sizes[c.Group])
		}
		left -= c.Records
		if n := len(kept); n > 0 && kept[n-1].Group == c.Group && kept[n-1].Class == c.Class {
			kept[n-1].Records += c.Records
			continue
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// exemplify gives a fragment's columns that the unit reads the codes of an example of every tuple's
// class; the classes of a side are numbers of which the unit's has this stride.
func (u *unit) exemplify(f *anonymize.Fragment, list []GroupCount, stride uint32) {
	example := make([]int, u.classes)
	for code := len(u.classOf) - 1; code >= 0; code-- {
		if class := u.classOf[code]; class != dead {
			example[class] = code
		}
	}
	step := 1
	for i, c := range u.columns {
		column := *f.Columns[c]
		column.Codes = make([]uint32, len(list))
		for t, of := range list {
			column.Codes[t] = uint32(example[of.Class/stride%uint32(u.classes)] / step % u.radix[i])
		}
		f.Columns[c] = &column
		step *= u.radix[i]
	}
}

// spreadSource is what the spreads of an answer come from: p, or what was counted for its question.
func (p *Prepared) spreadSource(ctx context.Context, q *Question, answer *Answer) (*Prepared, error) {
	if p.elsewhere == nil || !p.elsewhere.readsHere(q) {
		return p, nil
	}
	if s := answer.scan; s != nil && s.question == q && s.prepared.of == p {
		return s.prepared, nil
	}
	return p.counted(ctx, q)
}
