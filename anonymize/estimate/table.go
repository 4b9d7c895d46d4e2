package estimate

import "github.com/anonsql/anonsql/anonymize"

// OfTable turns a plain table into a release with one group and one fragment, in which every
// record is a tuple of its own. Answers over it are the actual values, computed by the same
// code as the estimates. Its tuples are in row order: it is for comparisons, never for
// publication.
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
