package datapackage

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A table is the content of one file.
type table struct {
	name               string // of the file, without its extension
	resourceName       string // "" for name
	title, description string
	columns            []tableColumn
	rows               int
	primaryKey         []string
	groupsKey          string // resource that gid refers to; "" for none
}

// A tableColumn has a value per row: by code, or numbers directly.
type tableColumn struct {
	name, description string
	kind              kind
	values            []anonymize.Value // by code; nil for numbers
	codes             []uint32
	unique            bool // for numbers
}

// isNumbers reports whether the codes are the numbers themselves, none missing.
func (c *tableColumn) isNumbers() bool { return c.values == nil }

func (c *tableColumn) nullable() bool {
	return slices.ContainsFunc(c.values, anonymize.Value.IsNull)
}

// gids returns every tuple's group, numbered from 1 as for users.
func gids(f *anonymize.Fragment) []uint32 {
	list := make([]uint32, 0, f.Tuples())
	for g := range f.Groups() {
		for range f.GroupStart[g+1] - f.GroupStart[g] {
			list = append(list, uint32(g)+1)
		}
	}
	return list
}

// groupTable returns (gid, size), with a column units if the groups have numbers of units.
func groupTable(name string, sizes, units []uint32) *table {
	all := make([]uint32, len(sizes))
	for g := range all {
		all[g] = uint32(g) + 1
	}
	t := &table{name: name, title: "Groups", description: "How many records are in each group.", rows: len(sizes), primaryKey: []string{"gid"},
		columns: []tableColumn{
			{name: "gid", description: "group", kind: integerKind, codes: all, unique: true},
			{name: "size", description: "records in the group", kind: integerKind, codes: sizes}}}
	if units != nil {
		t.columns = append(t.columns, tableColumn{name: "units", description: "units in the group, with equally many records each", kind: integerKind, codes: units})
	}
	return t
}

// usedValues drops dictionary values without a code: the files must not have unpublished
// values.
func usedValues(c *anonymize.FragmentColumn) (dictionary []anonymize.Value, members []uint32) {
	seen := make([]bool, len(c.Dictionary))
	for _, code := range c.Codes {
		if c.IsPoint() {
			seen[code] = true
			continue
		}
		for _, m := range c.Cells[code].Members {
			seen[m] = true
		}
	}
	members = make([]uint32, len(c.Dictionary))
	for code, v := range c.Dictionary {
		members[code] = uint32(len(dictionary))
		if seen[code] {
			dictionary = append(dictionary, v)
		}
	}
	return dictionary, members
}
