package datapackage

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/anonsql/anonsql/anonymize"
)

// generalized makes the tables of a generalized attribute, and the fragment's column, whose
// values are the names of cells.
func generalized(c *anonymize.FragmentColumn, cellsName, valuesName string) (shown tableColumn, beside []*table, k kind, err error) {
	dictionary, renumbered := usedValues(c)
	k, ok := kindOf(dictionary)
	if !ok {
		return shown, nil, "", unwritable(c)
	}
	names, labels, naming := cellNames(c)
	usedCells, first := usedCells(c)
	shown = tableColumn{
		name:        c.Name,
		kind:        naming,
		description: "a cell: " + cellsName + " says which values it stands for",
		codes:       make([]uint32, len(c.Codes)),
	}
	shown.values = make([]anonymize.Value, len(usedCells))
	for i, cell := range usedCells {
		shown.values[i] = names[cell]
	}
	for i, code := range c.Codes {
		shown.codes[i] = first[code]
	}
	values := valueTable(valuesName, c.Name, dictionary, k)
	cells := cellTable(cellsName, c, k, values.columns[1].values)
	cells.columns[0].kind, cells.columns[1].kind = naming, naming
	for i, cell := range usedCells {
		cells.columns[0].values = append(cells.columns[0].values, names[cell])
		cells.columns[1].values = append(cells.columns[1].values, labels[cell])
		cells.addCell(uint32(i), &c.Cells[cell], renumbered)
	}
	return shown, []*table{cells, values}, k, nil
}

func unwritable(c *anonymize.FragmentColumn) error {
	return &anonymize.DataError{Reason: fmt.Sprintf("column %s of type %s has values of several kinds, which files do not tell apart", c.Name, c.Type)}
}

// usedCells returns the cells that tuples have, in order, and each one's new number.
func usedCells(c *anonymize.FragmentColumn) (cells, renumbered []uint32) {
	seen := make([]bool, len(c.Cells))
	for _, code := range c.Codes {
		seen[code] = true
	}
	renumbered = make([]uint32, len(c.Cells))
	for i := range c.Cells {
		renumbered[i] = uint32(len(cells))
		if seen[i] {
			cells = append(cells, uint32(i))
		}
	}
	return cells, renumbered
}

// cellNames makes unique names of the labels: the second of two equal labels is "flu (2)".
func cellNames(c *anonymize.FragmentColumn) (names, labels []anonymize.Value, k kind) {
	taken := make(map[string]bool, len(c.Cells))
	for i := range c.Cells {
		taken[c.Cells[i].Label] = true
	}
	given := make(map[string]int, len(c.Cells))
	k = textKind
	for i := range c.Cells {
		label := c.Cells[i].Label
		name := label
		for given[label]++; given[label] > 1; given[label]++ {
			if name = fmt.Sprintf("%s (%d)", label, given[label]); !taken[name] {
				break
			}
		}
		taken[name] = true
		names, labels = append(names, anonymize.TextValue(name)), append(labels, anonymize.TextValue(label))
		if !utf8.ValidString(label) {
			k = binaryKind
		}
	}
	return names, labels, k
}

func valueTable(name, attribute string, dictionary []anonymize.Value, k kind) *table {
	t := &table{
		name:        name,
		title:       "Values of " + attribute,
		description: "The values of the attribute, ascending.",
		rows:        len(dictionary),
		primaryKey:  []string{"position"},
	}
	position, code := make([]uint32, len(dictionary)), make([]uint32, len(dictionary))
	for i := range dictionary {
		position[i], code[i] = uint32(i)+1, uint32(i)
	}
	t.columns = []tableColumn{
		{name: "position", description: "place among the values", kind: integerKind, codes: position, unique: true},
		{name: "value", kind: k, values: dictionary, codes: code}}
	if dictionary == nil {
		t.columns[1].values = []anonymize.Value{}
	}
	return t
}

func cellTable(name string, c *anonymize.FragmentColumn, k kind, dictionary []anonymize.Value) *table {
	return &table{name: name, title: "Cells of " + c.Name,
		description: "What the cells of the attribute stand for: the values from low to high, of those that the attribute has; a cell may have several lines.",
		columns: []tableColumn{
			{name: "cell", description: "the cell's name in the fragment", values: []anonymize.Value{}},
			{name: "label", description: "how the cell reads; several may read alike", values: []anonymize.Value{}},
			{name: "low", description: "first value", kind: k, values: dictionary},
			{name: "high", description: "last value", kind: k, values: dictionary},
			{
				name:        "weight",
				description: "probability of each of the values; missing: all values of the cell are equally likely",
				kind:        realKind,
				values:      []anonymize.Value{anonymize.NullValue},
			}}}
}

// addCell adds the lines of a cell, one per run of consecutive, equally likely values. NULL is
// before all values but has no neighbour, so the first and last value of a run are both present
// or both missing.
func (t *table) addCell(number uint32, cell *anonymize.Cell, renumbered []uint32) {
	weight := &t.columns[4]
	for i := 0; i < len(cell.Members); {
		end, missing := i+1, t.columns[2].values[renumbered[cell.Members[i]]].IsNull()
		for end < len(cell.Members) && !missing && renumbered[cell.Members[end]] == renumbered[cell.Members[end-1]]+1 &&
			(cell.Weights == nil || cell.Weights[end] == cell.Weights[i]) {
			end++
		}
		code := uint32(0)
		if cell.Weights != nil {
			code = uint32(len(weight.values))
			weight.values = append(weight.values, anonymize.RealValue(cell.Weights[i]))
		}
		line := []uint32{number, number, renumbered[cell.Members[i]], renumbered[cell.Members[end-1]], code}
		for j := range t.columns {
			t.columns[j].codes = append(t.columns[j].codes, line[j])
		}
		t.rows++
		i = end
	}
}

// resourceName converts a name to the specification's characters, also for a file: lower-case
// letters, digits, - _ and dots. unique limits its length.
func resourceName(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-', r == '.':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, text)
}

// unique returns an unused name of at most 100 bytes by shortening it, without its ending, and numbering it.
func unique(name, ending string, taken map[string]bool) string {
	free := shortened(name, ending)
	for n := 2; taken[free]; n++ {
		free = shortened(name, ending+"_"+strconv.Itoa(n))
	}
	taken[free] = true
	return free
}

func shortened(name, ending string) string { return name[:min(len(name), 100-len(ending))] + ending }
