package elsewhere

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// IsHere reports whether a fragment is completely here.
func (d *Relations) IsHere(fragment int) bool { return d.Columns[fragment] == nil }

// ReadsHere reports whether a question reads a fragment that is here.
func (d *Relations) ReadsHere(q *question.Question) bool {
	return slices.ContainsFunc(q.Touched(), d.IsHere)
}

// takeHere checks a fragment that is here.
func (d *Relations) takeHere(r *anonymize.Release, f *anonymize.Fragment) error {
	switch {
	case question.IsElsewhere(f):
		return &question.UnansweredError{What: fmt.Sprintf("cells of fragment %s that stand for several values", f.Name)}
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

// Counted returns the release as a question needs it: fragments that are here as they are, and for the others that it reads a tuple per group and class.
func (d *Relations) Counted(ctx context.Context, shape *anonymize.Release, q *question.Question) (*anonymize.Release, error) {
	r, _, err := d.Loaded(ctx, shape, q)
	if err != nil {
		return nil, err
	}
	for _, f := range q.Touched() {
		if d.IsHere(f) {
			continue
		}
		s, err := question.Classify(ctx, r, q, f)
		if err != nil {
			return nil, err
		}
		if s.Classes >= question.MaxDistantClasses {
			return nil, &question.TooManyCombinationsError{Fragment: s.Fragment.Name, Limit: question.MaxDistantClasses}
		}
		if r.Fragments[f], err = d.byGroup(ctx, r, f, s); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// byGroup returns a fragment whose records the engine has counted by group and class. Each tuple has the values of an example of its class.
func (d *Relations) byGroup(ctx context.Context, r *anonymize.Release, fragment int, s *question.Side) (*anonymize.Fragment, error) {
	f := *r.Fragments[fragment]
	f.Columns, f.GroupStart = slices.Clone(f.Columns), make([]uint32, len(r.GroupSizes)+1)
	if s.IsEmpty() {
		return &f, nil
	}
	list, err := d.store.ByGroup(ctx, figures.Asked(s, fragment))
	if err != nil {
		return nil, err
	}
	if list, err = checkedCounts(list, r.GroupSizes, s.Classes); err != nil {
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
	for _, u := range s.Units {
		exemplify(u, &f, list, stride)
		stride *= uint32(u.Classes)
	}
	return &f, nil
}

// checkedCounts sorts the counts by group and class, merges those of one class and refuses counts that groups of these sizes cannot have.
func checkedCounts(list []figures.GroupCount, sizes []uint32, classes int) ([]figures.GroupCount, error) {
	slices.SortFunc(list, func(a, b figures.GroupCount) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Class, b.Class))
	})
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

// exemplify sets, in the columns that the unit reads, the codes of an example of each tuple's
// class. Within a class number of the side, the unit's class has this stride.
func exemplify(u *question.Unit, f *anonymize.Fragment, list []figures.GroupCount, stride uint32) {
	example := make([]int, u.Classes)
	for code := len(u.ClassOf) - 1; code >= 0; code-- {
		if class := u.ClassOf[code]; class != question.Dead {
			example[class] = code
		}
	}
	step := 1
	for i, c := range u.Columns {
		column := *f.Columns[c]
		column.Codes = make([]uint32, len(list))
		for t, of := range list {
			column.Codes[t] = uint32(example[of.Class/stride%uint32(u.Classes)] / step % u.Radix[i])
		}
		f.Columns[c] = &column
		step *= u.Radix[i]
	}
}
