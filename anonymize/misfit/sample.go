package misfit

import (
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// sampled returns a release of some whole groups of r, their completed tables, and the groups,
// nil for all. It has at most about most records.
func sampled(r *anonymize.Release, c *anonymize.Completion, most int, random *rand.Rand) (_ *anonymize.Release, _ *anonymize.Completion, groups []int) {
	if r.Rows <= most {
		return r, c, nil
	}
	left := most
	for _, g := range random.Perm(r.Groups()) {
		if size := int(r.GroupSizes[g]); size <= left || len(groups) == 0 {
			groups, left = append(groups, g), left-size
		}
		if left <= 0 {
			break
		}
	}
	slices.Sort(groups)
	return releaseOf(r, groups), completionOf(r, c, groups), groups
}

// releaseOf returns what r publishes of some groups, which ascend.
func releaseOf(r *anonymize.Release, groups []int) *anonymize.Release {
	s := &anonymize.Release{Method: r.Method, Model: r.Model}
	for _, g := range groups {
		s.GroupSizes = append(s.GroupSizes, r.GroupSizes[g])
		s.Rows += int(r.GroupSizes[g])
		if r.Units != nil {
			s.Units = append(s.Units, r.Units[g])
		}
	}
	for _, f := range r.Fragments {
		part := &anonymize.Fragment{Name: f.Name, Role: f.Role, GroupStart: []uint32{0}}
		for _, g := range groups {
			part.Count = append(part.Count, f.Count[f.GroupStart[g]:f.GroupStart[g+1]]...)
			if f.Units != nil {
				part.Units = append(part.Units, f.Units[f.GroupStart[g]:f.GroupStart[g+1]]...)
			}
			part.GroupStart = append(part.GroupStart, uint32(len(part.Count)))
		}
		for _, column := range f.Columns {
			some := *column
			some.Codes = nil
			for _, g := range groups {
				some.Codes = append(some.Codes, column.Codes[f.GroupStart[g]:f.GroupStart[g+1]]...)
			}
			part.Columns = append(part.Columns, &some)
		}
		s.Fragments = append(s.Fragments, part)
	}
	return s
}

// completionOf returns the completed tables of some groups. Places are relative to groups, so they stay.
func completionOf(r *anonymize.Release, c *anonymize.Completion, groups []int) *anonymize.Completion {
	first := firstRecords(r)
	s := &anonymize.Completion{Tables: c.Tables}
	for _, table := range c.Narrow {
		s.Narrow = append(s.Narrow, placesOf(table, groups, first))
	}
	for _, table := range c.Wide {
		s.Wide = append(s.Wide, placesOf(table, groups, first))
	}
	return s
}

func placesOf[P uint8 | uint16](table [][]P, groups []int, first []int) [][]P {
	some := make([][]P, len(table))
	for j, places := range table {
		for _, g := range groups {
			some[j] = append(some[j], places[first[g]:first[g+1]]...)
		}
	}
	return some
}

// firstRecords returns the number of records before every group, and in total.
func firstRecords(r *anonymize.Release) []int {
	first := make([]int, 1, len(r.GroupSizes)+1)
	for g, size := range r.GroupSizes {
		first = append(first, first[g]+int(size))
	}
	return first
}

// repeated returns the code of every record's tuple of a fragment, in the order of publication.
func repeated(f *anonymize.Fragment, c *anonymize.FragmentColumn, rows int) []uint32 {
	codes := make([]uint32, 0, rows)
	for t, n := range f.Count {
		for range n {
			codes = append(codes, c.Codes[t])
		}
	}
	return codes
}

// records returns, for every record of completed table d, the joined record of fragment j; for
// fragment 0 that is the record itself.
func records(r *anonymize.Release, c *anonymize.Completion, d, j int) []uint32 {
	at := make([]uint32, r.Rows)
	first := 0
	for _, size := range r.GroupSizes {
		for s := first; s < first+int(size); s++ {
			switch {
			case j == 0:
				at[s] = uint32(s)
			case c.Narrow != nil:
				at[s] = uint32(first) + uint32(c.Narrow[d][j-1][s])
			default:
				at[s] = uint32(first) + uint32(c.Wide[d][j-1][s])
			}
		}
		first += int(size)
	}
	return at
}
