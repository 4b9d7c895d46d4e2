package anontest

import (
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A Projection describes a fragment: some columns of a table.
type Projection struct {
	Name    string
	Role    anonymize.FragmentRole
	Columns []string
}

// UnitRelease publishes a table with units, in groups that the test chooses. It checks no promises.
func UnitRelease(t testing.TB, table *anonymize.Microdata, unit, group []uint32, projections ...Projection) *anonymize.Release {
	t.Helper()
	groups := int(slices.Max(group)) + 1
	r := &anonymize.Release{Method: "units", Rows: table.Rows, GroupSizes: make([]uint32, groups), Units: make([]uint32, groups)}
	order := make([]int, table.Rows)
	for i := range order {
		order[i] = i
		r.GroupSizes[group[i]]++
	}
	for _, one := range distinctPairs(group, unit) {
		r.Units[one[0]]++
	}
	for _, p := range projections {
		r.Fragments = append(r.Fragments, project(table, p, unit, group, order, groups))
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	return r
}

// project counts the records and the units of every tuple of every group.
func project(table *anonymize.Microdata, p Projection, unit, group []uint32, order []int, groups int) *anonymize.Fragment {
	f := &anonymize.Fragment{Name: p.Name, Role: p.Role, GroupStart: make([]uint32, groups+1)}
	codes := [][]uint32{group}
	for _, name := range p.Columns {
		c := table.Column(name)
		codes = append(codes, c.Codes)
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary,
			Constant: anonymize.IsConstant(c.Codes, unit)})
	}
	compare := func(a, b int) int {
		for _, of := range codes {
			if of[a] != of[b] {
				return int(of[a]) - int(of[b])
			}
		}
		return 0
	}
	slices.SortFunc(order, compare)
	var seen map[uint32]bool
	for i, row := range order {
		if i == 0 || compare(order[i-1], row) != 0 {
			f.Count, f.Units, seen = append(f.Count, 0), append(f.Units, 0), make(map[uint32]bool)
			f.GroupStart[group[row]+1]++
			for j, c := range f.Columns {
				c.Codes = append(c.Codes, codes[j+1][row])
			}
		}
		last := len(f.Count) - 1
		f.Count[last]++
		if !seen[unit[row]] {
			seen[unit[row]] = true
			f.Units[last]++
		}
	}
	for g := range groups {
		f.GroupStart[g+1] += f.GroupStart[g]
	}
	return f
}

// distinctPairs returns the pairs that occur.
func distinctPairs(first, second []uint32) [][2]uint32 {
	var pairs [][2]uint32
	for i := range first {
		pairs = append(pairs, [2]uint32{first[i], second[i]})
	}
	slices.SortFunc(pairs, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(pairs)
}

// visits are records of four units: three units with two visits each in the first group, one with three in the second.
const visits = `
	sex ward illness
	f 1 asthma
	f 1 asthma
	m 2 cold
	m 1 flu
	m 2 asthma
	m 2 cold
	f 3 flu
	f 3 flu
	f 1 cold
`

// Visits is a small release with units: sex is constant within a unit, ward and illness vary.
func Visits(t testing.TB) *anonymize.Release {
	t.Helper()
	unit, group := []uint32{0, 0, 1, 1, 2, 2, 3, 3, 3}, []uint32{0, 0, 0, 0, 0, 0, 1, 1, 1}
	r := UnitRelease(t, Parse(t, visits), unit, group,
		Projection{"qi1", anonymize.QuasiIdentifying, []string{"sex", "ward"}}, Projection{"sa", anonymize.Sensitive, []string{"illness"}})
	for _, f := range r.Fragments {
		for _, c := range f.Columns {
			c.Type = "varchar(9)"
			if c.Name == "ward" {
				c.Type = "int"
			}
		}
	}
	return r
}
