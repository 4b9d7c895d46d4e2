package misfit

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A split pretends that a release does not link some attributes of a fragment to the others: it
// publishes them as an additional fragment.
type split struct {
	fragment int
	// moved says, by column of the fragment, whether it goes to the new fragment.
	moved []bool
}

// maxSplits is the greatest number of pretended splits.
const maxSplits = 3

// splitsOf returns splits in two of the fragments with the most columns, at least two each. A
// single fragment has no split: all pairs of interest have an attribute outside it, about which
// its own columns say nothing.
func splitsOf(r *anonymize.Release) (splits []split) {
	var order []int
	for j, f := range r.Fragments {
		if len(f.Columns) > 1 {
			order = append(order, j)
		}
	}
	if len(order) < 2 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(r.Fragments[b].Columns) - len(r.Fragments[a].Columns) })
	for _, j := range order[:min(len(order), maxSplits)] {
		splits = append(splits, alternateSplit(j, len(r.Fragments[j].Columns)))
	}
	return splits
}

// alternateSplit moves every other column.
func alternateSplit(fragment, columns int) split {
	s := split{fragment: fragment}
	for i := range columns {
		s.moved = append(s.moved, i%2 == 1)
	}
	return s
}

// apply returns the release with the split.
func (s split) apply(r *anonymize.Release) *anonymize.Release {
	whole := r.Fragments[s.fragment]
	var kept, moved []*anonymize.FragmentColumn
	for i, c := range whole.Columns {
		if s.moved[i] {
			moved = append(moved, c)
		} else {
			kept = append(kept, c)
		}
	}
	apart := *r
	apart.Units, apart.Fragments = nil, nil // the parts' numbers of units cannot be known
	for _, f := range r.Fragments {
		counted := *f
		counted.Units = nil
		apart.Fragments = append(apart.Fragments, &counted)
	}
	apart.Fragments = append(apart.Fragments, projected(whole, moved))
	apart.Fragments[s.fragment] = projected(whole, kept)
	apart.Fragments[len(r.Fragments)].Name = whole.Name + "'"
	return &apart
}

// projected returns a fragment with some columns of f.
func projected(f *anonymize.Fragment, columns []*anonymize.FragmentColumn) *anonymize.Fragment {
	p := &anonymize.Fragment{Name: f.Name, Role: f.Role, GroupStart: []uint32{0}}
	for _, c := range columns {
		some := *c
		some.Codes = nil
		p.Columns = append(p.Columns, &some)
	}
	var tuples []int
	for g := range f.Groups() {
		tuples = tuples[:0]
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			tuples = append(tuples, int(t))
		}
		slices.SortFunc(tuples, func(a, b int) int { return compareTuples(columns, a, b) })
		for i, t := range tuples {
			if i > 0 && compareTuples(columns, tuples[i-1], t) == 0 {
				p.Count[len(p.Count)-1] += f.Count[t]
				continue
			}
			p.Count = append(p.Count, f.Count[t])
			for k, c := range columns {
				p.Columns[k].Codes = append(p.Columns[k].Codes, c.Codes[t])
			}
		}
		p.GroupStart = append(p.GroupStart, uint32(len(p.Count)))
	}
	return p
}

func compareTuples(columns []*anonymize.FragmentColumn, a, b int) int {
	for _, c := range columns {
		if c.Codes[a] != c.Codes[b] {
			return int(c.Codes[a]) - int(c.Codes[b])
		}
	}
	return 0
}
