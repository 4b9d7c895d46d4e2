package estimate

import "github.com/anonsql/anonsql/anonymize"

// OfTable puts a plain table into the shape of a release: one group, one
// fragment, every record a tuple of its own. Every answer over it is the
// actual value, computed by the same code as the estimate. Its tuples are in
// row order: it is for comparing, never for publishing.
func OfTable(table *anonymize.Microdata) *anonymize.Release {
	f := &anonymize.Fragment{
		Name:       "table",
		Role:       anonymize.Mixed,
		GroupStart: []uint32{0, uint32(table.Rows)},
		Count:      make([]uint32, table.Rows),
	}
	for i := range f.Count {
		f.Count[i] = 1
	}
	for _, c := range table.Columns {
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{
			Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: c.Codes})
	}
	return &anonymize.Release{
		Method:     "table",
		Rows:       table.Rows,
		GroupSizes: []uint32{uint32(table.Rows)},
		Fragments:  []*anonymize.Fragment{f},
	}
}
