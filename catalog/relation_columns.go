package catalog

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
)

// A generalized column is shown by the labels of its cells ("[16-24]", "{a,b}",
// "Secondary school", "*"). Where its values are numbers or points in time, the
// least and the greatest value that a cell may stand for are in two more columns
// of the attribute's own type, so that an analyst can compute with them.
const (
	lowSuffix  = "_low"
	highSuffix = "_high"
)

// hasEnds reports whether a published column has these columns beside it.
func (c *FragmentColumnRecord) hasEnds() bool {
	typ, err := coding.ParseType(c.Type)
	return err == nil && !c.Point && coding.New(typ).Numeric()
}

// endColumns are the columns of the ends, none for a column without.
func endColumns(table string, c FragmentColumnRecord) []*sql.Column {
	if !c.hasEnds() {
		return nil
	}
	typ, _ := coding.ParseType(c.Type) // hasEnds parsed it
	ends := make([]*sql.Column, 0, 2)
	for _, suffix := range []string{lowSuffix, highSuffix} {
		ends = append(ends, &sql.Column{Name: c.Name + suffix, Type: typ, Nullable: true, Source: table, DatabaseSource: PublishedDatabaseName,
			Comment: "end of " + c.Name})
	}
	return ends
}

// RelationColumns lists the names of the columns of a fragment's relation.
func RelationColumns(f *anonymize.Fragment) []string {
	names := []string{gidColumn}
	for _, c := range f.Columns {
		names = append(names, c.Name)
		for _, end := range endColumns("", FragmentColumnRecord{Name: c.Name, Type: c.Type, Point: c.IsPoint()}) {
			names = append(names, end.Name)
		}
	}
	if f.Units != nil {
		return append(names, countColumn, unitsColumn)
	}
	return append(names, countColumn)
}

// boxColumn boxes what the relation shows of a column, by code: its values, or the
// labels of its cells and their ends.
func boxColumn(c *anonymize.FragmentColumn) ([][]any, error) {
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return nil, err
	}
	if c.IsPoint() {
		boxed, err := boxDictionary(c.Dictionary, typ)
		return [][]any{boxed}, err
	}
	labels := make([]any, len(c.Cells))
	for i, cell := range c.Cells {
		labels[i] = cell.Label
		if len(cell.Members) == 1 && c.Dictionary[cell.Members[0]].IsNull() {
			labels[i] = nil
		}
	}
	codec := coding.New(typ)
	if !codec.Numeric() {
		return [][]any{labels}, nil
	}
	lows, highs := make([]any, len(c.Cells)), make([]any, len(c.Cells))
	for i, cell := range c.Cells {
		low, high := cellEnds(c.Dictionary, cell.Members)
		if text, ok := intervalText(codec, cell.Label, low, high); ok {
			labels[i] = text
		}
		if lows[i], err = coding.SQLValue(typ, low); err != nil {
			return nil, err
		}
		if highs[i], err = coding.SQLValue(typ, high); err != nil {
			return nil, err
		}
	}
	return [][]any{labels, lows, highs}, nil
}

// cellEnds returns the least and the greatest value of a cell; NULL, which is
// code 0 of a dictionary that has it, counts when there is no other.
func cellEnds(dictionary []anonymize.Value, members []uint32) (low, high anonymize.Value) {
	if len(members) > 1 && dictionary[members[0]].IsNull() {
		members = members[1:]
	}
	return dictionary[members[0]], dictionary[members[len(members)-1]]
}

// intervalText writes an interval, or a single value, as SQL writes the ends,
// where a method, which does not know the type, wrote them in another way: times
// of the day as microseconds, single precision with the digits of double.
func intervalText(c coding.Codec, label string, low, high anonymize.Value) (string, bool) {
	if low.IsNull() || c.Kind != coding.KindTime && c.Kind != coding.KindFloat32 && c.Kind != coding.KindInstant {
		return "", false
	}
	single := label == low.String()
	if !single && label != anonymize.IntervalLabel(low.String(), high.String()) {
		return "", false
	}
	from, err := coding.ValueText(c.Type, low)
	if err != nil || single {
		return from, err == nil
	}
	to, err := coding.ValueText(c.Type, high)
	return anonymize.IntervalLabel(from, to), err == nil
}

// fragmentColumns are the columns of a fragment whose first group has a number.
func fragmentColumns(f *anonymize.Fragment, first int) ([]relationColumn, error) {
	columns := []relationColumn{gidsOf(f, first)}
	for _, c := range f.Columns {
		boxed, err := boxColumn(c)
		if err != nil {
			return nil, err
		}
		for _, b := range boxed {
			columns = append(columns, relationColumn{codes: c.Codes, boxed: b})
		}
	}
	columns = append(columns, boxIntegers(f.Count))
	if f.Units != nil {
		columns = append(columns, boxIntegers(f.Units))
	}
	return columns, nil
}

// gidsOf is the gid of every tuple.
func gidsOf(f *anonymize.Fragment, first int) relationColumn {
	c := relationColumn{codes: make([]uint32, f.Tuples()), boxed: make([]any, f.Groups())}
	for g := range c.boxed {
		c.boxed[g] = GID(first + g)
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			c.codes[t] = uint32(g)
		}
	}
	return c
}

func boxDictionary(dictionary []anonymize.Value, typ sql.Type) ([]any, error) {
	boxed := make([]any, len(dictionary))
	for i, v := range dictionary {
		var err error
		if boxed[i], err = coding.SQLValue(typ, v); err != nil {
			return nil, err
		}
	}
	return boxed, nil
}

// boxIntegers boxes each number once.
func boxIntegers(numbers []uint32) relationColumn {
	c := relationColumn{codes: make([]uint32, len(numbers))}
	seen := make(map[uint32]uint32)
	for i, n := range numbers {
		code, ok := seen[n]
		if !ok {
			code = uint32(len(c.boxed))
			seen[n] = code
			c.boxed = append(c.boxed, int64(n))
		}
		c.codes[i] = code
	}
	return c
}

// groupColumns are gid and size of the groups of a page.
func groupColumns(page *anonymize.Fragment, first int) ([]relationColumn, error) {
	sizes := make([]uint32, page.Groups())
	for g := range sizes {
		for _, n := range page.Count[page.GroupStart[g]:page.GroupStart[g+1]] {
			sizes[g] += n
		}
	}
	return gidColumns(sizes, nil, first), nil
}

// gidColumns are gid and size of groups that follow each other, and units where they have some.
func gidColumns(sizes, units []uint32, first int) []relationColumn {
	gids := relationColumn{codes: make([]uint32, len(sizes)), boxed: make([]any, len(sizes))}
	for g := range sizes {
		gids.codes[g] = uint32(g)
		gids.boxed[g] = GID(first + g)
	}
	if units != nil {
		return []relationColumn{gids, boxIntegers(sizes), boxIntegers(units)}
	}
	return []relationColumn{gids, boxIntegers(sizes)}
}
