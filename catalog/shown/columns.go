package shown

import (
	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
)

// A Column has a boxed value per row, through its codes; without codes all rows have the first value.
type Column struct {
	Codes []uint32
	Boxed []any
}

// NextPage returns the columns of a relation's next page, nil after the last.
type NextPage func() ([]Column, error)

// GID returns a group's number for users, which counts from 1.
func GID(group int) int64 { return int64(group) + 1 }

// boxColumn boxes what the relation shows of a column, by code: its values, or its cells'
// labels and ends.
func boxColumn(c *anonymize.FragmentColumn) ([][]any, error) {
	typ, err := coding.ParseType(c.Type)
	if err != nil {
		return nil, err
	}
	if c.IsPoint() {
		boxed, err := Dictionary(c.Dictionary, typ)
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

// cellEnds returns the least and the greatest value of a cell. NULL, code 0 if the dictionary
// has it, counts only if it is alone.
func cellEnds(dictionary []anonymize.Value, members []uint32) (low, high anonymize.Value) {
	if len(members) > 1 && dictionary[members[0]].IsNull() {
		members = members[1:]
	}
	return dictionary[members[0]], dictionary[members[len(members)-1]]
}

// intervalText rewrites an interval, or a single value, with ends in SQL's notation. Methods do
// not know the type: they write times of day as microseconds, and single precision with the
// digits of double.
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

// FragmentColumns returns the columns of a fragment whose first group has number first.
func FragmentColumns(f *anonymize.Fragment, first int) ([]Column, error) {
	columns := []Column{gidsOf(f, first)}
	for _, c := range f.Columns {
		boxed, err := boxColumn(c)
		if err != nil {
			return nil, err
		}
		for _, b := range boxed {
			columns = append(columns, Column{Codes: c.Codes, Boxed: b})
		}
	}
	columns = append(columns, boxIntegers(f.Count))
	if f.Units != nil {
		columns = append(columns, boxIntegers(f.Units))
	}
	return columns, nil
}

// gidsOf returns the gid of every tuple.
func gidsOf(f *anonymize.Fragment, first int) Column {
	c := Column{Codes: make([]uint32, f.Tuples()), Boxed: make([]any, f.Groups())}
	for g := range c.Boxed {
		c.Boxed[g] = GID(first + g)
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			c.Codes[t] = uint32(g)
		}
	}
	return c
}

func Dictionary(dictionary []anonymize.Value, typ sql.Type) ([]any, error) {
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
func boxIntegers(numbers []uint32) Column {
	c := Column{Codes: make([]uint32, len(numbers))}
	seen := make(map[uint32]uint32)
	for i, n := range numbers {
		code, ok := seen[n]
		if !ok {
			code = uint32(len(c.Boxed))
			seen[n] = code
			c.Boxed = append(c.Boxed, int64(n))
		}
		c.Codes[i] = code
	}
	return c
}

// GroupColumns returns gid and size of a page's groups.
func GroupColumns(page *anonymize.Fragment, first int) ([]Column, error) {
	sizes := make([]uint32, page.Groups())
	for g := range sizes {
		for _, n := range page.Count[page.GroupStart[g]:page.GroupStart[g+1]] {
			sizes[g] += n
		}
	}
	return GroupsColumns(sizes, nil, first), nil
}

// GroupsColumns returns gid and size of consecutive groups, and units if there are any.
func GroupsColumns(sizes, units []uint32, first int) []Column {
	gids := Column{Codes: make([]uint32, len(sizes)), Boxed: make([]any, len(sizes))}
	for g := range sizes {
		gids.Codes[g] = uint32(g)
		gids.Boxed[g] = GID(first + g)
	}
	if units != nil {
		return []Column{gids, boxIntegers(sizes), boxIntegers(units)}
	}
	return []Column{gids, boxIntegers(sizes)}
}

// ModelColumns returns the columns of a model's relation: attribute, value, sensitive value and weight of every cell. typeOf returns an attribute's type.
func ModelColumns(m *anonymize.Model, typeOf func(attribute string) sql.Type) ([]Column, error) {
	sensitive, err := categoryTexts(m.Categories, typeOf(m.Sensitive))
	if err != nil {
		return nil, err
	}
	columns := []Column{{}, {}, {Boxed: sensitive}, {}}
	for i, t := range m.Tables {
		values, err := categoryTexts(t.Categories, typeOf(t.Attribute))
		if err != nil {
			return nil, err
		}
		before := len(columns[1].Boxed)
		columns[0].Boxed, columns[1].Boxed = append(columns[0].Boxed, t.Attribute), append(columns[1].Boxed, values...)
		for at, w := range t.Weight {
			columns[0].Codes = append(columns[0].Codes, uint32(i))
			columns[1].Codes = append(columns[1].Codes, uint32(before+at/len(m.Categories)))
			columns[2].Codes = append(columns[2].Codes, uint32(at%len(m.Categories)))
			columns[3].Codes = append(columns[3].Codes, uint32(len(columns[3].Boxed)))
			columns[3].Boxed = append(columns[3].Boxed, any(w))
			if w == anonymize.Pooled {
				columns[3].Boxed[len(columns[3].Boxed)-1] = nil
			}
		}
	}
	return columns, nil
}

// categoryTexts returns an attribute's categories as the model's relation shows them.
func categoryTexts(categories []anonymize.Category, typ sql.Type) ([]any, error) {
	var texts []any
	for _, c := range categories {
		if c.Low.IsNull() {
			texts = append(texts, nil)
			continue
		}
		text, err := coding.ValueText(typ, c.Low)
		if err != nil {
			return nil, err
		}
		if c.Low != c.High {
			high, err := coding.ValueText(typ, c.High)
			if err != nil {
				return nil, err
			}
			text += " .. " + high
		}
		texts = append(texts, text)
	}
	return texts, nil
}
