package anontest

import (
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A Printed is a fragment as papers print it: a column GID, the attributes, a
// column Count; otherwise as in [Parse]. Gids are 1, 2, ... and become 0, 1, ...
type Printed struct {
	Name string
	Role anonymize.FragmentRole
	Text string
}

// Release returns the release of the printed fragments, with its tuples in the order of releases.
func Release(t testing.TB, tables ...Printed) *anonymize.Release {
	t.Helper()
	r := &anonymize.Release{Method: "printed"}
	for _, p := range tables {
		f := fragment(t, p)
		r.Fragments = append(r.Fragments, f)
		if r.GroupSizes != nil {
			continue
		}
		for g := range f.Groups() {
			size := uint32(0)
			for _, n := range f.Count[f.GroupStart[g]:f.GroupStart[g+1]] {
				size += n
			}
			r.GroupSizes = append(r.GroupSizes, size)
			r.Rows += int(size)
		}
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

func fragment(t testing.TB, p Printed) *anonymize.Fragment {
	t.Helper()
	table := Parse(t, p.Text)
	gid, count := table.Column("GID"), table.Column("Count")
	attributes := slices.DeleteFunc(slices.Clone(table.Columns), func(c *anonymize.Column) bool { return c == gid || c == count })
	keys := attributes
	if gid != nil {
		keys = append([]*anonymize.Column{gid}, attributes...)
	}
	order := anonymize.Ints(table.Rows)
	slices.SortFunc(order, func(a, b int) int {
		for _, c := range keys {
			if d := anonymize.Compare(c.Value(a), c.Value(b)); d != 0 {
				return d
			}
		}
		return 0
	})
	f := &anonymize.Fragment{Name: p.Name, Role: p.Role, GroupStart: []uint32{0}}
	for _, c := range attributes {
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Dictionary: c.Dictionary})
	}
	for i, row := range order {
		if i > 0 && gid != nil && gid.Value(row) != gid.Value(order[i-1]) {
			f.GroupStart = append(f.GroupStart, uint32(i))
		}
		f.Count = append(f.Count, uint32(count.Value(row).Int))
		for j, c := range attributes {
			f.Columns[j].Codes = append(f.Columns[j].Codes, c.Codes[row])
		}
	}
	f.GroupStart = append(f.GroupStart, uint32(len(order)))
	return f
}
